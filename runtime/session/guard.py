"""Hold every SQL statement of a tool to its declared tables, within a counted budget, on the session's clock."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection

from runtime.sandbox.sqlite import MOST_COLUMNS

SqlValue = str | int | float | bytes | None

SQL_TICK = 1_000  # virtual-machine operations between two counts
_CLOCK_FUNCTIONS = frozenset({"date", "time", "datetime", "julianday", "strftime", "unixepoch"})
_FUNCTIONS = _CLOCK_FUNCTIONS | {
    *("abs", "avg", "char", "coalesce", "count", "cume_dist", "dense_rank", "first_value", "format", "glob"),
    *("group_concat", "hex", "ifnull", "iif", "instr", "lag", "last_value", "lead", "length", "like", "likelihood"),
    *("likely", "lower", "ltrim", "max", "min", "nth_value", "ntile", "nullif", "percent_rank", "printf", "quote"),
    *("rank", "replace", "round", "row_number", "rtrim", "sign", "substr", "substring", "sum", "total", "trim"),
    *("typeof", "unicode", "unlikely", "upper"),
}
_MACHINE_WORDS = frozenset({"localtime", "utc", "subsec", "subsecond"})  # the last two: from SQLite 3.42, also `now`


class Guard:
    """The authorizer and progress handler of one connection.

    The authorizer runs when a statement is prepared, not when it runs: whoever prepares for a tool sets `reads` before
    and back to None after, and must make the SQL text the tool's own, so that a cached statement of one tool never
    serves another.
    """

    def __init__(self, connection: sqlite3.Connection, tables: Collection[str], now: str) -> None:
        self.now = now  # for date functions
        self.reads: Collection[str] | None = None  # the tables a tool's statement may read; None: ours may do anything
        self.refusal = ""  # why the last statement was not authorized
        names = connection.execute("SELECT lower(name) FROM sqlite_schema").fetchall()
        self._there = {*(name for (name,) in names), *(table.lower() for table in tables)}
        self._steps = self._most_steps = 0
        self._counting = False
        for name in _CLOCK_FUNCTIONS:
            connection.create_function(name, -1, _clocked(name, self), deterministic=True)
        connection.setlimit(sqlite3.SQLITE_LIMIT_COLUMN, MOST_COLUMNS)
        connection.set_authorizer(self._authorize)
        connection.set_progress_handler(self._count, SQL_TICK)

    def enter(self, most_steps: int) -> None:
        """Count statements from here on, as those of one call."""
        self._steps = 0
        self._most_steps = most_steps
        self._counting = True

    def leave(self) -> None:
        self._counting = False

    @property
    def is_spent(self) -> bool:
        return self._steps > self._most_steps

    def _count(self) -> bool:
        if not self._counting:  # a scan of ours outside a call is never interrupted
            return False
        self._steps += SQL_TICK
        return self.is_spent

    def _authorize(self, action: int, first: str | None, second: str | None, _: str | None, __: str | None) -> int:
        if self.reads is None or action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE):
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ:
            # Without a column, the name is as it was written, and may be that of a common table expression; virtual
            # tables are stopped where they are made.
            name = str(first).lower()
            is_expression = not second and name not in self._there and not name.startswith("sqlite_")
            if is_expression or name in {table.lower() for table in self.reads}:
                return sqlite3.SQLITE_OK
            self.refusal = f"reads table {name!r}, which it does not declare"
        elif action == sqlite3.SQLITE_FUNCTION:
            if second in _FUNCTIONS:
                return sqlite3.SQLITE_OK
            self.refusal = f"calls the SQL function {second}(), which is not allowed"
        else:
            self.refusal = "runs a statement that does more than SELECT; write through insert, update and delete"
        return sqlite3.SQLITE_DENY


def _clocked(name: str, guard: Guard) -> Callable[..., SqlValue]:
    """Return one of SQLite's date functions, in which `now` is the guard's and there is no local time zone."""
    position = 1 if name == "strftime" else 0

    def function(*values: SqlValue) -> SqlValue:
        words = [value.strip().lower() if isinstance(value, str) else value for value in values]
        if not _MACHINE_WORDS.isdisjoint(words):
            return None
        if len(values) == position:
            values = (*values, guard.now)
        elif words[position] == "now":
            values = (*values[:position], guard.now, *values[position + 1 :])
        answer: SqlValue
        (answer,) = _reference.execute(f"SELECT {name}({', '.join('?' * len(values))})", values).fetchone()
        return answer

    return function


# A connection without data, for what SQLite itself makes of some values; SQLite locks it for one thread at a time.
_reference = sqlite3.connect(":memory:", check_same_thread=False)
