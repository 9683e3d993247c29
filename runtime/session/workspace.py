"""What stands behind a tool's database during one call: its rights, its budget, the rows it changed, the id counter."""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Mapping

from runtime.domain.changes import Changes, RowName
from runtime.domain.policies import Policies
from runtime.domain.rows import spoken
from runtime.domain.rule import Duty, Rule
from runtime.domain.schema import Key, Row, Schema, Table, Value
from runtime.domain.tool import Tool
from runtime.errors import EnvironmentFault, Rejection
from runtime.sandbox.budget import Budget, allocate
from runtime.sandbox.keys import key as hashed
from runtime.sandbox.preparing import check_query, joining_steps
from runtime.session.guard import SHORT, Guard, weights_of
from runtime.session.limits import Limits

_BATCH = 50  # rows of short texts that are fetched at once


class SqlBudgetSpent(Rejection):
    """A call ran out of SQL steps; the first time, counted over cached statements, that is not certain yet."""


class Workspace:
    """The connection of a session with what one call may do on it and has done so far.

    The session enters and leaves calls; `Database` is the part of it that a tool can reach.
    """

    def __init__(self, connection: sqlite3.Connection, schema: Schema, policies: Policies, now: str) -> None:
        self.changes = Changes()
        self._seen: dict[RowName, Row | None] = {}
        self._connection = connection
        self._cursor = connection.cursor()  # of the runtime's own statements, each of which is read to its end
        self._schema = schema
        self._policies = policies
        connection.execute("PRAGMA temp_store = MEMORY")  # what a SELECT sorts is bounded by its steps
        self._guard = Guard(connection, schema.tables, now)
        self._tool: Tool | Rule | Duty | None = None
        self._budget = Budget(0)
        self._growth_left = 0
        self._unpaid = 0  # characters of the row that is being read
        self._changed = 0  # rows of the session, among which a key is looked up
        self._own_prefix = ""
        self._serial = 0
        self._planned: set[str] = set()
        self._interrupted = False
        self._counter = int(connection.execute("PRAGMA user_version").fetchone()[0])
        self._saved_counter: int = self._counter

    def enter_call(self, tool: Tool | Rule | Duty, limits: Limits, grown: int, changed: int = 0) -> Budget:
        """Begin a call, and the transaction of one that may write, on a state that has `grown`, with `changed` rows.

        After a call that used its SQL budget up, no statement comes from the cache, so SQL steps are counted exactly.
        """
        if tool.writes:
            self._cursor.execute("BEGIN IMMEDIATE")
        self._tool = tool
        self._budget = Budget(limits.code_steps)
        self._growth_left = max(limits.growth_bytes - grown, 0)
        self._changed = changed
        self.changes = Changes()
        self._seen.clear()
        self._planned.clear()
        if self._interrupted:
            # A statement that was interrupted stays busy in the cache, and its copies count from nothing each time.
            self._serial += 1
            self._own_prefix = f"/*{self._serial}*/ "
            self._interrupted = False
        self._counter = self._saved_counter
        self._guard.enter(limits.sql_steps)
        return self._budget

    def leave_call(self) -> bool:
        """End a call; whether it used its SQL budget up."""
        self._tool = None
        exhausted = self._guard.leave()
        self._interrupted |= exhausted
        return exhausted

    def commit(self) -> None:
        """Store what a call that may write has changed; the ids that it took are gone for good."""
        if self._counter != self._saved_counter:
            self._cursor.execute(f"PRAGMA user_version = {self._counter}")
        self._cursor.execute("COMMIT")
        self._saved_counter = self._counter

    def set_counter(self, counter: int) -> None:
        """Put the id counter where a snapshot had it."""
        self._connection.execute(f"PRAGMA user_version = {counter}")
        self._counter = self._saved_counter = counter

    @property
    def counter(self) -> int:
        """How many ids were taken so far, the world's own included."""
        return self._saved_counter

    def new_key(self, table: str) -> str | int:
        """The next free key of a table with one key column."""
        declared = self.declared(table, write=True)
        if len(declared.primary_key) != 1:
            raise EnvironmentFault(f"{self.caller} wants an id for {table}, whose key has several columns.")
        while True:
            self._budget.spend()
            self._counter += 1
            key = make_id(declared, self._counter)
            if self.row(declared, (key,)) is None:
                return key

    @property
    def caller(self) -> str:
        """What runs now, for messages."""
        return self._tool.label if self._tool else "Code outside a call"

    def read(self, sql: str, values: tuple[Value, ...]) -> tuple[list[str], list[Row]]:
        """Column names and rows of a tool's own SELECT."""
        tool = self._tool
        if tool is None:
            raise EnvironmentFault("The database was read after the call had ended.")
        self._budget.spend(_STATEMENT_STEPS)
        try:
            check_query(sql)
        except ValueError as error:  # an argument of the call may have made it so long
            raise Rejection.resource_exhausted(f"A query of this call is too large: {error}.") from error
        if sql not in self._planned:
            self._pay_for_planning(sql)
        text = f"/*{tool.name} {self._serial}*/ {sql}"
        weights = weights_of(sql)
        self._guard.weight = weights[0]
        try:
            return self._rows(tool, text, values)
        except (sqlite3.Error, OverflowError) as error:
            if not _is_too_long(error):
                raise self._classified(error) from error
        return self._read_long(tool, text, values, weights)

    def _read_long(
        self, tool: Tool | Rule | Duty, sql: str, values: tuple[Value, ...], weights: tuple[int, ...]
    ) -> tuple[list[str], list[Row]]:
        """What a SELECT reads that meets longer texts: its operations take longer, so that each counts for more."""
        for length, weight in zip(self._guard.lengths[1:], weights[1:], strict=False):
            self._guard.hold_texts_to(length, weight)
            self._connection.text_factory = self._read_text
            try:
                return self._rows(tool, sql, values, batch=1)
            except (sqlite3.Error, OverflowError) as error:
                if not _is_too_long(error):
                    raise self._classified(error) from error
            finally:
                self._connection.text_factory = str
                self._guard.hold_texts_to(SHORT)
        raise Rejection.resource_exhausted(_TOO_LONG)

    def _rows(
        self, tool: Tool | Rule | Duty, sql: str, values: tuple[Value, ...], batch: int = _BATCH
    ) -> tuple[list[str], list[Row]]:
        cursor = self._prepared(tool, sql, values)
        if cursor.description is None:
            raise EnvironmentFault(f"{self.caller} runs a statement that is not a SELECT: {sql!r}.")
        rows: list[Row] = []
        self._unpaid = 0
        try:
            while len(more := cursor.fetchmany(batch)) == batch:
                self._budget.spend(_steps_for(more))
                self._unpaid = 0
                rows += more
            self._budget.spend(_steps_for(more))
            rows += more
            return [column[0] for column in cursor.description], rows
        finally:
            cursor.close()  # else a rejection's traceback would keep the statement running

    def _read_text(self, content: bytes) -> str:
        """A text of a row that is being read, which is counted before the next one is made."""
        try:
            text = content.decode()
        except UnicodeDecodeError as error:
            raise sqlite3.OperationalError(f"a text of it is not UTF-8: {error}") from error
        self._unpaid += len(text)
        if self._unpaid > self._budget.room:
            allocate(self._unpaid)
        return text

    def _prepared(self, tool: Tool | Rule | Duty, sql: str, values: tuple[Value, ...]) -> sqlite3.Cursor:
        self._guard.reads = tool.reads
        try:
            while True:
                try:
                    return self._connection.execute(sql, values)
                except sqlite3.Error:
                    if not self._guard.install_wanted():
                        raise
        finally:
            self._guard.reads = None

    def _pay_for_planning(self, sql: str) -> None:
        """A statement is planned once in a call, in a time that grows faster than its text and with its tables."""
        self._planned.add(sql)
        if len(self._planned) > _FREE_PLANS:
            self._budget.spend(_PLAN_STEPS + 4 * min(len(sql), _SHORT_SQL))
        if len(sql) > _SHORT_SQL:
            self._budget.spend(min(len(sql) * len(sql) // 1_000, 4 * len(sql)))
        self._budget.spend(joining_steps(sql))

    def get(self, name: str, key: tuple[Value, ...]) -> dict[str, Value] | None:
        """The row with this key as a dictionary."""
        table, row = self._find(name, key, write=False)
        return None if row is None else table.record(row)

    def row(self, table: Table, key: Key) -> Row | None:
        """The row with this key; read once in a call, since only the helpers below change it."""
        self._pay_for_key(key, len(self._seen))
        name = (table.name, key)
        row = self._seen.get(name, _UNREAD)
        if row is _UNREAD:
            found = self._run(table, table.select_row, key, "read")
            row = self._seen[name] = found[0] if found else None
        return row

    def insert(self, name: str, values: Mapping[str, Value]) -> dict[str, Value]:
        """Add a row and return it as stored."""
        table = self.declared(name, write=True)
        stored = self._storable(table, values)
        self._pay_for_checks(table, stored)
        (row,) = self._run(table, table.insert_columns(tuple(stored)), tuple(stored.values()), "insert")
        row = _as_selected(table, row)
        self._note(table, table.key_of(row), None, row)
        return table.record(row)

    def update(self, name: str, key: Key, values: Mapping[str, Value]) -> dict[str, Value]:
        """Change columns of an existing row and return it as stored."""
        table, before = self._existing(name, key)
        stored = self._storable(table, values)
        if not stored or not table.key_columns.isdisjoint(stored):
            what = ", ".join(column for column in table.primary_key if column in stored) or "no column"
            raise EnvironmentFault(f"{self.caller} updates {what} of {name}; keys never change.")
        identity = table.key_of(before)
        self._pay_for_checks(table, {**table.record(before), **stored})
        self._run(table, table.update_columns(tuple(stored)), (*stored.values(), *identity), "update")
        # Types are exact by now, so what was written is what is stored, and need not be read back.
        record = table.record(before)
        record |= stored
        self._note(table, identity, before, tuple(record.values()))
        return record

    def delete(self, name: str, key: Key) -> dict[str, Value]:
        """Remove an existing row and return it."""
        table, before = self._existing(name, key)
        identity = table.key_of(before)
        self._run(table, table.delete_row, identity, "delete")
        self._note(table, identity, before, None)
        return table.record(before)

    def _pay_for_checks(self, table: Table, record: Mapping[str, Value]) -> None:
        """Pay for what a table's CHECKs and indexes do with the texts of a row."""
        text = sum([len(value) for value in record.values() if type(value) is str])
        if text > _SHORT_SQL:
            allocate(text * table.copies)
        self._budget.spend(text * (table.weight + table.copies) // _TEXT_PER_CHECK)

    def _pay_for_key(self, key: Key, entries: int) -> None:
        """Pay for looking a key up among so many, all of which several numbers can be made to collide with."""
        if len(key) > 1:
            hashed(key)
            if any(type(part) is not str for part in key):
                self._budget.spend(entries // _ENTRIES_PER_STEP)

    def _note(self, table: Table, key: Key, before: Row | None, after: Row | None) -> None:
        self._pay_for_key(key, self._changed + len(self.changes.rows))
        self.changes.record(table.name, key, before, after)
        if self.changes.grown > self._growth_left:
            raise Rejection.resource_exhausted(_FULL)
        self._seen.clear()  # keys that SQLite takes for the same, such as 7 and '7', may both have been read

    def _run(self, table: Table, sql: str, values: tuple[Value, ...], verb: str) -> list[Row]:
        """Run a statement of the runtime's own inside a call; a broken constraint is a rejection."""
        self._budget.spend(_STATEMENT_STEPS)
        try:
            try:
                return self._cursor.execute(self._own_prefix + sql, values).fetchall()
            except sqlite3.DataError as error:
                if not _is_too_long(error):
                    raise
                return self._run_long(sql, values)
        except sqlite3.IntegrityError as error:
            raise _broken_constraint(table, error, verb) from error
        except (sqlite3.Error, OverflowError) as error:
            raise self._classified(error) from error

    def _run_long(self, sql: str, values: tuple[Value, ...]) -> list[Row]:
        """Run a statement of the runtime's own for a row that is not short."""
        self._guard.hold_texts_to(self._guard.lengths[-1])
        try:
            rows: list[Row] = self._cursor.execute(self._own_prefix + sql, values).fetchall()
            self._budget.spend(_steps_for([values, *rows]))
            return rows
        finally:
            self._guard.hold_texts_to(SHORT)

    def declared(self, table: str, *, write: bool) -> Table:
        """A table that the tool declares to read or write."""
        tool = self._tool
        if tool is None:
            raise EnvironmentFault(f"Table {table!r} was used after the call had ended.")
        if table not in (tool.writes if write else tool.reads):
            verb = "writes" if write else "reads"
            raise EnvironmentFault(f"{tool.label} {verb} table {table!r}, which it does not declare.")
        return self._schema.tables[table]

    def _existing(self, name: str, key: Key) -> tuple[Table, Row]:
        """The row that an update or delete names; a log's rows are never changed."""
        table, before = self._find(name, key, write=True)
        if name in self._policies.logs:
            raise EnvironmentFault(f"{self.caller} changes a row of {name!r}, which is a log; only insert there.")
        if before is None:
            raise EnvironmentFault(f"{self.caller} changes {name} {key!r}, which does not exist; look it up first.")
        return table, before

    def _find(self, name: str, key: Key, *, write: bool) -> tuple[Table, Row | None]:
        """A table that the tool may use so, and its row with this key."""
        table = self.declared(name, write=write)
        if (*map(type, key),) != table.key_types:
            self._check_key(table, key)
        return table, self.row(table, key)

    def _check_key(self, table: Table, key: Key) -> None:
        """Refuse a key of another length or other types, since SQLite takes 7 for '7'."""
        if len(key) != len(table.primary_key):
            raise EnvironmentFault(
                f"{self.caller} gives {len(key)} key values for {table.name}; "
                f"its key is {', '.join(table.primary_key)}."
            )
        for name, value in zip(table.primary_key, key, strict=True):
            if not isinstance(value, _PYTHON_TYPES[table.by_name[name].type]):
                kind = table.by_name[name].type
                raise EnvironmentFault(f"{self.caller} looks for {table.name}.{name} {value!r}, which is {kind}.")

    def _storable(self, table: Table, values: Mapping[str, Value]) -> dict[str, Value]:
        """Check names and exact types, since even STRICT tables turn '7' into 7 and NaN into NULL."""
        stored: dict[str, Value] = {}
        for name, value in values.items():
            column = table.by_name.get(name)
            if column is None:
                have = ", ".join(table.column_names)
                raise EnvironmentFault(f"{self.caller} writes unknown column {table.name}.{name}; have: {have}.")
            if type(value) is str and column.type == "TEXT":
                stored[name] = value
                continue
            if isinstance(value, bool):
                value = int(value)
            if value is not None and not isinstance(value, _PYTHON_TYPES[column.type]):
                raise EnvironmentFault(
                    f"{self.caller} writes {value!r} to {table.name}.{name}, which is {column.type}."
                )
            if isinstance(value, float) and not math.isfinite(value):
                raise Rejection.invalid_argument(f"{_spoken_column(table, name)} would become {value}.")
            if isinstance(value, int) and not -(2**63) <= value < 2**63:
                raise Rejection.invalid_argument(f"{_spoken_column(table, name)} would outgrow 64 bits.")
            # SQLite keeps no negative zero.
            stored[name] = float(value) + 0.0 if column.type == "REAL" and value is not None else value
        return stored

    def _classified(self, error: Exception) -> Exception:
        """Whose fault an error of SQLite is: the call's size, or the tool's SQL."""
        self._interrupted = True
        code = getattr(error, "sqlite_errorname", "")
        if code == "SQLITE_INTERRUPT" or self._guard.is_spent:
            return Rejection.resource_exhausted("This call makes the database do too much; ask for less at once.")
        if code == "SQLITE_FULL":
            return Rejection.resource_exhausted(_FULL)
        if code == "SQLITE_TOOBIG" or isinstance(error, OverflowError) or "integer overflow" in str(error):
            return Rejection.resource_exhausted(_TOO_LONG)
        if _OUTGROWN.search(str(error)):
            return Rejection.resource_exhausted(f"A query of this call is too large: {error!s:.200}.")
        if self._guard.refusal:
            refusal, self._guard.refusal = self._guard.refusal, ""
            return EnvironmentFault(f"{self.caller} {refusal}.")
        return EnvironmentFault(f"{self.caller} runs SQL that fails: {error!s:.200}.")


_UNREAD: Row = ("unread",)
_TEXT_PER_STEP = 64  # characters
_TEXT_PER_CHECK = 128  # characters that an operation of a CHECK, or an index, goes over in a step
_STATEMENT_STEPS = 30  # code steps that preparing and running a statement counts for
_SHORT_SQL = 500  # characters
_ENTRIES_PER_STEP = 4  # keys of several columns that are compared
_FREE_PLANS, _PLAN_STEPS = 50, 300  # statements that are planned in a call, and what one more costs
_OUTGROWN = re.compile(r"^(too many |at most \d+ tables|Expression tree|parser stack|.*too complex|string or blob)")
_TOO_LONG = "A value in this call outgrew its limit; ask for less at once."
_FULL = "The database has reached its size limit; nothing was stored."
_PYTHON_TYPES: dict[str, type | tuple[type, ...]] = {"INTEGER": int, "REAL": (int, float), "TEXT": str}


def _steps_for(rows: list[Row]) -> int:
    """What reading rows counts for: their columns, and their text, which stays in memory."""
    if not rows:
        return 0
    text = sum([len(value) for row in rows for value in row if isinstance(value, (str, bytes))])
    if text > _SHORT_SQL:
        allocate(text)
    return len(rows) * (2 + len(rows[0]) // 4) + text // _TEXT_PER_STEP


def _is_too_long(error: Exception) -> bool:
    return getattr(error, "sqlite_errorname", "") == "SQLITE_TOOBIG"


def make_id(table: Table, number: int) -> str | int:
    """The key that a counter value stands for: 7, or LOAN-0007 for a TEXT key of table loan."""
    text = table.by_name[table.primary_key[0]].type == "TEXT"
    return f"{table.name.upper()}-{number:04d}" if text else number


def _as_selected(table: Table, row: Row) -> Row:
    """A row of RETURNING, which gives 5 for a REAL of 5.0, as a SELECT gives it."""
    return tuple(
        float(value) if type(value) is int and column.type == "REAL" else value
        for value, column in zip(row, table.columns, strict=True)
    )


def _spoken_column(table: Table, name: str) -> str:
    return f"The {spoken(name)} of the {spoken(table.name)}"


def _broken_constraint(table: Table, error: sqlite3.IntegrityError, verb: str) -> Exception:
    """A declared constraint is a rule of the domain: breaking it is a rejection, unless only a tool's bug can."""
    code, text = error.sqlite_errorname, str(error)
    subject = spoken(table.name)
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
