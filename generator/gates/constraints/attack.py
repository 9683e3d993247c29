"""Violate every declared constraint of a schema once, on purpose: each must refuse."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace

from generator.gates.constraints.candidates import variants
from generator.gates.constraints.constraints import Check, TableConstraints, Unique, columns_in, read_constraints
from generator.gates.constraints.samples import insert_samples
from runtime.domain.schema import ForeignKey, Row, Schema, Table, Value
from runtime.sandbox.connect import open_memory
from runtime.session.world import World

_SAMPLES = 12  # rows of a table that attacks start from
_MOST_TRIES = 4_000  # rows tried for a CHECK, for each number of columns that are changed at once
_RESERVED = 9_000_000_000_000_000  # below 2**53, above any number that a world holds


@dataclass(frozen=True)
class AttackReport:
    """How many constraints were attacked, how many refused, and a sentence for each one that did not.

    Those of tables without a row (`empty`) could not be tried.
    """

    attacked: int
    refused: int
    faults: tuple[str, ...]
    untried: int = 0
    empty: tuple[str, ...] = ()

    @property
    def figure(self) -> str:
        """What came of it, in words."""
        total = self.attacked + self.untried
        parts = [f"{self.refused} of {total} refuse"]
        if self.refused < self.attacked:
            parts.append(f"{self.attacked - self.refused} do not")
        if self.untried:
            names = ", ".join(map(repr, self.empty))
            tables = f"table {names} has" if len(self.empty) == 1 else f"tables {names} have"
            parts.append(f"{self.untried} of {total} could not be tried: {tables} no sample row")
        return ", ".join(parts)


def attack(schema: Schema, rows: Sequence[tuple[str, Mapping[str, Value]]]) -> AttackReport:
    """Attack a schema from sample rows, given as table and row; a row that does not fit is a fault, too."""
    with closing(open_memory()) as connection:
        schema.create(connection)
        faults = [*insert_samples(connection, schema, rows)]
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
        if attacker.samples(constraints.table):
            complaints = [*attacker.attack_table(constraints)]
            attacked += len(complaints)
            faults += [complaint for complaint in complaints if complaint]
    refused = attacked - len(faults)
    empty = {name: each.count for name, each in attacker.constraints.items() if not attacker.samples(each.table)}
    faults += [
        f"table {name!r} has no sample row; its {count} constraints were not attacked" for name, count in empty.items()
    ]
    return AttackReport(attacked, refused, tuple(faults), sum(empty.values()), tuple(empty))


_NOT_NULL = ("SQLITE_CONSTRAINT_NOTNULL", "SQLITE_CONSTRAINT_PRIMARYKEY")
_UNIQUE = ("SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY")
_REFERENCE = ("SQLITE_CONSTRAINT_FOREIGNKEY", "SQLITE_CONSTRAINT_TRIGGER")
_WRONG_TYPES: dict[str, tuple[str, Value | bytes]] = {
    "INTEGER": ("the text 'no number'", "no number"),
    "REAL": ("the text 'no number'", "no number"),
    "TEXT": ("a BLOB", b"\xff"),
}


class _Attacker:
    """Tries statements on a database and takes each of them back; a complaint is empty where SQLite refused."""

    def __init__(self, connection: sqlite3.Connection, schema: Schema) -> None:
        self._connection = connection
        self._schema = schema
        self._fresh = itertools.count(1)
        self.constraints = {each.table.name: each for each in read_constraints(connection, schema)}
        self._sampled: dict[str, list[Row]] = {}

    def samples(self, table: Table) -> list[Row]:
        """Some rows of a table, the same every time."""
        if table.name not in self._sampled:
            keys = ", ".join(f'"{column}"' for column in table.primary_key)
            rows = self._connection.execute(f"{table.select_all} ORDER BY {keys} LIMIT {_SAMPLES}").fetchall()
            self._sampled[table.name] = rows
        return self._sampled[table.name]

    def attack_table(self, constraints: TableConstraints) -> Iterator[str]:
        """One complaint, or an empty text, for each constraint of a table."""
        table = constraints.table
        self._enforce(checks=False, references=False)
        for column in constraints.not_null:
            yield self._attack_not_null(table, column)
        for column in constraints.typed:
            yield self._attack_type(table, column)
        for unique in constraints.uniques:
            yield self._attack_unique(constraints, unique)
        self._enforce(checks=True, references=False)
        for check in constraints.checks:
            yield self._attack_check(table, check)
        for foreign_key in constraints.foreign_keys:
            self._enforce(checks=False, references=True)
            yield self._attack_child(constraints, foreign_key)
            yield self._attack_parent(constraints, foreign_key)

    def _attack_not_null(self, table: Table, column: str) -> str:
        record = {**self._copy(table), column: None}
        error = self._try_insert(table, record)
        if _is_refusal(error, _NOT_NULL, f"{table.name}.{column}"):
            return ""
        return f"NOT NULL of {table.name}.{column} did not refuse a row with NULL{_instead(error)}"

    def _attack_type(self, table: Table, column: str) -> str:
        kind = table.by_name[column].type
        shown, value = _WRONG_TYPES[kind]
        record: dict[str, Value | bytes] = {**self._copy(table), column: value}
        error = self._try_insert(table, record)
        # Python has no name for the code of this error.
        if isinstance(error, sqlite3.IntegrityError) and str(error).startswith("cannot store "):
            return ""
        return f"{kind} of {table.name}.{column} did not refuse {shown}{_instead(error)}"

    def _attack_unique(self, constraints: TableConstraints, unique: Unique) -> str:
        table = constraints.table
        kept = self._columns_of(table, unique)
        said = f"PRIMARY KEY ({', '.join(kept)})" if unique.is_key else f"UNIQUE ({', '.join(kept)})"
        if unique.where:
            said += f" WHERE {unique.where}"
        needed = columns_in(unique.where, table.column_names)
        rows: Iterator[dict[str, Value]] = iter([table.record(row) for row in self.samples(table)])
        if needed:
            rows = itertools.chain(rows, variants(table, unique.where, needed, self.samples(table), most=400))
        tried, accepted = 0, 0
        for row in rows:
            empty = {name: self._fresh_value(table, name) for name in kept if row[name] is None and name not in needed}
            first = self._renewed(constraints, {**row, **empty}, kept=(*kept, *needed), only=not (empty or needed))
            second = self._renewed(constraints, {**row, **empty}, kept=(*kept, *needed), only=False)
            with self._taken_back():
                try:
                    if empty or needed:
                        self._insert(table, first)
                except sqlite3.IntegrityError as refusal:
                    if _is_refusal(refusal, _UNIQUE, ""):  # by the sample row that it is like
                        return ""
                    continue
                tried += 1
                error = self._try_insert(table, second)
            if _is_refusal(error, _UNIQUE, ""):
                return ""
            accepted += error is None
        return f"{said} of {table.name} refused none of {tried} doubled rows, {accepted} were accepted"

    def _columns_of(self, table: Table, unique: Unique) -> tuple[str, ...]:
        if None not in unique.columns:
            return tuple(name for name in unique.columns if name is not None)
        (sql,) = self._connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", (unique.index,)).fetchone()
        return columns_in(sql.partition("(")[2], table.column_names)

    def _attack_check(self, table: Table, check: Check) -> str:
        """Find a row that this CHECK refuses; a row that another rule refuses first must break this one, too."""
        tried, elsewhere = 0, []
        for record in variants(table, check.expression, check.columns, self.samples(table), most=_MOST_TRIES):
            tried += 1
            error = self._try_insert(table, record)
            if error is None or error.sqlite_errorname in _UNIQUE:
                continue
            named = " ".join(str(error).removeprefix("CHECK constraint failed: ").split())
            if error.sqlite_errorname == "SQLITE_CONSTRAINT_CHECK" and named == check.shown_by_sqlite:
                return ""
            elsewhere.append(record)
        if self._is_broken_alone(table, check, elsewhere):
            return ""
        return f"CHECK ({check.expression}) of {table.name} refused none of {tried} rows that were tried"

    def _is_broken_alone(self, table: Table, check: Check, records: Sequence[Mapping[str, Value]]) -> bool:
        """Whether one of the rows breaks a CHECK that stands alone in a table without other rules."""
        columns = ", ".join(f'"{column.name}" {column.type}' for column in table.columns)
        with self._taken_back():
            self._connection.execute(f'CREATE TEMP TABLE "{table.name}" ({columns}, CHECK ({check.expression}))')
            marks = ", ".join("?" * len(table.columns))
            for record in records:
                try:
                    values = tuple(record[name] for name in table.column_names)
                    self._connection.execute(f'INSERT INTO temp."{table.name}" VALUES ({marks})', values)
                except sqlite3.IntegrityError:
                    return True
        return False

    def _attack_child(self, constraints: TableConstraints, foreign_key: ForeignKey) -> str:
        table = constraints.table
        shared = {name for other in table.foreign_keys if other is not foreign_key for name in other.columns}
        moved = [name for name in foreign_key.columns if name not in shared] or list(foreign_key.columns)
        record = self._renewed(constraints, self._copy(table), kept=_referring(table), only=False)
        # A key with a NULL in it refers to nothing, so every column of it holds something.
        record |= {name: self._fresh_value(table, name) for name in foreign_key.columns if record[name] is None}
        record |= {name: self._fresh_value(table, name) for name in moved}
        error = self._try_insert(table, record)
        if _is_refusal(error, _UNIQUE, ""):  # its other references must be its own
            error = self._try(*self._redirection(table, record, foreign_key))
        if _is_refusal(error, _REFERENCE, ""):
            return ""
        return f"{_shown(table, foreign_key)} did not refuse a row without a parent{_instead(error)}"

    def _attack_parent(self, constraints: TableConstraints, foreign_key: ForeignKey) -> str:
        """Delete a parent to which a child refers by this key alone."""
        table, parent = constraints.table, self._schema.tables[foreign_key.parent]
        if not self.samples(parent):
            return f"{_shown(table, foreign_key)} could not be attacked: {parent.name} has no sample row"
        new_parent = self._renewed(self.constraints[parent.name], self._copy(parent), kept=(), only=False)
        new_parent |= {name: self._fresh_value(parent, name) for name in foreign_key.parent_columns}
        new_child = self._renewed(constraints, self._copy(table), kept=foreign_key.columns, only=False)
        named = zip(foreign_key.columns, foreign_key.parent_columns, strict=True)
        new_child |= {own: new_parent[theirs] for own, theirs in named}
        # What else the two rows refer to does not matter: only the deletion is under attack.
        self._enforce(checks=False, references=False)
        added: list[tuple[str, tuple[Value, ...]]] = []
        error: sqlite3.Error | None = None
        try:
            for each, record in ((parent, new_parent), (table, new_child)):
                self._insert(each, record)
                added.append((each.delete_row, tuple(record[name] for name in each.primary_key)))
            self._enforce(checks=False, references=True)
            error = self._try(*added[0])
        except sqlite3.IntegrityError as problem:  # such as a child whose column has another type than its parent's
            return f"{_shown(table, foreign_key)} could not be attacked: {problem}"
        finally:
            self._enforce(checks=False, references=False)
            for sql, key in added:
                self._connection.execute(sql, key)
        if _is_refusal(error, _REFERENCE, ""):
            return ""
        return f"{_shown(table, foreign_key)} did not refuse the removal of a referenced parent{_instead(error)}"

    def _redirection(
        self, table: Table, child: Mapping[str, Value | bytes], foreign_key: ForeignKey
    ) -> tuple[str, tuple[Value | bytes, ...]]:
        """The statement that lets the sample row refer to what another child would."""
        values = tuple(child[name] for name in foreign_key.columns)
        return table.update_columns(foreign_key.columns), (*values, *table.key_of(self.samples(table)[0]))

    def _copy(self, table: Table) -> dict[str, Value]:
        return table.record(self.samples(table)[0])

    def _renewed(
        self, constraints: TableConstraints, record: Mapping[str, Value], *, kept: Sequence[str], only: bool
    ) -> dict[str, Value]:
        """A row whose keys and unique values are its own, but for those that are kept; with `only`, as it is."""
        if only:
            return dict(record)
        table, renewed = constraints.table, dict(record)
        for unique in constraints.uniques:
            free = [name for name in self._columns_of(table, unique) if name not in kept]
            if free and all(renewed[name] == record[name] for name in free):
                renewed[free[0]] = self._fresh_value(table, free[0])
        return renewed

    def _fresh_value(self, table: Table, column: str) -> Value:
        number = _RESERVED + next(self._fresh)
        match table.by_name[column].type:
            case "INTEGER":
                return number
            case "REAL":
                return float(number)
            case _:
                return f"fresh-{number}"

    def _insert(self, table: Table, record: Mapping[str, Value | bytes]) -> None:
        self._connection.execute(table.insert_row, tuple(record[name] for name in table.column_names))

    def _try_insert(self, table: Table, record: Mapping[str, Value | bytes]) -> sqlite3.Error | None:
        return self._try(table.insert_row, tuple(record[name] for name in table.column_names))

    def _try(self, sql: str, values: tuple[Value | bytes, ...]) -> sqlite3.Error | None:
        """SQLite's error; what it accepts is taken back."""
        with self._taken_back():
            try:
                self._connection.execute(sql, values)
            except sqlite3.Error as error:
                return error
        return None

    @contextmanager
    def _taken_back(self) -> Iterator[None]:
        self._connection.execute("SAVEPOINT attack")
        try:
            yield
        finally:
            self._connection.execute("ROLLBACK TO attack")
            self._connection.execute("RELEASE attack")

    def _enforce(self, *, checks: bool, references: bool) -> None:
        """From here on, only the rules under attack hold; what is unique and typed always does."""
        self._connection.execute(f"PRAGMA ignore_check_constraints = {int(not checks)}")
        self._connection.execute(f"PRAGMA foreign_keys = {int(references)}")


def _referring(table: Table) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for foreign_key in table.foreign_keys for name in foreign_key.columns))


def _is_refusal(error: sqlite3.Error | None, codes: Sequence[str], named: str) -> bool:
    return isinstance(error, sqlite3.IntegrityError) and error.sqlite_errorname in codes and named in str(error)


def _instead(error: sqlite3.Error | None) -> str:
    return "; it was accepted" if error is None else f"; SQLite said instead: {error}"


def _shown(table: Table, foreign_key: ForeignKey) -> str:
    return f"FOREIGN KEY ({', '.join(foreign_key.columns)}) of {table.name}"
