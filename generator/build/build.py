"""From a keyword to a domain folder: the stages in their order, and the files that are left at the end."""

from __future__ import annotations

import asyncio
import shutil
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from generator.build.ask import Asker, side_by_side
from generator.build.design import BuildOrder
from generator.build.draft import Draft
from generator.build.stage import ROLES, Stage, figures_by_stage, stages_of, tokens_of
from generator.build.stages.cases import write_cases
from generator.build.stages.code import with_tables, write_code
from generator.build.stages.database import design_database, design_people
from generator.build.stages.past import LIMITS as PAST_LIMITS
from generator.build.stages.past import settle_past
from generator.build.stages.rule_cases import drop_unasked_rules, try_rules_by_cases, without_rules
from generator.build.stages.rules import fewest_rules, policy_text, write_rules
from generator.build.stages.scenarios import write_scenarios
from generator.build.stages.tools import design_tools, screen
from generator.build.stages.trial import sharpen, try_cases_and_calls
from generator.build.stages.world import write_world
from generator.build.writing.documents import write_card, write_policy, write_readme
from generator.gates.cases.case import write_cases as write_case_lines
from generator.gates.folder import FolderRequest
from generator.gates.past.history import prove_past
from generator.gates.worth import FORMAT as WORTH
from generator.gates.worth import Worth, find_worth
from generator.graph.find import search_graph, with_chain_flows, write_graph
from generator.isolation.job import ProofFailed
from generator.isolation.process import prove
from generator.tasks.make import Made, Making, make_tasks, write_lines
from runtime.errors import StageFailed, UsageError
from runtime.graph import Graph
from runtime.model.book import AnswerBook

VERSION = "1.0.0"  # of the domains that are made
SEED = 1  # of the tasks
SAMPLES = 3  # tasks that the README shows
_FEWER_RULES = 2  # than were wanted may be left, rather than keep some that no task exercises
_MOST_ROUNDS = 2  # of dropping rules that tasks do not exercise
FEWEST = 0.5  # of the tools asked for must be left at the end


async def _find_dependencies(asker: Asker, draft: Draft) -> Draft:
    def search() -> Graph:
        with draft.laid_out() as folder:
            return search_graph(folder)

    return replace(draft, graph=await asyncio.to_thread(search))


async def _write_scenarios(asker: Asker, draft: Draft) -> Draft:
    return await _follow_chains(drop_unasked_rules(asker, await write_scenarios(asker, draft, draft.graph)))


async def _follow_chains(draft: Draft) -> Draft:
    def follow() -> Graph:
        with draft.laid_out() as folder:
            return with_chain_flows(folder, draft.graph)

    return replace(draft, graph=await asyncio.to_thread(follow))


_RUN: Mapping[str, Callable[[Asker, Draft], Awaitable[Draft]]] = {
    "screen": screen,
    "tools": design_tools,
    "database": design_database,
    "people": design_people,
    "world": write_world,
    "code": write_code,
    "cases": write_cases,
    "trial": try_cases_and_calls,
    "sharpen": sharpen,
    "rules": write_rules,
    "rule_cases": try_rules_by_cases,
    "past": settle_past,
    "graph": _find_dependencies,
    "scenarios": _write_scenarios,
}


async def build(order: BuildOrder, asker: Asker, book: AnswerBook, out: Path) -> Draft:
    """Build a domain into a folder that holds its answers; errors: StageFailed, ModelFailed, UsageError."""
    draft = Draft(order.name, order=order)
    groups = list(stages_of(order.parts))
    count = sum(map(len, groups))
    for number, group in enumerate(groups):
        before = draft
        asker.watcher.began(group, sum(map(len, groups[:number])), count)
        if group[0].name != "tasks":
            draft = await _advance(asker, draft, group)
        for tool in draft.dropped.keys() - before.dropped.keys():
            asker.watcher.said(f"dropped tool {tool}: {draft.dropped[tool]}")
        if len(draft.catalogue.tools) < FEWEST * order.count and draft.dropped != before.dropped:
            left = len(draft.catalogue.tools)
            raise StageFailed(f"Only {left} of {order.count} tools are left; the domain is not kept.")
    rounds = 0
    while idle := await asyncio.to_thread(_finish, order, asker, draft, book, out, is_last=rounds == _MOST_ROUNDS):
        rounds += 1
        draft = without_rules(asker, draft, dict.fromkeys(idle, "no proven task is denied by it, or none is allowed"))
        draft = await _follow_chains(await _find_dependencies(asker, draft))
    return draft


