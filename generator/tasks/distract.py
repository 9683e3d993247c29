"""Distractors: near-duplicates of every picked row, each of which differs in something that the user tells."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from generator.tasks.ids import FreshValues
from generator.tasks.studied_world import StudiedWorld
from generator.tasks.telling import Telling, ToldColumn, told_columns
from runtime.domain.domain import NewRowCheck
from runtime.domain.schema import ForeignKey, Key, RowRef, Table, Value
from runtime.task.origin import said
from runtime.task.task import AddedRow

_ATTEMPTS = 6  # at one near-duplicate that fits the schema
_CHANGED_TWICE = 0.25  # share of the near-duplicates that differ in two told things
_MOST_TELLINGS = 24  # to find out which distractors change the chain
_SMALL_PARTS = 16  # of which the distractors are made up
_VALUES_LOOKED_AT = 60


def near_duplicates(studied: StudiedWorld, telling: Telling, count: int, seed: int) -> list[AddedRow]:
    """Return copies of each picked row that differ from it in a column, or a row it refers to, that the user tells.

    They fit the schema together. A row of which nothing is told gets none: a copy of it would be meant as well.
    """
    rng = random.Random(f"distractors {seed}")
    fresh = studied.fresh_values(f"distractors {seed}")
    told = [column for script in telling.scripts for column in told_columns(script, studied)]
    found: list[AddedRow] = []
    connection = studied.indexed
    connection.execute("BEGIN")
    try:
        for table, key in telling.picks:
            maker = _Maker(studied, fresh, rng, studied.domain.schema.tables[table], key, told, connection)
            found += filter(None, (maker.make() for _ in range(count)))
    finally:
        connection.rollback()
    return found


def harmless(rows: Sequence[AddedRow], holds: Callable[[Sequence[AddedRow]], bool]) -> list[AddedRow]:
    """The rows that can be added together so that `holds` is still true; it is not asked more than 24 times.

    A part that does not hold is halved; a small one is left out as a whole.
    """
    kept: list[AddedRow] = []
    small = max(1, len(rows) // _SMALL_PARTS)
    pending = [_Part(rows)] if rows else []
    asked = 0
    while pending and asked < _MOST_TELLINGS:
        part = pending.pop(0)
        if not part.fails:
            asked += 1
            if holds([*kept, *part.rows]):
                kept += part.rows
                if part.is_first:
                    pending[0] = replace(pending[0], fails=True)
                continue
        if len(part.rows) > small:
            middle = len(part.rows) // 2
            pending[:0] = [_Part(part.rows[:middle], is_first=True), _Part(part.rows[middle:])]
    return kept


@dataclass(frozen=True)
class _Part:
    """Some of the rows; `is_first` of two halves that do not hold together: if it holds, the other one `fails`."""

    rows: Sequence[AddedRow]
    is_first: bool = False
    fails: bool = False


class _Maker:
    """Makes near-duplicates of one row."""

    def __init__(
        self,
        studied: StudiedWorld,
        fresh: FreshValues,
        rng: random.Random,
        table: Table,
        key: Key,
        told: Sequence[ToldColumn],
        connection: sqlite3.Connection,
    ) -> None:
        self._studied, self._fresh, self._rng = studied, fresh, rng
        self._table, self._key = table, key
        self._connection = connection
        self._check = NewRowCheck(connection, studied.domain.invariants, table)
        self._row: Mapping[str, Value] = studied.row(table.name, key) or {}
        self._told = told
        referring = {name for foreign_key in table.foreign_keys for name in foreign_key.columns}
        own = {each.column for each in told if each.row == RowRef(table.name, key)}
        self._columns = sorted(own - referring - table.key_columns)
        self._references = [each for each in table.foreign_keys if self._told_of_parent(each)]
        self._made: set[tuple[tuple[str, Value], ...]] = set()  # what they differ in

    def make(self) -> AddedRow | None:
        """Add one near-duplicate to the database and return it; None if none fits."""
        for _ in range(_ATTEMPTS):
            changed = self._changed()
            if not changed:
                return None
            differs = tuple(sorted(changed.items()))
            if differs in self._made:
                continue
            self._made.add(differs)
            if self._studied.domain.people is not None:
                row = self._drawn_anew(changed)
                if row is not None:
                    return row
                continue
            changed |= self._fresh.unique_values(self._table.name, {**self._row, **changed}, set(changed))
            if len(self._table.primary_key) == 1 and self._table.primary_key[0] not in changed:
                key = self._fresh.key(self._table.name, self._key)
                changed = {self._table.primary_key[0]: key, **changed}
            if self._fits({**self._row, **changed}):
                return AddedRow(table=self._table.name, source=list(self._key), columns=changed)
        return None

    def _drawn_anew(self, changed: Mapping[str, Value]) -> AddedRow | None:
        """Return another row with what is told of this one, except what is changed, and a fresh key."""
        table = self._table
        other = self._rng.choice(self._studied.start.rows[table.name])
        kept = {*self._columns, *(name for each in self._references for name in each.columns)}
        columns = {name: self._row[name] for name in table.column_names if name in kept} | dict(changed)
        columns |= self._fresh.unique_values(table.name, {**table.record(other), **columns}, set(changed))
        if len(table.primary_key) == 1:
            columns = {table.primary_key[0]: self._fresh.key(table.name, table.key_of(other)), **columns}
        if not self._fits({**table.record(other), **columns}):
            return None
        return AddedRow(table=table.name, source=list(table.key_of(other)), columns=columns)

    def _fits(self, record: Mapping[str, Value]) -> bool:
        """Insert a row if it fits the schema and the invariants; return True if it does."""
        try:
            self._connection.execute(self._table.insert_row, [record[name] for name in self._table.column_names])
        except sqlite3.IntegrityError:
            return False
        if self._check.breaks(record):
            self._connection.execute(self._table.delete_row, [record[name] for name in self._table.primary_key])
            return False
        return True

    def _changed(self) -> dict[str, Value]:
        """Return other values for one or two of the told things."""
        things: list[str | ForeignKey] = [*self._columns, *self._references]
        wanted = min(len(things), 2 if self._rng.random() < _CHANGED_TWICE else 1)
        changed: dict[str, Value] = {}
        for thing in self._rng.sample(things, wanted):
            changed |= self._other_value(thing) if isinstance(thing, str) else self._other_parent(thing)
        return changed

    def _other_value(self, column: str) -> dict[str, Value]:
        old = self._row[column]
        if self._fresh.is_unique(self._table.name, column):
            return {column: self._fresh.value(self._table.name, column, old)}
        values = [value for value in self._studied.held(self._table.name, column) if value is not None]
        for value in self._rng.sample(values, min(len(values), _VALUES_LOOKED_AT)):
            if not _sounds_like(value, old):
                return {column: value}
        return {}

    def _other_parent(self, foreign_key: ForeignKey) -> dict[str, Value]:
        """Return a reference to another row for which what is told does not hold."""
        told = self._told_of_parent(foreign_key)
        parent = self._studied.domain.schema.tables[foreign_key.parent]
        rows = self._studied.start.rows[parent.name]
        for row in self._rng.sample(rows, min(len(rows), _VALUES_LOOKED_AT)):
            if any(not _sounds_like(row[parent.positions[each.column]], each.value) for each in told):
                above = [row[parent.positions[name]] for name in foreign_key.parent_columns]
                return dict(zip(foreign_key.columns, above, strict=True))
        return {}

    def _told_of_parent(self, foreign_key: ForeignKey) -> list[ToldColumn]:
        parent = self._studied.domain.schema.tables[foreign_key.parent]
        if foreign_key.parent_columns != parent.primary_key:
            return []
        key = tuple(self._row.get(name) for name in foreign_key.columns)
        return [each for each in self._told if each.row == RowRef(parent.name, key)]


def _sounds_like(value: Value, other: Value) -> bool:
    """Return True if a person would say both alike; a date is said without its year."""
    return said(value).casefold() == said(other).casefold()
