"""Hold every SQL statement of a tool to reading its declared tables, within a counted budget, on the frozen clock."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection

from runtime.sandbox.creating import MOST_COLUMNS
from runtime.session.sql_functions import CLOCK_FUNCTIONS, PAID_FUNCTIONS, install

SQL_TICK = 1_000  # virtual-machine operations between two counts

_TEXT_FUNCTIONS = frozenset(
    {"char", "format", "group_concat", "hex", "length", "lower", "ltrim", "printf", "quote", "rtrim", "substr"}
    | {"substring", "trim", "unicode", "upper"}
)
_FUNCTIONS = frozenset(
    PAID_FUNCTIONS
    | _TEXT_FUNCTIONS
    | {"abs", "avg", "coalesce", "count", "ifnull", "iif", "likelihood", "likely", "max", "min", "nullif", "round"}
    | {"sign", "sum", "total", "typeof", "unlikely"}
    | {"cume_dist", "dense_rank", "first_value", "lag", "last_value", "lead", "nth_value", "ntile", "percent_rank"}
    | {"rank", "row_number"}
)


class Guard:
    """The authorizer and progress handler of one connection.

    The authorizer runs when a statement is prepared, not when it runs: whoever prepares for a tool sets `reads` before
    and back to None after, and must make the SQL text the tool's own, so that a cached statement of one tool never
    serves another.
    """

    def __init__(self, connection: sqlite3.Connection, tables: Collection[str], now: str) -> None:
        self.reads: Collection[str] | None = None  # the tables a tool's statement may read; None: ours may do anything
        self.refusal = ""  # why the last statement was not authorized
        self._connection = connection
        self._tables = tables
        self._now = now
        self._steps = self._most_steps = 0
        self._wanted = ""  # the function that a statement was refused for because it is not installed yet
        self._installed: set[str] = set()
        self._counting = False
        connection.setlimit(sqlite3.SQLITE_LIMIT_COLUMN, MOST_COLUMNS)
        connection.set_authorizer(self._authorize)
        connection.set_progress_handler(self._count, SQL_TICK)

    def enter(self, most_steps: int) -> None:
        """Count statements from here on, as those of one call."""
        self._steps = 0
        self._most_steps = most_steps
        self._counting = True

    def leave(self) -> None:
        """Stop counting."""
        self._counting = False

    @property
    def is_spent(self) -> bool:
        """True if the call used up its SQL budget."""
        return self._steps > self._most_steps

    def pay(self, steps: int) -> None:
        """Count what a function of ours does as operations of SQLite; its statement fails when there are none left."""
        self._steps += steps
        if self._steps > self._most_steps and self._counting:
            raise _Spent

    def install_wanted(self) -> bool:
        """Install the function that the last statement needs; False if it failed for another reason."""
        wanted, self._wanted = self._wanted, ""
        if not wanted:
            return False
        for name in CLOCK_FUNCTIONS if wanted in CLOCK_FUNCTIONS else [wanted]:
            install(self._connection, name, self.pay, self._now)
            self._installed.add(name)
        self.refusal = ""
        return True

    def _count(self) -> int:
        if not self._counting:  # a scan of ours outside a call is never interrupted
            return 0
        self._steps += SQL_TICK
        return self.is_spent

    def _authorize(self, action: int, first: str | None, second: str | None, _: str | None, __: str | None) -> int:
        if self.reads is None or action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE):
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ:
            # A name that is not a table is a common table expression; virtual tables are stopped where they are made.
            if first in self.reads or (first not in self._tables and not str(first).startswith("sqlite_")):
                return sqlite3.SQLITE_OK
            self.refusal = f"reads table {first!r}, which it does not declare"
        elif action == sqlite3.SQLITE_FUNCTION:
            if second in PAID_FUNCTIONS and second not in self._installed:
                self._wanted = self.refusal = str(second)
            elif second in _FUNCTIONS:
                return sqlite3.SQLITE_OK
            else:
                self.refusal = f"calls the SQL function {second}(), which is not allowed"
        else:
            self.refusal = "runs a statement that does more than SELECT; write through insert, update and delete"
        return sqlite3.SQLITE_DENY


class _Spent(Exception):
    """Raised within a function of SQL, where only the statement learns of it."""
