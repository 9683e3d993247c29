"""Who answers which stage, and how many tokens each stage took."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from runtime.model.book import AnswerBook

STAGES = (
    *("screen", "tools", "database", "people", "world", "code", "cases", "debug", "sharpen", "rules", "rule_cases"),
    *("graph", "scenarios", "reading"),
)
ROLES = (
    "screen",
    "tools",
    "database",
    "world",
    "code",
    "cases",
    "debug",
    "graph",
    "scenarios",
    "reader",
    "people",
    "rules",
    "rule_cases",
)  # the writer of cases rules on questions, too
OF_SCENARIOS = ("scenarios", "reader")
OF_RULES = ("people", "rules", "rule_cases")
PROPOSES = "graph"  # asked only where a model is named for it, or its answers were recorded


def roles_asked(specs: Iterable[str], book: AnswerBook | None, *, scenarios: bool, rules: bool) -> list[str]:
    """The roles that a build asks, by the models that were named and the answers that there are."""
    proposes = any(spec.startswith(f"{PROPOSES}=") for spec in specs)
    proposes |= book is not None and any(entry.stage == PROPOSES for entry in book)
    left_out = {
        *(() if scenarios else OF_SCENARIOS),
        *(() if rules else OF_RULES),
        *(() if proposes else (PROPOSES,)),
    }
    return [role for role in ROLES if role not in left_out]


@dataclass(frozen=True)
class StageTokens:
    """The tokens of one stage."""

    prompt: int
    completion: int


@dataclass(frozen=True)
class Tokens:
    """Tokens used by all answers and by each stage, as written to `domain.json`."""

    prompt: int = 0
    completion: int = 0
    estimated: bool = False
    by_stage: dict[str, StageTokens] = field(default_factory=dict)


def tokens_of(book: AnswerBook) -> Tokens:
    """The tokens of every answer in a book."""
    usage, by_stage = book.usage(), book.usage_by_stage()
    return Tokens(
        prompt=usage.prompt,
        completion=usage.completion,
        estimated=usage.estimated,
        by_stage={
            stage: StageTokens(by_stage[stage].prompt, by_stage[stage].completion)
            for stage in STAGES
            if stage in by_stage
        },
    )
