"""From a keyword to a domain folder: the stages in their order, and the files that are left at the end."""

from __future__ import annotations

import asyncio
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from generator.build.ask import Asker, side_by_side
from generator.build.design import Screening
from generator.build.draft import Draft
from generator.build.roles import ROLES, STAGES, tokens_of
from generator.build.sources import Source
from generator.build.stages.cases import write_cases as write_topic_cases
from generator.build.stages.code import with_tables, write_code
from generator.build.stages.database import design_database
from generator.build.stages.graph import add_chain_flows, find_dependencies, propose_dependencies
from generator.build.stages.people import design_people
from generator.build.stages.rule_cases import try_rules_by_cases
from generator.build.stages.rules import policy_text, write_rules
from generator.build.stages.scenarios import write_scenarios
from generator.build.stages.sharpen import sharpen
from generator.build.stages.tools import design_tools, screen
from generator.build.stages.trial import try_cases, try_random_calls
from generator.build.stages.world import write_world
from generator.build.writing.documents import write_card, write_policy, write_readme
from generator.gates.cases.case import write_cases
from generator.gates.folder import FolderRequest
from generator.gates.worth import FORMAT as WORTH
from generator.gates.worth import Worth, find_worth
from generator.graph.find import write_graph
from generator.isolation.job import ProofFailed
from generator.isolation.process import prove
from generator.tasks.make import Made, Making, make_tasks, write_lines
from runtime.errors import StageFailed, UsageError
from runtime.graph import Graph
from runtime.model.book import AnswerBook
from runtime.sandbox.files import hold_path

VERSION = "1.0.0"  # of the domains that are made
SEED = 1  # of the tasks
SAMPLES = 3  # tasks that the README shows
FEWEST = 0.5  # of the tools asked for must be left at the end


@dataclass(frozen=True)
class BuildOrder:
    """What was asked for."""

    keyword: str
    name: str
    count: int
    sources: Sequence[Source] = ()
    scenarios: bool = True  # whether they are written; no part of the header, so that they can be added later
    tasks: int = 0  # how many are made of them
    proposes: bool = False  # whether a model proposes dependencies
    rules: bool = False  # whether somebody calls, with rules of the house

    @property
    def header(self) -> dict[str, Any]:
        """What an answer book is for: answers to another order are no answers to this one."""
        return {
            "keyword": self.keyword,
            "tools": self.count,
            "sources": [{"name": source.name, "digest": source.digest} for source in self.sources],
            **({"rules": True} if self.rules else {}),
        }


async def build(order: BuildOrder, asker: Asker, book: AnswerBook, out: Path) -> Draft:
    """Build a domain into a folder that holds its answers; errors: StageFailed, ModelFailed, UsageError."""
    screening = await screen(asker, order.keyword, order.sources, order.count)
    catalogue = await design_tools(asker, order.keyword, order.sources, order.count, order.rules)
    database = await design_database(asker, catalogue, order.sources)
    losses: dict[str, str] = {}  # the tools that were dropped on the way, with the reasons
    duplicates = {each.drop: f"{each.keep} does the same: {each.reason}" for each in database.duplicates}
    draft = _drop(asker, Draft(order.name, catalogue, database), duplicates, losses)
    if order.rules:
        draft = await design_people(asker, draft)
    draft = await _write(asker, draft, losses)
    for attempt in (try_cases, try_random_calls, sharpen):
        draft, dropped = await attempt(asker, draft)
        draft = _drop(asker, draft, dropped, losses)
    if len(draft.catalogue.tools) < FEWEST * order.count:
        raise StageFailed(f"Only {len(draft.catalogue.tools)} of {order.count} tools are left; the domain is not kept.")
    if order.rules:
        draft = await try_rules_by_cases(asker, await write_rules(asker, draft))
    asker.watcher.said("looking for dependencies")
    graph = await asyncio.to_thread(find_dependencies, draft)
    if order.proposes:
        graph = await propose_dependencies(asker, draft, graph)
    if order.scenarios:
        draft = await write_scenarios(asker, draft, graph)
        graph = await asyncio.to_thread(add_chain_flows, draft, graph)
    provenance = provenance_of(order, screening, draft, losses, book)
    await asyncio.to_thread(_finish, order, asker, draft, provenance, graph, book, out)
    return draft


