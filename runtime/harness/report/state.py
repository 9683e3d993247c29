"""The final state of an episode beside the expected one: rows, columns, and what the verdict says of each.

The verdict decides. Where it names no difference in a value that is not the expected one, the value counts as right: a
new row's number, a text in other words, a column that does not matter.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from runtime.domain.rows import spoken
from runtime.harness.record import EpisodeRecord
from runtime.task.task import ExpectedRow, Task

if TYPE_CHECKING:
    from runtime.harness.evaluation.store import DomainInRun

Values = Mapping[str, Any]


@dataclass(frozen=True)
class _Made:
    """A row that the episode changed, with its columns by name; None where the row was not there."""

    table: str
    key: tuple[Any, ...]
    before: Values | None
    after: Values | None


@dataclass(frozen=True)
class _Verdict:
    """The verdict's differences by the row and column that they are about."""

    by_value: dict[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)
    by_row: dict[str, str] = field(default_factory=dict)  # kind of the difference that is about a whole row


def compare_state(record: EpisodeRecord, task: Task, domain: DomainInRun) -> list[dict[str, Any]]:
    """Expected rows in their order, each beside what was made of it, then rows that were changed beyond them.

    A row has `table`, `key`, `kind`, `status` (made, wrong, missing, extra, ignored, unjudged) and `columns`: of each
    the name, `was`, `wanted`, `found` (each only where there is such a value) and its status (same, accepted, wrong,
    extra, ignored, unjudged).
    """
    verdict = _read_verdict(record)
    made = [_read_row(row, domain) for row in record.final]
    pairs = _pair(task.expected, made, verdict)
    paired = {id(row) for row in pairs.values()}
    rows = [_expected_row(row, pairs.get(number), record, verdict) for number, row in enumerate(task.expected)]
    return rows + [_other_row(row, record, verdict) for row in made if id(row) not in paired]


def required_answers(record: EpisodeRecord, task: Task) -> list[dict[str, Any]]:
    """What the user had to be told, and whether it was: told, missing, recited, or unjudged."""
    states = {"missing_answer": "missing", "recited_answer": "recited"}
    found = {each["row"]: states[each["kind"]] for each in record.differences if each["kind"] in states}
    return [
        {
            "name": answer.name,
            "value": answer.value,
            "status": "unjudged" if record.reward is None else found.get(answer.name, "told"),
        }
        for answer in task.answers
    ]


def _read_verdict(record: EpisodeRecord) -> _Verdict:
    verdict = _Verdict()
    for each in record.differences:
        if each["column"] is None:
            verdict.by_row[each["row"]] = each["kind"]
        else:
            verdict.by_value[each["row"], each["column"]] = each
    return verdict


def _read_row(row: Mapping[str, Any], domain: DomainInRun) -> _Made:
    columns = domain.tables[row["table"]]["columns"]
    before, after = (
        None if row[side] is None else dict(zip(columns, row[side], strict=True)) for side in ("before", "after")
    )
    return _Made(row["table"], tuple(row["key"]), before, after)


def _name(table: str, key: Sequence[Any]) -> str:
    """A row as the verdict names it."""
    return f"{spoken(table)} {' / '.join(repr(part) for part in key)}"


def _pair(expected: Sequence[ExpectedRow], made: Sequence[_Made], verdict: _Verdict) -> dict[int, _Made]:
    """Which row was made of which expected one: by key where it was there before, otherwise the most alike first."""
    by_name = {(row.table, row.key): row for row in made if row.before is not None}
    pairs = {
        number: by_name[row.table, tuple(row.key)]
        for number, row in enumerate(expected)
        if row.kind != "added" and (row.table, tuple(row.key)) in by_name
    }
    wanted, found = defaultdict[str, list[int]](list), defaultdict[str, list[_Made]](list)
    for number, row in enumerate(expected):
        if row.kind == "added" and verdict.by_row.get(_name(row.table, row.key)) != "missing_row":
            wanted[row.table].append(number)
    for each in made:
        if each.before is None and verdict.by_row.get(_name(each.table, each.key)) != "extra_row":
            found[each.table].append(each)
    for table, numbers in wanted.items():
        ranked = sorted(
            (-_likeness(expected[number], row, verdict), number, at)
            for number in numbers
            for at, row in enumerate(found[table])
        )
        taken: set[int] = set()
        for _, number, at in ranked:
            if number not in pairs and at not in taken:
                pairs[number] = found[table][at]
                taken.add(at)
    return pairs


