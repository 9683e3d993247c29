"""Read schema.sql into tables, columns and foreign keys; name what a domain may not have; rows and columns by name."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from graphlib import CycleError, TopologicalSorter
from typing import Literal, NamedTuple, cast

from runtime.sandbox.sqlite import MOST_SQL, Forbidden, creating_tables, open_memory
from runtime.wording import singular

ColumnType = Literal["INTEGER", "REAL", "TEXT"]
Value = int | float | str | None
Row = tuple[Value, ...]
Key = tuple[Value, ...]


@dataclass(frozen=True)
class Column:
    """A column: its SQLite type, whether NULL is allowed, and its comment."""

    name: str
    type: ColumnType
    nullable: bool
    comment: str


@dataclass(frozen=True)
class ForeignKey:
    """Columns of a table that name a row of a parent table."""

    columns: tuple[str, ...]
    parent: str
    parent_columns: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A table with its columns in declared order; rows are tuples in that order, keys are tuples of key columns."""

    name: str
    columns: tuple[Column, ...]
    primary_key: tuple[str, ...]
    foreign_keys: tuple[ForeignKey, ...]
    comment: str

    @cached_property
    def column_names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @cached_property
    def positions(self) -> dict[str, int]:
        """The position of each column in a row."""
        return {name: position for position, name in enumerate(self.column_names)}

    @cached_property
    def by_name(self) -> dict[str, Column]:
        return {column.name: column for column in self.columns}

    @cached_property
    def key_columns(self) -> frozenset[str]:
        return frozenset(self.primary_key)

    @cached_property
    def key_positions(self) -> tuple[int, ...]:
        return tuple(self.positions[name] for name in self.primary_key)

    @cached_property
    def key_condition(self) -> str:
        return " AND ".join(f'"{column}" = ?' for column in self.primary_key)

    @cached_property
    def select_all(self) -> str:
        columns = ", ".join(f'"{name}"' for name in self.column_names)
        return f'SELECT {columns} FROM "{self.name}"'

    @cached_property
    def select_row(self) -> str:
        return f"{self.select_all} WHERE {self.key_condition}"

    @cached_property
    def insert_row(self) -> str:
        return f'INSERT INTO "{self.name}" VALUES ({", ".join("?" * len(self.columns))})'

    @cached_property
    def insert_columns(self) -> Callable[[tuple[str, ...]], str]:
        """SQL that inserts a row with these columns and returns it whole."""

        @lru_cache(maxsize=1_000)  # a tool may name its columns in any order
        def statement(columns: tuple[str, ...]) -> str:
            names, marks = ", ".join(f'"{name}"' for name in columns), ", ".join("?" * len(columns))
            return f'INSERT INTO "{self.name}" ({names}) VALUES ({marks}) RETURNING *'

        return statement

    @cached_property
    def update_columns(self) -> Callable[[tuple[str, ...]], str]:
        """SQL that sets these columns of one row by its key."""

        @lru_cache(maxsize=1_000)
        def statement(columns: tuple[str, ...]) -> str:
            assignments = ", ".join(f'"{name}" = ?' for name in columns)
            return f'UPDATE "{self.name}" SET {assignments} WHERE {self.key_condition}'

        return statement

    @cached_property
    def delete_row(self) -> str:
        return f'DELETE FROM "{self.name}" WHERE {self.key_condition}'

    def key_of(self, row: Row) -> Key:
        positions = self.key_positions
        return (row[positions[0]],) if len(positions) == 1 else tuple([row[at] for at in positions])

    def record(self, row: Row) -> dict[str, Value]:
        return dict(zip(self.column_names, row))  # noqa: B905  asking for strictness takes a third of the time


