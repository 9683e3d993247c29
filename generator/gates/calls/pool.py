"""Values that random calls are made of: those of a world's rows, and those that earlier results returned."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Mapping
from contextlib import closing
from functools import cached_property
from typing import Any

from runtime.domain.changes import Changes
from runtime.domain.schema import Row, Schema, Value
from runtime.session.world import World

_MOST_ROWS = 200  # of a table
_MOST_LEARNT = 40  # values of a name

ColumnName = tuple[str, str]  # table and column


class Rows:
    """The rows of a world that random calls draw from."""

    def __init__(self, world: World) -> None:
        self.schema: Schema = world.schema
        with closing(world.open()) as connection:
            self.by_table: dict[str, list[Row]] = {
                name: connection.execute(f"{table.select_all} LIMIT {_MOST_ROWS}").fetchall()
                for name, table in world.schema.tables.items()
            }
        self._columns: dict[tuple[str, frozenset[str]], list[ColumnName]] = {}

    @cached_property
    def key_values(self) -> list[str]:
        """All TEXT keys of tables with one key column: ids, of whatever table."""
        return [
            str(row[table.key_positions[0]])
            for table in self.schema.tables.values()
            if table.key_types == (str,)
            for row in self.by_table[table.name]
        ]

    def columns_for(self, name: str, tables: frozenset[str]) -> list[ColumnName]:
        """The columns that a parameter of this name may stand for, those of the given tables first."""
        found = self._columns.get((name, tables))
        if found is None:
            found = sorted(self._search(name), key=lambda column: column[0] not in tables)
            self._columns[name, tables] = found
        return found

    def is_key(self, column: ColumnName) -> bool:
        """Whether a column is part of its table's key, or refers to another."""
        table = self.schema.tables[column[0]]
        keys = [table.primary_key, *(foreign_key.columns for foreign_key in table.foreign_keys)]
        return any(column[1] in key for key in keys)

    def _search(self, name: str) -> list[ColumnName]:
        columns = [(table.name, column.name) for table in self.schema.tables.values() for column in table.columns]
        for wanted in dict.fromkeys((name, name.removesuffix("s"), name.removesuffix("es"))):
            stem = wanted.removesuffix("_id")
            if found := [each for each in columns if each[1] == wanted]:
                return found
            if stem in self.schema.tables and len(self.schema.tables[stem].primary_key) == 1:
                return [(stem, self.schema.tables[stem].primary_key[0])]
            ends = [each for each in columns if wanted.endswith(f"_{each[1]}")]
            if ends:
                longest = max(len(column) for _, column in ends)
                return [each for each in ends if len(each[1]) == longest]
        return []


class Pool:
    """The values at hand in one session."""

    def __init__(self, rows: Rows, chance: random.Random) -> None:
        self.rows = rows
        self._chance = chance
        self._anchors: dict[str, Row] = {}
        self._learnt: dict[str, deque[Value]] = {}
        self._changed: dict[str, list[Row]] = {}

    def begin_call(self) -> None:
        """From here on, values of one table come from one row, so that they fit together."""
        self._anchors.clear()

    def value(self, name: str, tables: frozenset[str]) -> Value:
        """A value that a parameter of this name may well have; None if nothing is known of it."""
        learnt = self._learnt.get(name)
        if learnt and self._chance.random() < 0.35:
            return self._chance.choice(learnt)
        columns = self.rows.columns_for(name, tables)
        if not columns:
            return None
        table, column = columns[0] if self._chance.random() < 0.6 else self._chance.choice(columns)
        row = self._row(table)
        return None if row is None else row[self.rows.schema.tables[table].positions[column]]

    def names_row(self, name: str, tables: frozenset[str]) -> bool:
        """Whether a parameter of this name is likely to name a row by its key."""
        columns = self.rows.columns_for(name, tables)
        return bool(columns) and self.rows.is_key(columns[0])

    def words(self, tables: frozenset[str]) -> str:
        """Some text out of the rows of these tables."""
        table = self._chance.choice(sorted(tables) or list(self.rows.by_table))
        texts = [value for value in self._row(table) or () if isinstance(value, str)]
        if not texts:
            return "some words"
        text = self._chance.choice(texts)
        return self._chance.choice(text.split() or [text]) if self._chance.random() < 0.5 else text

    def learn(self, result: Any, name: str = "") -> None:
        """Remember the values of a result by their names."""
        if isinstance(result, Mapping):
            for key, value in result.items():
                self.learn(value, key)
        elif isinstance(result, list):
            for item in result[:5]:
                self.learn(item, name)
        elif isinstance(result, str | int | float) and not isinstance(result, bool):
            self._learnt.setdefault(name, deque(maxlen=_MOST_LEARNT)).append(result)

    def look_at(self, changes: Changes) -> None:
        """Draw from the rows that the session added and changed, too."""
        self._changed = {}
        for (table, _), change in changes.rows.items():
            if change.after is not None:
                self._changed.setdefault(table, []).append(change.after)

    def _row(self, table: str) -> Row | None:
        if table not in self._anchors or self._chance.random() < 0.2:
            rows = self.rows.by_table[table]
            if table in self._changed and (not rows or self._chance.random() < 0.3):
                rows = self._changed[table]
            if not rows:
                return None
            self._anchors[table] = self._chance.choice(rows)
        return self._anchors[table]
