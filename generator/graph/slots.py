"""The slots of a tool: each place in its arguments that takes one value, and the columns that such values stand in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from generator.graph.start import Column, identifying
from runtime.domain.schema import Schema
from runtime.domain.tool import Tool
from runtime.task.paths import JsonPath, dotted


@dataclass(frozen=True)
class Slot:
    """A place such as ("items", 0, "book_id"): its JSON Schema, the columns its values stand in, the row keys it takes.

    `keys` are identifying columns. Where the name tells nothing, `is_open`: execution decides what it takes.
    """

    path: JsonPath
    schema: Mapping[str, Any]
    columns: tuple[Column, ...]
    keys: tuple[Column, ...]

    @property
    def name(self) -> str:
        """The path in words: items.0.book_id."""
        return dotted(self.path)

    @property
    def type(self) -> str:
        """string, integer, number or boolean."""
        return str(self.schema.get("type", "string"))

    @property
    def is_words(self) -> bool:
        """Whether it takes any text: no choices, no date."""
        return self.type == "string" and not self.schema.keys() & {"enum", "const", "pattern"}

    @property
    def is_open(self) -> bool:
        """Whether it takes a text of which the name does not say what it is."""
        return self.is_words and not self.columns


def slots_of(tool: Tool, schema: Schema) -> list[Slot]:
    """All slots of a tool in the order of its parameters; lists have one at position 0."""
    whole = tool.arguments.schema
    return [
        Slot(path, leaf, tuple(columns), tuple(_keys(schema, columns)))
        for name, part in whole["properties"].items()
        for path, leaf in _leaves(part, whole.get("$defs", {}), (name,))
        for columns in [link(_name_at(path), sorted(tool.reads), schema)]
    ]


def slot_path(path: JsonPath) -> JsonPath:
    """The path of the slot that a place in arguments belongs to: lists have one, at position 0."""
    return tuple(0 if isinstance(part, int) else part for part in path)


def slot_at(slots: Sequence[Slot], path: JsonPath) -> Slot | None:
    """The slot that a place in arguments belongs to."""
    return next((slot for slot in slots if slot.path == slot_path(path)), None)


def link(name: str, tables: Sequence[str], schema: Schema) -> list[Column]:
    """The columns that a value of this name stands in: of these tables if they have any, else of all.

    An exact name comes before one that ends with a column's name (new_room_id) or a table's (member, member_id for id).
    """
    for among in (tables, list(schema.tables)):
        for ways in (_exactly, _as_table, _as_ending, _as_beginning):
            found = [column for table in among for column in ways(name, table, schema)]
            if found:
                return found
    return []


def keys_named(name: str, tables: Sequence[str], schema: Schema) -> list[Column]:
    """The identifying columns that a value of this name names a row by."""
    return _keys(schema, link(name, tables, schema))


def plain(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    """A JSON Schema without its reference and without null."""
    while "$ref" in schema or "anyOf" in schema:
        if "$ref" in schema:
            schema = definitions[schema["$ref"].rpartition("/")[2]]
        else:
            schema = next((one for one in schema["anyOf"] if one.get("type") != "null"), {"type": "null"})
    return schema


def _leaves(
    schema: Mapping[str, Any], definitions: Mapping[str, Any], path: JsonPath
) -> Iterator[tuple[JsonPath, Mapping[str, Any]]]:
    schema = plain(schema, definitions)
    if schema.get("type") == "array":
        yield from _leaves(schema.get("items", {}), definitions, (*path, 0))
    elif schema.get("type") == "object":
        for name, part in schema.get("properties", {}).items():
            yield from _leaves(part, definitions, (*path, name))
    elif schema.get("type") != "null":
        yield path, schema


def _name_at(path: JsonPath) -> str:
    """The last name in a path; that of a list's items in the singular."""
    name = str([part for part in path if isinstance(part, str)][-1])
    if isinstance(path[-1], int):
        return f"{name[:-3]}y" if name.endswith("ies") else name.removesuffix("s")
    return name


def _exactly(name: str, table: str, schema: Schema) -> Iterator[Column]:
    if name in schema.tables[table].positions and name != "id":
        yield table, name


def _as_table(name: str, table: str, schema: Schema) -> Iterator[Column]:
    key = schema.tables[table].primary_key
    if len(key) == 1 and name in (table, f"{table}_{key[0]}"):
        yield table, key[0]


def _as_ending(name: str, table: str, schema: Schema) -> Iterator[Column]:
    endings = [column for column in schema.tables[table].column_names if name.endswith(f"_{column}") and column != "id"]
    if endings:
        yield table, max(endings, key=len)
    elif name.endswith((f"_{table}", f"_{table}_id")) and len(schema.tables[table].primary_key) == 1:
        yield table, schema.tables[table].primary_key[0]


def _as_beginning(name: str, table: str, schema: Schema) -> Iterator[Column]:
    if name != "id":
        yield from ((table, column) for column in schema.tables[table].column_names if column.endswith(f"_{name}"))


def _keys(schema: Schema, columns: Sequence[Column]) -> list[Column]:
    """The identifying columns behind some columns: themselves, or those they refer to."""
    own = identifying(schema)
    found: dict[Column, None] = {}
    for column in columns:
        seen = set()
        while column not in seen:
            seen.add(column)
            if column in own:
                found.setdefault(column)
            column = _referred(schema, column) or column
    return list(found)


def _referred(schema: Schema, column: Column) -> Column | None:
    table, name = column
    for foreign_key in schema.tables[table].foreign_keys:
        for own, parents in zip(foreign_key.columns, foreign_key.parent_columns, strict=True):
            if own == name:
                return foreign_key.parent, parents
    return None
