"""Decide what arguments a tool is called with: keys of live rows, values of columns of that name, words.

A slot is a place in a tool's arguments that takes one value, linked by its name to the columns that hold such values.
"""

from __future__ import annotations

import itertools
import random
import re
import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from generator.gates.calls.start import Column, Place, Start, identifying, words_in
from runtime.domain.schema import Schema
from runtime.domain.tool import Tool
from runtime.task.origin import JsonPath, dotted, find_at

_DAYS = (0, 1, 2, 3, 7, 14, 30, 60, -1, -2, -7, -30)
_TIMES = ("09:00:00", "10:30:00", "14:00:00", "18:00:00")
_WORDS = ("As agreed on the phone", "Winter plan", "First draft")
_MOST_VALUES = 200  # kept of a column


class Sampler:
    """Samples the arguments of one tool on one start; `told` are arguments of successful cases."""

    def __init__(self, tool: Tool, start: Start, told: Sequence[Mapping[str, Any]] = ()) -> None:
        self.tool = tool
        self.start = start
        self.slots = slots_of(tool, start.domain.schema)
        self._by_path = {slot.path: slot for slot in self.slots}
        self._pools = {slot.path: self._pool(slot, told) for slot in self.slots}
        self._told = [arguments for arguments in told if not any(slot.keys for slot in self.slots)]

    def sample(
        self,
        rng: random.Random,
        near: Sequence[Place] = (),
        fixed: Mapping[JsonPath, Any] | None = None,
        also: str = "",
    ) -> dict[str, Any]:
        """Return arguments that the input schema allows: `fixed` values in their slots, and keys of the rows `near`.

        Optional ones may be left out, except the one named by `also`.
        """
        schema = self.tool.arguments.schema
        fixed = fixed or {}
        wanted = {also, *(path[0] for path in fixed)}
        required = set(schema.get("required", ()))
        if self._told and not fixed and not near and rng.random() < 0.3:
            return dict(rng.choice(self._told))
        leave_out = rng.random()  # all optional ones, some, or none
        return {
            name: self._build(part, (name,), rng, near, fixed)
            for name, part in schema["properties"].items()
            if name in required or name in wanted or rng.random() < (leave_out - 0.3) / 0.7
        }

    def anchor(self, rng: random.Random) -> list[Place]:
        """Return the rows around one that the tool can be about."""
        tables = sorted({column[0] for slot in self.slots for column in slot.keys} | self.tool.reads)
        tables = [table for table in tables if self.start.rows[table]]
        if not tables:
            return []
        table = rng.choice(tables)
        return self.start.near([(table, rng.choice(self.start.rows[table]))])

    def _build(
        self,
        schema: Mapping[str, Any],
        path: JsonPath,
        rng: random.Random,
        near: Sequence[Place],
        fixed: Mapping[JsonPath, Any],
    ) -> Any:
        schema = _plain(schema, self.tool.arguments.schema.get("$defs", {}))
        if schema.get("type") == "array":
            least, most = schema.get("minItems", 1), schema.get("maxItems", 2**31)
            items: list[Any] = []
            for number in range(min(most, max(least, 1) + (rng.random() < 0.25))):
                made = self._build(schema.get("items", {}), (*path, 0), rng, near, {} if number else fixed)
                if number < least or made not in items:
                    items.append(made)
            return items
        if schema.get("type") == "object":
            required = set(schema.get("required", ()))
            wanted = {taken[len(path)] for taken in fixed if taken[: len(path)] == path}
            return {
                name: self._build(part, (*path, name), rng, near, fixed)
                for name, part in schema.get("properties", {}).items()
                if name in required or name in wanted or rng.random() < 0.5
            }
        if path in fixed:
            return fixed[path]
        slot = self._by_path.get(path)
        return None if slot is None else self._choose(slot, rng, near)

    def _choose(self, slot: Slot, rng: random.Random, near: Sequence[Place]) -> Any:
        if slot.keys or (slot.columns and rng.random() < 0.5):
            found = list(_values_near(near, slot.keys or slot.columns, self.start))
            if found and rng.random() < 0.85:
                value = found[0] if rng.random() < 0.6 else rng.choice(found)
                is_listed = not slot.schema.keys() & {"enum", "const"} or value in slot.schema.get("enum", ())
                if is_listed and _fits(value, slot):
                    return _fit(value, slot)
        pools = [pool for pool in self._pools[slot.path] if pool]
        return rng.choice(rng.choice(pools or [[_fit(_bounds(slot.schema)[0] if slot.is_number else _WORDS[0], slot)]]))

    def _pool(self, slot: Slot, told: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
        """Return where values come from, each source as likely as the next."""
        schema = slot.schema
        if "enum" in schema:
            return [list(schema["enum"])]
        if "const" in schema:
            return [[schema["const"]]]
        if slot.type == "boolean":
            return [[False, True]]
        if slot.keys:
            return [[_fit(key, slot) for column in slot.keys for key in list(self.start.keys[column])[:_MOST_VALUES]]]
        values = (find_at(each, slot.path) for each in told)
        pools: list[list[Any]] = [
            [value for value in values if isinstance(value, str | int | float)],
            [value for column in slot.columns for value in self.start.values(column)[:_MOST_VALUES]],
        ]
        if slot.is_number:
            least, most = _bounds(schema)
            pools.append([number for number in (least, least + 1, 1, 2, 3, 5, 10, 30, 100, most) if number < 2**31])
        elif "pattern" in schema:
            pools.append(list(_moments(self.start.domain.now, with_time=":" in schema["pattern"])))
        elif not pools[0]:
            pools.append(self._words(slot))
        if slot.is_words:  # values that are new, for what must be so
            pools.append([next(other_texts(str(value))) for value in pools[1][:10]])
        fitting = [[_fit(value, slot) for value in pool if _fits(value, slot)] for pool in pools]
        return [list(dict.fromkeys(pool)) for pool in fitting]

    def _words(self, slot: Slot) -> list[str]:
        """Return free text; if the name says nothing of it, also words and keys of rows, as a search may want."""
        words = list(_WORDS)
        if not slot.columns:
            schema = self.start.domain.schema
            for table in sorted(self.tool.reads):
                for column in words_in(schema, table):
                    values = [str(value) for value in self.start.values((table, column))[:5]]
                    words += values + [max(value.split() or [value], key=len) for value in values]
                for name in schema.tables[table].primary_key:
                    words += [str(value) for value in self.start.values((table, name))[:5]]
        return words


def other_texts(text: str) -> Iterator[str]:
    """Yield texts of the same shape: with other digits, if there are some, then other letters, then longer ones."""
    for shifted in _SHIFTED:
        other = text.translate(shifted)
        if other != text:
            yield other
    yield from (f"{text}{number}" for number in itertools.count(2))


_SHIFTED = [
    str.maketrans("".join(alphabets), "".join(each[shift:] + each[:shift] for each in alphabets))
    for alphabets in ((string.digits,), (string.ascii_lowercase, string.ascii_uppercase))
    for shift in range(1, 10)
]


def _values_near(near: Iterable[Place], columns: Sequence[Column], start: Start) -> Iterable[Any]:
    tables = start.domain.schema.tables
    found: dict[Any, None] = {}
    for table, row in near:
        for own, name in columns:
            if own == table and row[tables[table].positions[name]] is not None:
                found.setdefault(row[tables[table].positions[name]])
    return found


def _bounds(schema: Mapping[str, Any]) -> tuple[Any, Any]:
    least = schema.get("minimum", schema.get("exclusiveMinimum", 0))
    most = schema.get("maximum", schema.get("exclusiveMaximum", 1000))
    gap = 1 if schema.get("type") == "integer" else min(1, (most - least) / 8)
    least, most = least + gap * ("exclusiveMinimum" in schema), most - gap * ("exclusiveMaximum" in schema)
    return (int(least), int(most)) if schema.get("type") == "integer" else (least, most)


def _moments(now: str, *, with_time: bool) -> Iterable[str]:
    today = datetime.fromisoformat(now).date()
    for days in _DAYS:
        day = str(today + timedelta(days=days))
        yield from (f"{day} {time}" for time in _TIMES) if with_time else (day,)


def _fits(value: Any, slot: Slot) -> bool:
    """Return whether a value has the type and the range that a slot declares."""
    if slot.is_number:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        least, most = _bounds(slot.schema)
        has_range = slot.schema.keys() & {"maximum", "exclusiveMaximum"}
        whole = slot.type == "number" or isinstance(value, int)
        return whole and value >= least and (not has_range or value <= most)
    if not isinstance(value, str):
        return False
    dashed = value[4:5] == "-" and value[7:8] == "-"
    return "pattern" not in slot.schema or not slot.schema["pattern"].startswith(r"^\d{4}-") or dashed


def _fit(value: Any, slot: Slot) -> Any:
    """Return a value of a column as a slot takes it: a date out of a timestamp, a text of the right length."""
    if isinstance(value, str) and slot.type == "string":
        pattern = str(slot.schema.get("pattern", ""))
        if pattern.startswith(r"^\d{4}-"):
            return value[:10] if ":" not in pattern else value if len(value) > 10 else f"{value} 09:00:00"
        value = value[: slot.schema.get("maxLength", 4000)]
        return value.ljust(slot.schema.get("minLength", 0), "x")
    return float(value) if slot.type == "number" and isinstance(value, int) else value


@dataclass(frozen=True)
class Slot:
    """A place such as ("items", 0, "book_id"): its JSON Schema, the columns that hold its values, the keys it takes."""

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
    def is_number(self) -> bool:
        """Whether it takes an integer or a real number."""
        return self.type in ("integer", "number")

    @property
    def is_words(self) -> bool:
        """Whether it takes any text: no choices, no date."""
        return self.type == "string" and not self.schema.keys() & {"enum", "const", "pattern"}

    @property
    def is_open(self) -> bool:
        """Whether it takes a text and its name does not say of which kind."""
        return self.is_words and not self.columns


def slots_of(tool: Tool, schema: Schema) -> list[Slot]:
    """Return the slots of a tool in the order of its parameters; lists have one at position 0."""
    whole = tool.arguments.schema
    return [
        Slot(path, leaf, tuple(columns), tuple(_keys(schema, columns)))
        for name, part in whole["properties"].items()
        for path, leaf in _leaves(part, whole.get("$defs", {}), (name,))
        for columns in [link(name_at(path), sorted(tool.reads), schema)]
    ]


def slot_path(path: JsonPath) -> JsonPath:
    """Return the path of the slot that a place in arguments belongs to: lists have one, at position 0."""
    return tuple(0 if isinstance(part, int) else part for part in path)


def slot_at(slots: Sequence[Slot], path: JsonPath) -> Slot | None:
    """Return the slot that a place in arguments belongs to."""
    return next((slot for slot in slots if slot.path == slot_path(path)), None)


def link(name: str, tables: Sequence[str], schema: Schema) -> list[Column]:
    """Return the columns that hold values of this name: of these tables if they have any, else of all.

    An exact name comes before one that ends with a column's name (new_room_id) or a table's (member, member_id for id).
    Of one table alone, `id` and any name such as `roomId` are its key `id`.
    """
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    names = dict.fromkeys((name, snake))
    for among in (tables, list(schema.tables)):
        for ways in (_exactly, _as_table, _as_ending, _as_beginning):
            found = [column for table in among for each in names for column in ways(each, table, schema)]
            if found:
                return found
    is_id = snake == "id" or snake.endswith("_id")
    own = [(table, "id") for table in tables if schema.tables[table].primary_key == ("id",)]
    return own if is_id and len(tables) == 1 else []


def keys_named(name: str, tables: Sequence[str], schema: Schema) -> list[Column]:
    """Return the identifying columns that a value of this name names a row by."""
    return _keys(schema, link(name, tables, schema))


def _plain(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a JSON Schema without its reference and without null."""
    while "$ref" in schema or "anyOf" in schema:
        if "$ref" in schema:
            schema = definitions[schema["$ref"].rpartition("/")[2]]
        else:
            schema = next((one for one in schema["anyOf"] if one.get("type") != "null"), {"type": "null"})
    return schema


def _leaves(
    schema: Mapping[str, Any], definitions: Mapping[str, Any], path: JsonPath
) -> Iterator[tuple[JsonPath, Mapping[str, Any]]]:
    schema = _plain(schema, definitions)
    if schema.get("type") == "array":
        yield from _leaves(schema.get("items", {}), definitions, (*path, 0))
    elif schema.get("type") == "object":
        for name, part in schema.get("properties", {}).items():
            yield from _leaves(part, definitions, (*path, name))
    elif schema.get("type") != "null":
        yield path, schema


def name_at(path: JsonPath) -> str:
    """Return the last name in a path; that of a list's items in the singular."""
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
    """Return the identifying columns behind some columns: themselves, or those they refer to."""
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
