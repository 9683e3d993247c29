"""What a draft of a domain takes from a person's database: tables in the form that a domain needs, and a few rows."""

from __future__ import annotations

import keyword
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from generator.gates.constraints import read_checks
from runtime.compiling import UNFILLED
from runtime.domain.schema import Schema, read_schema
from runtime.errors import UsageError
from runtime.sandbox.sqlite import Forbidden, open_foreign, open_memory

_ROWS_PER_TABLE = 6  # from which the rows that they refer to are followed
_MOST_ROWS = 48
_SAMPLED = 500  # rows that say of what type a column is
_NAME = re.compile(r"[a-z_][a-z0-9_]{0,63}", re.IGNORECASE)
_NUMBER = "row_number_"  # the key of a table that has none
_TYPES = {
    "INTEGER": ("INT", "BOOL"),
    "REAL": ("REAL", "FLOA", "DOUB", "NUM", "DEC"),
    "TEXT": ("CHAR", "CLOB", "TEXT", "DATE", "TIME", "BLOB"),
}

Row = dict[str, Any]


@dataclass
class DraftTable:
    """A table of a draft: columns with their types, and what holds for them."""

    name: str
    types: dict[str, str]
    key: list[str]
    required: list[str]
    parents: list[tuple[list[str], str, list[str]]] = field(default_factory=list)  # columns, table, its columns
    rules: list[str] = field(default_factory=list)  # UNIQUE and CHECK

    @property
    def sql(self) -> str:
        """The table and the indexes of its foreign keys."""
        lines = [
            f"    {name} {kind}{' NOT NULL' * (name in self.required)},  -- {UNFILLED}: what it holds"
            for name, kind in self.types.items()
        ]
        parts = [f"PRIMARY KEY ({', '.join(self.key)})"]
        parts += [
            f"FOREIGN KEY ({', '.join(own)}) REFERENCES {parent} ({', '.join(theirs)}) ON DELETE RESTRICT"
            for own, parent, theirs in self.parents
        ]
        head = f"CREATE TABLE {self.name} (  -- {UNFILLED}: what a row is"
        body = ",\n".join(f"    {part}" for part in [*parts, *self.rules])
        indexes = [
            f"CREATE INDEX {self.name}_by_{'_'.join(own)} ON {self.name} ({', '.join(own)});"
            for own, _, _ in self.parents
        ]
        return "\n".join([head, *lines, body, ") STRICT, WITHOUT ROWID;", *dict.fromkeys(indexes)]) + "\n"


@dataclass
class DatabaseDraft:
    """The tables, rows that fit them (parents first), and what could not be kept, a line each."""

    tables: list[DraftTable]
    rows: list[tuple[str, Row]]
    left_out: list[str]

    @property
    def sql(self) -> str:
        """All tables as a schema."""
        return "\n".join(table.sql for table in self.tables)


