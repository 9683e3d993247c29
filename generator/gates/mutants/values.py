"""Values to try in the place of others: what stands in the same column elsewhere, and what lies just beside a limit."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from generator.gates.cases.case import Rows
from runtime.domain.domain import Domain
from runtime.domain.schema import Column, Schema, Value
from runtime.domain.tool import Tool
from runtime.sandbox.connect import open_memory
from runtime.sandbox.files import read_text
from runtime.sandbox.syntax import parse

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}")
_GREATEST = 1_000_000  # a greater number in the code is not a limit that a small world reaches


class Values:
    """The values worth trying in one domain for one tool."""

    def __init__(self, domain: Domain, tool: Tool, numbers: Collection[int] = ()) -> None:
        self.domain = domain
        self.numbers = sorted({*numbers_in(tool), *numbers})
        self.choices = choices_in(domain.schema)

    def beside(self, value: Value, elsewhere: Iterable[Value]) -> list[Value]:
        """What to try instead of a value, given what stands elsewhere in its place."""
        found = [*elsewhere]
        if isinstance(value, str):
            found += self._beside_text(value)
        elif isinstance(value, int | float):
            found += self._beside_number(value, [each for each in elsewhere if isinstance(each, int | float)])
        return _others(found, value)

    def of_column(self, table: str, column: Column, value: Value, rows: Rows) -> list[Value]:
        """What to try in a column of a row, given all rows."""
        choices = self.choices.get((table, column.name))
        if choices:
            found: list[Value] = [*choices]
        else:
            elsewhere = [*self.parents(table, column.name, rows), *_in_column(rows, table, column.name)]
            example = value if value is not None else next((each for each in elsewhere if each is not None), None)
            found = self.beside(example, elsewhere)
            if value is None:
                found = [example, *found] if example is not None else self._invented(column)
        if column.nullable:
            found.append(None)
        return _others([each for each in found if each is not None or column.nullable], value)

    def parents(self, table: str, column: str, rows: Rows) -> list[Value]:
        """The keys that a column with a foreign key can hold."""
        found: list[Value] = []
        for foreign_key in self.domain.schema.tables[table].foreign_keys:
            if column in foreign_key.columns:
                other = foreign_key.parent_columns[foreign_key.columns.index(column)]
                found += _in_column(rows, foreign_key.parent, other)
        return found

    def _beside_text(self, text: str) -> list[Value]:
        now = self.domain.now
        if _MOMENT.fullmatch(text):
            days = [_moved(each, days=step) for each in (text, now) for step in (1, -1)]
            return [now, _moved(now, seconds=1), _moved(now, seconds=-1), *days, *self._days_from(now)]
        if _DAY.fullmatch(text):
            today = now[:10]
            return [
                today,
                *(_moved(each, days=step) for each in (today, text) for step in (-1, 1)),
                *self._days_from(today),
            ]
        sign = re.search(r"\W", text.strip())
        parts = [text.strip()[: sign.start()], text.strip()[sign.start() :]] if sign else []
        return [text.upper(), text.lower(), f" {text} ", text[: len(text) // 2], f"{text} more", *parts]

    def _days_from(self, moment: str) -> list[Value]:
        limits = [step for number in self.numbers if 1 < number <= 400 for step in (number, number + 1)]
        return [_moved(moment, days=sign * step) for step in limits for sign in (-1, 1)]

    def _beside_number(self, number: float, elsewhere: Sequence[float]) -> list[Value]:
        near = [each + step for each in (number, *elsewhere) for step in (1, -1)]
        return [*near, 0, *(limit + step for limit in self.numbers for step in (0, 1, -1))]

    def _invented(self, column: Column) -> list[Value]:
        if column.type != "TEXT":
            return [1, 0, *self.numbers]
        if column.name.endswith("_at"):
            return [self.domain.now]
        return [self.domain.now[:10]] if column.name.endswith(("_on", "_date")) else ["words"]


def numbers_in(tool: Tool) -> list[int]:
    """The whole numbers in the code and the queries that a tool reaches, from small to great.

    They are read off the source: what runs has the prices of its steps in it, too.
    """
    names: Mapping[str, Any] = getattr(tool.function, "__globals__", {})
    functions = {node.name: node for node in _source_of(names).body if isinstance(node, ast.FunctionDef)}
    pending: list[Any] = [functions[tool.name]] if tool.name in functions else []
    seen: set[int] = set()
    found: set[int] = set()
    while pending:
        each = pending.pop()
        if isinstance(each, bool) or id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, int) and 0 <= each <= _GREATEST:
            found.add(each)
        elif isinstance(each, str) and re.match(r"\s*(SELECT|WITH)\b", each, re.IGNORECASE):
            found |= {int(number) for number in re.findall(r"\b\d{1,6}\b", re.sub(r"'[^']*'", "", each))}
        elif isinstance(each, ast.FunctionDef):
            pending += each.body
        elif isinstance(each, ast.Constant):
            pending.append(each.value)
        elif isinstance(each, ast.UnaryOp) and isinstance(each.op, ast.USub) and isinstance(each.operand, ast.Constant):
            continue  # a number below zero
        elif isinstance(each, ast.Name):
            pending.append(functions.get(each.id) or names.get(each.id))
        elif isinstance(each, ast.AST):
            pending += ast.iter_child_nodes(each)
        elif isinstance(each, tuple | frozenset):
            pending += each
        elif isinstance(each, Mapping):
            pending += each.values()
    return sorted(found)


def _source_of(names: Mapping[str, Any]) -> ast.Module:
    return parse(read_text(Path(names["__file__"]))) if "__file__" in names else ast.Module([], [])


def choices_in(schema: Schema) -> dict[tuple[str, str], list[Value]]:
    """The values that `CHECK (column IN (...))` allows, by table and column."""
    connection = open_memory()
    try:
        schema.create(connection)
        found: dict[tuple[str, str], list[Value]] = {}
        for table, sql in connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'"):
            for column, listed in re.findall(r"\b(\w+)\s+IN\s*\(([^()]*)\)", sql, re.IGNORECASE):
                texts = [text.replace("''", "'") for text in re.findall(r"'((?:[^']|'')*)'", listed)]
                numbers = [int(number) for number in re.findall(r"-?\b\d+\b", re.sub(r"'[^']*'", "", listed))]
                found[str(table), str(column)] = [*texts, *numbers]
        return found
    finally:
        connection.close()


def unique_in(schema: Schema) -> set[tuple[str, str]]:
    """Table and column of every column that must differ from row to row by itself, keys aside."""
    connection = open_memory()
    try:
        schema.create(connection)
        found = set()
        for table in schema.tables:
            for _, index, is_unique, origin, _ in connection.execute(f'PRAGMA index_list("{table}")').fetchall():
                columns = [row[2] for row in connection.execute(f'PRAGMA index_info("{index}")')]
                if is_unique and origin != "pk" and len(columns) == 1:
                    found.add((table, columns[0]))
        return found
    finally:
        connection.close()


def same_place(value: Any, name: str, rows: Rows) -> Iterator[Value]:
    """What stands in the columns of an argument's name, and in those that hold its value."""
    for given in rows.values():
        columns = {column for row in given for column in row}
        for column in sorted(columns):
            held = [row.get(column) for row in given]
            if column == name or (isinstance(value, str) and value in held):
                yield from (each for each in held if each is not None)


def _in_column(rows: Rows, table: str, column: str) -> list[Value]:
    return [row[column] for row in rows.get(table, []) if row.get(column) is not None]


def _others(values: Iterable[Value], value: Value) -> list[Value]:
    """The values that differ from this one, each once."""
    found: dict[tuple[str, Value], Value] = {(type(each).__name__, each): each for each in values}
    found.pop((type(value).__name__, value), None)
    return list(found.values())


def _moved(text: str, days: int = 0, seconds: int = 0) -> str:
    try:
        return str(datetime.fromisoformat(text) + timedelta(days=days, seconds=seconds))[: len(text)]
    except (OverflowError, ValueError):
        return text
