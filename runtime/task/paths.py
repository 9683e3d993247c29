"""Paths into arguments and results, such as loans.1.loan_id, and references to a place in a step's result."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

JsonPath = tuple[str | int, ...]  # such as ("loans", 1, "loan_id")
_PLACE = re.compile(r"0|[1-9][0-9]{0,8}")


def read_path(text: str) -> JsonPath:
    """A path from its text; a number is a place in a list, or else a name."""
    return tuple(int(part) if _PLACE.fullmatch(part) else part for part in text.split("."))


def dotted(path: JsonPath) -> str:
    """A path as text: loans.1.loan_id."""
    return ".".join(map(str, path))


def value_at(value: Any, path: JsonPath) -> Any:
    """The value at a path; errors: LookupError."""
    for part in path:
        if isinstance(value, list) and isinstance(part, int):
            value = value[part]
        elif isinstance(value, Mapping):
            value = value[str(part)]
        else:
            raise LookupError(f"There is no {part!r} in {type(value).__name__}.")
    return value


def find_at(value: Any, path: JsonPath) -> Any:
    """The value at a path; None if there is none."""
    try:
        return value_at(value, path)
    except LookupError:
        return None


def leaves_of(value: Any, path: JsonPath = ()) -> Iterator[tuple[JsonPath, Any]]:
    """Every single value with its path; a reference to a step's result is one, and so is an empty list or object."""
    if isinstance(value, Mapping) and value and not is_reference(value):
        for name, item in value.items():
            yield from leaves_of(item, (*path, str(name)))
    elif isinstance(value, list | tuple) and value:
        for number, item in enumerate(value):
            yield from leaves_of(item, (*path, number))
    else:
        yield path, value


def scalars_of(value: Any) -> Iterator[tuple[JsonPath, str | int | float | None]]:
    """Every single value with its path: no reference, and no empty list or object."""
    return ((path, leaf) for path, leaf in leaves_of(value) if not isinstance(leaf, Mapping | list | tuple))


def put_at(value: Any, path: JsonPath, wanted: Any) -> Any:
    """A copy of a value with another one at a path; lists and objects that are missing on the way are made."""
    if not path:
        return wanted
    first, rest = path[0], path[1:]
    if isinstance(first, int):
        items = list(value or ())
        items[first : first + 1] = [put_at(items[first] if first < len(items) else None, rest, wanted)]
        return items
    named = dict(value or {})
    return {**named, first: put_at(named.get(first), rest, wanted)}


def is_reference(value: Any) -> bool:
    """True if a value refers to a place in an earlier step's result."""
    return isinstance(value, Mapping) and "$step" in value


def reference_to(step: int, path: JsonPath) -> dict[str, Any]:
    """The reference to a place in a step's result, as a task's line has it."""
    return {"$step": step, "path": dotted(path)}


def path_of(reference: Mapping[str, Any]) -> JsonPath:
    """The path that a reference names."""
    return read_path(str(reference["path"]))


def steps_named(value: Any) -> Iterator[Any]:
    """The steps that the references within a value name."""
    return (leaf["$step"] for _, leaf in leaves_of(value) if is_reference(leaf))
