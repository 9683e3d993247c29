"""Inputs beside those of the existing cases: one or two small changes of arguments or rows, the nearest first."""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product, zip_longest
from typing import Any

from generator.gates.cases.case import Case, Rows, merge_rows
from generator.gates.cases.run import keys_of
from generator.gates.mutants.kill import PlacedCase
from generator.gates.mutants.values import Values, same_place, unique_in
from runtime.domain.domain import Domain
from runtime.domain.schema import Table, Value
from runtime.domain.tool import Tool

_SINGLES_FIRST = 280  # inputs that differ from a case in one change, before those that differ in two
_PAIRS = 200
_MOST_COPIES = 8
_MOST_PARENTS = 12  # combinations of rows that a new row refers to


@dataclass(frozen=True)
class _Step:
    """One change of a case: arguments set or, in `omitted`, left out; the principal; rows that are merged in."""

    arguments: Mapping[str, Any]
    omitted: tuple[str, ...] = ()
    principal: str | None = None
    rows: Rows | None = None


def vary_cases(
    domain: Domain, tool: Tool, placed: Sequence[PlacedCase], numbers: Collection[int] = ()
) -> Iterator[PlacedCase]:
    """The inputs of these cases of a tool, then inputs near them; each once, and the same in every process.

    `numbers` are limits beside those that stand in the tool's own code.
    """
    varying = _Varying(domain, tool, numbers)
    chance = random.Random(tool.name)
    steps = [_shuffled(varying.kinds_of_steps(each), chance) for each in placed]
    singles = [
        (each, (step,))
        for turn in zip_longest(*steps)
        for each, step in zip(placed, turn, strict=True)
        if step is not None
    ]
    several = [index for index, own in enumerate(steps) if len(own) > 1]
    pairs = [
        (placed[index], tuple(chance.sample(steps[index], 2)))
        for number in range(_PAIRS if several else 0)
        for index in [several[number % len(several)]]
    ]
    inputs: list[tuple[PlacedCase, tuple[_Step, ...]]] = [(each, ()) for each in placed]
    inputs += [*singles[:_SINGLES_FIRST], *pairs, *singles[_SINGLES_FIRST:]]
    seen: set[str] = set()
    for each, taken in inputs:
        varied = varying.apply(each, taken)
        shown = repr((varied.topic, varied.case.rows, varied.case.principal, varied.case.arguments))
        if shown not in seen:
            seen.add(shown)
            yield varied


