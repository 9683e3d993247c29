"""What SQLite would take for ever to prepare, or a schema to fill, is refused before it is handed over."""

from __future__ import annotations

import time
from contextlib import closing

import pytest

from runtime.domain.schema import read_schema
from runtime.sandbox.connect import open_memory
from runtime.sandbox.preparing import MOST_QUERY, check_query, joining_steps


def _nested(levels: int, names: int, name: str = "x") -> str:
    sql = f"SELECT 1 AS {name}"
    for _ in range(levels):
        sql = f"SELECT {'+'.join([name] * names)} AS {name} FROM ({sql})"
    return sql


@pytest.mark.parametrize(("levels", "names"), [(5, 8), (7, 8), (30, 2)])
def test_queries_within_queries_that_multiply_are_refused(levels: int, names: int) -> None:
    with pytest.raises(ValueError, match="queries within queries, which makes up to"):
        check_query(_nested(levels, names))


@pytest.mark.parametrize(
    "name", ['"null"', "[is]", "`in`", '"from"', '")"', '"("', '""', '"as"', "\u00a0", "é$", "x€is"]
)
def test_a_name_that_reads_like_a_keyword_a_sign_or_a_space_is_counted_as_a_name(name: str) -> None:
    with closing(open_memory()) as connection:
        connection.execute(_nested(1, 2, name))  # all of them are names
    with pytest.raises(ValueError, match="queries within queries, which makes up to"):
        check_query(_nested(6, 14, name))


def test_parts_that_name_each_other_without_a_select_are_refused() -> None:
    parts = (f"c{n}(x) AS (VALUES ((1 IN c{n - 1}) + (1 IN c{n - 1})))" for n in range(1, 30))
    with pytest.raises(ValueError, match="names its WITH parts in each other"):
        check_query(f"WITH c0(x) AS (VALUES (1)), {', '.join(parts)} SELECT x FROM c29")


@pytest.mark.parametrize(
    "first",
    ["item window", 'item "where"', "item x€where", 'item "union"', "item JOIN b ON :where", "item JOIN b ON $a((("],
)
def test_tables_behind_a_name_that_reads_like_a_keyword_are_counted(first: str) -> None:
    others = ", ".join(f"item t{number}" for number in range(8))
    assert joining_steps(f"SELECT 1 FROM {first}, {others}") >= joining_steps(f"SELECT 1 FROM item a, {others}") > 0


@pytest.mark.parametrize(
    "part", ["[", '"', "'", "`", "/*", "--\n", " ", "$a(", "$a::", "a", "(", "AS (", "''", "\u00a0"]
)
def test_a_text_of_one_part_over_and_over_is_read_soon_and_told_in_short(part: str) -> None:
    started = time.process_time()
    faults = read_schema((part * 200_000)[:200_000]).faults
    joining_steps("FROM ," + (part * MOST_QUERY)[:MOST_QUERY])
    assert time.process_time() - started < 2
    assert max(map(len, faults)) < 300


def test_ordinary_queries_within_queries_pass() -> None:
    check_query(_nested(2, 8))
    check_query(
        "SELECT a.id, a.name FROM a WHERE a.id IN (SELECT b.a_id FROM b WHERE b.kind = ? AND EXISTS"
        " (SELECT 1 FROM c WHERE c.b_id = b.id AND c.day > ?)) ORDER BY a.name"
    )


def test_a_query_has_a_length() -> None:
    with pytest.raises(ValueError, match="it has 50,009 characters, more than 50,000; pass values as parameters"):
        check_query("SELECT 1 " + " " * MOST_QUERY)


@pytest.mark.parametrize(
    "words", ["AS (a + a)", "GENERATED ALWAYS AS (a + a) VIRTUAL", "as\n(a + a) STORED", "AS /* */ (a + a)"]
)
def test_a_generated_column_is_refused_however_it_is_written(words: str) -> None:
    reading = read_schema(
        f"-- t\nCREATE TABLE t (a INTEGER PRIMARY KEY, -- key\n b INTEGER {words} -- twice\n) STRICT;"
    )
    assert any("generated column" in fault for fault in reading.faults)


def test_a_default_text_that_reads_like_one_is_not() -> None:
    columns = "a INTEGER PRIMARY KEY, -- as (key)\n b TEXT NOT NULL DEFAULT 'known as (b)' -- b\n"
    reading = read_schema(f"-- t\nCREATE TABLE t ({columns}) STRICT;")
    assert not any("generated column" in fault for fault in reading.faults)
