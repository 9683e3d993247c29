"""Values that might break a CHECK: its own literals and their neighbours, extremes, other columns' values."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from sqlglot import TokenType

from generator.gates.constraints.constraints import tokens_of
from runtime.domain.schema import Row, Table, Value

_LARGEST = 2**63 - 1
_LONGEST = 5_000  # characters of a text that is made to break a limit on length
_MOST_VALUES = 40  # of a column, where several columns are tried together
_NUMBERS = (0, 1, -1, 2, 10, 100, 1_000_000, -1_000_000, 2**53, _LARGEST, -_LARGEST - 1)
_TEXTS = (
    "",
    " ",
    "no such value",
    "x",
    "0",
    "-1",
    "7",
    "0000-00-00",
    "0001-01-01",
    "9999-12-31",
    "0001-01-01 00:00:00",
    "9999-12-31 23:59:59",
    "99:99",
    "NO SUCH VALUE",
    "~",
    "two\nlines",
    "a@b",
    "x" * (_LONGEST + 1),
)


def variants(
    table: Table, expression: str, columns: Sequence[str], rows: Sequence[Row], *, most: int
) -> Iterator[dict[str, Value]]:
    """Rows like the sample rows in which the columns of an expression hold candidates.

    First one column is changed at a time, then two, and so on; at most so many rows for each number of columns.
    """
    records = [table.record(row) for row in rows]
    values = {column: _values(table, expression, column, columns, records) for column in columns}
    for changed in range(1, len(columns) + 1):
        choices = list(itertools.combinations(columns, changed))
        for chosen in choices:
            pools = [values[column] if changed == 1 else values[column][:_MOST_VALUES] for column in chosen]
            for record in records if changed == 1 else records[:3]:
                for combination in _combinations(pools, max(1, most // (len(choices) * len(records)))):
                    yield {**record, **dict(zip(chosen, combination, strict=True))}


def _combinations(pools: Sequence[Sequence[Value]], most: int) -> Iterator[tuple[Value, ...]]:
    """All combinations of one value from each pool, or as many at random, the same ones every time."""
    if math.prod(map(len, pools)) <= most:
        yield from itertools.product(*pools)
    else:
        chance = random.Random(0)
        for _ in range(most):
            yield tuple(chance.choice(pool) for pool in pools)


def _values(
    table: Table, expression: str, column: str, columns: Sequence[str], records: Sequence[Mapping[str, Value]]
) -> list[Value]:
    """What one column might hold so that the expression is false, the likeliest first."""
    texts, numbers = _literals(expression)
    own = list(dict.fromkeys(record[column] for record in records))[:5]
    others = list(
        dict.fromkeys(record[other] for record in records[:5] for other in columns if other != column)
    )  # compared with this one
    found: list[Any] = []
    if table.by_name[column].type == "TEXT":
        found += [*texts, *_lengths(numbers)]
        found += [each for value in [*others, *own] if isinstance(value, str) for each in _around(value)]
        found += _TEXTS
    else:
        close = [value for value in [*others, *own] if isinstance(value, int | float)]
        found += [value + step for value in [*numbers, *close] for step in (-1, 0, 1)]
        found += _NUMBERS
        if table.by_name[column].type == "REAL":
            found = [float(value) for value in found] + [0.5, -0.5, 1e308, -1e308]
        else:
            found = [int(value) for value in found if -_LARGEST - 1 <= value <= _LARGEST]
    return list(dict.fromkeys([None, *own, *found]))


def _literals(expression: str) -> tuple[list[str], list[float]]:
    texts: list[str] = []
    numbers: list[float] = []
    for token in tokens_of(expression):
        if token.token_type == TokenType.STRING:
            texts.append(token.text)
        elif token.token_type == TokenType.NUMBER:
            number = float(token.text)
            numbers += [int(number), -int(number)] if number.is_integer() else [number, -number]
    return texts, numbers


def _lengths(numbers: Sequence[float]) -> Iterator[str]:
    for number in numbers:
        if 0 < number <= _LONGEST:
            yield from ("x" * (int(number) + step) for step in (-1, 0, 1))
            yield from ("7" * (int(number) + step) for step in (-1, 0, 1))


def _around(text: str) -> Iterator[str]:
    """Texts near a text: of a date, the days around it."""
    try:
        day = date.fromisoformat(text[:10])
        for step in (-1, 1, -400, 400):
            yield str(day + timedelta(days=step)) + text[10:]
        yield text[:10]
    except (ValueError, OverflowError):
        pass
    yield from (text + "x", text[:-1], text.upper(), text.lower(), f" {text}", text[::-1])
