"""Open every database of a domain: none can reach another file, load code, or hold a value beyond a bound."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path

from runtime.errors import UsageError
from runtime.sandbox.files import check_regular, is_there

MOST_BYTES = 4 * 1024**3  # of a database file
MOST_VALUE = 1024**2  # bytes of a text or of a row
_MOST_SQL = 1_000_000  # bytes of a statement
_SUPER_JOURNAL = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"  # how a rollback journal ends that names a file to delete


def open_memory(image: bytes | None = None) -> sqlite3.Connection:
    """A database in memory, empty or from the bytes of a file; empty bytes are a MemoryError."""
    connection = sqlite3.connect(":memory:", isolation_level=None, cached_statements=512)
    try:
        confine(connection)
        if image is not None:
            connection.deserialize(image)
    except BaseException:
        connection.close()
        raise
    return connection


def open_file(path: Path, *, writable: bool = False, most_value: int = MOST_VALUE) -> sqlite3.Connection:
    """A database file that is there already; nothing of it is read yet. Errors: UsageError, sqlite3.Error."""
    check_database(path)
    address = f"{path.resolve().as_uri()}?mode={'rw' if writable else 'ro'}{'' if writable else _at_rest(path)}"
    connection = sqlite3.connect(address, uri=True, isolation_level=None, cached_statements=512, timeout=30.0)
    try:
        confine(connection, most_value)
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA cell_size_check = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def check_database(path: Path) -> None:
    """Refuse a file that SQLite should not open, or one beside it that it would open, too; errors: UsageError."""
    check_regular(path, MOST_BYTES)
    for kind in ("wal", "shm", "journal"):
        beside = path.with_name(f"{path.name}-{kind}")
        if is_there(beside):
            check_regular(beside, MOST_BYTES)
    _check_journal(path.with_name(f"{path.name}-journal"))


def confine(connection: sqlite3.Connection, most_value: int = MOST_VALUE) -> None:
    """Hold a connection to its one database, which VACUUM INTO must not leave either, and to bounded values."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, most_value)
    connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, _MOST_SQL)


def damage_in(connection: sqlite3.Connection, tables: Iterable[str]) -> str | None:
    """What is wrong with the pages of some tables, if anything: a page used twice makes few bytes endless rows."""
    connection.execute("PRAGMA ignore_check_constraints = ON")  # the check would evaluate them
    try:
        for table in tables:
            (said,) = connection.execute(f'PRAGMA quick_check("{table}")').fetchone()
            if said != "ok":
                return " ".join(str(said).split())
        return None
    finally:
        connection.execute("PRAGMA ignore_check_constraints = OFF")


def _check_journal(journal: Path) -> None:
    """Refuse a journal that names another file, which SQLite would delete once it has rolled back."""
    try:
        with journal.open("rb") as file:
            file.seek(-len(_SUPER_JOURNAL), 2)
            names_another = file.read() == _SUPER_JOURNAL
    except OSError:  # none, or shorter than that
        return
    if names_another:
        raise UsageError(f"{str(journal)!r} names a file to delete; remove the journal.")


def _at_rest(path: Path) -> str:
    """What keeps SQLite from leaving files beside a WAL database that nobody has open."""
    try:
        with path.open("rb") as file:
            is_wal = file.read(20)[18:] == b"\2\2"
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be read: {error.strerror}.") from error
    return "&immutable=1" if is_wal and not path.with_name(f"{path.name}-wal").exists() else ""