def _likeness(expected: ExpectedRow, row: _Made, verdict: _Verdict) -> int:
    """How many values are as expected, or differ exactly as the verdict says."""
    name, after = _name(row.table, row.key), row.after or {}
    count = 0
    for column, value in expected.columns.items():
        difference = verdict.by_value.get((name, column))
        count += after.get(column) == value if difference is None else difference["expected"] == value
    return count


def _expected_row(row: ExpectedRow, made: _Made | None, record: EpisodeRecord, verdict: _Verdict) -> dict[str, Any]:
    key = made.key if made is not None else tuple(row.key)
    name = _name(row.table, key)
    columns = list(_columns_of_expected(row, made, record, verdict, name))
    is_undone = verdict.by_row.get(name) in ("missing_row", "not_removed") or (
        made is None and any(each["status"] == "wrong" for each in columns)
    )
    if record.reward is None:
        status = "unjudged"
    elif is_undone:
        status = "missing"
    elif name in verdict.by_row or any(each["status"] in ("wrong", "extra") for each in columns):
        status = "wrong"
    else:
        status = "made"
    return {"table": row.table, "key": list(key), "kind": row.kind, "status": status, "columns": columns}


def _columns_of_expected(
    row: ExpectedRow, made: _Made | None, record: EpisodeRecord, verdict: _Verdict, name: str
) -> Iterator[dict[str, Any]]:
    before: Values = (made.before if made else None) or {}
    after: Values = (made.after if made else None) or {}
    touched = [column for column in after if row.kind == "changed" and after[column] != before.get(column)]
    for column in dict.fromkeys([*row.columns, *touched]):
        told: dict[str, Any] = {"name": column}
        difference = verdict.by_value.get((name, column))
        if column in before:
            told["was"] = before[column]
        if column in row.columns:
            told["wanted"] = row.columns[column]
        elif difference is not None:
            told["wanted"] = difference["expected"]
        if column in after:
            told["found"] = after[column]
        elif difference is not None:  # the row is as it was, which only the verdict remembers
            told["found"] = told["was"] = difference["actual"]
        told["status"] = _status_of_value(told, column in row.columns, difference, made, record)
        yield told


def _status_of_value(
    told: Mapping[str, Any],
    is_asked: bool,
    difference: Mapping[str, Any] | None,
    made: _Made | None,
    record: EpisodeRecord,
) -> str:
    if record.reward is None:
        return "unjudged"
    if difference is not None:
        return "wrong" if is_asked else "extra"
    if not is_asked:
        return "ignored"
    if "found" not in told:
        return "ignored" if made is None and record.reward == 1 else "wrong"
    return "same" if told["found"] == told["wanted"] else "accepted"


def _other_row(row: _Made, record: EpisodeRecord, verdict: _Verdict) -> dict[str, Any]:
    """A row that nobody expected to change: collateral if the verdict says so, otherwise one that does not count."""
    name = _name(row.table, row.key)
    before, after = row.before or {}, row.after or {}
    columns = []
    for column in after or before:
        if row.before is not None and row.after is not None and before[column] == after[column]:
            continue
        is_extra = (name, column) in verdict.by_value or name in verdict.by_row
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
    return {"table": row.table, "key": list(row.key), "kind": kind, "status": status, "columns": columns}
