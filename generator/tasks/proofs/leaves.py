"""The single values within arguments and results, each with its path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Leaf = tuple[str | int, ...]  # a path such as ("items", 0, "book_id")


def leaves_of(value: Any, path: Leaf = ()) -> Iterator[tuple[Leaf, Any]]:
    """Every single value with its path; a reference to a step's result is one, and so is an empty list or object."""
    if isinstance(value, Mapping) and value and "$step" not in value:
        for name, item in value.items():
            yield from leaves_of(item, (*path, name))
    elif isinstance(value, list) and value:
        for number, item in enumerate(value):
            yield from leaves_of(item, (*path, number))
    else:
        yield path, value


def is_reference(value: Any) -> bool:
    """Whether a value stands for an earlier step's result."""
    return isinstance(value, Mapping) and "$step" in value


def put_at(value: Any, leaf: Leaf, wanted: Any) -> Any:
    """A copy of a value with another one at a path."""
    if not leaf:
        return wanted
    first, *rest = leaf
    if isinstance(value, list):
        return [put_at(item, tuple(rest), wanted) if number == first else item for number, item in enumerate(value)]
    return {name: put_at(item, tuple(rest), wanted) if name == first else item for name, item in value.items()}


def value_at(value: Any, leaf: Leaf) -> Any:
    """The value at a path; errors: LookupError."""
    for part in leaf:
        value = value[part]
    return value


def dotted(leaf: Leaf) -> str:
    """A path as it is written: items.0.book_id."""
    return ".".join(map(str, leaf))
