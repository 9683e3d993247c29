"""Whose fault an episode without reward 1 is, and the few words by which such failures are grouped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from runtime.harness.episode import End
from runtime.harness.record import EpisodeRecord
from runtime.harness.record_form import Fault
from runtime.task.task import Task
from runtime.verification.verdict import Difference

_ENDS: Mapping[End, str] = {
    "gave_up": "gave up",
    "out_of_turns": "out of turns",
    "out_of_calls": "out of calls",
    "out_of_time": "out of time",
}
_MISSING, _COLLATERAL = ("missing_row", "not_removed"), ("extra_row", "removed_row", "changed_value")


@dataclass(frozen=True)
class Attribution:
    """Whose fault a failure is, and what it was in a few words."""

    fault: Fault
    reason: str


def attribute(record: EpisodeRecord, task: Task, mistake: str | None = None) -> Attribution | None:
    """Who failed and how; None for an episode of reward 1. A known `mistake` says more than what it changed."""
    if record.reward == 1:
        return None
    if record.end == "void":
        return Attribution(record.fault or "harness", record.reason or "the harness failed")
    if record.end == "done" and not _all_said(record, task):
        return Attribution("user", "a wish was never said")
    return Attribution("agent", _ENDS.get(record.end) or mistake or _reason_of(record))


def _all_said(record: EpisodeRecord, task: Task) -> bool:
    """Whether the user said all that it had to: what it wants instead is said only if something was refused."""
    owed = {number for number, wish in enumerate(task.user.wishes) if wish.otherwise is None}
    return owed <= set(record.said)


def _reason_of(record: EpisodeRecord) -> str:
    """What is wrong with the final state, or else with what was told: the first of what weighs most."""
    changed = {row["table"] for row in record.final}
    by_kind: dict[str, Difference] = {}
    for difference in record.differences:
        by_kind.setdefault(_kind_of(difference, changed), difference)
    for kind in ("missing change", "wrong value", "collateral change", "missing answer", "wrong answer"):
        if kind in by_kind:
            difference = by_kind[kind]
            columns = "+".join(difference.columns) if kind == "wrong value" else ""
            place = ".".join(filter(None, (difference.table, columns)))
            return f"{kind} in {place}" if place else kind
    return "other"


def _kind_of(difference: Difference, changed: set[str]) -> str:
    kind = difference.kind
    if kind in _MISSING or (kind in ("wrong_value", "wrong_pattern") and difference.table not in changed):
        return "missing change"
    if kind in _COLLATERAL:
        return "collateral change"
    return "wrong value" if kind in ("wrong_value", "wrong_pattern") else kind.replace("_", " ")
