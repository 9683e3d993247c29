"""Spoil good arguments in one way that a careless or a hostile agent might."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from generator.gates.calls.arguments import Rows

UNKNOWN_ID = "an unknown id"
HOSTILE_TEXTS = ("O'Brien", "' OR 1=1 --", '"', "%", "_", "", "Zoë 👩\u200d👧 \u202eabc", "x" * 4_000)  # for every text

_TEXTS = (
    *(
        *HOSTILE_TEXTS,
        " ",
        "\t\n",
        "null",
        "0",
        "-1",
        "*",
        "x" * 201,
        "x" * 4_001,
        "é" * 3_000,
        "e\u0301" * 5,
        "\ufeff",
    ),
    *("İıßſ", "\ud800", "nul\0nul", "'; DROP TABLE member; --", "') UNION SELECT sql FROM sqlite_master --"),
    *("{x!r:>{y}}", "%s%n%d", "../../etc/passwd", "<script>alert(1)</script>", "0x10", "1e999", "٣٤"),
)
_NUMBERS = (
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
_MANY = {f"name{number}": 0 for number in range(501)}  # more arguments than any tool has


class Spoiler:
    """Spoils the arguments of one session's calls."""

    def __init__(self, rows: Rows, chance: random.Random) -> None:
        self._keys = rows.key_values
        self._chance = chance
        self._ways: tuple[tuple[str, Callable[[dict[str, Any]], Any]], ...] = (
            ("an argument left out", self._leave_out),
            ("an unknown argument", self._add),
            ("another type", lambda arguments: self._replace(arguments, chance.choice(_OTHERS))),
            ("an odd text", lambda arguments: self._replace(arguments, chance.choice(_TEXTS))),
            ("an odd number", lambda arguments: self._replace(arguments, chance.choice(_NUMBERS))),
            ("an odd date", lambda arguments: self._replace(arguments, chance.choice(_DATES))),
            (UNKNOWN_ID, self.name_nothing),
            (UNKNOWN_ID, self.name_nothing),
            ("an id of another table", lambda arguments: self._replace(arguments, chance.choice(self._keys or _IDS))),
            ("a deep value", lambda arguments: self._replace(arguments, _nested(chance.choice((9, 60, 1_000))))),
            ("a huge value", lambda arguments: self._replace(arguments, chance.choice(("long " * 20_000, [1] * 501)))),
            ("many arguments", lambda arguments: {**arguments, **_MANY}),
            ("no object", lambda _: chance.choice((None, [], "text", 3, {}, {"": ""}))),
        )

    def spoil(self, arguments: dict[str, Any]) -> tuple[str, Any]:
        """Return how the arguments were spoiled, and what came of them."""
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


def _nested(levels: int) -> Any:
    value: Any = "deep"
    for level in range(levels):
        value = [value] if level % 2 else {"a": value}
    return value


def _with_text(value: Any, text: str) -> Any:
    match value:
        case str():
            return text
        case list():
            return [_with_text(each, text) for each in value]
        case dict():
            return {name: _with_text(each, text) for name, each in value.items()}
    return value
