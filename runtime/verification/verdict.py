"""A verdict: reward 0 or 1, partial progress, and every difference by table, row and column."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from runtime.errors import EnvironmentFault

DifferenceKind = Literal[
    "missing_row",  # a row that should have been added was not
    "extra_row",  # a row was added that nobody asked for
    "wrong_value",  # an added or changed row has another value than expected
    "not_removed",  # a row that should be gone is still there
    "removed_row",  # a row is gone that should be there
    "changed_value",  # a value changed that should have stayed
    "wrong_pattern",  # the added rows refer to each other otherwise than expected
    "missing_answer",  # the user was not told a required value
    "recited_answer",  # the value was told among too many others to count as an answer
]


@dataclass(frozen=True)
class Difference:
    """One way in which the final state, or what the user was told, is not as expected."""

    kind: DifferenceKind
    table: str
    row: str
    column: str | None
    expected: Any
    actual: Any
    sentence: str


@dataclass(frozen=True)
class Verdict:
    """The judgement of one final state. `reward` is 1 exactly if there is no difference.

    `progress` is `made / (expected + collateral)`: the share of the expected changes and answers that were made,
    lowered by every change that was not asked for. `search_steps` counts what matching the new rows took.
    """

    differences: tuple[Difference, ...]
    expected: int
    made: int
    collateral: int
    search_steps: int

    @property
    def reward(self) -> int:
        """1 if the goal was reached and nothing else was changed, otherwise 0."""
        return 0 if self.differences else 1

    @property
    def progress(self) -> float:
        """0.0 to 1.0; 1.0 exactly if the reward is 1."""
        if not self.differences:
            return 1.0
        total = self.expected + self.collateral
        return min(round(self.made / total, 4), 0.9999) if total else 0.0

    def as_json(self) -> dict[str, Any]:
        """The verdict as plain JSON values."""
        return {
            "reward": self.reward,
            "progress": self.progress,
            "differences": [asdict(difference) for difference in self.differences],
            "expected": self.expected,
            "made": self.made,
            "collateral": self.collateral,
            "search_steps": self.search_steps,
        }


class UndecidedVerdict(EnvironmentFault):
    """The new rows are too alike to be matched within the counted budget; the episode is void, not failed."""
