"""Hold every SQL statement of a tool to reading its declared tables, within a counted budget, on the frozen clock."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Collection

SQL_TICK = 1_000  # virtual-machine operations between two counts

_CLOCK_FUNCTIONS = frozenset({"date", "time", "datetime", "julianday", "strftime", "unixepoch"})
_FUNCTIONS = _CLOCK_FUNCTIONS | {
    *("abs", "avg", "char", "coalesce", "count", "format", "glob", "group_concat", "hex", "ifnull", "iif", "instr"),
    *("length", "like", "likelihood", "likely", "lower", "ltrim", "max", "min", "nullif", "printf", "quote", "replace"),
    *(
        "round",
        "rtrim",
        "sign",
        "substr",
        "substring",
        "sum",
        "total",
        "trim",
        "typeof",
        "unicode",
        "unlikely",
        "upper",
    ),
    *("cume_dist", "dense_rank", "first_value", "lag", "last_value", "lead", "nth_value", "ntile", "percent_rank"),
    *("rank", "row_number"),
}


class Guard:
    """The authorizer and progress handler of one connection.

    The authorizer runs when a statement is prepared, not when it runs: whoever prepares for a tool sets `reads` before
    and back to None after, and must make the SQL text the tool's own, so that a cached statement of one tool never
    serves another.
    """

    def __init__(self, connection: sqlite3.Connection, tables: Collection[str], now: str) -> None:
        self.reads: Collection[str] | None = None  # the tables a tool's statement may read; None: ours may do anything
        self.refusal = ""  # why the last statement was not authorized
        self.ticks = 0
        self._connection = connection
        self._tables = tables
        self._now = now
        self._most_ticks = 0
        self._clock_installed = False
        self._counting = False
        connection.set_authorizer(self._authorize)
        connection.set_progress_handler(self._count, SQL_TICK)

    def enter(self, most_ticks: int) -> None:
        """From here on, statements are counted, as those of one call."""
        self.ticks = 0
        self._most_ticks = most_ticks
        self._counting = True

    def leave(self) -> bool:
        """From here on, they are not; whether the call used its SQL budget up."""
        self._counting = False
        return self.ticks > self._most_ticks

    def install_clock(self) -> bool:
        """Make SQL's date functions read the frozen clock; False if they did already."""
        if self._clock_installed:
            return False
        for name in sorted(_CLOCK_FUNCTIONS):
            self._connection.create_function(name, -1, _Clocked(name, self._now), deterministic=True)
        self._clock_installed = True
        self.refusal = ""
        return True

    def _count(self) -> int:
        if not self._counting:  # a scan of ours outside a call is never interrupted
            return 0
        self.ticks += 1
        return self.ticks > self._most_ticks

    def _authorize(self, action: int, first: str | None, second: str | None, _: str | None, __: str | None) -> int:
        if self.reads is None or action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE):
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ:
            # A name that is no table is a common table expression; virtual tables are stopped where they are made.
            if first in self.reads or (first not in self._tables and not str(first).startswith("sqlite_")):
                return sqlite3.SQLITE_OK
            self.refusal = f"reads table {first!r}, which it does not declare"
        elif action == sqlite3.SQLITE_FUNCTION:
            if second in _CLOCK_FUNCTIONS and not self._clock_installed:
                self.refusal = "needs the clock"
            elif second in _FUNCTIONS:
                return sqlite3.SQLITE_OK
            else:
                self.refusal = f"calls the SQL function {second}(), which is not allowed"
        else:
            self.refusal = "runs a statement that does more than SELECT; write through insert, update and delete"
        return sqlite3.SQLITE_DENY


_MACHINE_WORDS = frozenset({"localtime", "utc", "subsec", "subsecond"})  # the last two: from SQLite 3.42, also `now`


class _Clocked:
    """One of SQLite's date functions, in which `now` is the frozen clock and the machine's time zone does not exist."""

    _lock = threading.Lock()
    _reference: sqlite3.Connection | None = None

    def __init__(self, name: str, now: str) -> None:
        self._name = name
        self._now = now
        self._time_position = 1 if name == "strftime" else 0

    def __call__(self, *values: object) -> str | int | float | None:
        position = self._time_position
        words = [_word(value) for value in values]
        if not _MACHINE_WORDS.isdisjoint(words):
            return None
        if len(values) == position:
            values = (*values, self._now)
        elif words[position] == "now":
            values = (*values[:position], self._now, *values[position + 1 :])
        with self._lock:
            if _Clocked._reference is None:
                _Clocked._reference = sqlite3.connect(":memory:", check_same_thread=False)
            marks = ", ".join("?" * len(values))
            answer: str | int | float | None
            (answer,) = _Clocked._reference.execute(f"SELECT {self._name}({marks})", values).fetchone()
            return answer


def _word(value: object) -> object:
    """A text as SQLite's date functions read it: bytes are text too, and a NUL ends it."""
    if isinstance(value, bytes):
        value = value.decode(errors="replace")
    return value.partition("\0")[0].strip().lower() if isinstance(value, str) else value
