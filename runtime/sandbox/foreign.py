"""A database file that somebody hands in: only rows of known tables are read from it, by statements of our own."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection, Mapping
from pathlib import Path

from runtime.errors import UsageError
from runtime.sandbox.sqlite import open_file

_PLAIN = re.compile(r"CREATE (?:TABLE|INDEX|UNIQUE INDEX|TRIGGER)\s", re.IGNORECASE)
_OTHER = re.compile(r'CREATE (?:VIEW|VIRTUAL TABLE) (?:"([^"]*)"|(\w+))\s*(?:AS|USING|\()', re.IGNORECASE)
_MOST_OBJECTS, _MOST_OPERATIONS = 2_000, 20_000  # of SQLite, ten for each
_MOST_STATEMENT = 50_000  # characters that make a table or an index
_MOST_INDEXES = 256  # of a table that is read
_PRAGMAS = {"user_version", "application_id", "data_version"}
_TICK = 10_000  # operations of SQLite between two counts
_FREE_TICKS, _BYTES_PER_TICK = 1_000, 200  # reading every row several times takes some fifty operations a byte


def open_foreign(path: Path, tables: Mapping[str, Collection[str]]) -> sqlite3.Connection:
    """Open the file for reading columns of tables and nothing else; errors: UsageError, sqlite3.Error."""
    connection = open_file(path)
    try:
        _hold_to_rows(connection, path, tables)
    except BaseException:
        connection.close()
        raise
    return connection


def _hold_to_rows(connection: sqlite3.Connection, path: Path, tables: Mapping[str, Collection[str]]) -> None:
    """From here on, a connection only reads these columns of these tables; a missing one is for the caller to miss.

    Nothing that the file's schema says is evaluated: no view, virtual table or generated column is in the place of a
    table. Errors: UsageError, sqlite3.Error.
    """
    _check_objects(connection, path, tables)
    there = []
    for name in tables:  # by its name alone, since the catalogue may write it or its type in another way
        columns = connection.execute(f'PRAGMA table_xinfo("{name}")').fetchall()
        there += [name] if columns else []
        for column, hidden in ((row[1], row[6]) for row in columns):
            if hidden:  # wanted or not: checking the pages computes it
                raise UsageError(f"{str(path)!r} computes column '{name}.{column}'; store its values instead.")
        if len(connection.execute(f'PRAGMA index_list("{name}")').fetchall()) > _MOST_INDEXES:
            raise UsageError(f"{str(path)!r} has more than {_MOST_INDEXES} indexes of {name!r}; leave some out.")
    connection.execute("PRAGMA ignore_check_constraints = ON")  # the check of the pages would evaluate them
    for name in there:  # a page that is used twice makes few bytes endless rows
        (said,) = connection.execute(f'PRAGMA quick_check("{name}")').fetchone()
        if said != "ok":
            raise UsageError(f"{str(path)!r} is damaged: {' '.join(str(said).split())}.")
    _hold_to_reading(connection, tables, path)


def _check_objects(connection: sqlite3.Connection, path: Path, tables: Collection[str]) -> None:
    """Refuse views in the place of tables, by the SQL that made them: the other columns of the catalogue may lie."""
    for name, sql in _read_catalogue(connection, path):
        if sql is None or _PLAIN.match(str(sql)):
            continue
        made = _OTHER.match(str(sql))
        if made is None or (made[1] or made[2]).lower() in {table.lower() for table in tables}:
            raise UsageError(f"{str(path)!r} has {name!r} as a view or a virtual table; only tables hold rows.")


def _read_catalogue(connection: sqlite3.Connection, path: Path) -> list[tuple[str, str | None]]:
    """Names and SQL of what the file holds, which SQLite parses first: a time that grows with the squares of both."""
    rows = f"SELECT name, sql FROM sqlite_schema LIMIT {_MOST_OBJECTS + 1}"
    connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, _MOST_STATEMENT)
    connection.set_progress_handler(lambda: True, _MOST_OPERATIONS)
    try:
        found = connection.execute(rows).fetchall()
        if len(found) <= _MOST_OBJECTS:
            return found
    except sqlite3.OperationalError as error:
        if error.sqlite_errorname != "SQLITE_INTERRUPT":
            raise
    finally:
        connection.set_progress_handler(None, 0)
    raise UsageError(f"{str(path)!r} holds more than {_MOST_OBJECTS:,} tables and indexes; leave some out.")


def _hold_to_reading(connection: sqlite3.Connection, tables: Collection[str], path: Path) -> None:
    ticks_left = _FREE_TICKS + path.stat().st_size // _BYTES_PER_TICK

    def authorize(action: int, first: str | None, second: str | None, *_: str | None) -> int:
        allowed = (
            action == sqlite3.SQLITE_SELECT
            or (action == sqlite3.SQLITE_READ and first in tables)
            or (action == sqlite3.SQLITE_FUNCTION and second == "count")
            or (action == sqlite3.SQLITE_PRAGMA and (first in _PRAGMAS and second is None or first == "table_info"))
        )
        return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY

    def count() -> int:
        nonlocal ticks_left
        ticks_left -= 1
        return ticks_left < 0

    connection.set_authorizer(authorize)
    connection.set_progress_handler(count, _TICK)
