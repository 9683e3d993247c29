"""Whose fault an episode without reward 1 is, and the few words by which such failures are grouped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from runtime.domain.domain import Domain
from runtime.domain.people import DECLINED, IDENTIFICATION, is_desk_tool
from runtime.harness.episode import End
from runtime.harness.heard import accepted_calls
from runtime.harness.record import EpisodeRecord, Fault
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
    why: str = ""  # a sentence in the user's own words


def attribute(record: EpisodeRecord, task: Task, domain: Domain, mistake: str | None = None) -> Attribution | None:
    """Who failed and how; None for an episode of reward 1. A known `mistake` says more than what it changed."""
    if record.reward == 1:
        return None
    if record.end == "void":
        return Attribution(record.fault or "harness", record.reason or "the harness failed")
    if record.end == "done" and not _all_said(record, task):
        return Attribution("user", "a wish was never said")
    reason = _ENDS.get(record.end) or mistake or _undone(record, task, domain) or _reason_of(record)
    undone = [f'"{task.user.wishes[wish].words[0]}"' for wish in undone_requests(record, task, domain)]
    return Attribution("agent", reason, f"Nothing was done about {' and '.join(undone)}." if undone else "")


def undone_requests(record: EpisodeRecord, task: Task, domain: Domain) -> list[int]:
    """The requests, counted from 0, of which nothing was done: no call of a tool that they need for it went through.

    A request that only asks for something, or must be refused, is none of them.
    """
    accepted = {call.tool for _, call in accepted_calls(record.messages)}
    needed: dict[int, set[str]] = {}
    for step in task.chain:
        if not domain.tools[step.tool].read_only and not is_desk_tool(step.tool):
            needed.setdefault(step.wish, set()).add(step.tool)
    return sorted(wish for wish, tools in needed.items() if not tools & accepted)


def _undone(record: EpisodeRecord, task: Task, domain: Domain) -> str:
    """What was not done, in the user's terms; empty if something was done for each request."""
    if task.expected and not record.final:
        return "never wrote anything"
    missing = {each.table for each in record.differences if each.kind == "missing_row"}
    if missing == {IDENTIFICATION}:
        return "never identified the caller"
    undone = undone_requests(record, task, domain)
    if undone:
        return f"request {undone[0] + 1} not carried out"
    if missing == {DECLINED}:
        return "refusal not recorded"
    if not record.differences and record.violations:
        return f"broke {record.violations[0].rule}"
    return ""


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
