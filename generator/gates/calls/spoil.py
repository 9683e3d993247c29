"""Spoil good arguments in one way that a careless or a hostile agent might."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from generator.gates.calls.pool import Rows

UNKNOWN_ID = "an unknown id"

HOSTILE_TEXTS = (
    "O'Brien",
    "' OR 1=1 --",
    '"',
    "%",
    "_",
    "",
    "Zoë 👩\u200d👧 \u202eabc",
    "x" * 4_000,
)  # each for every text

_TEXTS = (
    "",
    " ",
    "\t\n",
    "null",
    "None",
    "0",
    "-1",
    "%",
    "_",
    "*",
    "x" * 201,
    "x" * 4_000,
    "x" * 4_001,
    "é" * 3_000,
    "\u202eabc\u202c",
    "e\u0301" * 5,
    "👩\u200d👩\u200d👧",
    "\ufeff",
    "İıßſ",
    "\ud800",
    "nul\0nul",
    "'; DROP TABLE member; --",
    '" OR 1=1 --',
    "') UNION SELECT sql FROM sqlite_master --",
    "{x!r:>{y}}",
    "%s%n%d",
    "../../etc/passwd",
    "<script>alert(1)</script>",
    "0x10",
    "1e999",
    "٣٤",
)
_NUMBERS: tuple[Any, ...] = (
    *(0, -1, 1, 2**31, 2**53 - 1, 2**53, 2**63, -(2**63) - 1, 10**400, -0.0, 0.1, 1e308, -1e308),
    *(float("nan"), float("inf"), float("-inf"), 1.0, 7.5),
)
_DATES = (
    *("2026-02-30", "2026-13-01", "0000-00-00", "0001-01-01", "9999-12-31", "2026-3-1", "20260301", "tomorrow"),
    *("2026-03-01T00:00:00Z", "2026-03-01 24:00:00", "2026-03-01 10:00", "0001-01-01 00:00:00", "9999-12-31 23:59:59"),
    *("-001-01-01", "2026-03-16\n", "٢٠٢٦-٠٣-١٦", " 2026-03-16", "2026-W12-1"),
)
_OTHERS: tuple[Any, ...] = (None, True, False, [], {}, [None], {"a": 1}, [[]], "text", 3)
_IDS = ("NO-SUCH-ID", "X-0000", "no_such_9999", "")


class Spoiler:
    """Spoils the arguments of one session's calls."""

    def __init__(self, rows: Rows, chance: random.Random) -> None:
        self._rows = rows
        self._chance = chance
        self._ways: tuple[tuple[str, Callable[[dict[str, Any]], Any]], ...] = (
            ("an argument left out", self._leave_out),
            ("an unknown argument", self._add),
            ("another type", self._replace_by(_OTHERS)),
            ("an odd text", self._replace_by(_TEXTS)),
            ("an odd number", self._replace_by(_NUMBERS)),
            ("an odd date", self._replace_by(_DATES)),
            (UNKNOWN_ID, self.name_nothing),
            (UNKNOWN_ID, self.name_nothing),
            ("an id of another table", self._confuse),
            ("a deep value", self._deepen),
            ("a huge value", self._enlarge),
            ("no object", self._replace_all),
        )

    def spoil(self, arguments: dict[str, Any]) -> tuple[str, Any]:
        """How the arguments were spoilt, and what came of them."""
        way, change = self._chance.choice(self._ways)
        return way, change(dict(arguments))

    def name_nothing(self, arguments: dict[str, Any], name: str | None = None) -> dict[str, Any]:
        """Let one text or number name a row that does not exist."""
        names = [key for key, value in arguments.items() if type(value) in (str, int, list)]
        if name is None and names:
            ids = [key for key in names if key.endswith(("_id", "_ids"))]
            name = self._chance.choice(ids if ids and self._chance.random() < 0.7 else names)
        if name is None:
            return self._add(arguments)
        unknown: Any = self._chance.choice(_IDS)
        match arguments[name]:
            case int():
                unknown = self._chance.choice((-1, 0, 999_999_999))
            case list() as items:
                unknown = [*items[:1], 999_999_999 if items and isinstance(items[0], int) else unknown]
        return {**arguments, name: unknown}

    def put_text(self, arguments: dict[str, Any], name: str, text: str) -> dict[str, Any]:
        """Let one argument be a text, or the texts within it."""
        return {**arguments, name: _with_text(arguments[name], text)}

    def _leave_out(self, arguments: dict[str, Any]) -> dict[str, Any]:
        if arguments:
            del arguments[self._chance.choice(list(arguments))]
        return arguments

    def _add(self, arguments: dict[str, Any]) -> dict[str, Any]:
        name = self._chance.choice(("db", "self", "limit", "", "a b", "__class__", "\ud800", "x" * 500, "ID"))
        return {**arguments, name: self._chance.choice(_OTHERS)}

    def _replace_by(self, values: tuple[Any, ...]) -> Callable[[dict[str, Any]], dict[str, Any]]:
        return lambda arguments: self._replace(arguments, self._chance.choice(values))

    def _replace(self, arguments: dict[str, Any], value: Any) -> dict[str, Any]:
        """Put a value in the place of an argument, or of something within it."""
        if not arguments:
            return arguments
        name = self._chance.choice(list(arguments))
        inner = arguments[name]
        if isinstance(inner, list) and inner and self._chance.random() < 0.6:
            if isinstance(inner[0], dict) and self._chance.random() < 0.6:
                value = self._replace(dict(inner[0]), value)
            value = [value, *inner[1:]]
        elif isinstance(inner, dict) and inner and self._chance.random() < 0.6:
            value = self._replace(dict(inner), value)
        return {**arguments, name: value}

    def _confuse(self, arguments: dict[str, Any]) -> dict[str, Any]:
        keys = self._rows.key_values
        return self._replace(arguments, self._chance.choice(keys)) if keys else arguments

    def _deepen(self, arguments: dict[str, Any]) -> dict[str, Any]:
        value: Any = "deep"
        for level in range(self._chance.choice((9, 60, 1_000))):
            value = [value] if level % 2 else {"a": value}
        return self._replace(arguments, value)

    def _enlarge(self, arguments: dict[str, Any]) -> dict[str, Any]:
        size = self._chance.choice((500, 501, 20_000))
        shape = self._chance.choice(("text", "list", "names"))
        if shape == "text":
            return self._replace(arguments, "long " * size)
        if shape == "list":
            return self._replace(arguments, [1] * size)
        return {**arguments, **_many_names(size)}

    def _replace_all(self, _: dict[str, Any]) -> Any:
        return self._chance.choice((None, [], "text", 3, {}, {"": ""}))


def _with_text(value: Any, text: str) -> Any:
    match value:
        case str():
            return text
        case list():
            return [_with_text(each, text) for each in value]
        case dict():
            return {name: _with_text(each, text) for name, each in value.items()}
    return value


@lru_cache
def _many_names(count: int) -> dict[str, int]:
    """More arguments than any tool has."""
    return {f"name{number}": 0 for number in range(count)}
