"""The stages of a build as data: what each makes, what its gate executes, who answers it, and what it took."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from runtime.model.book import AnswerBook


@dataclass(frozen=True)
class Stage:
    """A step from one draft to the next.

    `asks` gives, by the stage under which an answer is recorded, the role of the model that answers. `only` are the
    parts of an order without which the step is skipped. Stages of one `group` see nothing of each other and run side by
    side.
    """

    name: str
    doing: str
    makes: str
    gate: str
    asks: dict[str, str]
    weight: int  # its usual share of a build's time, in percent
    questions: int = 0  # that it usually asks, with repairs
    only: tuple[str, ...] = ()
    group: str = ""


STAGES = (
    Stage(
        name="screen",
        doing="screening the keyword",
        makes="go or no go, with the reason",
        gate="harmful keywords are refused",
        asks={"screen": "screen"},
        weight=1,
        questions=1,
    ),
    Stage(
        name="tools",
        doing="designing the tools",
        makes="50 tools (`--tools`): parameters, results, preconditions, effects",
        gate="names, types, coverage of the entities",
        asks={"tools": "tools"},
        weight=14,
        questions=1,
    ),
    Stage(
        name="database",
        doing="deriving the database",
        makes="tables, constraints, column policies, tools mapped to tables",
        gate="SQLite accepts it; every constraint refuses a row that breaks it",
        asks={"database": "database"},
        weight=6,
        questions=1,
    ),
    Stage(
        name="people",
        doing="describing the callers",
        makes="who calls, what proves who they are, which tables are theirs, opening hours",
        gate="the tools can find and record them; every table that leads to people is somebody's",
        asks={"people": "people"},
        weight=2,
        questions=1,
        only=("rules",),
    ),
    Stage(
        name="world",
        doing="writing the world program",
        makes="`world.py`",
        gate="1 to 10,000 rows; reproducible; every table filled from 100 rows on; its invariants hold",
        asks={"world": "world"},
        weight=8,
        questions=2,
        group="writing",
    ),
    Stage(
        name="code",
        doing="writing the code",
        makes="tool bodies; signatures come from the design",
        gate="sandbox rules, linter, loading in a child process",
        asks={"code": "code"},
        weight=6,
        questions=7,
        group="writing",
    ),
    Stage(
        name="cases",
        doing="writing the cases",
        makes="tests from the designs, written without seeing the code",
        gate="rows fit, every rejection is tested",
        asks={"cases": "cases"},
        weight=6,
        questions=7,
        group="writing",
    ),
    Stage(
        name="trial",
        doing="running cases and random calls",
        makes="cases and random calls run against the code",
        gate="a debugger blames the tool or the case for each failure, and repairs it",
        asks={"debug": "debug"},
        weight=6,
    ),
    Stage(
        name="sharpen",
        doing="planting faults",
        makes="more cases, where too few planted faults are noticed",
        gate="the new cases hold",
        asks={"sharpen": "cases"},
        weight=3,
    ),
    Stage(
        name="rules",
        doing="writing the rules",
        makes="`rules.py`: 6 to 12 rules and some duties, each in words and code",
        gate="loads and runs; every tool that could bypass a rule is bound or explained",
        asks={"rules": "rules"},
        weight=8,
        questions=2,
        only=("rules",),
    ),
    Stage(
        name="rule_cases",
        doing="trying the rules",
        makes="`rule_cases.jsonl`, from the words alone",
        gate="each rule allows and denies something; mutated rules are noticed",
        asks={"rule_cases": "rule_cases"},
        weight=10,
        questions=3,
        only=("rules",),
    ),
    Stage(
        name="past",
        doing="looking at the past",
        makes="a world that tools and rules could have brought about",
        gate="stamps and orders of events as tools make them; at most 2% of past events break a rule; a reader of "
        "twenty rows with their neighbors names what could not be",
        asks={"past": "world", "world_reading": "reader"},
        weight=4,
    ),
    Stage(
        name="graph",
        doing="looking for dependencies",
        makes="which tool makes which other one possible",
        gate="each edge is a pair of calls that shows it",
        asks={},
        weight=2,
    ),
    Stage(
        name="scenarios",
        doing="writing the scenarios",
        makes="`scenarios.py`: what people want, as programs, each request in three registers: plain, formal, casual",
        gate="each runs on eight worlds and makes tasks; every rule decides in one, both ways; every writing tool is "
        "called; a reader of the words alone arrives at the same arguments",
        asks={"scenarios": "scenarios", "reading": "reader"},
        weight=26,
        questions=25,
        only=("scenarios",),
    ),
    Stage(
        name="tasks",
        doing="making tasks",
        makes="`tasks.jsonl`: 64 tasks (`-n`), without a model",
        gate="proofs, by execution",
        asks={},
        weight=2,
        only=("scenarios", "tasks"),
    ),
)
ROLES = tuple(dict.fromkeys(role for stage in STAGES for role in stage.asks.values()))


def share_before(stage: Stage) -> float:
    """Return the usual share of a build's time that is over when a stage begins."""
    weights = [each.weight for each in STAGES]
    return sum(weights[: STAGES.index(stage)]) / sum(weights)


def usual_questions(parts: Iterable[str]) -> int:
    """About how many questions a build with these parts asks."""
    return sum(stage.questions for group in stages_of(parts) for stage in group)


def stages_of(parts: Iterable[str]) -> Iterator[tuple[Stage, ...]]:
    """Yield the stages of a build that has these parts, in order; those of one group together."""
    wanted, group = set(parts), ""
    pending: list[Stage] = []
    for stage in STAGES:
        if not wanted.issuperset(stage.only):
            continue
        if pending and (not stage.group or stage.group != group):
            yield tuple(pending)
            pending = []
        pending.append(stage)
        group = stage.group
    yield tuple(pending)


def roles_asked(*, scenarios: bool, rules: bool) -> list[str]:
    """Return the roles that a build with these parts asks."""
    parts = {name for name, is_wanted in (("scenarios", scenarios), ("rules", rules)) if is_wanted}
    asked = {role for group in stages_of(parts) for stage in group for role in stage.asks.values()}
    return [role for role in ROLES if role in asked]


@dataclass(frozen=True)
class StageFigures:
    """What one stage took: requests, repairs among them, and tokens."""

    stage: str
    requests: int
    repairs: int
    tokens: int


def figures_by_stage(book: AnswerBook) -> list[StageFigures]:
    """Return what each stage took, by the names under which answers are recorded; repairs follow the first."""
    usage = book.usage_by_stage()
    found = []
    for name in dict.fromkeys(name for stage in STAGES for name in stage.asks):
        if name in usage:
            entries = [entry for entry in book if entry.stage == name]
            repairs = sum(entry.attempt > 1 for entry in entries)
            found.append(StageFigures(name, len(entries), repairs, usage[name].prompt + usage[name].completion))
    return found


def tokens_of(book: AnswerBook) -> dict[str, Any]:
    """Return the tokens of every answer in a book, in all and by stage, as written to `domain.json`."""
    usage, by_stage = book.usage(), book.usage_by_stage()
    return {
        "prompt": usage.prompt,
        "completion": usage.completion,
        "estimated": usage.estimated,
        "by_stage": {
            each.stage: {"prompt": by_stage[each.stage].prompt, "completion": by_stage[each.stage].completion}
            for each in figures_by_stage(book)
        },
    }
