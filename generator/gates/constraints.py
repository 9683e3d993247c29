"""Decide whether every declared constraint of a schema means something: each is violated on purpose and must refuse."""

from __future__ import annotations

import itertools
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace

import sqlglot
from sqlglot import Token, TokenType, exp, tokenize
from sqlglot.errors import SqlglotError

from runtime.domain.people import DESK_TABLES
from runtime.domain.schema import Schema, Table, Value
from runtime.sandbox.sqlite import open_memory
from runtime.session.world import World

_SAMPLES = 12  # rows of a table that attacks start from
_MOST_TRIES = 4_000  # rows tried for one condition
_RESERVED = 9_000_000_000_000_000  # below 2**53, above any number that a world holds
_LARGEST = 2**63 - 1
_TEXTS = ("", "x", " NO such value ", "0", "7", "~", "a@b", "9999-12-31", "x" * 5_001)
_NUMBERS = (0, 1, -1, 2, 7, 1_000_000, -1_000_000, _LARGEST, -_LARGEST - 1)
_WRONG_TYPES: dict[str, Value | bytes] = {"INTEGER": "no number", "REAL": "no number", "TEXT": b"\xff"}
_NOT_NULL, _TYPE, _UNIQUE = "NOT NULL constraint failed", "cannot store ", "UNIQUE constraint failed"
_CHECK, _REFERENCE = "CHECK constraint failed", "FOREIGN KEY constraint failed"
_LITERALS = (TokenType.STRING, TokenType.NUMBER)
_QUOTED = (TokenType.STRING, TokenType.IDENTIFIER)

Record = Mapping[str, Value | bytes]


@dataclass(frozen=True)
class AttackReport:
    """How many constraints were attacked, how many refused, and a sentence for each one that did not."""

    attacked: int
    refused: int
    faults: tuple[str, ...]


@dataclass(frozen=True)
class Check:
    """A CHECK: its expression as written, and the columns that occur in it."""

    expression: str
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Unique:
    """A PRIMARY KEY or UNIQUE and the columns it names; `where` is the condition of a partial index."""

    columns: tuple[str, ...]
    where: str = ""


def attack(schema: Schema, rows: Sequence[tuple[str, Mapping[str, Value]]]) -> AttackReport:
    """Attack a schema from sample rows, given as table and row; a row that does not fit is a fault, too."""
    with closing(open_memory()) as connection:
        schema.create(connection)
        faults = [*_insert_samples(connection, schema, rows)]
        report = _attack_database(connection, schema)
        return replace(report, faults=(*faults, *report.faults))


def attack_world(world: World) -> AttackReport:
    """Attack the schema of a world from the world's own rows."""
    with closing(world.open()) as connection:
        return _attack_database(connection, world.schema)


def choices_in(schema: Schema) -> dict[tuple[str, str], list[str]]:
    """Return the texts that `CHECK (column IN (...))` allows, by table and column."""
    found = {}
    with closing(open_memory()) as connection:
        schema.create(connection)
        for table in schema.tables.values():
            for check in read_checks(_sql_of(connection, table.name), table.column_names):
                column, texts = listed(check.expression)
                if column in table.positions:
                    found[table.name, column] = texts
    return found


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


def read_checks(sql: str, columns: Sequence[str]) -> Iterator[Check]:
    """Yield the CHECKs of a CREATE TABLE in their order.

    It is read as tokens, as sqlglot parses no STRICT table.
    """
    tokens = tokenize(sql, read="sqlite")
    for position, (token, opening) in enumerate(itertools.pairwise(tokens)):
        is_check = token.token_type not in _QUOTED and token.text.upper() == "CHECK"
        if is_check and opening.token_type == TokenType.L_PAREN:
            expression = sql[opening.end + 1 : _closing(tokens, position + 1).start].strip()
            yield Check(expression, _columns_in(expression, columns))


def _attack_database(connection: sqlite3.Connection, schema: Schema) -> AttackReport:
    attacked, refused, faults = 0, 0, []
    for table in schema.tables.values():
        attacker = _Attacker(connection, table)
        if not attacker.samples:
            if table.name not in DESK_TABLES:  # these are ours, and empty until the assistant fills them
                faults.append(f"table {table.name!r} has no sample row; its constraints were not attacked")
            continue
        complaints = [*attacker.complaints()]
        attacked, refused = attacked + len(complaints), refused + complaints.count("")
        faults += [complaint for complaint in complaints if complaint]
    return AttackReport(attacked, refused, tuple(faults))