@dataclass(frozen=True)
class Schema:
    """The tables of a domain by name, and the SQL text that makes them."""

    sql: str
    tables: Mapping[str, Table]

    @cached_property
    def parents_first(self) -> dict[str, int]:
        """The rank of each table in an order in which a table follows those it refers to, circles aside."""
        rank: dict[str, int] = {}
        pending = [(name, False) for name in reversed(list(self.tables))]
        entered: set[str] = set()
        while pending:
            name, is_left = pending.pop()
            if is_left:
                rank[name] = len(rank)
            elif name not in entered:
                entered.add(name)
                pending.append((name, True))
                pending += [(foreign_key.parent, False) for foreign_key in self.tables[name].foreign_keys]
        return rank

    @cached_property
    def has_required_circle(self) -> bool:
        """True if tables require each other's rows, so that none of these rows can be inserted first."""
        required: dict[str, set[str]] = {
            table.name: {
                key.parent
                for key in table.foreign_keys
                if key.parent != table.name and not any(table.by_name[column].nullable for column in key.columns)
            }
            for table in self.tables.values()
        }
        try:
            TopologicalSorter(required).prepare()
        except CycleError:
            return True
        return False

    def create(self, connection: sqlite3.Connection) -> None:
        """Make the empty tables in a database; errors: Forbidden, sqlite3.Error."""
        with creating_tables(connection):
            connection.executescript(self.sql)


class SchemaReading(NamedTuple):
    """What came of reading a schema: the schema as far as it goes, and each fault."""

    schema: Schema
    faults: tuple[str, ...] = ()


def read_schema(sql: str) -> SchemaReading:
    """Make the tables in an empty database and read back what SQLite understood; nothing else in the text runs."""
    nothing = Schema(sql, {})
    with closing(open_memory()) as connection:
        try:
            if len(sql) > MOST_SQL:
                raise Forbidden(f"has {len(sql):,} characters; at most {MOST_SQL:,} are read")
            nothing.create(connection)
        except Forbidden as forbidden:
            return SchemaReading(nothing, (f"it {forbidden}.",))
        except (sqlite3.Error, ValueError) as error:  # the latter for text that is not Unicode, or has a NUL
            return SchemaReading(nothing, (f"SQLite does not accept it: {error!s:.200}.",))
        odd = [name for (name,) in connection.execute(_NAMES) if not _PLAIN_NAME.fullmatch(name)]
        if odd:
            faults = (f"{name!r:.90} is not a valid name; write letters, digits and _, at most 64." for name in odd)
            return SchemaReading(nothing, tuple(faults))
        made = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table' ORDER BY rowid").fetchall()
        tables = {name: _read_table(connection, name, text) for name, text in made}
        if not tables:
            return SchemaReading(nothing, ("it makes no table; at least one is needed.",))
        faults = (fault for table in tables.values() for fault in _faults_of_table(connection, table, tables))
        return SchemaReading(Schema(sql, tables), tuple(faults))


_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")  # one that can stand in quotes in every statement of ours
_PLAIN_VALUE = re.compile(r"[+-]?\d+(\.\d+)?|'([^']|'')*'|NULL", re.IGNORECASE)


_NAMES = """
SELECT name FROM sqlite_schema WHERE sql IS NOT NULL
UNION ALL SELECT c.name FROM sqlite_schema AS t, pragma_table_xinfo(t.name) AS c WHERE t.type = 'table'
UNION ALL SELECT f."table" FROM sqlite_schema AS t, pragma_foreign_key_list(t.name) AS f WHERE t.type = 'table'
"""


def _read_table(connection: sqlite3.Connection, name: str, sql: str) -> Table:
    described = connection.execute(f'PRAGMA table_xinfo("{name}")').fetchall()
    comments = _comments_in(sql, [row[1] for row in described])
    columns = [
        Column(column, cast(ColumnType, type_), not (not_null or key), comments.get(column, ""))
        for _, column, type_, not_null, default, key, _ in described
    ]
    keys = sorted((row[5], row[1]) for row in described if row[5])
    foreign_keys = tuple(_read_foreign_keys(connection, name))
    return Table(name, tuple(columns), tuple(column for _, column in keys), foreign_keys, comments.get("", ""))


def _comments_in(sql: str, columns: Sequence[str]) -> dict[str, str]:
    """Return the first comment of each column; the table's own, beside CREATE TABLE, under the empty name."""
    comments: dict[str, str] = {}
    current = ""
    for line in sql.splitlines():
        code, _, comment = line.partition("--")
        word = re.match(r'\s*["`\[]?(\w+)', code)
        if word and word[1] in columns:
            current = word[1]
        if comment.strip():
            comments.setdefault(current, comment.strip())
    return comments