async def _advance(asker: Asker, draft: Draft, group: Sequence[Stage]) -> Draft:
    """The draft after one stage, or after some that see nothing of each other: with what each of them changed."""
    if len(group) == 1:
        return await _RUN[group[0].name](asker, draft)
    changes: dict[str, Any] = {}
    dropped: dict[str, str] = {}
    for after in await side_by_side([_RUN[stage.name](asker, draft) for stage in group]):
        own = {field.name: getattr(after, field.name) for field in fields(Draft)}
        changes |= {name: value for name, value in own.items() if value is not getattr(draft, name)}
        dropped |= after.dropped
    new = {tool: reason for tool, reason in dropped.items() if tool not in draft.dropped}
    return with_tables(replace(draft, **changes).dropping(new))


def _finish(order: BuildOrder, asker: Asker, draft: Draft, book: AnswerBook, out: Path, *, is_last: bool) -> list[str]:
    """Write the folder: everything beside it first, `domain.json` last, so that a half-written one is none.

    Where some rules never deny a request, or never allow one, in its tasks, nothing is written and these are returned;
    unless it is the last round, or too few rules would be left.
    """
    provenance = provenance_of(draft, book)

    def write(name: str, text: str) -> None:
        (folder / name).write_text(text, encoding="utf-8", newline="\n")

    def write_domain() -> None:
        card = write_card(order.name, VERSION, draft.catalogue, draft.database, provenance, draft.people)
        write("domain.json", card)

    with TemporaryDirectory(prefix="worldsmith-") as place:
        folder = Path(place) / order.name
        folder.mkdir()
        draft.write(folder)
        write("cases.jsonl", write_case_lines(draft.cases))
        write("policy.md", policy_text(folder) if draft.rules.codes else write_policy(draft.catalogue))
        write("graph.json", write_graph(draft.graph))
        write_domain()
        made = _make_tasks(order, asker, folder) if draft.scenarios and order.tasks else Made()
        figures = figures_of(draft, book)
        past = prove(prove_past, FolderRequest(folder), PAST_LIMITS)
        figures += past.lines
        if known := [*provenance.get("known", []), *past.missed]:
            provenance["known"] = sorted({*known})
            write_domain()
        worth = Worth()
        if made.tasks:
            write_lines(folder / "tasks.jsonl", made.lines)
            provenance["tasks"] = {"count": len(made.tasks), "seed": SEED, "tried": made.tried}
            provenance["worth"] = WORTH
            write_domain()
            worth = prove(find_worth, FolderRequest(folder))
            idle = [code for code, use in worth.rules.items() if not (use.denied and use.allowed)]
            left = len(draft.rules.rules) - len(idle)
            if idle and worth.misses and not is_last and left >= fewest_rules(draft) - _FEWER_RULES:
                return idle
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
    return []


def _make_tasks(order: BuildOrder, asker: Asker, folder: Path) -> Made:
    """The tasks of a domain that is not yet in its place; too few are said, and are not a reason to lose the domain."""
    try:
        made = make_tasks(Making(folder, order.tasks, SEED, least=1))
    except UsageError as error:
        asker.watcher.said(f"no tasks were made: {error}")
        return Made()
    except ProofFailed as failed:
        raise StageFailed(str(failed)) from failed
    held = f"{len(made.lines)} of {order.tasks} tasks hold"
    asker.watcher.said(f"{held} after {made.tried} candidates, {sum(made.tally.rejected.values())} rejected")
    for line in (*made.rejections, *(f"lacking: {each}" for each in made.unmet)):
        asker.watcher.said(line.strip())
    return made


