"""Decide how good arguments are spoiled, in one way that a careless or a hostile agent might."""

from __future__ import annotations

import random
from typing import Any

from generator.gates.calls.start import Start

UNKNOWN_ID = "an unknown id"
HOSTILE_TEXTS = ("O'Brien", "' OR 1=1 --", '"', "%", "_", "", "Zoë 👩\u200d👧 \u202eabc", "x" * 4_000)  # for every text

_TEXTS = (
    *HOSTILE_TEXTS,
    *(" ", "\t\n", "null", "-1", "*", "e\u0301" * 5, "\ufeff", "İıßſ", "\ud800", "nul\0nul"),
    "'; DROP TABLE member; --",
    *("%s%n%d", "1e999", "٣٤", "2026-02-30", "0000-00-00", "9999-12-31", "2026-3-1", "tomorrow"),
    *("0001-01-01 00:00:00", "9999-12-31 23:59:59", "2026-03-01 24:00:00", "2026-03-16\n"),
)
_NUMBERS = (0, -1, 1, 2**31, 2**53, 2**63, 10**400, -0.0, 0.1, 1e308, float("nan"), float("inf"), 1.0, 7.5)
_OTHERS: tuple[Any, ...] = (None, True, False, [], {}, [None], {"a": 1}, [[]], "text", 3, [1] * 501)
_IDS = ("NO-SUCH-ID", "X-0000", "no_such_9999", "")
_NAMES = ("db", "self", "limit", "", "a b", "__class__", "x" * 500)  # of arguments that are not parameters


class Spoiler:
    """Spoils the arguments of calls on one start."""

    def __init__(self, start: Start, chance: random.Random) -> None:
        keys = [key for values in start.keys.values() for key in values]  # of whatever table
        self._values: tuple[Any, ...] = (_OTHERS, _TEXTS, _NUMBERS, keys or _IDS)
        self._chance = chance

    def spoil(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments with something left out, added, or replaced."""
        chance = self._chance
        match chance.choice(("leave out", "add", *["replace"] * 8)):
            case "leave out":
                left_out = chance.choice([*arguments, ""])
                return {name: value for name, value in arguments.items() if name != left_out}
            case "add":
                return {**arguments, chance.choice(_NAMES): chance.choice(_OTHERS)}
        return self._replace(arguments, chance.choice(chance.choice(self._values)))

    def name_nothing(self, arguments: dict[str, Any], name: str | None = None) -> dict[str, Any]:
        """Let one text or number name a row that does not exist."""
        names = [key for key, value in arguments.items() if type(value) in (str, int, list)]
        if name is None and names:
            ids = [key for key in names if key.endswith(("_id", "_ids"))]
            name = self._chance.choice(ids if ids and self._chance.random() < 0.7 else names)
        if name is None:
            return arguments
        unknown: Any = self._chance.choice(_IDS)
        match arguments[name]:
            case int():
                unknown = self._chance.choice((-1, 0, 999_999_999))
            case list() as items:
                unknown = [*items[:1], 999_999_999 if items and isinstance(items[0], int) else unknown]
        return {**arguments, name: unknown}

    def _replace(self, arguments: dict[str, Any], value: Any) -> dict[str, Any]:
        """Put a value in the place of an argument, or of something within it."""
        if not arguments:
            return arguments
        name = self._chance.choice(list(arguments))
        inner = arguments[name]
        if isinstance(inner, list) and inner and self._chance.random() < 0.6:
            if isinstance(inner[0], dict):
                value = self._replace(inner[0], value)
            value = [value, *inner[1:]]
        elif isinstance(inner, dict) and self._chance.random() < 0.6:
            value = self._replace(inner, value)
        return {**arguments, name: value}


def put_text(value: Any, text: str) -> Any:
    """Return a value in which every text is another one."""
    match value:
        case str():
            return text
        case list():
            return [put_text(each, text) for each in value]
        case dict():
            return {name: put_text(each, text) for name, each in value.items()}
    return value
