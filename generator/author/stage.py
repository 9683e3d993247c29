"""The stages of a build as data: what each is doing, who answers it, how long it usually takes, and what it took."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runtime.model.book import AnswerBook

MENDED, MENDING = "mended.jsonl", "mending.json"
"""The answers that mended a domain, in its folder, and how that goes; until the end they are `beside` it."""


def beside(folder: Path, name: str) -> Path:
    """Return a hidden file beside a domain's folder."""
    return folder.with_name(f".{folder.name}.{name}")


@dataclass(frozen=True)
class Stage:
    """A step from one draft to the next.

    `asks` gives, by the stage under which an answer is recorded, the role of the model that answers. `only` are the
    parts of an order without which the step is skipped. Stages of one `group` see nothing of each other and run side by
    side.
    """

    name: str
    doing: str
    asks: dict[str, str]
    weight: int  # its usual share of a build's time, in percent
    questions: int = 0  # that it usually asks, with repairs
    only: tuple[str, ...] = ()
    group: str = ""


STAGES = (  # docs/domains.md says what each makes, and what its gate executes
    Stage("screen", "screening the keyword", {"screen": "screen"}, weight=1, questions=1),
    Stage("tools", "designing the tools", {"tools": "tools"}, weight=14, questions=1),
    Stage("database", "deriving the database", {"database": "database"}, weight=6, questions=1),
    Stage("people", "describing the callers", {"people": "people"}, weight=2, questions=1, only=("rules",)),
    Stage("world", "writing the world program", {"world": "world"}, weight=8, questions=2, group="writing"),
    Stage("code", "writing the code", {"code": "code"}, weight=6, questions=7, group="writing"),
    Stage("cases", "writing the cases", {"cases": "cases"}, weight=6, questions=7, group="writing"),
    Stage("trial", "running cases and random calls", {"debug": "debug"}, weight=6),
    Stage("sharpen", "planting faults", {"sharpen": "cases"}, weight=3),
    Stage("rules", "writing the rules", {"rules": "rules"}, weight=8, questions=2, only=("rules",)),
    Stage("rule_cases", "trying the rules", {"rule_cases": "rule_cases"}, weight=10, questions=3, only=("rules",)),
    Stage("past", "looking at the past", {"past": "world", "world_reading": "reader"}, weight=4),
    Stage("graph", "looking for dependencies", {}, weight=2),
    Stage(
        "scenarios",
        "writing the scenarios",
        {"scenarios": "scenarios", "reading": "reader"},
        weight=26,
        questions=25,
        only=("scenarios",),
    ),
    Stage("tasks", "making tasks", {}, weight=2, only=("scenarios", "tasks")),
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
