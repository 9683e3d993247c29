"""Guess arguments that a tool's schema allows, from what the user said and what earlier calls returned."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from typing import Any

from runtime.harness.messages import Message

_MOST_KNOWN = 60  # values of one name
_SOMEONE = "someone@example.org"
_PHRASES = re.compile(
    r"[\w.+-]+@[\w.-]+\w|\"[^\"]+\"|[A-Z][\w'&-]*(?: (?:&|of|the|[A-Z][\w'&-]*))*(?: [A-Z][\w'-]*)?|\w{4,}"
)
_NUMBERS = re.compile(r"\d+")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


class SeenValues:
    """What an agent came to know in an episode."""

    def __init__(self, now: str) -> None:
        self.results: list[str] = []
        self._now = now
        self._by_name: dict[str, dict[Any, None]] = {}
        self._phrases: dict[str, None] = {}
        self._numbers: dict[int, None] = {}
        self._read = 0

    def read(self, messages: Sequence[Message]) -> None:
        """Take in what is new."""
        for message in messages[self._read :]:
            if message.role == "user":
                self._phrases.update(dict.fromkeys(each.strip('"') for each in _PHRASES.findall(message.text)))
                self._numbers.update(dict.fromkeys(int(each[:9]) for each in _NUMBERS.findall(message.text)))
            elif message.role == "tool" and not message.is_error:
                self.results.append(message.text)
                self._learn(json.loads(message.text), "")
        self._read = len(messages)

    def values(self, name: str, schema: Mapping[str, Any], whole: Mapping[str, Any]) -> list[Any]:
        """What a parameter may be, the likeliest first; nothing if nothing is known that fits."""
        if "$ref" in schema:
            found = whole.get("$defs", {}).get(str(schema["$ref"]).rsplit("/", 1)[-1], {})
            return self.values(name, found, whole)
        for union in ("anyOf", "oneOf"):
            if union in schema:
                parts = [part for part in schema[union] if part.get("type") != "null"]
                return [value for part in parts for value in self.values(name, part, whole)]
        if "enum" in schema:
            return list(schema["enum"])
        if "const" in schema:
            return [schema["const"]]
        match schema.get("type"):
            case "boolean":
                return [True, False]
            case "integer" | "number":
                return self._amounts(name, schema)
            case "array":
                items = self.values(name.removesuffix("s"), schema.get("items", {}), whole)
                return [[item] for item in items]
            case "object":
                return self._objects(schema, whole)
            case "string":
                return self._texts(name, schema)
        return []

    def _learn(self, value: Any, name: str) -> None:
        if isinstance(value, Mapping):
            for key, item in value.items():
                self._learn(item, key)
        elif isinstance(value, list):
            for item in value:
                self._learn(item, name.removesuffix("s"))
        elif isinstance(value, str | int | float) and not isinstance(value, bool):
            known = self._by_name.setdefault(name, {})
            if len(known) < _MOST_KNOWN:
                known[value] = None

    def _returned(self, name: str) -> list[Any]:
        """Values that came back under a name, or under one that ends like it: `status` for `new_status`."""
        parts = name.split("_")
        return next(
            (list(self._by_name[key]) for at in range(len(parts)) if (key := "_".join(parts[at:])) in self._by_name), []
        )

    def _amounts(self, name: str, schema: Mapping[str, Any]) -> list[Any]:
        least, most = schema.get("minimum", -(2**53)), schema.get("maximum", 2**53)
        least = max(least, schema.get("exclusiveMinimum", least) + ("exclusiveMinimum" in schema))
        most = min(most, schema.get("exclusiveMaximum", most) - ("exclusiveMaximum" in schema))
        known = [each for each in self._returned(name) if isinstance(each, int | float)]
        found = [*known, *self._numbers, 1, 7, 30, least]
        if schema["type"] == "integer":
            found = [each for each in found if isinstance(each, int)]
        return list(dict.fromkeys(each for each in found if least <= each <= most))

    def _texts(self, name: str, schema: Mapping[str, Any]) -> list[str]:
        known = [each for each in self._returned(name) if isinstance(each, str)]
        if not name.endswith("_id"):
            known += self._phrases
            known += [self._now[:10], self._now]
        if "mail" in name:
            known = [each for each in known if "@" in each] or [_SOMEONE]
        fits = re.compile(schema["pattern"]) if "pattern" in schema else None
        least, most = schema.get("minLength", 0), schema.get("maxLength", 4_000)
        if fits is None and not any(word in name for word in ("date", "day", "time", "_at", "_on")):
            known = [each for each in known if not _DATE.match(each)]
        return list(
            dict.fromkeys(each for each in known if least <= len(each) <= most and (not fits or fits.search(each)))
        )

    def _objects(self, schema: Mapping[str, Any], whole: Mapping[str, Any]) -> list[Any]:
        made: dict[str, Any] = {}
        for name in schema.get("required", ()):
            options = self.values(name, schema["properties"][name], whole)
            if not options:
                return []
            made[name] = options[0]
        return [made]


def guess_arguments(
    tool: Mapping[str, Any], known: SeenValues, chance: random.Random, *, optional: float
) -> dict[str, Any] | None:
    """Arguments for a tool; None if a required one can be filled with nothing.

    `optional` is how often a parameter is given that can be left out.
    """
    schema = tool["inputSchema"]
    arguments: dict[str, Any] = {}
    for name, part in schema.get("properties", {}).items():
        required = name in schema.get("required", ())
        if not required and chance.random() >= optional:
            continue
        options = known.values(name, part, schema)
        if options:
            arguments[name] = chance.choice(options)
        elif required:
            return None
    return arguments