async def _write(asker: Asker, draft: Draft, losses: dict[str, str]) -> Draft:
    """World, code and cases, side by side: none of them sees another."""
    topics = [topic.name for topic in draft.catalogue.topics]
    world, codes, cases = await asyncio.gather(
        write_world(asker, draft),
        side_by_side([write_code(asker, draft, topic) for topic in topics]),
        side_by_side([write_topic_cases(asker, draft, topic) for topic in topics]),
    )
    dropped = {tool: reason for _, own in codes for tool, reason in own.items()}
    draft = replace(
        draft,
        world=world,
        code=dict(zip(topics, (code for code, _ in codes), strict=True)),
        cases=dict(zip(topics, cases, strict=True)),
    )
    return with_tables(_drop(asker, draft, dropped, losses))


def _drop(asker: Asker, draft: Draft, dropped: Mapping[str, str], losses: dict[str, str]) -> Draft:
    for tool, reason in dropped.items():
        asker.watcher.said(f"dropped tool {tool}: {reason}")
    losses |= dropped
    return draft.without(set(dropped)) if dropped else draft


def _finish(
    order: BuildOrder,
    asker: Asker,
    draft: Draft,
    provenance: dict[str, Any],
    graph: Graph,
    book: AnswerBook,
    out: Path,
) -> None:
    """Write the folder: everything beside it first, `domain.json` last, so that a half-written one is none."""

    def write(name: str, text: str) -> None:
        (folder / name).write_text(text, encoding="utf-8", newline="\n")

    def write_domain() -> None:
        card = write_card(order.name, VERSION, draft.catalogue, draft.database, provenance, draft.people)
        write("domain.json", card)

    with TemporaryDirectory(prefix="worldsmith-") as place:
        folder = Path(place) / order.name
        folder.mkdir()
        draft.write(folder)
        write("cases.jsonl", write_cases(draft.cases))
        write("policy.md", policy_text(folder) if draft.rules.codes else write_policy(draft.catalogue))
        write("graph.json", write_graph(graph))
        write_domain()
        made = _make_tasks(order, asker, folder) if draft.scenarios and order.tasks else Made()
        figures = figures_of(draft, graph, book)
        worth = Worth()
        if made.tasks:
            write_lines(folder / "tasks.jsonl", made.lines)
            provenance["tasks"] = {"count": len(made.tasks), "seed": SEED, "tried": made.tried}
            provenance["worth"] = WORTH
            write_domain()
            worth = prove(find_worth, FolderRequest(folder))
            for line in (*worth.lines, *worth.uses, *(f"out of range: {miss}" for miss in worth.misses)):
                asker.watcher.said(line)
            chained = len(made.covered)
            figures.append(f"{len(made.tasks)} proven tasks, whose chains call {chained} of {len(made.tools)} tools")
        samples = made.tasks[:SAMPLES]
        write("README.md", write_readme(order.name, draft.catalogue, draft.schema, figures, samples, worth))
        try:
            _move(folder, out)
        except OSError as error:
            raise UsageError(f"{str(out)!r} cannot be written: {error.strerror}.") from error


def _make_tasks(order: BuildOrder, asker: Asker, folder: Path) -> Made:
    """The tasks of a domain that is not yet in its place; too few are said, and are no reason to lose the domain."""
    asker.watcher.said("making tasks")
    try:
        made = make_tasks(Making(folder, order.tasks, SEED))
    except UsageError as error:
        asker.watcher.said(f"no tasks were made: {error}")
        return Made()
    except ProofFailed as failed:
        raise StageFailed(str(failed)) from failed
    asker.watcher.said(f"{made.tried} candidates, {sum(made.tally.rejected.values())} rejected")
    for line in (*made.rejections, *(f"lacking: {each}" for each in made.unmet)):
        asker.watcher.said(line.strip())
    return made


