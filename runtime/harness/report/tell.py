"""One episode as the page tells it: the conversation, and the final state beside the expected one, row by row.

The verdict decides. Where it names no difference in a value that is not the expected one, the value counts as right: a
new row's number, a text in other words, a column that does not matter. Which new row was made of which expected one is
the verdict's to say as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from runtime.domain.rows import RowRef
from runtime.harness.messages import Message, ToolCall
from runtime.harness.record import EpisodeRecord
from runtime.task.task import ExpectedRow, Task
from runtime.verification.verdict import Difference, DifferenceKind, Shown, cell_in_words

if TYPE_CHECKING:
    from runtime.harness.evaluation.store import DomainInRun

MOST_TEXT = 12_000  # characters of one message or one value
MOST_ROWS = 80  # rows of the state
MOST_SAID = 40  # sentences of the verdict
MOST_MESSAGES = 400

Values = Mapping[str, Any]
_ANSWERS: dict[DifferenceKind, str] = {"missing_answer": "missing", "wrong_answer": "wrong"}
_UNDONE: tuple[DifferenceKind, ...] = ("missing_row", "not_removed")


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
    given = call.arguments if isinstance(call.arguments, dict) else {"": call.arguments}
    return {"id": call.id, "name": call.name, "given": [[str(name), _shown(given[name])] for name in given]}


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


@dataclass(frozen=True)
class _Made:
    """A row that the episode changed, with its columns by name; None where the row was not there."""

    row: RowRef
    before: Values | None
    after: Values | None


@dataclass(frozen=True)
class _Verdict:
    """The verdict's differences by what they are about."""

    by_cell: dict[RowRef, Difference] = field(default_factory=dict)  # of actual rows
    undone: set[RowRef] = field(default_factory=set)  # expected rows
    odd: set[RowRef] = field(default_factory=set)  # actual rows: added or removed unasked, or referring otherwise
    partners: dict[RowRef, RowRef] = field(default_factory=dict)  # of expected new rows


def compare_state(record: EpisodeRecord, task: Task, domain: DomainInRun) -> list[dict[str, Any]]:
    """Expected rows in their order, each beside what was made of it, then rows that were changed beyond them.

    A row has `table`, `key`, `kind`, `status` (made, wrong, missing, extra, ignored, unjudged) and `columns`: of each
    the name, `was`, `wanted`, `found` (each only where there is such a value) and its status (same, accepted, wrong,
    extra, ignored, unjudged).
    """
    verdict = _read_verdict(record)
    made = {each.row: each for each in (_read_row(row, domain) for row in record.final)}
    rows, expected = [], set()
    for row in task.expected:
        name = RowRef(row.table, tuple(row.key))
        actual = verdict.partners.get(name) if row.kind == "added" else name
        rows.append(_expected_row(row, name, made.get(actual) if actual else None, record, verdict))
        expected.add(actual)
    return rows + [_other_row(each, record, verdict) for each in made.values() if each.row not in expected]


def required_answers(record: EpisodeRecord, task: Task) -> list[dict[str, Any]]:
    """What the user had to be told, and whether it was: told, missing, wrong, or unjudged."""
    found = {each.answer: _ANSWERS[each.kind] for each in record.differences if each.kind in _ANSWERS}
    return [
        {
            "name": answer.name,
            "value": answer.value,
            "status": "unjudged" if record.reward is None else found.get(answer.name, "told"),
        }
        for answer in task.answers
    ]


def _read_verdict(record: EpisodeRecord) -> _Verdict:
    verdict = _Verdict(partners={pair.expected: pair.actual for pair in record.pairs})
    for each in record.differences:
        if each.row is None:
            continue
        for column in each.columns:
            verdict.by_cell[replace(each.row, column=column)] = each
        if each.kind in _UNDONE:
            verdict.undone.add(each.row)
        elif not each.columns:
            verdict.odd.add(verdict.partners.get(each.row, each.row) if each.kind == "wrong_pattern" else each.row)
    return verdict


