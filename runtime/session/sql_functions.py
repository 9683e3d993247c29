"""SQL functions in the form that a tool's statements get: those that read the clock, and those that one call of could
hold SQLite up for long.

SQLite counts its own steps between functions, not within them. So a function whose work grows faster than its texts is
replaced by one that pays first; one whose work grows as its texts do is bounded by their length (see `guard`).
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from functools import lru_cache

SqlValue = str | int | float | bytes | None
Pay = Callable[[int], None]

CLOCK_FUNCTIONS = frozenset({"date", "time", "datetime", "julianday", "strftime", "unixepoch"})
_LENGTHS = {"like": (2, 3), "glob": (2,), "instr": (2,), "replace": (3,), "trim": (2,), "ltrim": (2,), "rtrim": (2,)}
_SEARCHES = frozenset({"like", "instr", "replace"})  # each place of the one may be compared with all of the other
_PRINTING = frozenset({"printf", "format"})
PAID_FUNCTIONS = frozenset(_LENGTHS) | _PRINTING | CLOCK_FUNCTIONS

_TEXT, _NULL_AND_TEXT = {str}, {str, type(None)}
_STEPS = 120  # of SQLite, in the time that a function of ours takes
_STEPS_IN_SQLITE = 500  # when SQLite itself is asked
_CHARACTERS_PER_STEP = 8
_WITHOUT_END = 1 << 60
_LONGEST = 1 << 20  # bytes of a text that SQLite is asked for
_MACHINE_WORDS = frozenset({"localtime", "utc", "subsec", "subsecond"})  # the last two: from SQLite 3.42, also `now`


def install(connection: sqlite3.Connection, name: str, pay: Pay, now: str) -> None:
    """Put our form of a function in the place of SQLite's own."""
    function = (
        _clocked(name, pay, now)
        if name in CLOCK_FUNCTIONS
        else _printing(name, pay)
        if name in _PRINTING
        else _paid(name, pay)
    )
    for count in _LENGTHS.get(name, (-1,)):
        connection.create_function(name, count, function, deterministic=True)


def _clocked(name: str, pay: Pay, now: str) -> Callable[..., SqlValue]:
    """One of SQLite's date functions, in which `now` is the frozen clock and the machine's time zone does not exist."""
    position = 1 if name == "strftime" else 0

    def function(*values: SqlValue) -> SqlValue:
        words = [_word(value) for value in values]
        if not _MACHINE_WORDS.isdisjoint(words):
            return None
        if len(values) == position:
            values = (*values, now)
        elif words[position] == "now":
            values = (*values[:position], now, *values[position + 1 :])
        pay(_STEPS_IN_SQLITE + sum(map(_size, values)))
        return _ask_sqlite(name, values)

    return function


def _printing(name: str, pay: Pay) -> Callable[..., SqlValue]:
    """SQLite's own gives NULL for a text that is too long."""

    def function(*values: SqlValue) -> SqlValue:
        pay(_STEPS_IN_SQLITE + sum(map(_size, values)))
        answer = _ask_sqlite(name, values)
        pay(_size(answer) if answer is not None or not values or values[0] is None else _WITHOUT_END)
        return answer

    return function


def _paid(name: str, pay: Pay) -> Callable[..., SqlValue]:
    quick = _QUICK[name]

    def function(*values: SqlValue) -> SqlValue:
        sizes = [*map(_size, values)]
        kinds = set(map(type, values))
        if kinds == _NULL_AND_TEXT and name != "replace":
            pay(_STEPS)
            return None
        if kinds == _TEXT:
            pay(_STEPS + sum(sizes) // _CHARACTERS_PER_STEP)
            if name in _SEARCHES:
                pay(sizes[0] * sizes[1] // _CHARACTERS_PER_STEP)
            answer = quick(pay, *values)
            if answer is not None:
                return answer
        pay(_STEPS_IN_SQLITE + sum(sizes) + sizes[0] * sizes[1] // _CHARACTERS_PER_STEP)
        return _ask_sqlite(name, values)

    def find(text: SqlValue, part: SqlValue) -> SqlValue:
        """What `function` does, in a third of the time: a search calls it for each row."""
        if type(text) is not str or type(part) is not str:
            return function(text, part)
        pay(_STEPS + (len(text) + len(part)) // _CHARACTERS_PER_STEP)
        return text.find(part) + 1

    return find if name == "instr" else function


def _like(pay: Pay, pattern: str, text: str, escape: str = "") -> int | None:
    parts = _parts(pattern)
    if parts is None or escape or "\0" in text:
        return None
    text = _folded(text)
    if len(parts) == 1:
        return int(text == parts[0])
    start, end = len(parts[0]), len(text) - len(parts[-1])
    if start > end or not (text.startswith(parts[0]) and text.endswith(parts[-1])):
        return 0
    for part in parts[1:-1]:
        found = text.find(part, start, end)
        if found < 0:
            return 0
        start = found + len(part)
    return 1


@lru_cache(maxsize=256)
def _parts(pattern: str) -> list[str] | None:
    """What stands between the % of a pattern, unless it asks for more than that."""
    return None if "_" in pattern or "\0" in pattern else _folded(pattern).split("%")


_CAPITALS = {ord(letter): letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}


def _folded(text: str) -> str:
    """Lower case, of the letters that SQLite knows."""
    return text.lower() if text.isascii() else text.translate(_CAPITALS)


def _glob(pay: Pay, pattern: str, text: str) -> None:
    return None


def _instr(pay: Pay, text: str, part: str) -> int:
    return text.find(part) + 1


def _replace(pay: Pay, text: str, part: str, by: str) -> str:
    if not part:
        return text
    pay(text.count(part) * len(by) // _CHARACTERS_PER_STEP)
    return text.replace(part, by)


def _trim(strip: Callable[[str, str], str]) -> Callable[[Pay, str, str], str | None]:
    def trimmed(pay: Pay, text: str, letters: str) -> str | None:
        if "\0" in letters:
            return None
        pay(len(text) * len(letters) // 64)
        return strip(text, letters) if letters else text

    return trimmed


_QUICK: dict[str, Callable[..., SqlValue]] = {
    "like": _like,
    "glob": _glob,
    "instr": _instr,
    "replace": _replace,
    "trim": _trim(str.strip),
    "ltrim": _trim(str.lstrip),
    "rtrim": _trim(str.rstrip),
}


def _size(value: SqlValue) -> int:
    return len(value) if isinstance(value, str | bytes) else 8


def _word(value: SqlValue) -> SqlValue:
    """A text as SQLite's date functions read it: bytes are text too, and a NUL ends it."""
    if isinstance(value, bytes):
        value = value.decode(errors="replace")
    return value.partition("\0")[0].strip().lower() if isinstance(value, str) else value


class _ReferenceConnection:
    """A connection of nobody's, for what SQLite itself makes of some values."""

    lock = threading.Lock()
    connection: sqlite3.Connection | None = None


def _ask_sqlite(name: str, values: tuple[SqlValue, ...]) -> SqlValue:
    with _ReferenceConnection.lock:
        if _ReferenceConnection.connection is None:
            _ReferenceConnection.connection = sqlite3.connect(":memory:", check_same_thread=False)
            _ReferenceConnection.connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
        marks = ", ".join("?" * len(values))
        answer: SqlValue
        (answer,) = _ReferenceConnection.connection.execute(f"SELECT {name}({marks})", values).fetchone()
        return answer
