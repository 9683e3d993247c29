"""Databases that somebody hands in: only rows are read of them, and no SQL of theirs runs."""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from runtime.errors import UsageError
from runtime.sandbox.foreign import open_foreign
from runtime.sandbox.sqlite import open_file, open_memory
from tests.runtime.sandbox.journal import leave_hot_journal

TABLES = {"book": ("a", "b")}
ENDLESS = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT x AS a, x AS b FROM r"


def made(path: Path, *statements: str) -> Path:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)
    return path


def poisoned(path: Path, said: str, column: str = "sql", table: str = "CREATE TABLE book (a, b)") -> Path:
    """A file whose catalogue says of a table what is not so."""
    made(path, table, "INSERT INTO book (a) VALUES (1)")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(f"UPDATE sqlite_schema SET {column} = ? WHERE name = 'book'", (said,))
    return path


DOUBLED = ", ".join(f"g{number + 1} NOT NULL AS (g{number} + g{number})" for number in range(40))
COMPUTED = f"CREATE TABLE book (a, b, g0 DEFAULT 1, {DOUBLED})"


def of_one_page(path: Path) -> Path:
    """A file in which every branch of a table leads to the same page."""
    made(path, "CREATE TABLE book (a, b)")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany("INSERT INTO book VALUES (?, ?)", [(number, "x" * 500) for number in range(2_000)])
        (root,) = connection.execute("SELECT rootpage FROM sqlite_schema").fetchone()
    content = bytearray(path.read_bytes())
    start = (root - 1) * 4096
    assert content[start] == 5  # an inner page of a table
    (cells,) = struct.unpack_from(">H", content, start + 3)
    places = struct.unpack_from(f">{cells}H", content, start + 12)
    for place in places:
        content[start + place : start + place + 4] = content[start + places[0] : start + places[0] + 4]
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("make", "said"),
    [
        pytest.param(lambda path: made(path, f"CREATE VIEW book AS {ENDLESS}"), "as a view or a virtual", id="view"),
        pytest.param(
            lambda path: poisoned(path, f"CREATE VIEW book AS {ENDLESS}"), "as a view|malformed", id="poisoned"
        ),
        pytest.param(
            lambda path: made(path, "CREATE TABLE book (a, b AS (hex(zeroblob(1000000))))"),
            "computes column 'book.b'",
            id="computed",
        ),
        pytest.param(lambda path: made(path, COMPUTED), "computes column 'book.g1'", id="computed_beside"),
        pytest.param(
            lambda path: made(path, *(f"CREATE TABLE t{number} (a)" for number in range(2_001))),
            "more than 2,000 tables and indexes",
            id="many_tables",
        ),
        pytest.param(
            lambda path: poisoned(path, f"CREATE TABLE book (a, b{' ' * 50_000})"), "too big", id="long_statement"
        ),
        pytest.param(of_one_page, "is damaged", id="page_used_twice"),
    ],
)
def test_a_hostile_file_is_refused_before_any_row_is_read(
    make: Callable[[Path], Path], said: str, tmp_path: Path
) -> None:
    with pytest.raises((UsageError, sqlite3.DatabaseError), match=said):  # SQLite notices some itself
        open_foreign(make(tmp_path / "x.db"), TABLES)


def test_only_columns_of_known_tables_are_read_and_what_lies_beside_them_is_left_alone(tmp_path: Path) -> None:
    path = made(
        tmp_path / "x.db",
        "CREATE TABLE book (a, b)",
        "INSERT INTO book VALUES (1, 2)",
        "CREATE TABLE other (c)",
        "CREATE TRIGGER t AFTER INSERT ON book BEGIN SELECT 1; END",
        f"CREATE VIEW v AS {ENDLESS}",
    )
    with closing(open_foreign(path, TABLES)) as connection:
        assert connection.execute("SELECT a, b FROM book").fetchall() == [(1, 2)]
        for sql in (
            *("SELECT * FROM other", "SELECT * FROM v", "SELECT hex(a) FROM book", "PRAGMA writable_schema = ON"),
            *("INSERT INTO book VALUES (1, 2)", "ATTACH ':memory:' AS x", "DELETE FROM book", ENDLESS),
        ):
            with pytest.raises(sqlite3.DatabaseError):
                connection.execute(sql)


def test_no_connection_reaches_another_file(tmp_path: Path) -> None:
    with closing(open_memory()) as connection:
        connection.execute("CREATE TABLE x (y)")
        for sql in ("ATTACH ? AS other", "VACUUM INTO ?"):
            with pytest.raises(sqlite3.OperationalError, match="too many attached databases"):
                connection.execute(sql, (str(tmp_path / "new.db"),))
        with pytest.raises(sqlite3.DataError, match="too big"):
            connection.execute("SELECT zeroblob(2000000)")
    assert not list(tmp_path.iterdir())


def test_a_journal_that_names_another_file_is_refused_and_the_file_stays(tmp_path: Path) -> None:
    victim = tmp_path / "victim.txt"
    victim.write_text("precious")
    path = leave_hot_journal(made(tmp_path / "x.db", "CREATE TABLE book (a, b)"), "book", victim)
    with pytest.raises(UsageError, match="names a file to delete"):
        open_file(path, writable=True)
    assert victim.exists()
    with closing(sqlite3.connect(path)) as connection:  # what SQLite does by itself
        connection.execute("SELECT * FROM book").fetchall()
    assert not victim.exists()