def _read_foreign_keys(connection: sqlite3.Connection, name: str) -> Iterator[ForeignKey]:
    groups: dict[int, list[tuple[int, str, str, str | None]]] = {}
    for number, sequence, parent, column, parent_column, *_ in connection.execute(f'PRAGMA foreign_key_list("{name}")'):
        groups.setdefault(number, []).append((sequence, parent, column, parent_column))
    for number in sorted(groups, reverse=True):  # SQLite numbers them backwards
        parts = sorted(groups[number])
        parent = parts[0][1]
        described = connection.execute(f'PRAGMA table_info("{parent}")')
        implied = [row[1] for row in described if row[5]] + [""] * len(parts)  # the key of the parent
        named = tuple(part[3] or implied[position] for position, part in enumerate(parts))
        yield ForeignKey(tuple(part[2] for part in parts), parent, named)


def _faults_of_table(connection: sqlite3.Connection, table: Table, tables: Mapping[str, Table]) -> Iterator[str]:
    name = table.name
    (_, _, _, _, without_rowid, strict) = connection.execute(f'PRAGMA table_list("{name}")').fetchone()
    (sql,) = connection.execute("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?", (name,)).fetchone()
    code = re.sub(r"--[^\n]*", "", sql)
    if not strict or not without_rowid:
        # A hidden rowid would make the order of unsorted results depend on history instead of on content.
        yield f"table {name!r} must end in `STRICT, WITHOUT ROWID`."
    if not table.comment:
        yield f"table {name!r} has no comment; write one behind its CREATE TABLE line: `-- what a row is`."
    for _, column_name, _, _, default, *_ in connection.execute(f'PRAGMA table_xinfo("{name}")').fetchall():
        if default is not None and not _PLAIN_VALUE.fullmatch(default):
            where = f"column '{name}.{column_name}'"
            yield f"{where} has default {default!r}; a default is a number or a text."
    for column in table.columns:
        where = f"column '{name}.{column.name}'"
        if column.type not in ("INTEGER", "REAL", "TEXT"):
            yield f"{where} has type {column.type!r}; have INTEGER, REAL and TEXT."
        if not column.comment:
            yield f"{where} has no comment; write one behind it: `-- what it holds`."
    for clause, complaint in _UNWANTED.items():
        if re.search(clause, code, re.IGNORECASE):
            yield f"table {name!r} has {complaint}"
    actions = {row[2:3] + row[5:7] for row in connection.execute(f'PRAGMA foreign_key_list("{name}")')}
    for parent, on_update, on_delete in sorted(actions):
        if on_delete != "RESTRICT" or on_update not in ("RESTRICT", "NO ACTION"):
            action = f"ON DELETE {on_delete} ON UPDATE {on_update}"
            yield f"table {name!r} has a foreign key to {parent!r} that is {action}; write ON DELETE RESTRICT."
    for key in table.foreign_keys:
        where = f"foreign key '{name}.{', '.join(key.columns)}'"
        if key.parent not in tables:
            yield f"{where} names table {key.parent!r}, which does not exist; have: {', '.join(tables)}."


_UNWANTED = {
    r"\bDEFERR(ED|ABLE)\b": "a deferred foreign key; leave out DEFERRABLE.",
    r"\bCOLLATE\b": "a COLLATE clause; values are compared exactly, so store them in one spelling.",
}


@dataclass(frozen=True)
class RowRef:
    """A row by its table and primary key, and, where one is meant, a column of it."""

    table: str
    key: Key
    column: str | None = None

    def __str__(self) -> str:
        """The row in words: loan 'L1'."""
        return f"{singular(spoken(self.table))} {' / '.join(map(repr, self.key))}"

    @property
    def row(self) -> RowRef:
        return self if self.column is None else replace(self, column=None)


class ColumnRef(NamedTuple):
    """A column of a table; its text is "table.column"."""

    table: str
    column: str

    def __str__(self) -> str:
        return f"{self.table}.{self.column}" if self.column else self.table


def read_column_ref(text: str) -> ColumnRef:
    """A column from its text; one without a dot is a column of no table's."""
    table, _, column = text.partition(".")
    return ColumnRef(table, column)


def spoken(name: str) -> str:
    return name.replace("_", " ")
