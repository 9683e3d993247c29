"""The rows in which a state differs from its world: diff, digest, snapshot, fork, restore come of them."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from runtime.domain.policies import Policies
from runtime.domain.schema import Key, Row, Schema, Value

RowName = tuple[str, Key]  # table and primary key


class RowChange(NamedTuple):
    """A row before and after; None where it does not exist."""

    before: Row | None
    after: Row | None


RowStep = tuple[RowName, RowChange]


@dataclass(frozen=True)
class RowDifference:
    """One line of a diff: a row added, changed (with its changed columns) or removed since the start."""

    table: str
    key: Key
    kind: Literal["added", "changed", "removed"]
    before: Mapping[str, Value] | None
    after: Mapping[str, Value] | None

    @property
    def changed(self) -> dict[str, tuple[Value, Value]]:
        """The changed columns with their values before and after."""
        if self.before is None or self.after is None:
            return {}
        return {name: (old, self.after[name]) for name, old in self.before.items() if old != self.after[name]}


@dataclass
class Changes:
    """Changed rows by table and key; a row that is back as it was is forgotten."""

    rows: dict[RowName, RowChange] = field(default_factory=dict)

    def record(self, table: str, key: Key, before: Row | None, after: Row | None) -> None:
        name = (table, key)
        earlier = self.rows.get(name)
        start = before if earlier is None else earlier.before
        if start != after:
            self.rows[name] = RowChange(start, after)
        elif earlier is not None:
            del self.rows[name]

    def merge(self, later: Changes) -> None:
        for (table, key), change in later.rows.items():
            self.record(table, key, change.before, change.after)

    def copy(self) -> Changes:
        return Changes(dict(self.rows))

    def steps_to(self, target: Changes) -> Iterator[RowStep]:
        """What must happen to each row to get from these changes to the target's."""
        for name in {**self.rows, **target.rows}:  # not a set, whose order differs between processes
            here, there = self.rows.get(name), target.rows.get(name)
            start = here.before if here is not None else there.before if there is not None else None
            now = here.after if here is not None else start
            wanted = there.after if there is not None else start
            if now != wanted:
                yield name, RowChange(now, wanted)

    def differences(self, schema: Schema, policies: Policies) -> list[RowDifference]:
        """The diff, sorted by table and key; a row that differs only in generated columns counts as unchanged."""
        found = []
        for (name, key), change in self.rows.items():
            table = schema.tables[name]
            if change.before is not None and change.after is not None:
                ignored = policies.generated_positions[name]
                if strip(change.before, ignored) == strip(change.after, ignored):
                    continue
            found.append(
                RowDifference(
                    table=name,
                    key=key,
                    kind="added" if change.before is None else "removed" if change.after is None else "changed",
                    before=None if change.before is None else table.record(change.before),
                    after=None if change.after is None else table.record(change.after),
                )
            )
        order = {name: position for position, name in enumerate(schema.tables)}
        return sorted(found, key=lambda difference: (order[difference.table], sortable(difference.key)))

    def digest(self, start: int, policies: Policies) -> int:
        """The digest of the changed state from the digest of its world."""
        for (table, _), (before, after) in self.rows.items():
            ignored = policies.generated_positions[table]
            start -= 0 if before is None else row_hash(table, before, ignored)
            start += 0 if after is None else row_hash(table, after, ignored)
        return start % _MODULUS


_MODULUS = 2**128


def strip(row: Row, ignored: tuple[int, ...]) -> Row:
    """A row without the values at some positions."""
    if not ignored:
        return row
    kept = list(row)
    for position in reversed(ignored):  # they ascend
        del kept[position]
    return tuple(kept)


def row_hash(table: str, row: Row, ignored: tuple[int, ...]) -> int:
    """128 bits of a row without its generated columns."""
    text = json.dumps((table, *strip(row, ignored)), separators=(",", ":"))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=16).digest(), "big")


def scan_digest(connection: sqlite3.Connection, schema: Schema, policies: Policies) -> int:
    """The digest of a database by reading all of it: the sum of its rows' hashes."""
    total = 0
    for table in schema.tables.values():
        ignored = policies.generated_positions[table.name]
        for row in connection.execute(table.select_all):
            total += row_hash(table.name, row, ignored)
    return total % _MODULUS


def scan_changes(start: sqlite3.Connection, state: sqlite3.Connection, schema: Schema) -> Changes:
    """The changes between two databases by reading all of both, in the order of their keys."""
    changes = Changes()
    for table in schema.tables.values():
        keys = ", ".join(f'"{name}"' for name in table.primary_key)
        sql = f"{table.select_all} ORDER BY {keys}"
        before = {table.key_of(row): row for row in start.execute(sql)}
        for row in state.execute(sql):
            key = table.key_of(row)
            earlier = before.pop(key, None)
            if row != earlier:
                changes.record(table.name, key, earlier, row)
        for key, row in before.items():
            changes.record(table.name, key, row, None)
    return changes


def apply_in_order(connection: sqlite3.Connection, schema: Schema, steps: Sequence[RowStep]) -> None:
    """Write rows as they must be, foreign keys on: parents come before their children and go after them.

    Errors: sqlite3.IntegrityError where no such order keeps every constraint; the caller rolls back.
    """
    ordered = sorted(steps, key=lambda step: schema.parents_first[step[0][0]])
    for (name, key), change in ordered:
        table = schema.tables[name]
        if change.before is None and change.after is not None:
            connection.execute(table.insert_row, change.after)
        elif change.before is not None and change.after is not None:
            connection.execute(table.update_columns(table.column_names), (*change.after, *key))
    for (name, key), change in reversed(ordered):
        if change.after is None:
            connection.execute(schema.tables[name].delete_row, key)


def apply_unchecked(connection: sqlite3.Connection, schema: Schema, steps: Sequence[RowStep]) -> None:
    """Write rows as they must be, foreign keys off: all old rows go before new ones come."""
    for (name, key), change in steps:
        if change.before is not None:
            connection.execute(schema.tables[name].delete_row, key)
    for (name, _), change in steps:
        if change.after is not None:
            connection.execute(schema.tables[name].insert_row, change.after)


def sortable(key: Key) -> tuple[tuple[str, Value], ...]:
    """A key that sorts beside keys of other types."""
    return tuple((type(value).__name__, value) for value in key)
