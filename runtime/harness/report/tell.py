"""One episode as the page tells it: the conversation, the state beside the expected one, what the verdict says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from runtime.harness.messages import Message, ToolCall
from runtime.harness.record import EpisodeRecord
from runtime.harness.report.state import compare_state, required_answers
from runtime.task.task import Task

if TYPE_CHECKING:
    from runtime.harness.evaluation.store import DomainInRun

MOST_TEXT = 12_000  # characters of one message or one value
MOST_ROWS = 80  # rows of the state
MOST_SAID = 40  # sentences of the verdict
MOST_MESSAGES = 400


def tell_episode(record: EpisodeRecord, task: Task, domain: DomainInRun) -> dict[str, Any]:
    """All that the page shows of an episode; every value is a text or null, so that no number loses a digit."""
    rows = compare_state(record, task, domain)
    for row in rows:
        row["key"] = [_shown(part) for part in row["key"]]
        for column in row["columns"]:
            column.update({side: _shown(column[side]) for side in ("was", "wanted", "found") if side in column})
    # What went wrong must not be among the rows that are left out.
    rows.sort(key=lambda row: row["status"] in ("ignored", "extra"))
    answers = required_answers(record, task)
    return {
        "profile": _cut(task.user.profile),
        "why": _cut(record.why),
        "log": _cut("\n".join(record.log)) if record.reward != 1 else "",
        "messages": [_tell_message(each) for each in record.messages[:MOST_MESSAGES]],
        "more_messages": max(0, len(record.messages) - MOST_MESSAGES),
        "rows": rows[:MOST_ROWS],
        "more_rows": max(0, len(rows) - MOST_ROWS),
        "answers": [{**each, "value": _shown(each["value"])} for each in answers],
        "said": [
            *(_cut(each.sentence) for each in record.differences[:MOST_SAID]),
            *(_cut(f"Warning: {each}") for each in record.warnings[:MOST_SAID]),
        ],
        "broken": [_cut(each.sentence) for each in record.violations[:MOST_SAID]],
        "more_said": max(0, len(record.differences) - MOST_SAID),
        "tokens": dict(record.tokens),
        "estimated": record.estimated,
        "slips": record.slips,
    }


def _tell_message(message: Message) -> dict[str, Any]:
    told: dict[str, Any] = {"role": message.role, "text": _cut(message.text)}
    if message.role == "tool":
        told.update(text=_cut(_indented(message.text)), call=message.call_id, rejected=message.is_error)
    if message.role == "assistant":
        told.update(by_agent=message.by_agent, calls=[_tell_call(call) for call in message.calls])
    return told


def _tell_call(call: ToolCall) -> dict[str, Any]:
    given = call.arguments
    if isinstance(given, dict):
        return {"id": call.id, "name": call.name, "given": [[str(name), _shown(given[name])] for name in given]}
    return {"id": call.id, "name": call.name, "given": [["", _shown(given)]]}


def _shown(value: Any) -> str | None:
    if value is None:
        return None
    return _cut(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _indented(text: str) -> str:
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text


def _cut(text: str) -> str:
    left = len(text) - MOST_TEXT
    return text if left <= 0 else f"{text[:MOST_TEXT]}\n... and {left:,} more characters, which the store holds"
