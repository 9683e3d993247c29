"""The end of every draft, whoever wrote it: its tasks are made, its past is proven, and its folder is written."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from generator.author.draft import PROVING, Draft
from generator.author.stages.rules import fewest_rules, policy_text
from generator.author.writing.documents import write_card, write_policy, write_readme
from generator.gates.cases.case import write_cases
from generator.gates.folder import FolderRequest
from generator.gates.past.history import prove_past
from generator.gates.worth import FORMAT as WORTH
from generator.gates.worth import Worth
from generator.graph.find import write_graph
from generator.isolation.job import ProofFailed
from generator.isolation.process import run_job
from generator.tasks.make import Made, Making, make_tasks, write_lines
from runtime.errors import StageFailed, UsageError

SEED = 1  # of the tasks
SAMPLES = 3  # tasks that the README shows
_FEWER_RULES = 2  # than were wanted may be left, rather than keep some that no task exercises


@dataclass(frozen=True)
class Finished:
    """What was made of a draft; where `idle_rules` are named, nothing was written."""

    made: Made = field(default_factory=Made)
    worth: Worth = field(default_factory=Worth)
    idle_rules: list[str] = field(default_factory=list)
    """Rules that deny no request of its tasks, or allow none, and had better go."""


def finish(
    draft: Draft,
    out: Path,
    provenance: Mapping[str, Any],
    figures: Sequence[str],
    say: Callable[[str], None],
    *,
    version: str,
    tasks: int,
    is_designed: bool = False,
    is_last: bool = True,
    real_rows: bool = False,
    appendix: str = "",
) -> Finished:
    """Write the folder: everything beside it first, `domain.json` last, so that a half-written one is none.

    What a model designed has a policy, and its tasks are held to their figures. `figures` and `appendix` are for its
    README. Rules that its tasks never deny, or never allow, are returned, and nothing is written; unless it is the last
    round, or too few rules would be left. Errors: StageFailed, UsageError.
    """
    provenance, figures, locale = dict(provenance), list(figures), draft.order.locale

    def write(name: str, text: str) -> None:
        (folder / name).write_text(text, encoding="utf-8", newline="\n")

    def write_domain() -> None:
        card = write_card(
            draft.name,
            version,
            draft.catalogue,
            draft.database,
            provenance,
            draft.people,
            locale=locale,
            real_rows=real_rows,
        )
        write("domain.json", card)

    with TemporaryDirectory(prefix="worldsmith-") as place:
        folder = Path(place) / draft.name
        folder.mkdir()
        draft.write(folder)
        write("cases.jsonl", write_cases(draft.cases))
        if is_designed:
            write("policy.md", policy_text(folder) if draft.rules.codes else write_policy(draft.catalogue, locale))
        write("graph.json", write_graph(draft.graph))
        write_domain()
        made = _make_tasks(draft, tasks, folder, say) if draft.scenarios and tasks else Made()
        past = run_job(prove_past, FolderRequest(folder), PROVING)
        figures += past.lines
        if known := [*provenance.get("known", []), *past.missed]:
            provenance["known"] = sorted({*known})
            write_domain()
        worth = Worth()
        if made.tasks:
            write_lines(folder / "tasks.jsonl", made.lines)
            provenance["tasks"] = {"count": len(made.tasks), "seed": SEED, "tried": made.tried}
            if is_designed:
                provenance["worth"] = WORTH
            write_domain()
            worth = replace(made.worth, is_binding=is_designed)
            idle = [code for code, use in worth.rules.items() if not (use.denied and use.allowed)]
            left = len(draft.rules.rules) - len(idle)
            if idle and worth.misses and not is_last and left >= fewest_rules(draft) - _FEWER_RULES:
                return Finished(idle_rules=idle)
            for line in (*worth.lines, *worth.uses, *(f"out of range: {miss}" for miss in worth.misses)):
                say(line)
            chained = len(made.covered)
            figures.append(f"{len(made.tasks)} proven tasks, whose chains call {chained} of {len(made.tools)} tools")
        samples = made.tasks[:SAMPLES]
        readme = write_readme(draft.name, draft.catalogue, draft.schema, figures, samples, worth, locale)
        write("README.md", f"{readme}\n{appendix}\n" if appendix else readme)
        try:
            _move(folder, out)
        except OSError as error:
            raise UsageError(f"{str(out)!r} cannot be written: {error.strerror}.") from error
    return Finished(made, worth)


def figures_of(draft: Draft) -> list[str]:
    """Return the figures of a domain's README, a line each."""
    cases = [case for own in draft.cases.values() for case in own.cases]
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
    ]


def _make_tasks(draft: Draft, count: int, folder: Path, say: Callable[[str], None]) -> Made:
    """Make the tasks of a domain that is not in its place yet; too few are said, and lose nothing else."""
    try:
        made = make_tasks(Making(folder, count, SEED, least=1))
    except UsageError as error:
        say(f"no tasks were made: {error}")
        return Made()
    except ProofFailed as failed:
        raise StageFailed(str(failed)) from failed
    held = f"{len(made.lines)} of {count} tasks hold"
    say(f"{held} after {made.tried} candidates, {sum(made.tally.rejected.values())} rejected")
    for line in (*made.rejections, *(f"lacking: {each}" for each in made.unmet)):
        say(line.strip())
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
