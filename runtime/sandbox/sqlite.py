"""Open the databases of a domain, and restrict SQL from elsewhere to making tables, or to reading known ones."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from runtime.errors import UsageError
from runtime.sandbox.files import check_regular

MOST_BYTES = 4 * 1024**3  # of a database file
MOST_SQL = 200_000  # characters of a schema
MOST_COLUMNS = 200  # of a table, and so of what a tool reads at once
_MOST_VALUE = 1024**2  # bytes of a text or of a row
_MOST_DEPTH = 200  # of an expression


class Forbidden(Exception):
    """SQL of a schema does what it may not: the rest of a sentence that says what."""


def open_memory(image: bytes | None = None) -> sqlite3.Connection:
    """Return a database in memory, empty or from the bytes of a file; empty bytes are a MemoryError."""
    connection = sqlite3.connect(":memory:", isolation_level=None, cached_statements=512)
    try:
        _confine(connection, _MOST_VALUE)
        if image is not None:
            connection.deserialize(image)
    except BaseException:
        connection.close()
        raise
    return connection


def open_file(path: Path, *, writable: bool = False, most_value: int = _MOST_VALUE) -> sqlite3.Connection:
    """Open a database file that exists; nothing of it is read yet. Errors: UsageError, sqlite3.Error."""
    check_regular(path, MOST_BYTES)
    address = f"{path.resolve().as_uri()}?mode={'rw' if writable else 'ro'}{'' if writable else _at_rest(path)}"
    connection = sqlite3.connect(address, uri=True, isolation_level=None, cached_statements=512, timeout=30.0)
    try:
        _confine(connection, most_value)
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def _confine(connection: sqlite3.Connection, most_value: int) -> None:
    """Hold a connection to its one database, which VACUUM INTO must not leave either, and to bounded values."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, most_value)
    connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, MOST_SQL)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000)


def _at_rest(path: Path) -> str:
    """Return the option that keeps SQLite from leaving files beside a WAL database that nobody has open."""
    try:
        with path.open("rb") as file:
            is_wal = file.read(20)[18:] == b"\2\2"
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be read: {error.strerror}.") from error
    return "&immutable=1" if is_wal and not path.with_name(f"{path.name}-wal").exists() else ""


def open_foreign(path: Path, tables: Collection[str]) -> sqlite3.Connection:
    """Open a file of unknown origin to read rows of tables; errors: UsageError, sqlite3.Error.

    A missing table is for the caller to miss.
    """
    connection = open_file(path)
    try:
        for name in tables:
            found = connection.execute("SELECT type FROM sqlite_schema WHERE name = ? COLLATE NOCASE", (name,))
            if any(kind != "table" for (kind,) in found):
                raise UsageError(f"{str(path)!r} has {name!r} as a view; only tables hold rows.")
    except UnicodeDecodeError as error:  # of SQLite's own message
        connection.close()
        raise UsageError(f"{str(path)!r} cannot be read: its catalog of tables is damaged.") from error
    except BaseException:
        connection.close()
        raise
    return connection


# Schemas

# Functions of one row, whose results are no longer than the row, except replace(), which the value limit bounds.
FUNCTIONS = frozenset(
    {
        *("abs", "coalesce", "date", "datetime", "glob", "ifnull", "iif", "instr", "julianday", "length", "like"),
        *("lower", "ltrim", "max", "min", "nullif", "replace", "round", "rtrim", "sign", "strftime", "substr"),
        *("substring", "time", "trim", "typeof", "unicode", "unixepoch", "upper"),
    }
)
_COMES_WITH = frozenset({sqlite3.SQLITE_READ, sqlite3.SQLITE_REINDEX})
_WRITING = frozenset({sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE})
_MADE = frozenset({sqlite3.SQLITE_CREATE_TABLE, sqlite3.SQLITE_CREATE_INDEX})


@contextmanager
def creating_tables(connection: sqlite3.Connection) -> Iterator[None]:
    """Let SQL make tables and indexes, and nothing else; errors: Forbidden, sqlite3.Error.

    The authorizer is asked when a statement is prepared, before any of it runs.
    """
    refusals: list[str] = []

    def authorize(action: int, first: str | None, second: str | None, *_: str | None) -> int:
        # What making a table or an index comes with; SQLite itself lets no statement write to its catalog.
        if action in _COMES_WITH | _MADE or (action in _WRITING and first == "sqlite_master"):
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION:
            if second in FUNCTIONS:
                return sqlite3.SQLITE_OK
            have = ", ".join(sorted(FUNCTIONS))
            refusals.append(f"calls the SQL function {second}(), which is not allowed; have: {have}")
        else:
            refusals.append("does more than make tables and indexes, which is not allowed")
        return sqlite3.SQLITE_DENY

    limits = {sqlite3.SQLITE_LIMIT_COLUMN: MOST_COLUMNS, sqlite3.SQLITE_LIMIT_EXPR_DEPTH: _MOST_DEPTH}
    before = {limit: connection.setlimit(limit, most) for limit, most in limits.items()}
    connection.set_authorizer(authorize)
    try:
        yield
    except sqlite3.Error as error:
        if refusals:
            raise Forbidden(refusals[-1]) from error
        raise
    finally:
        connection.set_authorizer(None)
        for limit, most in before.items():
            connection.setlimit(limit, most)
    for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
        quoted = name.replace('"', '""')
        if any(column[6] for column in connection.execute(f'PRAGMA table_xinfo("{quoted}")')):
            raise Forbidden("has a generated column, which is not allowed; store the value instead")


# Queries

_PREPARING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}


def tables_read(connection: sqlite3.Connection, sql: str, tables: Collection[str]) -> frozenset[str]:
    """Return the tables that a query reads; none of it runs, and only a query is prepared. Errors: sqlite3.Error."""
    found: set[str] = set()
    named = {table.lower(): table for table in tables}  # where no column is read, SQLite says the name as it is written

    def note(action: int, table: str | None, *_: str | None) -> int:
        if action == sqlite3.SQLITE_READ and str(table).lower() in named:
            found.add(named[str(table).lower()])
        return sqlite3.SQLITE_OK if action in _PREPARING else sqlite3.SQLITE_DENY

    connection.set_authorizer(note)
    try:
        connection.execute(f"EXPLAIN {sql}", [None] * sql.count("?")).close()
    except sqlite3.ProgrammingError:
        pass  # question marks inside a literal, or a second statement: it was prepared all the same
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorname == "SQLITE_AUTH":
            raise sqlite3.OperationalError("it does more than a SELECT") from error
        raise
    finally:
        connection.set_authorizer(None)
    return frozenset(found)
