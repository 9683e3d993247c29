"""SQL of somebody else makes tables or reads known ones; none of it takes long to read or to prepare."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from runtime.domain.schema import read_schema
from runtime.errors import UsageError
from runtime.sandbox.sqlite import open_foreign, open_memory, tables_read

ENDLESS = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT x FROM r"


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("ATTACH '{file}' AS v; UPDATE v.t SET a = 'owned'", "does more than make tables"),
        ("VACUUM INTO '{file}.copy'", "does more than make tables"),
        (ENDLESS, "does more than make tables"),
        ("CREATE TABLE x (y); INSERT INTO x VALUES (1)", "does more than make tables"),
        ("DELETE FROM sqlite_master", "may not be modified"),
        ("PRAGMA writable_schema = ON", "does more than make tables"),
        ("CREATE TABLE x (y CHECK (randomblob(9) > y))", "calls the SQL function randomblob()"),
        ("CREATE TABLE x(y);" * 12_000, "at most 200,000 are read"),
        ('CREATE TABLE "x"" UNION SELECT 1" (y)', "is not a valid name"),
        ('CREATE TABLE x (y REFERENCES "z"") --")', "is not a valid name"),
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


@pytest.mark.parametrize("sql", ["ATTACH 'x' AS y", "PRAGMA temp_store_directory = '/tmp'", "DELETE FROM t"])
def test_only_a_query_is_prepared(sql: str) -> None:
    with closing(open_memory()) as connection:
        connection.execute("CREATE TABLE t (a)")
        assert tables_read(connection, "SELECT a FROM t WHERE a = '?'", {"t"}) == {"t"}
        with pytest.raises(sqlite3.OperationalError, match="does more than a SELECT"):
            tables_read(connection, sql, {"t"})


@pytest.mark.parametrize("words", ["AS (a + a)", "GENERATED ALWAYS AS (a + a) STORED"])
def test_a_generated_column_is_refused_however_it_is_written(words: str) -> None:
    reading = read_schema(
        f"-- t\nCREATE TABLE t (a INTEGER PRIMARY KEY, -- key\n b INTEGER {words} -- twice\n) STRICT;"
    )
    assert any("generated column" in fault for fault in reading.faults)


def made(path: Path, *statements: str) -> Path:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)
    return path


def test_a_foreign_view_in_place_of_a_table_is_refused(tmp_path: Path) -> None:
    path = made(tmp_path / "x.db", f"CREATE VIEW Book AS {ENDLESS}")
    with pytest.raises(UsageError, match="only tables hold rows"):
        open_foreign(path, {"book"})


def test_no_connection_reaches_another_file(tmp_path: Path) -> None:
    with closing(open_memory()) as connection:
        connection.execute("CREATE TABLE x (y)")
        for sql in ("ATTACH ? AS other", "VACUUM INTO ?"):
            with pytest.raises(sqlite3.OperationalError, match="too many attached databases"):
                connection.execute(sql, (str(tmp_path / "new.db"),))
        with pytest.raises(sqlite3.DataError, match="too big"):
            connection.execute("SELECT zeroblob(2000000)")
    assert not list(tmp_path.iterdir())
