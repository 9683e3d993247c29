"""Which JSON Schemas an API can hold an answer to while it is written, so that nothing is lost by doing so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_UNHELD = ("prefixItems", "patternProperties", "allOf", "not", "if", "dependentSchemas", "propertyNames")


def can_be_held(schema: Mapping[str, Any]) -> bool:
    """Whether every value that fits the schema can be written under strict decoding.

    Strict decoding closes every object and wants a type everywhere, so it would empty a mapping with free keys and
    knows no value of any type; nor does it take definitions that contain themselves.
    """
    definitions = schema.get("$defs", {})
    return (
        schema.get("type") == "object"
        and _is_plain(schema)
        and all(_is_plain(definition) for definition in definitions.values())
        and not _is_recursive(definitions)
    )


def _is_plain(schema: Any) -> bool:
    if not isinstance(schema, Mapping) or any(word in schema for word in _UNHELD):
        return False
    if "$ref" in schema:
        return str(schema["$ref"]).startswith("#/$defs/")
    branches = schema.get("anyOf") or schema.get("oneOf")
    if branches:
        return "type" not in schema and all(map(_is_plain, branches))
    if "enum" in schema or "const" in schema:
        values = schema.get("enum") or [schema.get("const")]
        return all(value is None or isinstance(value, str | int | float) for value in values)
    match schema.get("type"):
        case "object":
            closed = schema.get("additionalProperties", False) is False and bool(schema.get("properties"))
            return closed and all(map(_is_plain, schema["properties"].values()))
        case "array":
            return _is_plain(schema.get("items"))
        case "string" | "integer" | "number" | "boolean" | "null":
            return True
    return False


def _is_recursive(definitions: Mapping[str, Any]) -> bool:
    uses = {name: _references(definition) for name, definition in definitions.items()}
    for start in uses:
        seen: set[str] = set()
        ahead = set(uses[start])
        while ahead:
            name = ahead.pop()
            if name == start:
                return True
            if name not in seen:
                seen.add(name)
                ahead |= uses.get(name, set())
    return False


def _references(schema: Any) -> set[str]:
    if isinstance(schema, Mapping):
        own = {str(schema["$ref"]).removeprefix("#/$defs/")} if isinstance(schema.get("$ref"), str) else set()
        return own.union(*map(_references, schema.values()))
    return set[str]().union(*map(_references, schema)) if isinstance(schema, list) else set()
