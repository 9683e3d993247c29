"""Edit one table of a TOML text, and leave its comments and its order as they are."""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from runtime.clients.jsonc import BadConfiguration


def read_toml(text: str) -> Any:
    """The value of a text; errors: BadConfiguration."""
    return _parse(text).unwrap()


def set_value(text: str, path: Sequence[str], value: Any) -> str:
    """The text with a value at the end of a path of keys, each added if it is not there; errors: BadConfiguration."""
    document = _parse(text)
    table: MutableMapping[str, Any] = document
    for depth, key in enumerate(path[:-1]):
        if key not in table:
            table[key] = tomlkit.table(is_super_table=depth < len(path) - 2 or isinstance(value, dict))
        table = _table(table[key], path[: depth + 1])
    if table.get(path[-1]) == value:
        return text
    table[path[-1]] = value
    return tomlkit.dumps(document)


def remove_value(text: str, path: Sequence[str]) -> str:
    """The text without what stands at the end of a path; the same text if nothing does; errors: BadConfiguration."""
    document = _parse(text)
    table: MutableMapping[str, Any] = document
    for depth, key in enumerate(path[:-1]):
        if key not in table:
            return text
        table = _table(table[key], path[: depth + 1])
    if path[-1] not in table:
        return text
    del table[path[-1]]
    return tomlkit.dumps(document)


def _parse(text: str) -> tomlkit.TOMLDocument:
    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise BadConfiguration(str(error)) from None


def _table(value: Any, path: Sequence[str]) -> MutableMapping[str, Any]:
    if not isinstance(value, MutableMapping):
        raise BadConfiguration(f"{'.'.join(path)!r} is not a table")
    return value