def _read_row(row: Mapping[str, Any], domain: DomainInRun) -> _Made:
    columns = domain.tables[row["table"]]["columns"]
    before, after = (
        None if row[side] is None else dict(zip(columns, row[side], strict=True)) for side in ("before", "after")
    )
    return _Made(RowRef(row["table"], tuple(row["key"])), before, after)


def _expected_row(
    row: ExpectedRow, expected: RowRef, made: _Made | None, record: EpisodeRecord, verdict: _Verdict
) -> dict[str, Any]:
    columns = list(_columns_of_expected(row, expected, made, record, verdict))
    if record.reward is None:
        status = "unjudged"
    elif expected in verdict.undone or (made is None and any(each["status"] == "wrong" for each in columns)):
        status = "missing"
    elif made is None:  # nothing in it counts, as in a log
        status = "ignored"
    elif made.row in verdict.odd or any(each["status"] in ("wrong", "extra") for each in columns):
        status = "wrong"
    else:
        status = "made"
    key = list((made.row if made else expected).key)
    return {"table": row.table, "key": key, "kind": row.kind, "status": status, "columns": columns}


def _columns_of_expected(
    row: ExpectedRow, expected: RowRef, made: _Made | None, record: EpisodeRecord, verdict: _Verdict
) -> Iterator[dict[str, Any]]:
    before: Values = (made.before if made else None) or {}
    after: Values = (made.after if made else None) or {}
    actual = made.row if made else expected if row.kind != "added" else None
    touched = [column for column in after if row.kind == "changed" and after[column] != before.get(column)]
    for column in dict.fromkeys([*row.columns, *touched]):
        told: dict[str, Any] = {"name": column}
        difference = verdict.by_cell.get(replace(actual, column=column)) if actual else None
        if column in before:
            told["was"] = before[column]
        if column in row.columns:
            told["wanted"] = row.columns[column]
        elif difference is not None:
            told["wanted"] = _value_of(difference.expected)
        if column in after:
            told["found"] = after[column]
        elif difference is not None:  # the row is as it was, which only the verdict remembers
            told["found"] = told["was"] = _value_of(difference.actual)
        is_missed = made is not None or expected in verdict.undone
        told["status"] = _status_of_value(told, column in row.columns, difference, is_missed, record)
        yield told


def _status_of_value(
    told: Mapping[str, Any],
    is_asked: bool,
    difference: Difference | None,
    is_missed: bool,
    record: EpisodeRecord,
) -> str:
    """`is_missed` says that a value which is not there counts."""
    if record.reward is None:
        return "unjudged"
    if difference is not None:
        return "wrong" if is_asked else "extra"
    if not is_asked:
        return "ignored"
    if "found" not in told:
        return "wrong" if is_missed else "ignored"
    return "same" if told["found"] == told["wanted"] else "accepted"


def _value_of(shown: Shown) -> Any:
    return None if isinstance(shown, Mapping) else cell_in_words(shown)


def _other_row(row: _Made, record: EpisodeRecord, verdict: _Verdict) -> dict[str, Any]:
    """A row that nobody expected to change: collateral if the verdict says so, otherwise one that does not count."""
    before, after = row.before or {}, row.after or {}
    columns = []
    for column in after or before:
        if row.before is not None and row.after is not None and before[column] == after[column]:
            continue
        is_extra = replace(row.row, column=column) in verdict.by_cell or row.row in verdict.odd
        told: dict[str, Any] = {"name": column}
        if column in before:
            told["was"] = before[column]
        if column in after:
            told["found"] = after[column]
        told["status"] = "unjudged" if record.reward is None else "extra" if is_extra else "ignored"
        columns.append(told)
    if record.reward is None:
        status = "unjudged"
    else:
        status = "extra" if any(each["status"] == "extra" for each in columns) else "ignored"
    kind = "added" if row.before is None else "removed" if row.after is None else "changed"
    return {"table": row.row.table, "key": list(row.row.key), "kind": kind, "status": status, "columns": columns}
