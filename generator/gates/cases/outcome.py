"""Compare what a call came to with what a case expects: one sentence per difference."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from generator.gates.cases.case import Case, Change
from runtime.domain.changes import RowDifference
from runtime.domain.schema import Schema
from runtime.errors import RejectionKind

_NEW = "$new:"

New = dict[str, list[Any]]  # keys of new rows by table


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
    """List the ways in which a call did not do what its case expects; `defaults` holds column defaults by table."""
    if observed.fault:
        return [f"it crashed: {observed.sentence}"]
    if observed.rejection != case.rejects:
        got = f"{observed.rejection}: {observed.sentence}" if observed.rejection else "success"
        returned = [] if observed.result is None else [f"it returned {_shown(observed.result)}"]
        return [f"expected {case.rejects or 'success'}, got {got}", *returned]
    if case.rejects:
        return []
    new: New = {table: [] for table in schema.tables}
    for change in observed.changes:
        if change.kind == "added":
            new[change.table].append(change.key[0])
    result = [] if case.result is None else _differences("result", case.result, observed.result, new)
    return [*result, *_changed_differently(case.changes, observed.changes, schema, defaults, new)]


def _changed_differently(
    expected: Sequence[Change],
    observed: Sequence[RowDifference],
    schema: Schema,
    defaults: Mapping[str, Mapping[str, Any]],
    new: New,
) -> Iterator[str]:
    pending = list(observed)
    for change in expected:
        key_columns = schema.tables[change.table].primary_key
        found = next((each for each in pending if _is_meant(change, each, key_columns, new)), None)
        if found is None:
            what = "added to" if change.added is not None else "removed from" if change.removed else "changed in"
            which = "" if change.added is not None else f" {change.key!r}"
            names = [f"{each.table} {' / '.join(map(str, each.key))} ({each.kind})" for each in observed]
            yield f"no row{which} was {what} {change.table}; changed were {', '.join(names) or 'none'}"
            continue
        pending.remove(found)
        where = f"{change.table} {' / '.join(map(str, found.key))}"
        wanted = change.changed or {}
        if change.added is not None:
            wanted = {**defaults[change.table], **change.added}
            if len(key_columns) == 1 and key_columns[0] not in change.added:
                wanted.pop(key_columns[0], None)
        for column, value in wanted.items():
            yield from _differences(f"{where}: {column}", value, (found.after or {}).get(column), new)
        for column, (_, now) in found.changed.items() if change.changed is not None else ():
            if column not in wanted:
                yield f"{where}: {column} became {now!r}, which is not expected to change"
    yield from (f"not expected: {_shown(describe_change(left).as_json)}" for left in pending)


def _is_meant(change: Change, observed: RowDifference, key_columns: Sequence[str], new: New) -> bool:
    kind = "added" if change.added is not None else "removed" if change.removed else "changed"
    if (change.table, kind) != (observed.table, observed.kind):
        return False
    if change.added is not None:
        stated = [change.added.get(column) for column in key_columns]
        # New rows without a stated key are taken in the order of their creation.
        return None in stated or not list(_differences("", stated, list(observed.key), new))
    return list(observed.key) == (change.key if isinstance(change.key, list) else [change.key])


def _differences(where: str, wanted: Any, got: Any, new: New) -> Iterator[str]:
    """Compare a stated value with an observed one; `new` are the keys of the rows that the call added, by table."""
    if isinstance(wanted, str) and wanted.startswith(_NEW):
        table, _, number = wanted.removeprefix(_NEW).partition(":")
        position = int(number or 1) if (number or "1").isdigit() else 0
        if got not in new.get(table, [])[max(position - 1, 0) : position]:
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
                yield from _differences(f"{where}.{key}", value, got[key], new)
    elif isinstance(wanted, list) and isinstance(got, list):
        if len(wanted) != len(got):
            yield f"{where} has {len(got)} items, expected {len(wanted)}: {_shown(got)}"
        for position, (one, other) in enumerate(zip(wanted, got, strict=False)):
            yield from _differences(f"{where}[{position}]", one, other, new)
    elif not _equal(wanted, got):
        yield f"{where} is {_shown(got)}, expected {_shown(wanted)}"


def _equal(wanted: Any, got: Any) -> bool:
    if isinstance(wanted, bool) or isinstance(got, bool):
        return wanted is got
    if isinstance(wanted, float) or isinstance(got, float):
        numbers = isinstance(wanted, int | float) and isinstance(got, int | float)
        return numbers and math.isclose(wanted, got, rel_tol=1e-9, abs_tol=1e-9)
    return type(wanted) is type(got) and bool(wanted == got)


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 400 else f"{text[:400]}..."
