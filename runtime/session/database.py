"""What a tool is handed: reading by SQL with bound parameters, writing by row helpers, the frozen clock, new ids."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Mapping
from typing import Any

from runtime.domain.policies import Policies
from runtime.domain.schema import Key, Row, Schema, Table, Value
from runtime.domain.tool import Tool
from runtime.errors import EnvironmentFault, Rejection
from runtime.session.budget import Budget
from runtime.session.changes import Changes, delete_statement, key_condition
from runtime.session.guard import SQL_TICK, Guard
from runtime.session.limits import Limits

Record = dict[str, Any]  # a row by column name: int, float, str or None


class Database:
    """The database of one session, as a tool sees it during one call.

    Reads are plain SQL with `?` for every value. Writes go through `insert`, `update` and `delete`, one row at a time
    by primary key. Time is `now`, a new id is `new_id(table)`, the acting user is `principal`.
    """

    def __init__(
        self, connection: sqlite3.Connection, schema: Schema, policies: Policies, now: str, principal: str | None
    ) -> None:
        self.now = now
        self.today = now[:10]
        self.principal = principal
        self._connection = connection
        self._schema = schema
        self._policies = policies
        self._guard = Guard(connection, schema.tables, now)
        self._tool: Tool | None = None
        self._budget = Budget(0)
        self._prefix = ""
        self._serial = 0
        self._changes = Changes()
        self._counter = int(connection.execute("PRAGMA user_version").fetchone()[0])
        self._saved_counter: int = self._counter

    def select(self, sql: str, *values: Value) -> list[Record]:
        """All rows of a SELECT, each as a dictionary by column name. Say ORDER BY where the order matters."""
        names, rows = self._read(sql, values)
        return [dict(zip(names, row, strict=True)) for row in rows]

    def first(self, sql: str, *values: Value) -> Record | None:
        """The first row of a SELECT, or None."""
        names, rows = self._read(sql, values)
        return dict(zip(names, rows[0], strict=True)) if rows else None

    def value(self, sql: str, *values: Value) -> Any:
        """The first column of the first row of a SELECT, or None."""
        _, rows = self._read(sql, values)
        return rows[0][0] if rows else None

    def get(self, table: str, *key: Value) -> Record | None:
        """The row with this primary key, or None."""
        declared = self._declared(table, write=False)
        row = self._row(declared, self._key(declared, key))
        return None if row is None else declared.record(row)

    def require(self, table: str, *key: Value) -> Record:
        """The row with this primary key; rejects with NOT_FOUND if there is none."""
        record = self.get(table, *key)
        if record is None:
            raise Rejection.not_found(f"No {spoken(table)} {_spoken_key(key)} exists.")
        return record

    def insert(self, table: str, **values: Value) -> Record:
        """Add one row; columns left out take their default or NULL. Returns the row as it was stored."""
        declared = self._declared(table, write=True)
        stored = self._storable(declared, values)
        columns = ", ".join(f'"{name}"' for name in stored)
        marks = ", ".join("?" * len(stored))
        sql = f'INSERT INTO "{table}" ({columns}) VALUES ({marks}) RETURNING *'
        (row,) = self._write(declared, sql, tuple(stored.values()), "insert")
        self._changes.record(table, declared.key_of(row), None, row)
        return declared.record(row)

    def update(self, table: str, *key: Value, **values: Value) -> Record:
        """Change columns of the row with this primary key, which must exist. Returns the row as it was stored."""
        declared, identity, before = self._existing(table, key)
        stored = self._storable(declared, values)
        moved = [name for name in declared.primary_key if name in stored]
        if moved or not stored:
            raise EnvironmentFault(
                f"Tool {self._name} updates {', '.join(moved) or 'no column'} of {table}; keys never change."
            )
        assignments = ", ".join(f'"{name}" = ?' for name in stored)
        sql = f'UPDATE "{table}" SET {assignments} WHERE {key_condition(declared)} RETURNING *'
        (row,) = self._write(declared, sql, (*stored.values(), *identity), "update")
        self._changes.record(table, identity, before, row)
        return declared.record(row)

    def delete(self, table: str, *key: Value) -> Record:
        """Remove the row with this primary key, which must exist and be referred to by no other. Returns that row."""
        declared, identity, before = self._existing(table, key)
        self._write(declared, delete_statement(declared), identity, "delete")
        self._changes.record(table, identity, before, None)
        return declared.record(before)

    def new_id(self, table: str) -> Any:
        """A key for a new row of a table with one key column: from the session's counter, so the same every time."""
        declared = self._declared(table, write=True)
        if len(declared.primary_key) != 1:
            raise EnvironmentFault(f"Tool {self._name} wants an id for {table}, whose key has several columns.")
        while True:
            self._budget.spend()
            self._counter += 1
            key = make_id(declared, self._counter)
            if self._row(declared, (key,)) is None:
                return key

    def enter_call(self, tool: Tool, limits: Limits, *, fresh: bool) -> Budget:
        """Begin a call; with `fresh`, no statement comes from the cache, so that SQL steps are counted exactly."""
        self._tool = tool
        self._budget = Budget(limits.code_steps)
        self._changes = Changes()
        self._serial += fresh
        self._prefix = f"/*{tool.name}{self._serial if fresh else ''}*/ "
        self._counter = self._saved_counter
        self._guard.enter(tool.reads, limits.sql_steps // SQL_TICK)
        return self._budget

    def leave_call(self) -> bool:
        """End a call; whether it used its SQL budget up."""
        self._guard.leave()
        self._tool = None
        return self._guard.exhausted

    def take_changes(self) -> Changes:
        """The rows that the call changed; their counter is written beside them, before the commit."""
        if self._counter != self._saved_counter:
            self._connection.execute(f"PRAGMA user_version = {self._counter}")
        return self._changes

    def keep_counter(self) -> None:
        """The commit succeeded: the ids that the call took are gone for good."""
        self._saved_counter = self._counter

    def set_counter(self, counter: int) -> None:
        """Put the id counter where a snapshot had it."""
        self._connection.execute(f"PRAGMA user_version = {counter}")
        self._counter = self._saved_counter = counter

    @property
    def counter(self) -> int:
        """How many ids were taken so far, the world's own included."""
        return self._saved_counter

    @property
    def _name(self) -> str:
        return repr(self._tool.name) if self._tool else "outside a call"

    def _read(self, sql: str, values: tuple[Value, ...]) -> tuple[list[str], list[Row]]:
        try:
            cursor = self._connection.execute(self._prefix + sql, values)
        except sqlite3.Error as error:
            if self._guard.refusal == "needs the clock" and self._guard.install_clock():
                return self._read(sql, values)
            raise self._classified(error) from error
        if cursor.description is None:
            raise EnvironmentFault(f"Tool {self._name} runs a statement that is not a SELECT: {sql!r}.")
        rows: list[Row] = []
        try:
            while batch := cursor.fetchmany(500):
                self._budget.spend(len(batch))
                rows += batch
        except sqlite3.Error as error:
            raise self._classified(error) from error
        return [column[0] for column in cursor.description], rows

    def _row(self, table: Table, key: Key) -> Row | None:
        columns = ", ".join(f'"{name}"' for name in table.column_names)
        sql = f'SELECT {columns} FROM "{table.name}" WHERE {key_condition(table)}'
        found = self._trusted(sql, key)
        return found[0] if found else None

    def _trusted(self, sql: str, values: tuple[Value, ...]) -> list[Row]:
        """Run a statement of the runtime's own inside a call."""
        self._budget.spend()
        reads = self._guard.trust()
        try:
            return self._connection.execute(f"/*{self._serial}*/ {sql}", values).fetchall()
        except sqlite3.IntegrityError:
            raise
        except (sqlite3.Error, OverflowError) as error:
            raise self._classified(error) from error
        finally:
            self._guard.distrust(reads)

    def _write(self, table: Table, sql: str, values: tuple[Value, ...], verb: str) -> list[Row]:
        try:
            return self._trusted(sql, values)
        except sqlite3.IntegrityError as error:
            raise _broken_constraint(table, error, verb) from error

    def _declared(self, table: str, *, write: bool) -> Table:
        tool = self._tool
        if tool is None:
            raise EnvironmentFault(f"Table {table!r} was used after the call had ended.")
        if table not in (tool.writes if write else tool.reads):
            verb = "writes" if write else "reads"
            raise EnvironmentFault(f"Tool {tool.name!r} {verb} table {table!r}, which it does not declare.")
        return self._schema.tables[table]

    def _existing(self, table: str, key: tuple[Value, ...]) -> tuple[Table, Key, Row]:
        """The row that an update or delete names; a log's rows are never changed."""
        declared = self._declared(table, write=True)
        if table in self._policies.logs:
            raise EnvironmentFault(f"Tool {self._name} changes a row of {table!r}, which is a log; only insert there.")
        identity = self._key(declared, key)
        before = self._row(declared, identity)
        if before is None:
            raise EnvironmentFault(
                f"Tool {self._name} changes {table} {key!r}, which does not exist; look it up first."
            )
        return declared, identity, before

    def _key(self, table: Table, key: tuple[Value, ...]) -> Key:
        if len(key) != len(table.primary_key):
            raise EnvironmentFault(
                f"Tool {self._name} gives {len(key)} key values for {table.name}; "
                f"its key is {', '.join(table.primary_key)}."
            )
        return key

    def _storable(self, table: Table, values: Mapping[str, Value]) -> dict[str, Value]:
        """Check names and exact types, since even STRICT tables turn '7' into 7 and NaN into NULL."""
        stored: dict[str, Value] = {}
        for name, value in values.items():
            column = table.by_name.get(name)
            if column is None:
                have = ", ".join(table.column_names)
                raise EnvironmentFault(f"Tool {self._name} writes unknown column {table.name}.{name}; have: {have}.")
            if isinstance(value, bool):
                value = int(value)
            if value is not None and not isinstance(value, _PYTHON_TYPES[column.type]):
                raise EnvironmentFault(
                    f"Tool {self._name} writes {value!r} to {table.name}.{name}, which is {column.type}."
                )
            if isinstance(value, float) and not math.isfinite(value):
                raise Rejection.invalid_argument(f"{_spoken_column(table, name)} would become {value}.")
            if isinstance(value, int) and not -(2**63) <= value < 2**63:
                raise Rejection.invalid_argument(f"{_spoken_column(table, name)} would outgrow 64 bits.")
            stored[name] = value
        return stored

    def _classified(self, error: Exception) -> Exception:
        """Whose fault an error of SQLite is: the call's size, or the tool's SQL."""
        code = getattr(error, "sqlite_errorname", "")
        if code == "SQLITE_INTERRUPT":
            return Rejection.resource_exhausted("This call makes the database do too much; ask for less at once.")
        if code == "SQLITE_FULL":
            return Rejection.resource_exhausted("The database has reached its size limit; nothing was stored.")
        if code == "SQLITE_TOOBIG" or isinstance(error, OverflowError) or "integer overflow" in str(error):
            return Rejection.resource_exhausted("A value in this call outgrew its limit; ask for less at once.")
        if self._guard.refusal:
            refusal, self._guard.refusal = self._guard.refusal, ""
            return EnvironmentFault(f"Tool {self._name} {refusal}.")
        return EnvironmentFault(f"Tool {self._name} runs SQL that fails: {error}.")


_PYTHON_TYPES: dict[str, type | tuple[type, ...]] = {"INTEGER": int, "REAL": (int, float), "TEXT": str}


def make_id(table: Table, number: int) -> str | int:
    """The key that a counter value stands for: 7, or LOAN-0007 for a TEXT key of table loan."""
    text = table.by_name[table.primary_key[0]].type == "TEXT"
    return f"{table.name.upper()}-{number:04d}" if text else number


def spoken(name: str) -> str:
    """A table or column name as words."""
    return name.replace("_", " ")


def _spoken_key(key: tuple[Value, ...]) -> str:
    return " / ".join(repr(part) for part in key)


def _spoken_column(table: Table, name: str) -> str:
    return f"The {spoken(name)} of the {spoken(table.name)}"


def _broken_constraint(table: Table, error: sqlite3.IntegrityError, verb: str) -> Exception:
    """A declared constraint is a rule of the domain: breaking it is a rejection, unless only a tool's bug can."""
    code, text = error.sqlite_errorname, str(error)
    subject = spoken(table.name)
    if code in ("SQLITE_CONSTRAINT_PRIMARYKEY", "SQLITE_CONSTRAINT_UNIQUE"):
        columns = ", ".join(spoken(name.split(".")[-1]) for name in text.rpartition(": ")[2].split(", "))
        return Rejection.already_exists(f"A {subject} with the same {columns} exists already.")
    if verb == "delete":
        return Rejection.failed_precondition(f"Other records still refer to this {subject}; remove them first.")
    if code in ("SQLITE_CONSTRAINT_FOREIGNKEY", "SQLITE_CONSTRAINT_TRIGGER"):
        return Rejection.not_found(f"The {subject} refers to a record that does not exist.")
    if code == "SQLITE_CONSTRAINT_CHECK":
        rule = text.rpartition("CHECK constraint failed: ")[2]
        return Rejection.failed_precondition(f"The {subject} would break the rule {rule!r}.")
    return EnvironmentFault(f"A write to {table.name} breaks its declaration: {text}.")
