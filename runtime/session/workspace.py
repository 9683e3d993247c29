"""What a tool is handed, and what one call may do to a session's database: rights, budget, changed rows, ids."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from runtime.domain.arguments import MAX_INTEGER
from runtime.domain.changes import Changes, RowChange, RowName
from runtime.domain.policies import Policies
from runtime.domain.rule import Declared
from runtime.domain.schema import Key, Row, RowRef, Schema, Table, Value, spoken
from runtime.domain.tool import Tool
from runtime.errors import EnvironmentFault, Rejection
from runtime.sandbox.budget import Budget
from runtime.session.guard import Guard
from runtime.wording import singular


@dataclass(frozen=True)
class Limits:
    """Counted limits, so that a verdict never depends on the machine's load.

    `code_steps` counts loop turns and function calls of the code of one call, 30 for each statement and 3 for each row
    after the first 50; `sql_steps` counts SQLite's virtual-machine operations of one call. The others are bytes: of a
    result, of one text value, and by how much the database file may outgrow the world.
    """

    code_steps: int = 250_000
    sql_steps: int = 5_000_000
    result_bytes: int = 256 * 1024
    text_bytes: int = 256 * 1024
    growth_bytes: int = 64 * 1024**2


class Workspace:
    """The connection of a session, with what one call may do on it and has done so far.

    The session enters and leaves calls; `Database` is the part of it that a tool can reach.
    """

    def __init__(self, connection: sqlite3.Connection, schema: Schema, policies: Policies, now: str) -> None:
        self._changes = Changes()  # of the session
        # Each write of the last call: the row, how it stood in the session's changes, and what it was and became.
        self._written: list[tuple[RowName, RowChange | None, Row | None, Row | None]] = []
        self._rows: dict[RowName, Row | None] = {}  # rows by key that this call has read or written
        self.connection = connection
        self._cursor = connection.cursor()
        self._schema = schema
        self._policies = policies
        connection.execute("PRAGMA temp_store = MEMORY")
        self._guard = Guard(connection, schema.tables, now)
        self._tool: Tool | Declared | None = None
        self._budget = Budget(0)
        self._columns: dict[str, list[str]] = {}  # the result columns of each statement that a tool has run
        self._counter = int(connection.execute("PRAGMA user_version").fetchone()[0])
        self._saved_counter: int = self._counter

    def enter_call(self, tool: Tool | Declared, limits: Limits, changes: Changes | None = None) -> Budget:
        """Begin a call; one that may write begins a transaction and notes each row that it changes in `changes`."""
        self._written.clear()
        if changes is not None and tool.writes:
            self._cursor.execute("BEGIN IMMEDIATE")
            self._changes = changes
        self._rows.clear()
        self._tool = tool
        self._counter = self._saved_counter
        self._guard.enter(limits.sql_steps)
        self._budget = Budget(limits.code_steps)
        return self._budget

    def leave_call(self) -> None:
        self._tool = None
        self._guard.leave()

    def commit(self) -> None:
        """Store what a call that may write has changed; the ids that it took are used up."""
        if self._counter != self._saved_counter:
            self._cursor.execute(f"PRAGMA user_version = {self._counter}")
        self._cursor.execute("COMMIT")
        self._saved_counter = self._counter

    def roll_back(self) -> None:
        if self.connection.in_transaction:
            self._cursor.execute("ROLLBACK")
        for name, change, _, _ in reversed(self._written):
            if change is None:
                self._changes.rows.pop(name, None)
            else:
                self._changes.rows[name] = change
        self._written.clear()

    @property
    def changes(self) -> Changes:
        """What the last call has changed."""
        changes = Changes()
        for (table, key), _, before, after in self._written:
            changes.record(table, key, before, after)
        return changes

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Let other calls run whose changes do not count as those of the last one."""
        written = list(self._written)
        yield
        self._written[:] = written

    @property
    def now(self) -> str:
        """The time that SQL is told."""
        return self._guard.now

    @now.setter
    def now(self, now: str) -> None:
        self._guard.now = now

    def set_counter(self, counter: int) -> None:
        self.connection.execute(f"PRAGMA user_version = {counter}")
        self._counter = self._saved_counter = counter

    @property
    def counter(self) -> int:
        """The number of ids taken so far, including the world's own."""
        return self._saved_counter

    def new_key(self, table: str) -> str | int:
        """Return the next free key of a table with one key column."""
        declared = self._declared(table, write=True)
        if len(declared.primary_key) != 1:
            raise EnvironmentFault(f"{self._caller} wants an id for {table}, whose key has several columns.")
        while True:
            self._budget.spend()
            self._counter += 1
            key = make_id(declared, self._counter)
            if self._row(declared, (key,)) is None:
                return key

    def read(self, sql: str, values: tuple[Value, ...] | Mapping[str, Value]) -> tuple[list[str], list[Row]]:
        """Return the column names and rows of a tool's own SELECT."""
        tool = self._tool
        if tool is None:
            raise EnvironmentFault("The database was read after the call had ended.")
        self._budget.spend(_STATEMENT_STEPS)
        text = f"/*{tool.name}*/ {sql}"  # a cached statement was authorized for one tool only
        columns = self._columns.get(text)
        cursor, guard = self._cursor, self._guard
        guard.reads = tool.reads
        try:
            cursor.execute(text, values)
            rows: list[Row] = cursor.fetchmany(_BATCH)
            if len(rows) == _BATCH:
                self._fetch_rest(rows)
        except (sqlite3.Error, OverflowError) as error:
            raise self._classified(error) from error
        finally:
            guard.reads = None
        if columns is None:
            if cursor.description is None:
                raise EnvironmentFault(f"{self._caller} runs a statement that is not a SELECT: {sql!r}.")
            if len(self._columns) >= _MOST_STATEMENTS:
                self._columns.clear()
            columns = self._columns[text] = [column[0] for column in cursor.description]
        return columns, rows

    def _fetch_rest(self, rows: list[Row]) -> None:
        """Fetch the rows after the first batch, charging for each and for its text."""
        while more := self._cursor.fetchmany(_BATCH):
            rows += more
            text = sum([len(value) for row in more for value in row if type(value) is str])
            try:
                self._budget.spend(len(more) * _ROW_STEPS + text // _TEXT_PER_STEP)
            except Rejection:
                self._reset()
                raise

    def _reset(self) -> None:
        self._cursor.close()
        self._cursor = self.connection.cursor()

    def get(self, name: str, key: Key) -> dict[str, Value] | None:
        table = self._declared(name, write=False)
        row = self._row(table, key)
        return None if row is None else table.record(row)

    def insert(self, name: str, values: Mapping[str, Value]) -> dict[str, Value]:
        table = self._declared(name, write=True)
        stored = self._storable(table, values)
        (row,) = self._run(table, table.insert_columns(tuple(stored)), tuple(stored.values()), "insert")
        row = _as_selected(table, row)
        self._note(table, table.key_of(row), None, row)
        return table.record(row)

    def update(self, name: str, key: Key, values: Mapping[str, Value]) -> dict[str, Value]:
        table, before = self._existing(name, key)
        stored = self._storable(table, values)
        if not stored or not table.key_columns.isdisjoint(stored):
            what = ", ".join(column for column in table.primary_key if column in stored) or "no column"
            raise EnvironmentFault(f"{self._caller} updates {what} of {name}; keys never change.")
        self._run(table, table.update_columns(tuple(stored)), (*stored.values(), *key), "update")
        # The types are exact by now, so what was written is what is stored.
        record = table.record(before)
        record.update(stored)
        self._note(table, table.key_of(before), before, tuple(record.values()))
        return record

    def delete(self, name: str, key: Key) -> dict[str, Value]:
        table, before = self._existing(name, key)
        identity = table.key_of(before)
        self._run(table, table.delete_row, identity, "delete")
        self._note(table, identity, before, None)
        return table.record(before)

    def _declared(self, table: str, *, write: bool) -> Table:
        tool = self._tool
        if tool is None:
            raise EnvironmentFault(f"Table {table!r} was used after the call had ended.")
        if table not in (tool.writes if write else tool.reads):
            verb = "writes" if write else "reads"
            raise EnvironmentFault(f"{tool.label} {verb} table {table!r}, which it does not declare.")
        return self._schema.tables[table]

    def _row(self, table: Table, key: Key) -> Row | None:
        """Return the row with this key; it is read once in a call, since only this class changes rows."""
        name = (table.name, key)
        row = self._rows.get(name, _UNREAD)
        if row is _UNREAD:
            found = self._run(table, table.select_row, key, "read")
            row = self._rows[name] = found[0] if found else None
        return row

    def _existing(self, name: str, key: Key) -> tuple[Table, Row]:
        """Return the row that an update or delete names; rows of a log never change."""
        table = self._declared(name, write=True)
        before = self._row(table, key)
        if name in self._policies.logs:
            raise EnvironmentFault(f"{self._caller} changes a row of {name!r}, which is a log; only insert there.")
        if before is None:
            raise EnvironmentFault(f"{self._caller} changes {name} {key!r}, which does not exist; look it up first.")
        return table, before

    def _note(self, table: Table, key: Key, before: Row | None, after: Row | None) -> None:
        name = (table.name, key)
        self._written.append((name, self._changes.rows.get(name), before, after))
        self._changes.record(table.name, key, before, after)
        self._rows[name] = after

    def _run(self, table: Table, sql: str, values: tuple[Value, ...], verb: str) -> list[Row]:
        """Run a statement of the runtime's own inside a call; a broken constraint is a rejection."""
        self._budget.spend(_STATEMENT_STEPS)
        try:
            return self._cursor.execute(sql, values).fetchall()
        except sqlite3.IntegrityError as error:
            raise _broken_constraint(table, error, verb) from error
        except (sqlite3.Error, OverflowError) as error:
            raise self._classified(error) from error

    def _storable(self, table: Table, values: Mapping[str, Value]) -> dict[str, Value]:
        """Check names and exact types, since even STRICT tables turn '7' into 7 and NaN into NULL."""
        stored: dict[str, Value] = {}
        for name, value in values.items():
            column = table.by_name.get(name)
            if column is None:
                have = ", ".join(table.column_names)
                raise EnvironmentFault(f"{self._caller} writes unknown column {table.name}.{name}; have: {have}.")
            if type(value) is str and column.type == "TEXT":
                stored[name] = value
                continue
            if isinstance(value, bool):
                value = int(value)
            if value is not None and not isinstance(value, _PYTHON_TYPES[column.type]):
                raise EnvironmentFault(
                    f"{self._caller} writes {value!r} to {table.name}.{name}, which is {column.type}."
                )
            most = MAX_INTEGER if isinstance(value, int) else 2.0**63
            if isinstance(value, int | float) and not -most <= value <= most:
                column_said = f"The {spoken(name)} of the {singular(spoken(table.name))}"
                raise Rejection.invalid_argument(f"{column_said} would become {value}, which is out of range.")
            # SQLite has no negative zero.
            stored[name] = float(value) + 0.0 if column.type == "REAL" and value is not None else value
        return stored

    @property
    def _caller(self) -> str:
        """What runs now, for messages."""
        return self._tool.label if self._tool else "Code outside a call"

    def _classified(self, error: Exception) -> Exception:
        """Tell the call's size from the tool's SQL as the cause of an error."""
        self._reset()
        code = getattr(error, "sqlite_errorname", "")
        if code == "SQLITE_INTERRUPT" or self._guard.is_spent:
            return Rejection.resource_exhausted("This call makes the database do too much; ask for less at once.")
        if code == "SQLITE_FULL":
            return Rejection.resource_exhausted(_FULL)
        outgrown = _OUTGROWN.search(str(error))
        if outgrown or code == "SQLITE_TOOBIG" or isinstance(error, OverflowError):
            return Rejection.resource_exhausted(f"A query or a value of this call is too large: {error!s:.200}.")
        if self._guard.refusal:
            refusal, self._guard.refusal = self._guard.refusal, ""
            return EnvironmentFault(f"{self._caller} {refusal}.")
        return EnvironmentFault(f"{self._caller} runs SQL that fails: {error!s:.200}.")


def confined(
    connection: sqlite3.Connection, schema: Schema, policies: Policies, now: str, limits: Limits, most_bytes: int = 0
) -> Workspace:
    """Return the workspace of a connection within the limits of a session; without `most_bytes` it may grow."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, limits.text_bytes)
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA cache_size = -128")
    if most_bytes:
        (page_size,) = connection.execute("PRAGMA page_size").fetchone()
        connection.execute(f"PRAGMA max_page_count = {most_bytes // page_size + 1}")
    return Workspace(connection, schema, policies, now)


_UNREAD: Row = ("unread",)
_BATCH = 50  # rows that are fetched at once
_STATEMENT_STEPS, _ROW_STEPS, _TEXT_PER_STEP = 30, 3, 64  # code steps of a statement, of a row; characters per step
_MOST_STATEMENTS = 1_000  # whose columns are remembered
_OUTGROWN = re.compile(
    r"integer overflow|^(too many |at most \d+ tables|Expression tree|parser stack|.*too complex|string or blob)"
)
_FULL = "The database has reached its size limit; nothing was stored."
_PYTHON_TYPES: dict[str, type | tuple[type, ...]] = {"INTEGER": int, "REAL": (int, float), "TEXT": str}


def make_id(table: Table, number: int) -> str | int:
    """Return the key for a counter value: 7, or LOAN-0007 for a TEXT key of table loan."""
    text = table.by_name[table.primary_key[0]].type == "TEXT"
    return f"{table.name.upper()}-{number:04d}" if text else number


def _as_selected(table: Table, row: Row) -> Row:
    """A row of RETURNING, which gives 5 for a REAL of 5.0, as a SELECT gives it."""
    return tuple(
        float(value) if type(value) is int and column.type == "REAL" else value
        for value, column in zip(row, table.columns, strict=True)
    )


def _broken_constraint(table: Table, error: sqlite3.IntegrityError, verb: str) -> Exception:
    """A declared constraint is a rule of the domain: breaking it is a rejection, unless only a tool's bug can."""
    code, text = error.sqlite_errorname, str(error)
    subject = singular(spoken(table.name))
    if code in ("SQLITE_CONSTRAINT_PRIMARYKEY", "SQLITE_CONSTRAINT_UNIQUE"):
        columns = ", ".join(spoken(name.split(".")[-1]) for name in text.rpartition(": ")[2].split(", "))
        return Rejection.already_exists(f"Another {subject} has the same {columns} already.")
    if verb == "delete":
        return Rejection.failed_precondition(f"Other records still refer to this {subject}; remove them first.")
    if code in ("SQLITE_CONSTRAINT_FOREIGNKEY", "SQLITE_CONSTRAINT_TRIGGER"):
        return Rejection.not_found(f"The {subject} refers to a record that does not exist.")
    if code == "SQLITE_CONSTRAINT_CHECK":
        rule = text.rpartition("CHECK constraint failed: ")[2]
        return Rejection.failed_precondition(f"The {subject} would break the rule {rule!r}.")
    return EnvironmentFault(f"A write to {table.name} breaks its declaration: {text}.")


Record = dict[str, Any]  # a row by column name: int, float, str or None


class Database:
    """The database of one session, as a tool sees it during one call.

    Reads are plain SQL with `?` for every value. Writes go through `insert`, `update` and `delete`, one row at a time
    by primary key. Time is `now`, a new id is `new_id(table)`.
    """

    def __init__(self, workspace: Workspace, now: str) -> None:
        self.now = now
        self.today = now[:10]
        self._workspace = workspace

    def select(self, sql: str, *values: Value) -> list[Record]:
        """All rows of a SELECT, each as a dictionary by column name. Say ORDER BY where the order matters."""
        names, rows = self._workspace.read(sql, values)
        return [dict(zip(names, row)) for row in rows]  # noqa: B905  as in Table.record

    def first(self, sql: str, *values: Value) -> Record | None:
        """The first row of a SELECT, or None."""
        names, rows = self._workspace.read(sql, values)
        return dict(zip(names, rows[0], strict=True)) if rows else None

    def value(self, sql: str, *values: Value) -> Any:
        """The first column of the first row of a SELECT, or None."""
        _, rows = self._workspace.read(sql, values)
        return rows[0][0] if rows else None

    def get(self, table: str, *key: Value) -> Record | None:
        """The row with this primary key, or None."""
        return self._workspace.get(table, key)

    def require(self, table: str, *key: Value) -> Record:
        """The row with this primary key; rejects with NOT_FOUND if there is none."""
        record = self._workspace.get(table, key)
        if record is None:
            raise Rejection.not_found(f"No {RowRef(table, key)} exists.")
        return record

    def insert(self, table: str, /, **values: Value) -> Record:
        """Add one row; columns left out take their default or NULL. Returns the row as it was stored."""
        return self._workspace.insert(table, values)

    def update(self, table: str, /, *key: Value, **values: Value) -> Record:
        """Change columns of the row with this primary key, which must exist. Returns the row as it was stored."""
        return self._workspace.update(table, key, values)

    def delete(self, table: str, *key: Value) -> Record:
        """Remove the row with this primary key, which must exist and be referred to by no other. Returns that row."""
        return self._workspace.delete(table, key)

    def new_id(self, table: str) -> Any:
        """A key for a new row of a table with one key column: from the session's counter, so the same every time."""
        return self._workspace.new_key(table)
