"""The functions that stand for SQLite's own answer as those do."""

from __future__ import annotations

import random
import sqlite3

import pytest

from runtime.session.sql_functions import PAID_FUNCTIONS, install

LETTERS = ["a", "A", "b", "%", "_", "*", "?", "[", "]", "^", "-", "é", "É", "K", "\0", "😀", "ß", " ", "!"]
CALLS = {
    "like": "{0} LIKE {1}",
    "like_with_an_escape": "{0} LIKE {1} ESCAPE '!'",
    "not_like": "{0} NOT LIKE {1}",
    "glob": "{0} GLOB {1}",
    "instr": "instr({0}, {1})",
    "replace": "replace({0}, {1}, {2})",
    "trim": "trim({0}, {1})",
    "ltrim": "ltrim({0}, {1})",
    "rtrim": "rtrim({0}, {1})",
    "trim_spaces": "trim({0})",
    "printf": "printf({0}, {1}, {2})",
    "format": "format('%5d|%s|%.3f|%!.4f|%x|%c|%q|%w|%%', {0}, {1}, {2}, {0}, {1}, {2}, {0}, {1})",
}


@pytest.fixture(scope="module")
def connections() -> tuple[sqlite3.Connection, sqlite3.Connection]:
    ours, theirs = sqlite3.connect(":memory:"), sqlite3.connect(":memory:")
    for name in PAID_FUNCTIONS:
        install(ours, name, lambda steps: None, "2026-03-16 09:30:00")
    return ours, theirs


@pytest.mark.parametrize("call", CALLS)
def test_a_function_that_pays_answers_as_sqlite_does(
    connections: tuple[sqlite3.Connection, sqlite3.Connection], call: str
) -> None:
    numbers = random.Random(call)
    sql = f"SELECT {CALLS[call].format('?1', '?2', '?3')}, typeof({CALLS[call].format('?1', '?2', '?3')}), ?2, ?3"
    for _ in range(4_000):
        values = [_value(numbers) for _ in range(3)]
        ours, theirs = ([*each.execute(sql, values)] for each in connections)
        assert ours == theirs, values


def _value(numbers: random.Random) -> str | int | float | bytes | None:
    kind = numbers.random()
    if kind < 0.8:
        return "".join(numbers.choices(LETTERS[: numbers.choice([3, 6, len(LETTERS)])], k=numbers.randrange(7)))
    if kind < 0.95:
        return numbers.choice([None, 0, 1, 12, -1, 1.5, 1e300, 2**62])
    return numbers.choice([b"", b"a", b"ab\0c"])
