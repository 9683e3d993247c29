"""A start: a state that calls are tried on, with its rows at hand and the ways from row to row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from generator.gates.cases.case import Case, CaseBook, TopicCases
from generator.gates.cases.run import world_of
from runtime.domain.domain import Domain
from runtime.domain.schema import ForeignKey, Row, Schema, Value
from runtime.errors import UsageError
from runtime.graph import StartOfEvidence
from runtime.session.world import World, build_world

WORLDS = ((1, 150), (2, 300))  # seed and size
_NEAR_CHILDREN = 3  # rows taken from either end of those that refer to a row

Column = tuple[str, str]  # table and column
Place = tuple[str, Row]  # a row and its table


class Start:
    """A world with its rows by table; `place` is how evidence names it."""

    def __init__(self, domain: Domain, place: StartOfEvidence, world: World) -> None:
        self.domain = domain
        self.place = place
        self.world = world
        self.rows = _rows_of(world)
        self._near: dict[tuple[Place, ...], list[Place]] = {}
        self._indexes: dict[Column, dict[Value, list[Row]]] = {}

    @cached_property
    def keys(self) -> dict[Column, dict[Value, None]]:
        """The values of every column that identifies rows, in the order of the rows."""
        schema = self.domain.schema
        return {column: dict.fromkeys(self.values(column)) for column in sorted(identifying(schema))}

    def values(self, column: Column) -> list[Value]:
        """What a column holds, row by row, without NULL."""
        table, name = column
        position = self.domain.schema.tables[table].positions[name]
        return [row[position] for row in self.rows[table] if row[position] is not None]

    @cached_property
    def texts(self) -> dict[str, dict[Value, str]]:
        """The text values of each table, each with the first column that holds it; dates and keys are left out."""
        found: dict[str, dict[Value, str]] = {}
        for table in self.domain.schema.tables.values():
            own = found.setdefault(table.name, {})
            for column in text_columns(self.domain.schema, table.name):
                for value in self.values((table.name, column)):
                    own.setdefault(value, column)
        return found

    def near(self, places: Iterable[Place]) -> list[Place]:
        """These rows, those they refer to, some that refer to them, and what all of these refer to; nearest first."""
        asked = tuple(places)
        known = self._near.get(asked)
        if known is not None:
            return known
        found: dict[Place, None] = dict.fromkeys(asked)
        for reach in (self._parents, self._children, self._parents, self._children, self._parents):
            for place in list(found):
                for other in reach(place):
                    found.setdefault(other)
            if len(found) > 60:
                break
        return self._near.setdefault(asked, list(found))

    def holding(self, column: Column, value: Value) -> list[Place]:
        """The first rows in which a column holds a value."""
        return [(column[0], row) for row in self._index(column).get(value, ())[:_NEAR_CHILDREN]]

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


def open_start(domain: Domain, place: StartOfEvidence, book: CaseBook) -> Start:
    """The start that evidence names; errors: UsageError, EnvironmentFault."""
    if place.case is None:
        if place.seed is None or place.size is None:
            raise UsageError("a start names neither a world's seed and size nor a case")
        world = build_world(
            domain.populate, domain.schema, domain.policies, domain.now, seed=place.seed, size=place.size
        )
        return Start(domain, place, world)
    for topic in book.values():
        for case in topic.cases:
            if case.id == place.case:
                return Start(domain, place, world_of(domain.schema, domain.policies, topic.rows, case.rows))
    raise UsageError(f"cases.jsonl has no case {place.case!r}")


def places_of_worlds(domain: Domain, book: CaseBook) -> list[StartOfEvidence]:
    """The worlds to look at; where cases act as somebody, so does one more start per world."""
    places = []
    actors = {actor for topic in book.values() for case in topic.cases for actor in _actor_tables(domain, topic, case)}
    for seed, size in WORLDS:
        place = StartOfEvidence(seed=seed, size=size)
        places.append(place)
        for table in sorted(actors):
            keys = open_start(domain, place, book).values((table, domain.schema.tables[table].primary_key[0]))
            if keys:
                places.append(place.model_copy(update={"principal": str(keys[0])}))
    return places


def identifying(schema: Schema) -> set[Column]:
    """The columns whose values name a row: keys of one column, and those of a longer key that refer to nothing."""
    found = set()
    for table in schema.tables.values():
        referring = {name for foreign_key in table.foreign_keys for name in foreign_key.columns}
        found |= {(table.name, name) for name in table.primary_key if name not in referring}
    return found


def text_columns(schema: Schema, name: str) -> Sequence[str]:
    """The columns of a table that hold words: no keys, no references."""
    table = schema.tables[name]
    referring = {column for foreign_key in table.foreign_keys for column in foreign_key.columns}
    return [
        column.name
        for column in table.columns
        if column.type == "TEXT" and column.name not in referring and column.name not in table.primary_key
    ]


def _rows_of(world: World) -> dict[str, list[Row]]:
    connection = world.open()
    try:
        found = {}
        for table in world.schema.tables.values():
            keys = ", ".join(f'"{name}"' for name in table.primary_key)
            found[table.name] = connection.execute(f"{table.select_all} ORDER BY {keys}").fetchall()
        return found
    finally:
        connection.close()


def _actor_tables(domain: Domain, topic: TopicCases, case: Case) -> Iterator[str]:
    """The tables in which the acting user of a case is a row."""
    if case.principal is None:
        return
    for table in domain.schema.tables.values():
        given = [*topic.rows.get(table.name, ()), *case.rows.get(table.name, ())]
        if len(table.primary_key) == 1 and any(row.get(table.primary_key[0]) == case.principal for row in given):
            yield table.name