def read_database(path: Path) -> DatabaseDraft:
    """Read a person's database file; errors: UsageError."""
    left_out: list[str] = []
    try:
        with closing(open_foreign(path, {"sqlite_master": ()})) as own:
            sql = dict(own.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table' AND sql IS NOT NULL"))
        names = [name for name in sql if _is_usable(name, "table", left_out)]
        if not names:
            raise UsageError(f"{str(path)!r} holds no table that a domain could have.")
        readable: dict[str, list[str]] = {name: [] for name in names}
        with closing(open_foreign(path, readable)) as own:
            tables = [_draft_table(own, name, sql[name], left_out) for name in names]
            _keep_parents(tables, left_out)
            _keep_rules(tables, sql, left_out)
            rows = _follow(own, {table.name: table for table in tables})
    except sqlite3.Error as error:
        raise UsageError(f"{str(path)!r} cannot be read: {error}.") from error
    draft = DatabaseDraft(tables, [], left_out)
    draft.rows = [*_that_fit(draft.sql, rows, left_out)]
    return draft


def _is_usable(name: str, what: str, left_out: list[str]) -> bool:
    if name.startswith("sqlite_"):
        return False
    usable = _NAME.fullmatch(name) is not None and not keyword.iskeyword(name) and _is_free(name)
    if not usable:
        left_out.append(f"{what} {name!r}: its name is none that SQL and Python take as it stands")
    return usable


def _is_free(name: str) -> bool:
    """Whether SQL takes a name without quotation marks."""
    with closing(open_memory()) as connection:
        try:
            connection.execute(
                f"CREATE TABLE {name} ({name} INTEGER PRIMARY KEY, FOREIGN KEY ({name}) REFERENCES {name})"
            )
        except sqlite3.Error:
            return False
    return True


def _draft_table(own: sqlite3.Connection, name: str, sql: str, left_out: list[str]) -> DraftTable:
    described = [
        row for row in own.execute(f'PRAGMA table_info("{name}")') if _is_usable(row[1], f"column of {name}", left_out)
    ]
    columns = [row[1] for row in described]
    named = ", ".join(f'"{column}"' for column in columns) or "1"
    sample = own.execute(f'SELECT {named} FROM "{name}" LIMIT {_SAMPLED}').fetchall()
    types = {row[1]: _type_of(row[2], [each[at] for each in sample]) for at, row in enumerate(described)}
    key = [row[1] for row in sorted(described, key=lambda row: row[5]) if row[5]]
    table = DraftTable(name, types, key, [row[1] for row in described if row[3] and not row[5]])
    if not key:
        left_out.append(f"table {name!r} has no primary key; the draft numbers its rows in {_NUMBER!r}")
        table.types, table.key = {_NUMBER: "INTEGER", **types}, [_NUMBER]
    with closing(open_memory()) as connection:
        try:
            Schema(sql, {}).create(connection)
        except (sqlite3.Error, ValueError, Forbidden) as error:
            said = f"its SQL {error}" if isinstance(error, Forbidden) else error
            left_out.append(f"foreign keys and rules of table {name!r}: {said}")
            return table
        parents: dict[int, list[tuple[str, str, str | None]]] = {}
        for number, _, parent, column, theirs, *_ in connection.execute(f'PRAGMA foreign_key_list("{name}")'):
            parents.setdefault(number, []).append((column, parent, theirs))
        for parts in parents.values():
            table.parents.append(([part[0] for part in parts], parts[0][1], [part[2] or "" for part in parts]))
        for _, index, unique, origin, partial in connection.execute(f'PRAGMA index_list("{name}")').fetchall():
            indexed = [row[2] for row in connection.execute(f'PRAGMA index_info("{index}")')]
            if unique and origin == "u" and not partial and set(indexed) <= types.keys():
                table.rules.append(f"UNIQUE ({', '.join(indexed)})")
    return table


def _type_of(declared: str, values: Sequence[Any]) -> str:
    """The type that a column has by its declaration, unless its values say otherwise."""
    kind = next((kind for kind, parts in _TYPES.items() if any(part in declared.upper() for part in parts)), "")
    seen = {type(value) for value in values if value is not None}
    if kind == "TEXT" or not seen <= {int, float}:
        return "TEXT"
    return "REAL" if float in seen else kind or "INTEGER"


def _keep_parents(tables: Sequence[DraftTable], left_out: list[str]) -> None:
    known = {table.name: table for table in tables}
    for table in tables:
        kept = []
        for own, parent, theirs in table.parents:
            target = known.get(parent)
            theirs = theirs if all(theirs) else target.key if target else []
            unique = target is not None and (theirs == target.key or f"UNIQUE ({', '.join(theirs)})" in target.rules)
            if unique and set(own) <= table.types.keys() and len(own) == len(theirs):
                kept.append((own, parent, theirs))
            else:
                left_out.append(f"foreign key of {table.name!r} to {parent!r}")
        table.parents = kept


def _keep_rules(tables: Sequence[DraftTable], sql: dict[str, str], left_out: list[str]) -> None:
    """Keep the CHECKs that the draft's tables accept."""
    for table in tables:
        for check in read_checks(sql[table.name], list(table.types)):
            rule = f"CHECK ({' '.join(check.expression.split())})"
            table.rules.append(rule)
            if "--" in rule or read_schema("\n".join(each.sql for each in tables)).faults:
                table.rules.remove(rule)
                left_out.append(f"{rule} of {table.name!r}")


def _follow(own: sqlite3.Connection, tables: dict[str, DraftTable]) -> list[tuple[str, Row]]:
    """Some rows of each table and those that they refer to, parents first."""
    found: dict[tuple[str, str], tuple[str, Row]] = {}
    under_way: set[tuple[str, str]] = set()

    def add(table: DraftTable, row: Row) -> None:
        name = table.name, repr(row)
        if name in found or name in under_way or len(under_way) >= _MOST_ROWS:
            return
        under_way.add(name)
        for columns, parent, theirs in table.parents:
            values = [row[column] for column in columns]
            if None not in values:
                condition = " AND ".join(f'"{column}" = ?' for column in theirs)
                for other in select(tables[parent], f"WHERE {condition}", values, 1):
                    add(tables[parent], other)
        found[name] = table.name, row

    def select(table: DraftTable, where: str, values: Sequence[Any], most: int) -> Iterator[Row]:
        named = ", ".join("rowid" if column == _NUMBER else f'"{column}"' for column in table.types)
        for row in own.execute(f'SELECT {named} FROM "{table.name}" {where} LIMIT {most}', values).fetchall():
            yield {name: _as(kind, value) for (name, kind), value in zip(table.types.items(), row, strict=True)}

    for table in tables.values():
        for row in select(table, "", (), max(1, min(_ROWS_PER_TABLE, _MOST_ROWS // len(tables)))):
            add(table, row)
    return list(found.values())


def _as(kind: str, value: Any) -> Any:
    if value is None or kind != "TEXT":
        return value
    return value.hex() if isinstance(value, bytes) else str(value)


def _that_fit(sql: str, rows: Sequence[tuple[str, Row]], left_out: list[str]) -> Iterator[tuple[str, Row]]:
    with closing(open_memory()) as connection:
        Schema(sql, {}).create(connection)
        connection.execute("PRAGMA foreign_keys = ON")
        for table, row in rows:
            marks = ", ".join("?" * len(row))
            try:
                connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", list(row.values()))
            except (sqlite3.Error, UnicodeError) as error:
                left_out.append(f"a row of {table!r}: {error}")
            else:
                yield table, row
