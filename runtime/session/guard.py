"""Hold every SQL statement of a tool to reading its declared tables, within a counted budget, on the frozen clock."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection
from functools import lru_cache

from runtime.sandbox.creating import MOST_COLUMNS
from runtime.session.sql_functions import CLOCK_FUNCTIONS, PAID_FUNCTIONS, install

SQL_TICK = 100  # virtual-machine operations between two counts
SHORT, LONG = 1_000, 16_000  # bytes
_PLAIN, _TEXTUAL = (1, 16, 256), (16, 128, 1_024)
"""What an operation counts for where no text is longer than SHORT, than LONG, or than a session allows at all.

Textual is a statement with a function of texts, each call of which is one operation, or one that keeps rows before it
gives the first.
"""

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
_KEEPS_ROWS = re.compile(
    rf"\|\||\b(?:order|group|distinct|union|intersect|except|with|over|{'|'.join(sorted(_TEXT_FUNCTIONS))})\b"
    r"|\bselect\b.*\bselect\b",
    re.IGNORECASE | re.DOTALL,
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
        longest = connection.getlimit(sqlite3.SQLITE_LIMIT_LENGTH)
        self.lengths = (*(length for length in (SHORT, LONG) if length < longest), longest)
        """The bytes that no text may exceed: what a statement is tried with, one after another."""
        self.weight = 1  # of an operation
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
        """From here on, statements are counted, as those of one call, and know short texts only."""
        self._steps = 0
        self._most_steps = most_steps
        self._counting = True
        self.weight = 1
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, self.lengths[0])

    def leave(self) -> bool:
        """From here on, they are not; whether the call used its SQL budget up."""
        self._counting = False
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, self.lengths[-1])
        return self._steps > self._most_steps

    @property
    def is_spent(self) -> bool:
        """Whether the call used its SQL budget up."""
        return self._steps > self._most_steps

    def hold_texts_to(self, length: int, weight: int = 1) -> None:
        """Let no text or row in SQL be longer, so that no operation takes long; each counts for its weight."""
        self.weight = weight
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(length, self.lengths[-1]))

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
        self._steps += SQL_TICK * self.weight
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


@lru_cache(maxsize=1_024)
def weights_of(sql: str) -> tuple[int, ...]:
    """What an operation of a statement counts for, by the length of the texts that it meets."""
    return _TEXTUAL if _KEEPS_ROWS.search(sql) else _PLAIN