class _Varying:
    """The changes that make sense for one tool."""

    def __init__(self, domain: Domain, tool: Tool, numbers: Collection[int] = ()) -> None:
        self.domain = domain
        self.tool = tool
        self.values = Values(domain, tool, numbers)
        self.unique = unique_in(domain.schema)
        self.keys = keys_of(domain.schema)
        self.required = tool.arguments.schema.get("required", [])

    def apply(self, placed: PlacedCase, steps: Sequence[_Step]) -> PlacedCase:
        """The case with these changes."""
        case = placed.case
        rows, arguments, principal = case.rows, dict(case.arguments), case.principal
        for step in steps:
            arguments = {
                name: each for name, each in {**arguments, **step.arguments}.items() if name not in step.omitted
            }
            rows = merge_rows(rows, step.rows, self.keys) if step.rows else rows
            principal = step.principal or principal
        varied = case.model_copy(update={"rows": rows, "arguments": arguments, "principal": principal})
        return PlacedCase(placed.topic, placed.runner, varied)

    def kinds_of_steps(self, placed: PlacedCase) -> list[list[_Step]]:
        """Every single change of a case: of arguments, of rows, and rows that are added."""
        rows = merge_rows(placed.runner.base, placed.case.rows, self.keys)
        tables = [self.domain.schema.tables[name] for name in sorted(self.tool.reads)]
        changed = [
            step for table in tables for row in rows.get(table.name, []) for step in self._of_row(table, row, rows)
        ]
        return [
            list(self._of_arguments(placed.case, rows)),
            changed,
            [step for table in tables for step in self._of_table(table, rows)],
        ]

    def _of_arguments(self, case: Case, rows: Rows) -> Iterator[_Step]:
        for name, schema in self.tool.arguments.schema["properties"].items():
            if name in case.arguments and name not in self.required:
                yield _Step({}, omitted=(name,))
            for value in self._beside_argument(name, schema, case.arguments.get(name), rows):
                yield _Step({name: value})
        if case.principal is not None:
            for value in same_place(case.principal, "", rows):
                if isinstance(value, str) and value != case.principal:
                    yield _Step({}, principal=value)

    def _beside_argument(self, name: str, schema: Mapping[str, Any], value: Any, rows: Rows) -> list[Any]:
        options = schema.get("anyOf", [schema])
        types = {option.get("type") for option in options}
        choices = [each for option in options for each in option.get("enum", [])]
        found: list[Any] = choices
        if isinstance(value, list):
            found = [value[:-1], [*value, *value[-1:]], []]
            for position, item in enumerate(value):
                found += [[*value[:position], each, *value[position + 1 :]] for each in self._beside_item(item, rows)]
        elif "boolean" in types:
            found = [True, False]
        elif not choices:
            elsewhere = list(same_place(value, name, rows))
            found = self.values.beside(value if value is not None else next(iter(elsewhere), None), elsewhere)
            if value is None and types & {"integer", "number"}:
                found += self.values.numbers
            if value is None and "string" in types and not found:
                found = ["words", self.domain.now, self.domain.now[:10]]
        if "null" in types:
            found.append(None)
        accepted = [each for each in found if _fits(each, types)]
        return [each for each in accepted if each != value or type(each) is not type(value)]

    def _beside_item(self, item: Any, rows: Rows) -> Iterator[Any]:
        if isinstance(item, dict):
            for name, value in item.items():
                for other in self._beside_item(value, rows):
                    yield {**item, name: other}
        elif not isinstance(item, list | bool | None):
            yield from self.values.beside(item, list(same_place(item, "", rows)))

    def _of_row(self, table: Table, row: Mapping[str, Value], rows: Rows) -> Iterator[_Step]:
        key = {column: row.get(column) for column in table.primary_key}
        for column in table.columns:
            if column.name not in table.primary_key:
                for value in self.values.of_column(table.name, column, row.get(column.name), rows):
                    yield _Step({}, rows={table.name: [{**key, column.name: value}]})

    def _of_table(self, table: Table, rows: Rows) -> Iterator[_Step]:
        """New rows: copies with one column changed, also several at once; made up where there is none to copy."""
        there = rows.get(table.name, [])
        for row in there or self._made_up(table, rows):
            yield _Step({}, rows={table.name: [self._copy(table, row, rows, 0)]})
            for column in table.columns:
                is_key = column.name in table.primary_key and len(table.primary_key) == 1
                if is_key or (table.name, column.name) in self.unique:
                    continue
                is_drawn = bool(self.values.parents(table.name, column.name, rows))
                if not there and not is_drawn and (table.name, column.name) not in self.values.choices:
                    continue
                for value in self.values.of_column(table.name, column, row.get(column.name), rows):
                    changed = {**row, column.name: value}
                    yield _Step({}, rows={table.name: [self._copy(table, changed, rows, 0)]})
                    for count in self._counts if is_drawn else []:
                        copies = [self._copy(table, changed, rows, each) for each in range(count)]
                        yield _Step({}, rows={table.name: copies})
            for count in self._counts:
                yield _Step({}, rows={table.name: [self._copy(table, row, rows, each) for each in range(count)]})

    @cached_property
    def _counts(self) -> list[int]:
        """How many equal rows may reach a limit of the code."""
        near = {number + step for number in self.values.numbers for step in (-1, 0, 1)}
        return sorted(count for count in near if 1 < count <= _MOST_COPIES)

    def _made_up(self, table: Table, rows: Rows) -> Iterator[dict[str, Value]]:
        """Rows of a table that has none, for several combinations of parents."""
        parents = {column.name: self.values.parents(table.name, column.name, rows) for column in table.columns}
        referring = [name for name, keys in parents.items() if keys]
        for keys in islice(product(*(parents[name] for name in referring)), _MOST_PARENTS):
            row: dict[str, Value] = dict(zip(referring, keys, strict=True))
            for column in table.columns:
                if column.name in row or column.nullable or column.has_default:
                    continue
                if column.name in table.primary_key:
                    row[column.name] = f"{table.name.upper()}-1" if column.type == "TEXT" else 1
                else:
                    row[column.name] = self.values.of_column(table.name, column, None, rows)[0]
            yield row

    def _copy(self, table: Table, row: Mapping[str, Value], rows: Rows, number: int) -> dict[str, Value]:
        """Another row like this one, with a key of its own."""
        copy = dict(row)
        for column in table.column_names:
            is_key = column in table.primary_key and len(table.primary_key) == 1
            if is_key or (table.name, column) in self.unique:
                taken = [each.get(column) for each in rows.get(table.name, [])]
                copy[column] = _fresh(row.get(column), taken, number)
        return copy


def _shuffled(kinds: Sequence[list[_Step]], chance: random.Random) -> list[_Step]:
    """Steps of different kinds in turn."""
    for steps in kinds:
        chance.shuffle(steps)
    return [step for turn in zip_longest(*kinds) for step in turn if step is not None]


def _fresh(value: Value, taken: Sequence[Value], number: int) -> Value:
    """A value like this one that no row has."""
    if isinstance(value, int | float):
        return max((each for each in taken if isinstance(each, int | float)), default=value) + 1 + number
    if value is None:
        return None
    stem, digits = re.fullmatch(r"(.*?)(\d*)", value, re.DOTALL).groups()  # type: ignore[union-attr]
    start = int(digits or 0) + 90
    fresh = (f"{stem}{start + step:0{len(digits)}d}" for step in range(len(taken) + number + 1))
    return [each for each in fresh if each not in taken][number]


def _fits(value: Any, types: set[str | None]) -> bool:
    """Whether the type of a value is one that the schema names."""
    if value is None:
        return "null" in types
    if isinstance(value, bool):
        return "boolean" in types
    if isinstance(value, int):
        return bool(types & {"integer", "number"})
    if isinstance(value, float):
        return "number" in types
    if isinstance(value, str):
        return bool(types & {"string", None})
    return bool(types & {"array", "object"})
