"""Make arguments that a tool's input schema allows, out of live values: a world's rows and what results returned."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Mapping
from contextlib import closing
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from runtime.domain.changes import Changes
from runtime.domain.schema import Row, Schema, Value
from runtime.domain.tool import Tool
from runtime.session.world import World

_MOST_ROWS = 200  # of a table
_MOST_LEARNT = 40  # values of a name

ColumnName = tuple[str, str]  # table and column
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


class Rows:
    """The rows of a world that random calls draw from."""

    def __init__(self, world: World) -> None:
        self.schema: Schema = world.schema
        with closing(world.open()) as connection:
            self.by_table: dict[str, list[Row]] = {
                name: connection.execute(f"{table.select_all} LIMIT {_MOST_ROWS}").fetchall()
                for name, table in world.schema.tables.items()
            }
        self._columns: dict[tuple[str, frozenset[str]], list[ColumnName]] = {}

    @cached_property
    def key_values(self) -> list[str]:
        """All TEXT keys of tables with one key column: ids, of whatever table."""
        return [
            str(row[table.key_positions[0]])
            for table in self.schema.tables.values()
            if table.key_types == (str,)
            for row in self.by_table[table.name]
        ]

    def columns_for(self, name: str, tables: frozenset[str]) -> list[ColumnName]:
        """Return the columns that a parameter of this name may stand for, those of the given tables first."""
        found = self._columns.get((name, tables))
        if found is None:
            found = sorted(self._search(name), key=lambda column: column[0] not in tables)
            self._columns[name, tables] = found
        return found

    def is_key(self, column: ColumnName) -> bool:
        """Return whether a column is part of its table's key, or refers to another."""
        table = self.schema.tables[column[0]]
        keys = [table.primary_key, *(foreign_key.columns for foreign_key in table.foreign_keys)]
        return any(column[1] in key for key in keys)

    def _search(self, name: str) -> list[ColumnName]:
        columns = [(table.name, column.name) for table in self.schema.tables.values() for column in table.columns]
        for wanted in dict.fromkeys((name, name.removesuffix("s"), name.removesuffix("es"))):
            stem = wanted.removesuffix("_id")
            if found := [each for each in columns if each[1] == wanted]:
                return found
            if stem in self.schema.tables and len(self.schema.tables[stem].primary_key) == 1:
                return [(stem, self.schema.tables[stem].primary_key[0])]
            ends = [each for each in columns if wanted.endswith(f"_{each[1]}")]
            if ends:
                longest = max(len(column) for _, column in ends)
                return [each for each in ends if len(each[1]) == longest]
        return []


class Pool:
    """The values at hand in one session."""

    def __init__(self, rows: Rows, chance: random.Random) -> None:
        self.rows = rows
        self._chance = chance
        self._anchors: dict[str, Row] = {}
        self._learnt: dict[str, deque[Value]] = {}
        self._changed: dict[str, list[Row]] = {}

    def begin_call(self) -> None:
        """From here on, values of one table come from one row, so that they fit together."""
        self._anchors.clear()

    def value(self, name: str, tables: frozenset[str]) -> Value:
        """Return a value that a parameter of this name may well have; None if nothing is known of it."""
        learnt = self._learnt.get(name)
        if learnt and self._chance.random() < 0.35:
            return self._chance.choice(learnt)
        columns = self.rows.columns_for(name, tables)
        if not columns:
            return None
        table, column = columns[0] if self._chance.random() < 0.6 else self._chance.choice(columns)
        row = self._row(table)
        return None if row is None else row[self.rows.schema.tables[table].positions[column]]

    def names_row(self, name: str, tables: frozenset[str]) -> bool:
        """Return whether a parameter of this name is likely to name a row by its key."""
        columns = self.rows.columns_for(name, tables)
        return bool(columns) and self.rows.is_key(columns[0])

    def words(self, tables: frozenset[str]) -> str:
        """Return some text out of the rows of these tables."""
        table = self._chance.choice(sorted(tables) or list(self.rows.by_table))
        texts = [value for value in self._row(table) or () if isinstance(value, str)]
        if not texts:
            return "some words"
        text = self._chance.choice(texts)
        return self._chance.choice(text.split() or [text]) if self._chance.random() < 0.5 else text

    def learn(self, result: Any, name: str = "") -> None:
        """Remember the values of a result by their names."""
        if isinstance(result, Mapping):
            for key, value in result.items():
                self.learn(value, key)
        elif isinstance(result, list):
            for item in result[:5]:
                self.learn(item, name)
        elif isinstance(result, str | int | float) and not isinstance(result, bool):
            self._learnt.setdefault(name, deque(maxlen=_MOST_LEARNT)).append(result)

    def look_at(self, changes: Changes) -> None:
        """Draw from the rows that the session added and changed, too."""
        self._changed = {}
        for (table, _), change in changes.rows.items():
            if change.after is not None:
                self._changed.setdefault(table, []).append(change.after)

    def _row(self, table: str) -> Row | None:
        if table not in self._anchors or self._chance.random() < 0.2:
            rows = self.rows.by_table[table]
            if table in self._changed and (not rows or self._chance.random() < 0.3):
                rows = self._changed[table]
            if not rows:
                return None
            self._anchors[table] = self._chance.choice(rows)
        return self._anchors[table]


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
        """Return a text of the same form that nobody has yet: other digits, or some more."""
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
    """Return the schema of a parameter without null."""
    choices = [each for each in part.get("anyOf", ()) if each.get("type") != "null"]
    return {**part, "anyOf": choices} if choices else part
