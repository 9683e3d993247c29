"""Violate every declared constraint of a schema once, on purpose, by a row made for its kind: each must refuse."""

from __future__ import annotations

import itertools
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace

from generator.gates.constraints import Check, TableConstraints, Unique, columns_in, literals_in, read_constraints
from runtime.domain.people import DESK_TABLES
from runtime.domain.schema import ForeignKey, Schema, Table, Value
from runtime.sandbox.sqlite import open_memory
from runtime.session.world import World

_SAMPLES = 12  # rows of a table that attacks start from
_MOST_TRIES = 4_000  # rows tried for one condition
_RESERVED = 9_000_000_000_000_000  # below 2**53, above any number that a world holds
_LARGEST = 2**63 - 1
_TEXTS = ("", "x", " NO such value ", "0", "7", "~", "a@b", "9999-12-31", "x" * 5_001)
_NUMBERS = (0, 1, -1, 2, 7, 1_000_000, -1_000_000, _LARGEST, -_LARGEST - 1)
_NOT_NULL = ("SQLITE_CONSTRAINT_NOTNULL", "SQLITE_CONSTRAINT_PRIMARYKEY")
_UNIQUE = ("SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY")
_REFERENCE = ("SQLITE_CONSTRAINT_FOREIGNKEY", "SQLITE_CONSTRAINT_TRIGGER")
_CHECK = ("SQLITE_CONSTRAINT_CHECK", *_NOT_NULL)  # a row may break both
_WRONG_TYPES: dict[str, tuple[str, Value | bytes]] = {
    "INTEGER": ("the text 'no number'", "no number"),
    "REAL": ("the text 'no number'", "no number"),
    "TEXT": ("a BLOB", b"\xff"),
}

Record = Mapping[str, Value | bytes]


@dataclass(frozen=True)
class AttackReport:
    """How many constraints were attacked, how many refused, and a sentence for each one that did not."""

    attacked: int
    refused: int
    faults: tuple[str, ...]


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


def _attack_database(connection: sqlite3.Connection, schema: Schema) -> AttackReport:
    attacker = _Attacker(connection, schema)
    attacked, faults = 0, []
    for constraints in attacker.constraints.values():
        if attacker.samples[constraints.table.name]:
            complaints = [*attacker.attack_table(constraints)]
            attacked += len(complaints)
            faults += [complaint for complaint in complaints if complaint]
    refused = attacked - len(faults)
    faults += [
        f"table {name!r} has no sample row; its {each.count} constraints were not attacked"
        for name, each in attacker.constraints.items()
        if not attacker.samples[name] and name not in DESK_TABLES
    ]
    return AttackReport(attacked, refused, tuple(faults))