def _move(folder: Path, out: Path) -> None:
    names = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    for name in names:
        hold_path(out, name.as_posix())  # a link in an old folder could lead anywhere
    (out / "tools").mkdir(parents=True, exist_ok=True)
    new = {name: out / name.with_name(f".{name.name}.new") for name in names}
    try:
        for name, path in new.items():
            path.unlink(missing_ok=True)
            shutil.copyfile(folder / name, path)
    except OSError:
        for path in new.values():
            path.unlink(missing_ok=True)
        raise
    (out / "domain.json").unlink(missing_ok=True)
    for old in (out / "tools").glob("*.py"):
        if old.relative_to(out) not in names:
            old.unlink()
    for name in sorted(names, key=lambda name: name.name == "domain.json"):
        new[name].replace(out / name)


def provenance_of(
    order: BuildOrder, screening: Screening, draft: Draft, losses: dict[str, str], book: AnswerBook
) -> dict[str, Any]:
    """Where a domain comes from: models, tokens, repairs, and what was lost."""
    by_stage = book.usage_by_stage()
    repairs = {
        stage: sum(entry.attempt > 1 for entry in book if entry.stage == stage) for stage in STAGES if stage in by_stage
    }
    forms = Counter(each.form for each in draft.scenarios) if draft.people is not None else Counter()
    blames = [blame for entry in book if entry.stage == "debug" for blame in entry.answer.content.get("blames", [])]
    return {
        **{name: value for name, value in book.header.items() if name != "format"},
        "screening": screening.reason,
        "models": {
            role: sorted({entry.answer.model for entry in book if entry.role == role})
            for role in ROLES
            if any(entry.role == role for entry in book)
        },
        "answers": len(book),
        "repairs": repairs,
        "blamed": {wrong: sum(blame.get("wrong") == wrong for blame in blames) for wrong in ("tool", "case")},
        "dropped": losses,
        **({"dropped_rules": dict(draft.lost_rules)} if draft.lost_rules else {}),
        **({"scenarios": len(draft.scenarios)} if draft.scenarios else {}),
        **({"forms": dict(sorted(forms.items())), "left_out": dict(draft.left_out_forms)} if forms else {}),
        **({"dropped_scenarios": dict(draft.lost_scenarios)} if draft.lost_scenarios else {}),
        **({"gate": [ruling.as_json for ruling in draft.rulings]} if draft.rulings else {}),
        "tokens": asdict(tokens_of(book)),
    }


def figures_of(draft: Draft, graph: Graph, book: AnswerBook) -> list[str]:
    """The figures of a domain's README."""
    cases = [case for own in draft.cases.values() for case in own.cases]
    usage = book.usage()
    ruled = [case.allowed for own in draft.rule_cases.values() for case in own.cases]
    of_rules = [
        f"{len(draft.rules.rules)} rules and {len(draft.rules.duties)} duties that no tool enforces",
        f"{len(ruled)} cases of rules: {sum(ruled)} allowed, {ruled.count(False)} denied",
    ]
    return [
        f"{len(draft.catalogue.tools)} tools over {len(draft.schema.tables)} tables",
        f"{len(cases)} cases: {sum(case.is_success for case in cases)} successes, "
        f"{sum(not case.is_success for case in cases)} rejections",
        *(of_rules if ruled else []),
        *(f"dropped rule {code}: {reason}" for code, reason in draft.lost_rules.items()),
        f"{len(graph.edges)} dependencies between {len(graph.nodes)} tools, density {graph.density:.2f}",
        *([f"{len(draft.scenarios)} scenarios of what people want"] if draft.scenarios else []),
        *(f"gate on further scenarios: {ruling.as_sentence}" for ruling in draft.rulings),
        f"made with {usage.prompt + usage.completion:,} tokens ({'estimated' if usage.estimated else 'counted'})",
    ]
