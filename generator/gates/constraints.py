"""Every constraint that a schema declares, one by one, with the columns that it is about."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

import sqlglot
from sqlglot import Token, TokenType, exp, tokenize
from sqlglot.errors import SqlglotError

from runtime.domain.schema import Schema, Table
from runtime.sandbox.sqlite import open_memory

_LITERALS = (TokenType.STRING, TokenType.NUMBER)
_QUOTED = (TokenType.STRING, TokenType.IDENTIFIER)


@dataclass(frozen=True)
class Check:
    """A CHECK: its expression as written, and the columns that occur in it."""

    expression: str
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Unique:
    """A PRIMARY KEY or UNIQUE and the columns it names; `where` is the condition of a partial index."""

    columns: tuple[str, ...]
    is_key: bool = False
    where: str = ""


@dataclass(frozen=True)
class TableConstraints:
    """What one table declares; every column of a STRICT table also has a type to keep to."""

    table: Table
    not_null: tuple[str, ...]
    typed: tuple[str, ...]
    uniques: tuple[Unique, ...]
    checks: tuple[Check, ...]

    @property
    def count(self) -> int:
        """How many constraints these are."""
        counted: Sequence[Sequence[object]] = (self.not_null, self.typed, self.uniques, self.checks)
        return sum(map(len, counted)) + len(self.table.foreign_keys)


def read_constraints(connection: sqlite3.Connection, schema: Schema) -> list[TableConstraints]:
    """Return the constraints of each table of a database that has this schema."""
    return [_of_table(connection, table) for table in schema.tables.values()]


def choices_in(schema: Schema) -> dict[tuple[str, str], list[str]]:
    """Return the texts that `CHECK (column IN (...))` allows, by table and column."""
    with closing(open_memory()) as connection:
        schema.create(connection)
        return {
            (constraints.table.name, column): texts
            for constraints in read_constraints(connection, schema)
            for column, texts in (listed(check.expression) for check in constraints.checks)
            if column in constraints.table.positions
        }


def listed(expression: str) -> tuple[str, list[str]]:
    """Return the column and the texts of `column IN ('a', 'b')`; an empty name for another condition."""
    try:
        condition = sqlglot.parse_one(expression, dialect="sqlite")
    except SqlglotError:
        return "", []
    if not isinstance(condition, exp.In) or not isinstance(condition.this, exp.Column):
        return "", []
    if not all(isinstance(each, exp.Literal) and each.is_string for each in condition.expressions):
        return "", []
    return condition.this.name, [each.name for each in condition.expressions]


def _of_table(connection: sqlite3.Connection, table: Table) -> TableConstraints:
    sql = _sql_of(connection, "table", table.name)
    (strict,) = connection.execute("SELECT strict FROM pragma_table_list WHERE name = ?", (table.name,)).fetchone()
    return TableConstraints(
        table=table,
        not_null=tuple(column.name for column in table.columns if not column.nullable),
        typed=table.column_names if strict else (),
        uniques=tuple(_uniques(connection, table)),
        checks=tuple(read_checks(sql, table.column_names)),
    )


def _uniques(connection: sqlite3.Connection, table: Table) -> Iterator[Unique]:
    yield Unique(table.primary_key, is_key=True)
    for _, index, unique, origin, partial in connection.execute(f'PRAGMA index_list("{table.name}")').fetchall():
        if unique and origin != "pk":
            sql = _sql_of(connection, "index", index)
            names = [row[2] for row in connection.execute(f'PRAGMA index_info("{index}")').fetchall()]
            is_named = all(name is not None for name in names)
            columns = tuple(names) if is_named else columns_in(sql.partition("(")[2], table.column_names)
            yield Unique(columns, where=_condition_in(sql) if partial else "")


def _sql_of(connection: sqlite3.Connection, kind: str, name: str) -> str:
    found = connection.execute("SELECT sql FROM sqlite_master WHERE type = ? AND name = ?", (kind, name)).fetchone()
    return str(found[0] or "") if found else ""


def read_checks(sql: str, columns: Sequence[str]) -> Iterator[Check]:
    """Yield the CHECKs of a CREATE TABLE, in the order in which they stand."""
    tokens = tokens_of(sql)
    for position, token in enumerate(tokens[:-1]):
        opening = tokens[position + 1]
        if token.token_type in _QUOTED or token.text.upper() != "CHECK" or opening.token_type != TokenType.L_PAREN:
            continue
        expression = sql[opening.end + 1 : _closing(tokens, position + 1).start].strip()
        yield Check(expression, columns_in(expression, columns))


def columns_in(expression: str, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that an expression names, in the table's order."""
    named = {token.text.lower() for token in tokens_of(expression) if token.token_type not in _LITERALS}
    return tuple(column for column in columns if column.lower() in named)


def literals_in(expression: str) -> tuple[list[str], list[float]]:
    """Return the texts and the numbers that stand in an expression."""
    tokens = tokens_of(expression)
    texts = [token.text for token in tokens if token.token_type == TokenType.STRING]
    return texts, [float(token.text) for token in tokens if token.token_type == TokenType.NUMBER]


def tokens_of(sql: str) -> list[Token]:
    """Return the tokens of a piece of SQL: it is read as tokens since sqlglot parses no STRICT table."""
    return tokenize(sql, read="sqlite")


def _closing(tokens: Sequence[Token], opening: int) -> Token:
    depth = 0
    for token in tokens[opening:]:
        depth += (token.token_type == TokenType.L_PAREN) - (token.token_type == TokenType.R_PAREN)
        if depth == 0:
            return token
    return tokens[-1]  # SQLite took it, so this cannot be


def _condition_in(sql: str) -> str:
    """Return the condition of a CREATE INDEX: nothing else in it may say WHERE."""
    return next((sql[token.end + 1 :].strip() for token in tokens_of(sql) if token.token_type == TokenType.WHERE), "")