class _Attacker:
    """Tries statements on a database and takes each of them back; a complaint is empty where SQLite refused."""

    def __init__(self, connection: sqlite3.Connection, schema: Schema) -> None:
        self._connection = connection
        self._schema = schema
        self._fresh = itertools.count(_RESERVED)
        self.constraints = {each.table.name: each for each in read_constraints(connection, schema)}
        self.samples = {name: self._sample(table) for name, table in schema.tables.items()}

    def _sample(self, table: Table) -> list[dict[str, Value]]:
        """Return some rows of a table, the same every time."""
        keys = ", ".join(f'"{column}"' for column in table.primary_key)
        rows = self._connection.execute(f"{table.select_all} ORDER BY {keys} LIMIT {_SAMPLES}").fetchall()
        return [table.record(row) for row in rows]

    def attack_table(self, constraints: TableConstraints) -> Iterator[str]:
        """Yield one complaint, or an empty text, for each constraint of a table."""
        table = constraints.table
        sample = self.samples[table.name][0]
        self._enforce(checks=False, references=False)
        for column in constraints.not_null:
            error = self._insert(table, {**sample, column: None})
            named = f"{table.name}.{column}"
            if not _is_refusal(error, _NOT_NULL, named):
                yield f"NOT NULL of {named} did not refuse a row with NULL{_instead(error)}"
            else:
                yield ""
        for column in constraints.typed:
            shown, value = _WRONG_TYPES[kind := table.by_name[column].type]
            error = self._insert(table, {**sample, column: value})
            # Python has no name for the code of this error.
            is_refused = isinstance(error, sqlite3.IntegrityError) and str(error).startswith("cannot store ")
            yield "" if is_refused else f"{kind} of {table.name}.{column} did not refuse {shown}{_instead(error)}"
        for unique in constraints.uniques:
            yield self._attack_unique(constraints, unique)
        self._enforce(checks=True, references=False)
        for check in constraints.checks:
            yield self._attack_check(table, check)
        self._enforce(checks=False, references=True)
        for foreign_key in table.foreign_keys:
            yield self._attack_reference(table, foreign_key)

    def _attack_unique(self, constraints: TableConstraints, unique: Unique) -> str:
        """Insert two rows that are equal in the unique columns and differ in all other keys."""
        table = constraints.table
        needed = columns_in(unique.where, table.column_names)
        rows = iter(self.samples[table.name])
        if unique.where:
            rows = self._rows_where(table, unique.where, needed, wanted=1)
        tried = 0
        for row in itertools.islice(rows, _SAMPLES):
            empty = {
                each: self._value(table, each) for each in unique.columns if row[each] is None and each not in needed
            }
            double = {**row, **empty}
            tried += 1
            with self._taken_back():
                for _ in range(2):
                    error = self._insert(
                        table, self._renewed(constraints, double, (*unique.columns, *needed)), keep=True
                    )
                    if _is_refusal(error, _UNIQUE):
                        return ""
        said = f"{'PRIMARY KEY' if unique.is_key else 'UNIQUE'} ({', '.join(unique.columns)})"
        said += f" WHERE {unique.where}" if unique.where else ""
        return f"{said} of {table.name} refused none of {tried} doubled rows"

    def _attack_check(self, table: Table, check: Check) -> str:
        for record in self._rows_where(table, check.expression, check.columns, wanted=0):
            error = self._insert(table, record)
            if not _is_refusal(error, _CHECK):
                return (
                    f"CHECK ({check.expression}) of {table.name} did not refuse a row that breaks it{_instead(error)}"
                )
            return ""
        tried = sum(1 for _ in _variants(table, check.expression, check.columns, self.samples[table.name]))
        return f"CHECK ({check.expression}) of {table.name} refused none of {tried} rows that were tried"

    def _rows_where(
        self, table: Table, expression: str, columns: Sequence[str], *, wanted: int
    ) -> Iterator[dict[str, Value]]:
        """Yield rows like the samples for which SQLite says that an expression is true (1) or false (0)."""
        given = ", ".join(f'? AS "{column}"' for column in table.column_names)
        sql = f'SELECT ({expression}) FROM (SELECT {given}) AS "{table.name}"'
        for record in _variants(table, expression, columns, self.samples[table.name]):
            try:
                (found,) = self._connection.execute(sql, tuple(record[each] for each in table.column_names)).fetchone()
            except sqlite3.Error:  # such as a sum that is too large
                continue
            if found is not None and bool(found) == bool(wanted):
                yield record

    def _attack_reference(self, table: Table, foreign_key: ForeignKey) -> str:
        """Let a row refer to a parent that is not there."""
        row = self.samples[table.name][0]
        values = tuple(self._value(table, name) for name in foreign_key.columns)
        key = tuple(row[name] for name in table.primary_key)
        error = self._try(table.update_columns(foreign_key.columns), (*values, *key))
        if _is_refusal(error, _REFERENCE):
            return ""
        named = f"FOREIGN KEY ({', '.join(foreign_key.columns)}) of {table.name}"
        return f"{named} did not refuse a row without a parent{_instead(error)}"

    def _renewed(
        self, constraints: TableConstraints, record: Mapping[str, Value], kept: Sequence[str]
    ) -> dict[str, Value]:
        """Return a row whose keys and unique values are its own, except in the columns that are kept."""
        renewed = dict(record)
        for unique in constraints.uniques:
            free = [name for name in unique.columns if name not in kept]
            if free and all(renewed[name] == record[name] for name in free):
                renewed[free[0]] = self._value(constraints.table, free[0])
        return renewed

    def _value(self, table: Table, column: str) -> Value:
        """Return a value that no row has."""
        number = next(self._fresh)
        return {"INTEGER": number, "REAL": float(number)}.get(table.by_name[column].type, f"fresh-{number}")

    def _insert(self, table: Table, record: Record, *, keep: bool = False) -> sqlite3.Error | None:
        values = tuple(record[name] for name in table.column_names)
        return self._try(table.insert_row, values, keep=keep)

    def _try(self, sql: str, values: tuple[Value | bytes, ...], *, keep: bool = False) -> sqlite3.Error | None:
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
    texts, numbers = literals_in(expression)
    near = [sample[each] for sample in samples[:3] for each in columns]
    if table.by_name[column].type == "TEXT":
        words = [*texts, *(each for each in near if isinstance(each, str))]
        found: list[Value] = [*words, *_TEXTS, *(each.upper() for each in words), *(f"{each}x" for each in words)]
    else:
        signed = [*numbers, *(-each for each in numbers), *(each for each in near if isinstance(each, int | float))]
        moved = [each + step for each in signed for step in (-1, 0, 1)]
        if table.by_name[column].type == "REAL":
            found = [*map(float, (*moved, *_NUMBERS)), 0.5, -0.5]
        else:
            found = [each for each in map(int, (*moved, *_NUMBERS)) if -_LARGEST - 1 <= each <= _LARGEST]
    return list(dict.fromkeys([None, *found]))


def _is_refusal(error: sqlite3.Error | None, codes: Sequence[str], named: str = "") -> bool:
    return isinstance(error, sqlite3.IntegrityError) and error.sqlite_errorname in codes and named in str(error)


def _instead(error: sqlite3.Error | None) -> str:
    return "; it was accepted" if error is None else f"; SQLite said instead: {error}"


def _insert_samples(
    connection: sqlite3.Connection, schema: Schema, rows: Sequence[tuple[str, Mapping[str, Value]]]
) -> Iterator[str]:
    """Insert the rows that fit, parents first; say of every other what is wrong with it."""
    connection.execute("PRAGMA foreign_keys = ON")
    pending = sorted(rows, key=lambda each: schema.parents_first.get(each[0], 0))
    while pending:  # a row may come before the row of its own table that it refers to
        faults = [_insert_sample(connection, schema, *each) for each in pending]
        if all(faults):
            yield from faults
            return
        pending = [each for each, fault in zip(pending, faults, strict=True) if fault]


def _insert_sample(connection: sqlite3.Connection, schema: Schema, name: str, row: Mapping[str, Value]) -> str:
    """Insert a row, or return what is wrong with it."""
    shown = f"sample row of {name} {json.dumps(dict(row), ensure_ascii=False, default=repr)}"
    table = schema.tables.get(name)
    unknown = [column for column in row if table is None or column not in table.positions]
    if table is None or unknown:
        what = f"column {unknown[0]!r}" if table else f"table {name!r}"
        return f"{shown} names unknown {what}; have: {', '.join(table.column_names if table else schema.tables)}"
    try:
        connection.execute(table.insert_columns(tuple(row)), tuple(row.values())).fetchall()
    except (sqlite3.Error, OverflowError, ValueError) as error:
        return f"{shown} does not fit: {error}"
    return ""