class _Attacker:
    """Tries statements on one table and takes each of them back; a complaint is empty where SQLite refused."""

    def __init__(self, connection: sqlite3.Connection, table: Table) -> None:
        self._connection, self._table = connection, table
        self._fresh = itertools.count(_RESERVED)
        self._uniques = [Unique(table.primary_key), *_uniques(connection, table)]
        keys = ", ".join(f'"{column}"' for column in table.primary_key)
        rows = connection.execute(f"{table.select_all} ORDER BY {keys} LIMIT {_SAMPLES}").fetchall()
        self.samples = [table.record(row) for row in rows]

    def complaints(self) -> Iterator[str]:
        """Yield one complaint, or an empty text, for each constraint of the table."""
        table, sample = self._table, self.samples[0]
        self._enforce(checks=False, references=False)
        for column in table.columns:
            if not column.nullable:
                error = self._insert({**sample, column.name: None})
                yield _complaint(f"NOT NULL of {table.name}.{column.name}", error, _NOT_NULL)
        query = "SELECT strict FROM pragma_table_list WHERE name = ?"
        if self._connection.execute(query, (table.name,)).fetchone()[0]:
            for column in table.columns:
                error = self._insert({**sample, column.name: _WRONG_TYPES[column.type]})
                yield _complaint(f"{column.type} of {table.name}.{column.name}", error, _TYPE)
        for unique in self._uniques:
            yield self._attack_unique(unique)
        self._enforce(checks=True, references=False)
        for check in read_checks(_sql_of(self._connection, table.name), table.column_names):
            yield self._attack_check(check)
        self._enforce(checks=False, references=True)
        for foreign_key in table.foreign_keys:
            values = [self._value(name) for name in foreign_key.columns]
            values += [sample[name] for name in table.primary_key]
            error = self._try(table.update_columns(foreign_key.columns), values)
            yield _complaint(f"FOREIGN KEY ({', '.join(foreign_key.columns)}) of {table.name}", error, _REFERENCE)

    def _attack_unique(self, unique: Unique) -> str:
        """Insert two rows that are equal in the unique columns and differ in all other keys."""
        table = self._table
        needed = _columns_in(unique.where, table.column_names)
        rows = self._rows_where(unique.where, needed, wanted=True) if unique.where else iter(self.samples)
        for row in itertools.islice(rows, _SAMPLES):
            filled = {name: self._value(name) for name in unique.columns if row[name] is None and name not in needed}
            with self._taken_back():
                for _ in range(2):
                    error = self._insert(self._renewed({**row, **filled}, (*unique.columns, *needed)), keep=True)
                    if error is not None and str(error).startswith(_UNIQUE):
                        return ""
        where = f" WHERE {unique.where}" if unique.where else ""
        return f"UNIQUE ({', '.join(unique.columns)}){where} of {table.name} refused none of the doubled rows"

    def _attack_check(self, check: Check) -> str:
        said = f"CHECK ({check.expression}) of {self._table.name}"
        record = next(self._rows_where(check.expression, check.columns, wanted=False), None)
        if record is None:
            return f"{said} refused none of the rows that were tried"
        return _complaint(said, self._insert(record), _CHECK, _NOT_NULL)  # a row may break both

    def _rows_where(self, expression: str, columns: Sequence[str], *, wanted: bool) -> Iterator[dict[str, Value]]:
        """Yield rows like the samples for which SQLite says that an expression is true, or false."""
        names = self._table.column_names
        given = ", ".join(f'? AS "{column}"' for column in names)
        sql = f'SELECT ({expression}) FROM (SELECT {given}) AS "{self._table.name}"'
        for record in _variants(self._table, expression, columns, self.samples):
            try:
                (found,) = self._connection.execute(sql, tuple(record[name] for name in names)).fetchone()
            except sqlite3.Error:  # such as a sum that is too large
                continue
            if found is not None and bool(found) == wanted:
                yield record

    def _renewed(self, record: Mapping[str, Value], kept: Sequence[str]) -> dict[str, Value]:
        """Return a row whose keys and unique values are its own, except in the columns that are kept."""
        renewed = dict(record)
        for unique in self._uniques:
            free = [name for name in unique.columns if name not in kept]
            if free and all(renewed[name] == record[name] for name in free):
                renewed[free[0]] = self._value(free[0])
        return renewed

    def _value(self, column: str) -> Value:
        """Return a value that no row has."""
        number = next(self._fresh)
        return {"INTEGER": number, "REAL": float(number)}.get(self._table.by_name[column].type, f"fresh-{number}")

    def _insert(self, record: Record, *, keep: bool = False) -> sqlite3.Error | None:
        return self._try(self._table.insert_row, [record[name] for name in self._table.column_names], keep=keep)

    def _try(self, sql: str, values: Sequence[Value | bytes], *, keep: bool = False) -> sqlite3.Error | None:
        """Return SQLite's error; what it accepts is taken back, unless it is to be kept."""
        with self._taken_back(keep=keep):
            try:
                self._connection.execute(sql, values)
            except sqlite3.Error as error:
                return error
        return None

    @contextmanager
    def _taken_back(self, *, keep: bool = False) -> Iterator[None]:
        self._connection.execute("SAVEPOINT attack")
        try:
            yield
        finally:
            if not keep:
                self._connection.execute("ROLLBACK TO attack")
            self._connection.execute("RELEASE attack")

    def _enforce(self, *, checks: bool, references: bool) -> None:
        """From here on, only the rules under attack hold; what is unique and typed always does."""
        self._connection.execute(f"PRAGMA ignore_check_constraints = {int(not checks)}")
        self._connection.execute(f"PRAGMA foreign_keys = {int(references)}")


