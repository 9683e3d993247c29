"""What is kept of an episode: who played what, how it ended, the verdict, the messages, the final changes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from runtime.domain.changes import Changes
from runtime.harness.episode import End
from runtime.harness.messages import Message, ToolCall, is_deep
from runtime.harness.record_form import Fault, RecordForm
from runtime.verification.verdict import (
    Difference,
    RewardKind,
    RowPair,
    Violation,
    read_difference,
    read_pair,
    read_violation,
    reward_by,
)

LEFT_OUT = "(arguments that cannot be written)"
_LEVELS_AROUND = 10  # of a record, around the arguments of a call
_MOST_LEVELS = 100  # of lists and objects in each other, which every reader of JSON can read


@dataclass(frozen=True)
class EpisodeRecord:
    """One episode. `reward` is None exactly if it is void, and counts broken rules; `reward_by` gives other kinds.

    `final` are the changes of the session's own database.
    """

    domain: str
    task: str
    trial: int
    end: End
    why: str = ""
    reward: int | None = None
    progress: float = 0.0
    differences: tuple[Difference, ...] = ()  # of the verdict
    warnings: tuple[str, ...] = ()  # of the verdict: about texts that count for nothing
    pairs: tuple[RowPair, ...] = field(default=(), repr=False)  # of the verdict: which new row is which expected one
    violations: tuple[Violation, ...] = ()  # of the verdict
    messages: tuple[Message, ...] = field(default=(), repr=False)
    said: tuple[int, ...] = ()  # the wishes that the user said, counted from 0
    final: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    turns: int = 0
    calls: int = 0
    rejections: int = 0
    slips: int = 0  # what a model said as the user, or read for it, and was not taken
    tokens: Mapping[str, int] = field(default_factory=dict)  # prompt, completion, cached; agent and user together
    estimated: bool = False  # whether any of the tokens are
    cost: float | None = 0.0  # US dollars; None if nobody knows the price
    seconds: float = 0.0
    own_seconds: float = 0.0  # of these, the harness's own: neither the agent's nor the user's
    fault: Fault | None = None  # of an episode without reward 1
    reason: str = ""  # of the failure, in a few words by which failures are grouped
    reached: bool = True  # whether an agent that is a program ever reached its MCP server
    log: tuple[str, ...] = ()  # the last lines that an agent's program wrote on standard error

    def reward_by(self, kind: RewardKind) -> int | None:
        """The reward of a kind; None if the episode is void."""
        return None if self.reward is None else reward_by(kind, self.differences, self.violations)


def write_record(record: EpisodeRecord) -> str:
    """A record as one line of JSON, in ASCII: a model may say half a surrogate pair, which is not valid UTF-8.

    Arguments that cannot be written, such as a thousand lists in each other, are left out: no tool was given them.
    """
    # `asdict` would copy everything as deep as it goes, which costs more than the rest of keeping an episode.
    messages = [{**vars(each), "calls": [vars(_tame(call)) for call in each.calls]} for each in record.messages]
    of_verdict = ("differences", "pairs", "violations")
    judged = {name: [each.as_json() for each in getattr(record, name)] for name in of_verdict}
    parts = {**vars(record), "messages": messages, **judged}
    return json.dumps(parts, separators=(",", ":"))


def _tame(call: ToolCall) -> ToolCall:
    try:
        json.dumps(call.arguments)
    except (RecursionError, ValueError, TypeError):
        return replace(call, arguments=LEFT_OUT)
    return replace(call, arguments=LEFT_OUT) if is_deep(call.arguments, _MOST_LEVELS) else call


def read_record(line: str) -> EpisodeRecord:
    """A record from its line; errors: ValidationError for a line of another form, ValueError for what is not JSON."""
    try:
        parts = json.loads(line)  # leniently: an agent's arguments are kept as it gave them, NaN and all
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if is_deep(parts, _MOST_LEVELS + _LEVELS_AROUND):
        raise ValueError("it is nested too deeply")
    RecordForm.model_validate(parts)
    messages = tuple(map(_read_message, parts["messages"]))
    return EpisodeRecord(
        **{
            **parts,
            "messages": messages,
            "said": tuple(parts.get("said", ())),
            "final": tuple(parts["final"]),
            "log": tuple(parts.get("log", ())),
            "warnings": tuple(parts.get("warnings", ())),
            "differences": tuple(map(read_difference, parts["differences"])),
            "pairs": tuple(map(read_pair, parts["pairs"])),
            "violations": tuple(map(read_violation, parts.get("violations", ()))),
        }
    )


def _read_message(parts: Mapping[str, Any]) -> Message:
    calls = tuple(ToolCall(**call) for call in parts["calls"])
    taken = tuple((name, value) for name, value in parts.get("taken", ()))
    listed = {name: tuple(parts.get(name, ())) for name in ("asks", "wishes", "tells")}
    return Message(**{**parts, **listed, "calls": calls, "taken": taken})


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
