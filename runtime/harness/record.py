"""What is kept of an episode: who played what, how it ended, the verdict, the messages, the final changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter
from pydantic_core import to_json

from runtime.domain.changes import Changes
from runtime.harness.conversation import Message
from runtime.harness.episode import End
from runtime.verification.verdict import Difference, RewardKind, RowPair, Violation, reward_by

Fault = Literal["agent", "user", "environment", "harness"]
"""Whom a failure is attributed to."""

Count = Annotated[int, Field(ge=0)]
Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]


@dataclass(frozen=True)
class EpisodeRecord:
    """One episode. `reward` is None exactly if it is void, and counts broken rules; `reward_by` gives other kinds.

    `final` are the changes of the session's own database.
    """

    domain: str
    task: str
    trial: Count
    end: End
    why: str = ""
    reward: Annotated[int, Field(ge=0, le=1)] | None = None
    progress: Annotated[float, Field(ge=0, le=1)] = 0.0
    differences: tuple[Difference, ...] = ()  # of the verdict
    components: dict[str, int] = field(default_factory=dict)  # of the verdict
    # Of the verdict: which new row is which expected one
    pairs: tuple[RowPair, ...] = field(default=(), repr=False)
    nearest: Count = 0  # of the verdict: which acceptable end the differences are from
    violations: tuple[Violation, ...] = ()  # of the verdict
    unjudged: tuple[str, ...] = ()  # parts of a foreign set's judge that take a model, and are in no reward
    idle: int | None = None  # the reward of an agent that does nothing; None if nobody judged it
    messages: tuple[Message, ...] = field(default=(), repr=False)
    said: tuple[Count, ...] = ()  # the wishes that the user said, counted from 0
    final: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    turns: Count = 0
    calls: Count = 0
    rejections: Count = 0
    service_faults: Count = 0  # that calls met
    poisoned_answers: Count = 0  # of tools, with the text of a poisoned task
    slips: Count = 0  # what a model said as the user, or read for it, and was not taken
    tokens: Mapping[str, Count] = field(default_factory=dict)  # prompt, completion, cached; agent and user together
    estimated: bool = False  # whether any of the tokens are
    cost: Amount | None = 0.0  # US dollars; None if nobody knows the price
    seconds: Amount = 0.0
    fault: Fault | None = None  # of an episode without reward 1
    reason: str = ""  # of the failure, in a few words by which failures are grouped

    @property
    def brief(self) -> EpisodeRecord:
        """The record without its long parts."""
        return replace(self, differences=(), pairs=(), messages=(), final=())

    def reward_by(self, kind: RewardKind) -> int | None:
        """The reward of a kind; None if the episode is void."""
        return None if self.reward is None else reward_by(kind, self.differences, self.violations)


_RECORD = TypeAdapter(EpisodeRecord)


def write_record(record: EpisodeRecord) -> str:
    """Write a record as one line of JSON."""
    return to_json(record).decode()


def read_record(line: str) -> EpisodeRecord:
    """Read a record from its line; errors: ValueError, KeyError, TypeError for what is none."""
    return _RECORD.validate_json(line)


def write_changes(changes: Changes) -> tuple[Mapping[str, Any], ...]:
    """Changed rows as JSON: table, key, before and after (None where the row was not there)."""
    return tuple(
        {
            "table": table,
            "key": list(key),
            "before": None if change.before is None else list(change.before),
            "after": None if change.after is None else list(change.after),
        }
        for (table, key), change in sorted(changes.rows.items(), key=lambda item: str(item[0]))
    )


def read_changes(rows: tuple[Mapping[str, Any], ...]) -> Changes:
    """The changes that were written so; errors: KeyError, ValueError."""
    changes = Changes()
    for row in rows:
        before, after = (None if row[side] is None else tuple(row[side]) for side in ("before", "after"))
        changes.record(row["table"], tuple(row["key"]), before, after)
    return changes
