"""Values that no row of a world has: keys as the domain makes ids, and values for unique columns."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing

from runtime.domain.arguments import add_days
from runtime.domain.schema import Key, Schema, Value
from runtime.sandbox.sqlite import open_memory
from runtime.session.workspace import make_id

_INDEXES = 'SELECT name, "unique", origin FROM pragma_index_list(?) ORDER BY seq'
_INDEXED = "SELECT name FROM pragma_index_info(?) ORDER BY seqno"
_DIGITS = re.compile(r"\d+(?=\D*$)")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


class FreshValues:
    """Fresh values of one world; each is handed out once. Keys are numbered on from `counter`, or dealt up to it.

    `held` are the values of a column, by table and name; `groups` are the unique ones. `dealer` draws the numbers of
    keys where those of the world are dealt, too: so a new row's key may be lower or higher than that of any other.
    """

    def __init__(
        self,
        schema: Schema,
        groups: Mapping[str, Sequence[tuple[str, ...]]],
        held: Callable[[str, str], Collection[Value]],
        counter: int,
        dealer: random.Random | None = None,
    ) -> None:
        self._schema, self._groups, self._held = schema, groups, held
        self._numbers = dict.fromkeys(schema.tables, counter)
        self._counter, self._dealer = counter, dealer
        self._handed_out: set[tuple[str, str, Value]] = set()

    def key(self, table: str, source: Key) -> Value:
        """A new key of a table whose key is one column; one that is not made from a counter resembles its source."""
        name = self._schema.tables[table].primary_key[0]
        if isinstance(source[0], str) and not source[0].startswith(f"{table.upper()}-"):
            return self.value(table, name, source[0])
        return self._first_free(table, name, self._ids(table))

    def unique_values(self, table: str, record: Mapping[str, Value], changed: set[str]) -> dict[str, Value]:
        """Fresh values for the UNIQUE columns of a copy of a row: one of each group that no change has made unique."""
        found: dict[str, Value] = {}
        for group in self._groups[table]:
            if changed.isdisjoint(group) and found.keys().isdisjoint(group):
                name = next((name for name in group if record[name] is not None), None)
                if name is not None:
                    found[name] = self.value(table, name, record[name])
        return found

    def value(self, table: str, column: str, source: Value) -> Value:
        """A value like another one that no row has in this column."""
        return self._first_free(table, column, following(source))

    def is_unique(self, table: str, column: str) -> bool:
        """Return True if a column holds every value at most once."""
        return (column,) in self._groups[table]

    def _ids(self, table: str) -> Iterator[Value]:
        while True:
            if self._dealer is not None:
                number = self._dealer.randint(1, self._counter)
            else:
                number = self._numbers[table] = self._numbers[table] + 1
            yield make_id(self._schema.tables[table], number)

    def _first_free(self, table: str, column: str, values: Iterator[Value]) -> Value:
        held = self._held(table, column)
        new = next(value for value in values if value not in held and (table, column, value) not in self._handed_out)
        self._handed_out.add((table, column, new))
        return new


def unique_groups(schema: Schema) -> dict[str, list[tuple[str, ...]]]:
    """By table the columns of each UNIQUE that refer to nothing; a partial one holds for some rows only."""
    found = {}
    with closing(open_memory()) as connection:
        schema.create(connection)
        for table in schema.tables.values():
            fixed = {name for foreign_key in table.foreign_keys for name in foreign_key.columns}
            groups = [
                tuple(
                    name for (name,) in connection.execute(_INDEXED, (index,)) if name is not None and name not in fixed
                )
                for index, unique, origin in connection.execute(_INDEXES, (table.name,)).fetchall()
                if unique and origin != "pk"
            ]
            found[table.name] = [group for group in groups if group]
    return found


def following(value: Value) -> Iterator[Value]:
    """Values of the same form, endlessly: the next numbers, the next days, or a text with the next number in it."""
    for number in itertools.count(1):
        if isinstance(value, int | float):
            yield value + number
        elif isinstance(value, str) and _DATE.match(value):
            yield add_days(value[:10], number) + value[10:]
        elif isinstance(value, str):
            yield _numbered(value, number)
        else:
            yield value


def _numbered(text: str, number: int) -> str:
    """The last number in a text raised; without one, a number before the @ of an address, else at the end."""
    found = _DIGITS.search(text)
    if found:
        raised = str(int(found[0]) + number).zfill(len(found[0]))
        return f"{text[: found.start()]}{raised}{text[found.end() :]}"
    name, at, host = text.partition("@")
    return f"{name}{number + 1}{at}{host}" if at else f"{text} {number + 1}"