def _complaint(said: str, error: sqlite3.Error | None, *expected: str) -> str:
    """Return an empty text if the error is the expected refusal."""
    if error is not None and str(error).startswith(expected):
        return ""
    instead = "it was accepted" if error is None else f"SQLite said instead: {error}"
    return f"{said} did not refuse a row that breaks it; {instead}"


def _uniques(connection: sqlite3.Connection, table: Table) -> Iterator[Unique]:
    for _, index, unique, origin, partial in connection.execute(f'PRAGMA index_list("{table.name}")').fetchall():
        if unique and origin != "pk":
            sql = _sql_of(connection, index)
            names = [row[2] for row in connection.execute(f'PRAGMA index_info("{index}")').fetchall()]
            is_named = all(name is not None for name in names)
            columns = tuple(names) if is_named else _columns_in(sql.partition("(")[2], table.column_names)
            where = next((token for token in tokenize(sql, read="sqlite") if token.token_type == TokenType.WHERE), None)
            yield Unique(columns, where=sql[where.end + 1 :].strip() if partial and where else "")


def _sql_of(connection: sqlite3.Connection, name: str) -> str:
    """Return the statement that made a table or index; an index of a UNIQUE has none."""
    found = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (name,)).fetchone()
    return str(found[0] or "") if found else ""


def _variants(
    table: Table, expression: str, columns: Sequence[str], samples: Sequence[Mapping[str, Value]]
) -> Iterator[dict[str, Value]]:
    """Yield rows like the samples in which one column of an expression, then two, hold values near its literals."""
    values = {column: _values(table, expression, column, columns, samples) for column in columns}
    made = (
        {**sample, **dict(zip(chosen, combination, strict=True))}
        for changed in (1, 2)
        for chosen in itertools.combinations(columns, changed)
        for sample in (samples if changed == 1 else samples[:2])
        for combination in itertools.product(*(values[column] for column in chosen))
    )
    yield from itertools.islice(made, _MOST_TRIES)


def _values(
    table: Table, expression: str, column: str, columns: Sequence[str], samples: Sequence[Mapping[str, Value]]
) -> list[Value]:
    """Return what one column might hold so that an expression is true, or false."""
    tokens = tokenize(expression, read="sqlite")
    near = [sample[each] for sample in samples[:3] for each in columns]
    if table.by_name[column].type == "TEXT":
        words = [token.text for token in tokens if token.token_type == TokenType.STRING]
        words += [each for each in near if isinstance(each, str)]
        found: list[Value] = [*words, *_TEXTS, *(each.upper() for each in words), *(f"{each}x" for each in words)]
    else:
        numbers = [float(token.text) for token in tokens if token.token_type == TokenType.NUMBER]
        signed = [*numbers, *(-each for each in numbers), *(each for each in near if isinstance(each, int | float))]
        moved = [each + step for each in signed for step in (-1, 0, 1)]
        if table.by_name[column].type == "REAL":
            found = [*map(float, (*moved, *_NUMBERS)), 0.5, -0.5]
        else:
            found = [each for each in map(int, (*moved, *_NUMBERS)) if -_LARGEST - 1 <= each <= _LARGEST]
    return list(dict.fromkeys([None, *found]))


def _columns_in(expression: str, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that an expression names, in the table's order."""
    tokens = tokenize(expression, read="sqlite")
    named = {token.text.lower() for token in tokens if token.token_type not in _LITERALS}
    return tuple(column for column in columns if column.lower() in named)


def _closing(tokens: Sequence[Token], opening: int) -> Token:
    depth = 0
    for token in tokens[opening:]:
        depth += (token.token_type == TokenType.L_PAREN) - (token.token_type == TokenType.R_PAREN)
        if depth == 0:
            return token
    return tokens[-1]  # SQLite took it, so this cannot be


def _insert_samples(
    connection: sqlite3.Connection, schema: Schema, rows: Sequence[tuple[str, Mapping[str, Value]]]
) -> Iterator[str]:
    """Insert the rows that fit, parents first; name every other with its fault."""
    connection.execute("PRAGMA foreign_keys = ON")
    pending = sorted(rows, key=lambda each: schema.parents_first.get(each[0], 0))
    while pending:  # a row may come before the row of its own table that it refers to
        faults = [_insert_sample(connection, schema, *each) for each in pending]
        if all(faults):
            yield from faults
            return
        pending = [each for each, fault in zip(pending, faults, strict=True) if fault]


def _insert_sample(connection: sqlite3.Connection, schema: Schema, name: str, row: Mapping[str, Value]) -> str:
    """Insert a row, or return its fault."""
    shown = f"sample row of {name} {json.dumps(dict(row), ensure_ascii=False, default=repr)}"
    if name not in schema.tables:
        return f"{shown} names unknown table {name!r}; have: {', '.join(schema.tables)}"
    try:
        connection.execute(schema.tables[name].insert_columns(tuple(row)), tuple(row.values())).fetchall()
    except (sqlite3.Error, OverflowError, ValueError) as error:
        return f"{shown} does not fit: {error}"
    return ""
