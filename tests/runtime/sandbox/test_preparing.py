"""What SQLite would take for ever to prepare, or a schema to fill, is refused before it is handed over."""

from __future__ import annotations

from decimal import Decimal

import pytest

from runtime.domain.schema import read_schema
from runtime.sandbox.budget import Budget
from runtime.sandbox.numbers import power
from runtime.sandbox.preparing import MOST_QUERY, check_query


def _nested(levels: int, names: int) -> str:
    sql = "SELECT 1 AS x"
    for _ in range(levels):
        sql = f"SELECT {'+'.join(['x'] * names)} AS x FROM ({sql})"
    return sql


@pytest.mark.parametrize(("levels", "names"), [(5, 8), (7, 8), (30, 2)])
def test_queries_within_queries_that_multiply_are_refused(levels: int, names: int) -> None:
    with pytest.raises(ValueError, match="queries within queries, which makes up to"):
        check_query(_nested(levels, names))


def test_ordinary_queries_within_queries_pass() -> None:
    check_query(_nested(2, 8))
    check_query(
        "SELECT a.id, a.name FROM a WHERE a.id IN (SELECT b.a_id FROM b WHERE b.kind = ? AND EXISTS"
        " (SELECT 1 FROM c WHERE c.b_id = b.id AND c.day > ?)) ORDER BY a.name"
    )


def test_a_query_has_a_length() -> None:
    with pytest.raises(ValueError, match="it has 50,009 characters, more than 50,000; pass values as parameters"):
        check_query("SELECT 1 " + " " * MOST_QUERY)


@pytest.mark.parametrize("words", ["AS (a + a)", "GENERATED ALWAYS AS (a + a) VIRTUAL", "as\n(a + a) STORED"])
def test_a_generated_column_is_refused_however_it_is_written(words: str) -> None:
    reading = read_schema(
        f"-- t\nCREATE TABLE t (a INTEGER PRIMARY KEY, -- key\n b INTEGER {words} -- twice\n) STRICT;"
    )
    assert any("generated column" in fault for fault in reading.faults)


def test_a_default_text_that_reads_like_one_is_not() -> None:
    columns = "a INTEGER PRIMARY KEY, -- as (key)\n b TEXT NOT NULL DEFAULT 'known as (b)' -- b\n"
    reading = read_schema(f"-- t\nCREATE TABLE t ({columns}) STRICT;")
    assert not any("generated column" in fault for fault in reading.faults)


def test_a_power_with_a_modulus_takes_whole_numbers_only() -> None:
    with Budget(1_000):
        assert power(3, 4, 5) == 1
        with pytest.raises(TypeError, match="takes whole numbers only"):
            power(Decimal(3), Decimal("9E+1000"), Decimal(7))
