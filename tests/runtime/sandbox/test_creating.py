"""SQL of a schema makes tables and indexes; nothing else of it runs, and none of it takes long to read."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from runtime.domain.schema import read_schema
from runtime.sandbox.connect import open_memory
from runtime.sandbox.preparing import check_query, tables_read

ENDLESS = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT x FROM r"


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("ATTACH '{file}' AS v; UPDATE v.t SET a = 'owned'", "attaches the file"),
        ("VACUUM INTO '{file}.copy'", "attaches the file"),
        (ENDLESS, "runs a SELECT"),
        (f"CREATE TABLE x AS {ENDLESS}", "runs a SELECT"),
        ("VALUES (1)", "runs a SELECT"),
        ("CREATE TABLE x (y); INSERT INTO x VALUES (1)", "inserts into 'x'"),
        ("DELETE FROM sqlite_master", "may not be modified"),
        ("CREATE TEMP TABLE x (y)", "sqlite_temp_master"),
        ("PRAGMA writable_schema = ON", "runs the PRAGMA"),
        ("ANALYZE", "runs a SELECT"),
        ("CREATE TABLE x (y CHECK (randomblob(9) > y))", "calls the SQL function randomblob()"),
        ("CREATE TABLE x (y); CREATE INDEX i ON x (random())", "calls the SQL function random()"),
        ("CREATE TABLE x(y);" * 12_000, "at most 200,000 are read"),
        ("".join(f"CREATE TABLE t{n}(y);" for n in range(300)), "more than 200 tables"),
        ('CREATE TABLE "x"" UNION SELECT 1" (y)', "not plain"),
        ('CREATE TABLE x ("y""" TEXT)', "not plain"),
        ('CREATE TABLE x (y REFERENCES "z"") --")', "not plain"),
        ("CREATE TABLE x (\ud800)", "SQLite does not accept it"),
    ],
)
def test_what_a_schema_may_not_do_is_said_at_once(sql: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "secret.db"
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("CREATE TABLE t AS SELECT 'precious' AS a")
    before, started = file.read_bytes(), time.process_time()
    reading = read_schema(sql.replace("{file}", str(file)))
    assert said in reading.faults[0]
    assert not reading.schema.tables
    assert time.process_time() - started < 1
    assert file.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["secret.db"]


def test_a_query_that_copies_its_parts_without_end_is_not_prepared() -> None:
    def nested(count: int) -> str:
        parts = (f"c{n}(x) AS NOT MATERIALIZED (SELECT a.x FROM [c{n - 1}] a, 'c{n - 1}' b)" for n in range(1, count))
        return f"/* */ with c0 AS (SELECT 1 x), {', '.join(parts)} SELECT * FROM c{count - 1}"

    check_query(nested(5))
    check_query("WITH due AS (SELECT 1 AS x) SELECT due.x, due.x FROM due JOIN due AS d ON d.x = due.x")
    with pytest.raises(ValueError, match="copies of them"):
        check_query(nested(40))


@pytest.mark.parametrize("sql", ["ATTACH 'x' AS y", "PRAGMA temp_store_directory = '/tmp'", "DELETE FROM t"])
def test_only_a_query_is_prepared(sql: str) -> None:
    with closing(open_memory()) as connection:
        connection.execute("CREATE TABLE t (a)")
        assert tables_read(connection, "SELECT a FROM t WHERE a = '?'", {"t"}) == {"t"}
        with pytest.raises(sqlite3.OperationalError, match="does more than a SELECT"):
            tables_read(connection, sql, {"t"})
