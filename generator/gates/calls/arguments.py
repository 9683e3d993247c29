"""Make arguments that a tool's input schema allows, out of live values where there are some."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from generator.gates.calls.pool import Pool
from runtime.domain.tool import Tool

_DATE = r"^\d{4}-\d{2}-\d{2}$"
_TIMESTAMP = r"^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}$"
_WORDS = (
    "Please call first",
    "urgent",
    "a",
    "Zoë O'Brien",
    "new address",
    "blue, size 7",
    "ada@example.org",
    "2",
    "north",
)
_DAYS = (0, 0, 1, -1, 2, 7, 14, -14, 30, 90, -400, 400)


class ArgumentMaker:
    """Makes arguments for the tools of one session."""

    def __init__(self, pool: Pool, now: str, chance: random.Random) -> None:
        self._pool = pool
        self._now = datetime.fromisoformat(now)
        self._chance = chance

    def make(self, tool: Tool, also: str = "") -> dict[str, Any]:
        """Arguments for one call; what is optional is left out half of the time, but for the one that is named."""
        self._pool.begin_call()
        schema = tool.arguments.schema
        arguments = self._object(schema, schema, tool.reads)
        if also and arguments.get(also) is None:
            filled = _filled(schema["properties"][also])
            arguments[also] = self._value(also, filled, schema, tool.reads)
        return arguments

    def _object(self, part: Mapping[str, Any], whole: Mapping[str, Any], tables: frozenset[str]) -> dict[str, Any]:
        required = part.get("required", ())
        return {
            name: self._value(name, field, whole, tables)
            for name, field in part.get("properties", {}).items()
            if name in required or self._chance.random() < 0.5
        }

    def _value(self, name: str, part: Mapping[str, Any], whole: Mapping[str, Any], tables: frozenset[str]) -> Any:
        chance = self._chance
        if "$ref" in part:
            part = {**part, **whole["$defs"][part["$ref"].rpartition("/")[2]]}
        if "anyOf" in part:
            # Null is one choice among others, but not the one to try most.
            choices = [each for each in part["anyOf"] if each.get("type") != "null" or chance.random() < 0.3]
            return self._value(name, chance.choice(choices or part["anyOf"]), whole, tables)
        if "const" in part:
            return part["const"]
        if "enum" in part:
            return chance.choice(part["enum"])
        match part.get("type"):
            case "string":
                return self._text(name, part, tables)
            case "integer" | "number":
                return self._number(name, part, tables)
            case "boolean":
                return chance.random() < 0.5
            case "array":
                least = part.get("minItems", 0)
                count = chance.randint(least, min(part.get("maxItems", least + 3), least + 3))
                return [self._value(name, part.get("items", {}), whole, tables) for _ in range(count)]
            case "object" if "properties" in part:
                return self._object(part, whole, tables)
            case "object":
                inner = part.get("additionalProperties")
                inner = inner if isinstance(inner, Mapping) else {"type": "string"}
                names = ["a", "b", self._pool.words(tables)][: chance.randint(0, 3)]
                return {each: self._value(each, inner, whole, tables) for each in names}
            case "null":
                return None
            case _:
                return self._text(name, part, tables)

    def _text(self, name: str, part: Mapping[str, Any], tables: frozenset[str]) -> str:
        chance = self._chance
        live = self._pool.value(name, tables)
        if part.get("pattern") in (_DATE, _TIMESTAMP):
            return self._moment(live, part["pattern"] == _DATE)
        least, most = part.get("minLength", 0), part.get("maxLength", 4_000)
        if not isinstance(live, str) or chance.random() < 0.1:
            live = self._pool.words(tables) if chance.random() < 0.5 else chance.choice(_WORDS)
        elif len(live) > 3 and not any(letter.isdigit() for letter in live) and chance.random() < 0.2:
            live = live.lower()[: chance.randint(2, len(live))]
        elif chance.random() < 0.3 and not self._pool.names_row(name, tables):
            live = self._unlike(live)
        return live.ljust(least, "x")[: max(most, least)]

    def _unlike(self, text: str) -> str:
        """A text of the same form that nobody has yet: other digits, or some more."""
        digits = [str(self._chance.randrange(10)) if letter.isdigit() else letter for letter in text]
        return "".join(digits) if any(map(str.isdigit, text)) else f"{text[:20]}{self._chance.randrange(10**6)}"

    def _moment(self, live: Any, day_only: bool) -> str:
        chance = self._chance
        if isinstance(live, str) and len(live) == (10 if day_only else 19) and chance.random() < 0.4:
            return live
        days = chance.choice(_DAYS) if chance.random() < 0.7 else chance.randint(-400, 400)
        moment = self._now + timedelta(days=days, minutes=0 if day_only else 15 * chance.randint(-40, 40))
        return str(moment)[: 10 if day_only else 19]

    def _number(self, name: str, part: Mapping[str, Any], tables: frozenset[str]) -> int | float:
        chance = self._chance
        whole = part["type"] == "integer"
        least = part.get("minimum", part.get("exclusiveMinimum"))
        most = part.get("maximum", part.get("exclusiveMaximum"))
        live = self._pool.value(name, tables)
        number: float
        if isinstance(live, int | float) and chance.random() < 0.5:
            number = live + chance.choice((0, 0, 0, 1, -1))
        else:
            number = chance.choice((1, 1, 2, 3, 5, 10, 60, 100, 2_500, least, most, 0)) or 0
        if not whole and chance.random() < 0.3:
            number += 0.25
        gap: float = 1
        if not whole:
            gap = (most - least) / 8 if least is not None and most is not None else 0.5
        if least is not None and number <= least:
            number = least + (gap if "exclusiveMinimum" in part else 0)
        if most is not None and number >= most:
            number = most - (gap if "exclusiveMaximum" in part else 0)
        return int(number) if whole else float(number)


def _filled(part: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema of a parameter without null."""
    choices = [each for each in part.get("anyOf", ()) if each.get("type") != "null"]
    return {**part, "anyOf": choices} if choices else part