def _move(folder: Path, out: Path) -> None:
    """Put the files in their place, `domain.json` last; without it, what is there is only half built."""
    names = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    (out / "domain.json").unlink(missing_ok=True)
    (out / "tools").mkdir(parents=True, exist_ok=True)
    for old in (out / "tools").glob("*.py"):
        old.unlink()
    for name in sorted(names, key=lambda name: name.name == "domain.json"):
        shutil.copyfile(folder / name, out / name)


def provenance_of(draft: Draft, book: AnswerBook) -> dict[str, Any]:
    """Where a domain comes from: models, tokens, repairs, and what was lost."""
    forms = Counter(each.form for each in draft.scenarios) if draft.people is not None else Counter()
    blames = [blame for entry in book if entry.stage == "debug" for blame in entry.answer.content.get("blames", [])]
    return {
        **{name: value for name, value in book.header.items() if name != "format"},
        **({"twin_of": draft.order.kept.origin, "known": ["calendar", "history"]} if draft.order.kept else {}),
        "screening": draft.screening,
        "models": {
            role: sorted({entry.answer.model for entry in book if entry.role == role})
            for role in ROLES
            if any(entry.role == role for entry in book)
        },
        "answers": len(book),
        "repairs": {each.stage: each.repairs for each in figures_by_stage(book)},
        "blamed": {wrong: sum(blame.get("wrong") == wrong for blame in blames) for wrong in ("tool", "case")},
        "dropped": dict(draft.dropped),
        **({"dropped_rules": dict(draft.lost_rules)} if draft.lost_rules else {}),
        **({"scenarios": len(draft.scenarios)} if draft.scenarios else {}),
        **({"forms": dict(sorted(forms.items())), "left_out": dict(draft.left_out_forms)} if forms else {}),
        **({"dropped_scenarios": dict(draft.lost_scenarios)} if draft.lost_scenarios else {}),
        **({"gate": [ruling.as_json for ruling in draft.rulings]} if draft.rulings else {}),
        "tokens": tokens_of(book),
    }


def figures_of(draft: Draft, book: AnswerBook) -> list[str]:
    """The figures of a domain's README."""
    cases = [case for own in draft.cases.values() for case in own.cases]
    usage = book.usage()
    ruled = [case.allowed for own in draft.rule_cases.values() for case in own.cases]
    of_rules = [
        f"{len(draft.rules.rules)} rules and {len(draft.rules.duties)} duties that no tool enforces",
        f"{len(ruled)} cases of rules: {sum(ruled)} allowed, {ruled.count(False)} denied",
    ]
    graph = draft.graph
    return [
        f"{len(draft.catalogue.tools)} tools over {len(draft.schema.tables)} tables",
        f"{len(cases)} cases: {sum(case.is_success for case in cases)} successes, "
        f"{sum(not case.is_success for case in cases)} rejections",
        *(of_rules if ruled else []),
        *(f"dropped tool {tool}: {reason}" for tool, reason in draft.dropped.items()),
        *(f"dropped rule {code}: {reason}" for code, reason in draft.lost_rules.items()),
        f"{len(graph.edges)} dependencies between {len(graph.nodes)} tools, density {graph.density:.2f}",
        *([f"{len(draft.scenarios)} scenarios of what people want"] if draft.scenarios else []),
        *(f"gate on further scenarios: {ruling.as_sentence}" for ruling in draft.rulings),
        f"made with {usage.prompt + usage.completion:,} tokens ({'estimated' if usage.estimated else 'counted'})",
    ]
