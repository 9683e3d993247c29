"""Compare what a call came to with what a case expects: one sentence per difference."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from generator.gates.cases.case import Case, Change
from runtime.domain.changes import RowDifference
from runtime.domain.schema import Schema, Table
from runtime.errors import RejectionKind

_NEW = "$new:"


@dataclass(frozen=True)
class Observed:
    """What a call came to: a result with its changes, a rejection, or a fault."""

    result: Mapping[str, Any] | None = None
    changes: tuple[RowDifference, ...] = ()
    rejection: RejectionKind | None = None
    sentence: str = ""  # of the rejection or the fault
    fault: bool = False

    def described(self) -> dict[str, Any]:
        """As JSON, for a model or a person."""
        if self.fault:
            return {"crash": self.sentence}
        if self.rejection:
            return {"rejects": self.rejection, "sentence": self.sentence}
        return {"result": self.result, "changes": [describe_change(change).as_json for change in self.changes]}


def describe_change(change: RowDifference) -> Change:
    """Return a row difference in the terms of a case."""
    if change.kind == "added":
        return Change(table=change.table, added=dict(change.after or {}))
    key = change.key[0] if len(change.key) == 1 else list(change.key)
    if change.kind == "removed":
        return Change(table=change.table, key=key, removed=True)
    return Change(table=change.table, key=key, changed={name: new for name, (_, new) in change.changed.items()})


def compare(case: Case, observed: Observed, schema: Schema, defaults: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Say in which ways a call did not do what its case expects; `defaults` holds each column's default by table."""
    return list(_differences(case, observed, schema, defaults))


def _differences(
    case: Case, observed: Observed, schema: Schema, defaults: Mapping[str, Mapping[str, Any]]
) -> Iterator[str]:
    wanted = case.rejects or "success"
    if observed.fault:
        yield f"it crashed: {observed.sentence}"
    elif observed.rejection != case.rejects:
        said = f"{observed.rejection}: {observed.sentence}" if observed.rejection else "success"
        yield f"expected {wanted}, got {said}"
        if observed.result is not None:
            yield f"it returned {_shown(observed.result)}"
    elif case.is_success:
        new = {
            table: [change for change in observed.changes if change.table == table and change.kind == "added"]
            for table in schema.tables
        }
        keys = {table: [change.key[0] for change in added] for table, added in new.items()}
        matcher = _Matcher(keys)
        if case.result is not None:
            yield from matcher.differences("result", case.result, observed.result)
        yield from _changed_differently(case.changes, observed.changes, schema, defaults, matcher)


def _changed_differently(
    expected: Sequence[Change],
    observed: Sequence[RowDifference],
    schema: Schema,
    defaults: Mapping[str, Mapping[str, Any]],
    matcher: _Matcher,
) -> Iterator[str]:
    pending = list(observed)
    for change in expected:
        table = schema.tables[change.table]
        found = next((each for each in pending if _is_meant(change, each, table, matcher)), None)
        if found is None:
            what = "added to" if change.added is not None else "removed from" if change.removed else "changed in"
            which = "" if change.added is not None else f" {change.key!r}"
            yield f"no row{which} was {what} {change.table}; changed were {_names(observed)}"
            continue
        pending.remove(found)
        where = f"{change.table} {' / '.join(map(str, found.key))}"
        if change.added is not None:
            after = found.after or {}
            wanted = {**defaults[table.name], **change.added}
            if len(table.primary_key) == 1 and table.primary_key[0] not in change.added:
                wanted.pop(table.primary_key[0], None)
            for column, value in wanted.items():
                yield from matcher.differences(f"{where}: {column}", value, after.get(column))
        elif change.changed is not None:
            now = {name: new for name, (_, new) in found.changed.items()}
            after = found.after or {}
            for column, value in change.changed.items():
                yield from matcher.differences(f"{where}: {column}", value, after.get(column))
            for column in now:
                if column not in change.changed:
                    yield f"{where}: {column} became {now[column]!r}, which is not expected to change"
    for left in pending:
        yield f"not expected: {_shown(describe_change(left).as_json)}"


def _is_meant(change: Change, observed: RowDifference, table: Table, matcher: _Matcher) -> bool:
    if change.table != observed.table:
        return False
    if change.added is not None:
        stated = [change.added.get(column) for column in table.primary_key]
        if observed.kind != "added":
            return False
        if None in stated:
            return True  # new rows without a stated key are taken in the order of their creation
        return not list(matcher.differences("", stated, list(observed.key)))
    key = change.key if isinstance(change.key, list) else [change.key]
    return observed.kind == ("removed" if change.removed else "changed") and list(observed.key) == key


class _Matcher:
    """Compares a stated value with an observed one; knows the keys of the rows that the call added."""

    def __init__(self, new: Mapping[str, Sequence[Any]]) -> None:
        self.new = new

    def differences(self, where: str, wanted: Any, got: Any) -> Iterator[str]:
        if isinstance(wanted, str) and wanted.startswith(_NEW):
            table, _, number = wanted.removeprefix(_NEW).partition(":")
            keys = self.new.get(table, ())
            position = int(number or 1) if (number or "1").isdigit() else 0
            if not (0 < position <= len(keys)) or keys[position - 1] != got:
                yield f"{where} is {_shown(got)}, expected the key of new row {number or 1} of {table}"
        elif isinstance(wanted, dict) and wanted.keys() == {"$any"}:
            return
        elif isinstance(wanted, dict) and wanted.keys() == {"$contains"}:
            missing = [part for part in wanted["$contains"] if str(part).lower() not in str(got).lower()]
            if missing or not isinstance(got, str):
                yield f"{where} is {_shown(got)}, which does not contain {_shown(missing)}"
        elif isinstance(wanted, dict) and isinstance(got, dict):
            for key, value in wanted.items():
                if key not in got:
                    yield f"{where} has no {key!r}"
                else:
                    yield from self.differences(f"{where}.{key}", value, got[key])
        elif isinstance(wanted, list) and isinstance(got, list):
            if len(wanted) != len(got):
                yield f"{where} has {len(got)} items, expected {len(wanted)}: {_shown(got)}"
            for position, (one, other) in enumerate(zip(wanted, got, strict=False)):
                yield from self.differences(f"{where}[{position}]", one, other)
        elif not _equal(wanted, got):
            yield f"{where} is {_shown(got)}, expected {_shown(wanted)}"


def _equal(wanted: Any, got: Any) -> bool:
    if isinstance(wanted, bool) or isinstance(got, bool):
        return wanted is got
    if isinstance(wanted, float) or isinstance(got, float):
        numbers = isinstance(wanted, int | float) and isinstance(got, int | float)
        return numbers and math.isclose(wanted, got, rel_tol=1e-9, abs_tol=1e-9)
    return type(wanted) is type(got) and bool(wanted == got)


def _names(observed: Sequence[RowDifference]) -> str:
    return ", ".join(f"{each.table} {' / '.join(map(str, each.key))} ({each.kind})" for each in observed) or "none"


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 400 else f"{text[:400]}..."
