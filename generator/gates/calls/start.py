"""Decide which rows a call is made about: a world with its rows at hand, and the ways from row to row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from functools import cached_property

from runtime.domain.domain import Domain
from runtime.domain.schema import ForeignKey, Key, Row, Schema, Value
from runtime.session.session import Snapshot
from runtime.session.world import World, make_world
from runtime.task.stored_world import stored_world

_NEAR_CHILDREN = 3  # rows taken from either end of those that refer to a row
_MOST_NEAR = 60  # rows after which no further ones are looked for

Column = tuple[str, str]  # table and column
Place = tuple[str, Row]  # a row and its table


class Start:
    """A world and its rows by table."""

    def __init__(self, domain: Domain, world: World) -> None:
        self.domain = domain
        self.world = world
        self.rows = rows_of(world, by_key=True)
        self._near: dict[tuple[Place, ...], list[Place]] = {}
        self._by_key: dict[str, dict[Key, Row]] = {}
        self._indexes: dict[Column, dict[Value, list[Row]]] = {}

    @cached_property
    def keys(self) -> dict[Column, dict[Value, None]]:
        """The values of every column that identifies rows, in the order of the rows."""
        return {column: dict.fromkeys(self.values(column)) for column in sorted(identifying(self.domain.schema))}

    def row(self, table: str, key: Key) -> Row | None:
        """Return a row by its key."""
        rows = self._by_key.get(table)
        if rows is None:
            key_of = self.domain.schema.tables[table].key_of
            rows = self._by_key[table] = {key_of(row): row for row in self.rows[table]}
        return rows.get(key)

    def record(self, table: str, key: Value) -> dict[str, Value] | None:
        """Return a row by its key of one column, as a record."""
        row = self.row(table, (key,))
        return None if row is None else self.domain.schema.tables[table].record(row)

    def values(self, column: Column) -> list[Value]:
        """Return what a column holds, row by row, without NULL."""
        table, name = column
        position = self.domain.schema.tables[table].positions[name]
        return [row[position] for row in self.rows[table] if row[position] is not None]

    def near(self, places: Iterable[Place]) -> list[Place]:
        """Return these rows, some that refer to them, and the parents of all of these; nearest first."""
        asked = tuple(places)
        known = self._near.get(asked)
        if known is not None:
            return known
        found: dict[Place, None] = dict.fromkeys(asked)
        for reach in (self._parents, self._children, self._parents, self._children, self._parents):
            for place in list(found):
                for other in reach(place):
                    found.setdefault(other)
            if len(found) > _MOST_NEAR:
                break
        return self._near.setdefault(asked, list(found))

    def holding(self, columns: Iterable[Column], value: Value) -> list[Place]:
        """Return the first rows in which one of these columns holds a value."""
        return [(column[0], row) for column in columns for row in self._index(column).get(value, ())[:_NEAR_CHILDREN]]

    def _parents(self, place: Place) -> Iterator[Place]:
        name, row = place
        table = self.domain.schema.tables[name]
        for foreign_key in table.foreign_keys:
            value = row[table.positions[foreign_key.columns[0]]]
            for row_above in self._index((foreign_key.parent, foreign_key.parent_columns[0])).get(value, ())[:1]:
                yield foreign_key.parent, row_above

    def _children(self, place: Place) -> Iterator[Place]:
        name, row = place
        table = self.domain.schema.tables[name]
        for child, foreign_key in self._references[name]:
            value = row[table.positions[foreign_key.parent_columns[0]]]
            below = self._index((child, foreign_key.columns[0])).get(value, ())
            for row_below in (*below[:_NEAR_CHILDREN], *below[_NEAR_CHILDREN:][-_NEAR_CHILDREN:]):
                yield child, row_below

    @cached_property
    def _references(self) -> dict[str, list[tuple[str, ForeignKey]]]:
        found: dict[str, list[tuple[str, ForeignKey]]] = defaultdict(list)
        for table in self.domain.schema.tables.values():
            for foreign_key in table.foreign_keys:
                found[foreign_key.parent].append((table.name, foreign_key))
        return found

    def _index(self, column: Column) -> dict[Value, list[Row]]:
        index = self._indexes.get(column)
        if index is None:
            index = self._indexes[column] = defaultdict(list)
            position = self.domain.schema.tables[column[0]].positions[column[1]]
            for row in self.rows[column[0]]:
                index[row[position]].append(row)
        return index


def new_world(domain: Domain, seed: int, size: int) -> World:
    """Return a newly built world; errors: EnvironmentFault."""
    return make_world(domain, seed, size)


def world_on(domain: Domain, seed: int, size: int) -> World:
    """Return a world, which another job of the same run may have built; errors: EnvironmentFault."""
    return stored_world(domain, size, seed, "counted")


def start_on(domain: Domain, seed: int, size: int) -> Start:
    """Return a start on a world; errors: EnvironmentFault."""
    return Start(domain, world_on(domain, seed, size))


def places_changed(state: Snapshot) -> list[Place]:
    """Return the rows that a state adds, changes or removes."""
    return [
        (table, row)
        for (table, _), change in state.changes.rows.items()
        for row in (change.after, change.before)
        if row is not None
    ]


def identifying(schema: Schema) -> set[Column]:
    """Return the columns whose values name a row: keys, except the parts of longer keys that refer to other tables."""
    found = set()
    for table in schema.tables.values():
        referring = {name for foreign_key in table.foreign_keys for name in foreign_key.columns}
        found |= {(table.name, name) for name in table.primary_key if name not in referring}
    return found


def words_in(schema: Schema, name: str) -> Sequence[str]:
    """Return the columns of a table that hold words: no keys, no references."""
    table = schema.tables[name]
    referring = {column for foreign_key in table.foreign_keys for column in foreign_key.columns}
    return [
        column.name
        for column in table.columns
        if column.type == "TEXT" and column.name not in referring and column.name not in table.primary_key
    ]


def rows_of(world: World, *, by_key: bool = False) -> dict[str, list[Row]]:
    """Return the rows of a world by table, as SQLite keeps them or in the order of their keys."""
    with closing(world.open()) as connection:
        found = {}
        for table in world.schema.tables.values():
            keys = ", ".join(f'"{name}"' for name in table.primary_key)
            ordered = f" ORDER BY {keys}" if by_key else ""
            found[table.name] = connection.execute(f"{table.select_all}{ordered}").fetchall()
        return found
