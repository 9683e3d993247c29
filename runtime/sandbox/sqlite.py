"""Open the databases of a domain, and hold SQL that somebody else wrote to making tables, or to reading known ones."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from runtime.errors import UsageError
from runtime.sandbox.files import check_regular, is_there

MOST_BYTES = 4 * 1024**3  # of a database file
MOST_SQL = 200_000  # characters of a schema
MOST_COLUMNS = 200  # of a table, and so of what a tool reads at once
MOST_QUERY = 50_000  # characters
_MOST_VALUE = 1024**2  # bytes of a text or of a row
_MOST = {"table": 200, "index": 256}  # an index of each UNIQUE and of each key included
_MOST_INDEXES = 16  # of one table: each row is kept in all of them, each query planned with all
_MOST_DEPTH = 200  # of an expression
_MOST_KEYS = 100  # to other tables, of a table
_TICK, _MOST_TICKS = 1_000, 20_000  # operations of SQLite between two counts, and counts
_SUPER_JOURNAL = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"  # how a rollback journal ends that names a file to delete


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
    for kind in ("wal", "shm", "journal"):  # which SQLite would open, too
        beside = path.with_name(f"{path.name}-{kind}")
        if is_there(beside):
            check_regular(beside, MOST_BYTES)
            if kind == "journal" and _ending(beside) == _SUPER_JOURNAL:
                raise UsageError(f"{str(beside)!r} names a file to delete; remove the journal.")
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
    connection.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, 1_000_000)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000)


def _ending(journal: Path) -> bytes:
    with journal.open("rb") as file:
        file.seek(max(0, journal.stat().st_size - len(_SUPER_JOURNAL)))
        return file.read()


def _at_rest(path: Path) -> str:
    """Return the option that keeps SQLite from leaving files beside a WAL database that nobody has open."""
    try:
        with path.open("rb") as file:
            is_wal = file.read(20)[18:] == b"\2\2"
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be read: {error.strerror}.") from error
    return "&immutable=1" if is_wal and not path.with_name(f"{path.name}-wal").exists() else ""


# Schemas

# Functions of one row, whose results are no longer than it, but for replace(), which the bound on values holds.
FUNCTIONS = frozenset(
    {
        *("abs", "coalesce", "date", "datetime", "glob", "ifnull", "iif", "instr", "julianday", "length", "like"),
        *("lower", "ltrim", "max", "min", "nullif", "replace", "round", "rtrim", "sign", "strftime", "substr"),
        *("substring", "time", "trim", "typeof", "unicode", "unixepoch", "upper"),
    }
)
_COMES_WITH = frozenset({sqlite3.SQLITE_READ, sqlite3.SQLITE_REINDEX})
_WRITING = frozenset({sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE})
_DOES = {
    sqlite3.SQLITE_ATTACH: "attaches the file {0!r}",
    sqlite3.SQLITE_SELECT: "runs a SELECT",
    sqlite3.SQLITE_PRAGMA: "runs the PRAGMA {0!r}",
    sqlite3.SQLITE_INSERT: "inserts into {0!r}",
    sqlite3.SQLITE_UPDATE: "updates {0!r}",
    sqlite3.SQLITE_DELETE: "deletes from {0!r}",
    sqlite3.SQLITE_CREATE_VIEW: "makes the view {0!r}",
    sqlite3.SQLITE_CREATE_TRIGGER: "makes the trigger {0!r}",
    sqlite3.SQLITE_CREATE_VTABLE: "makes the virtual table {0!r}",
    sqlite3.SQLITE_TRANSACTION: "says {0}",
}


@contextmanager
def creating_tables(connection: sqlite3.Connection) -> Iterator[None]:
    """Let SQL make tables and indexes of bounded number and shape, and nothing else; errors: Forbidden, sqlite3.Error.

    The authorizer is asked when a statement is prepared, before any of it runs.
    """
    refusals: list[str] = []
    made: Counter[str] = Counter()
    ticks = 0

    def authorize(action: int, first: str | None, second: str | None, *_: str | None) -> int:
        # What making a table or an index comes with; SQLite itself lets no statement write to its catalog.
        if action in _COMES_WITH or (action in _WRITING and first == "sqlite_master"):
            return sqlite3.SQLITE_OK
        refusal = ""
        if action == sqlite3.SQLITE_FUNCTION:
            have = ", ".join(sorted(FUNCTIONS))
            if second not in FUNCTIONS:
                refusal = f"calls the SQL function {second}(), which is not allowed; have: {have}"
        elif action in (sqlite3.SQLITE_CREATE_TABLE, sqlite3.SQLITE_CREATE_INDEX):
            kind = "table" if action == sqlite3.SQLITE_CREATE_TABLE else "index"
            made.update([kind] if kind == "table" else [kind, f"indexes of {second}"])
            if made[f"indexes of {second}"] > _MOST_INDEXES:
                refusal = f"makes more than {_MOST_INDEXES} indexes of the table {second!r}; leave some out"
            elif made[kind] > _MOST[kind]:
                kinds = "tables" if kind == "table" else "indexes"
                refusal = f"makes more than {_MOST[kind]} {kinds}; leave some out"
        else:
            does = _DOES.get(action, "does more than that").format(first or "", second or "")
            refusal = f"{does}, which is not allowed; a schema holds tables and indexes only"
        refusals.extend([refusal] if refusal else [])
        return sqlite3.SQLITE_DENY if refusal else sqlite3.SQLITE_OK

    def count() -> int:
        nonlocal ticks
        ticks += 1
        if ticks > _MOST_TICKS:
            refusals.append("makes SQLite do too much; leave something out")
        return ticks > _MOST_TICKS

    limits = {sqlite3.SQLITE_LIMIT_COLUMN: MOST_COLUMNS, sqlite3.SQLITE_LIMIT_EXPR_DEPTH: _MOST_DEPTH}
    before = {limit: connection.setlimit(limit, most) for limit, most in limits.items()}
    connection.set_authorizer(authorize)
    connection.set_progress_handler(count, _TICK)
    try:
        yield
    except sqlite3.Error as error:
        if refusals:
            raise Forbidden(refusals[-1]) from error
        raise
    finally:
        connection.set_authorizer(None)
        connection.set_progress_handler(None, 0)
        for limit, most in before.items():
            connection.setlimit(limit, most)
    _check_shape(connection)


def _check_shape(connection: sqlite3.Connection) -> None:
    """Refuse very many foreign keys, and generated columns, each of which may take twice as long as the one before."""
    for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
        quoted = name.replace('"', '""')
        if any(column[6] for column in connection.execute(f'PRAGMA table_xinfo("{quoted}")')):
            raise Forbidden("has a generated column, which is not allowed; store the value instead")
        keys = len(connection.execute(f'PRAGMA foreign_key_list("{quoted}")').fetchall())
        if keys > _MOST_KEYS:
            raise Forbidden(f"has a table of {keys:,} foreign keys; at most {_MOST_KEYS} are read")


# Queries

_PREPARING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}


def tables_read(connection: sqlite3.Connection, sql: str, tables: Collection[str]) -> frozenset[str]:
    """Return the tables that a query reads; none of it runs, and only a query is prepared. Errors: sqlite3.Error."""
    try:
        check_query(sql)
    except ValueError as error:
        raise sqlite3.OperationalError(str(error)) from None
    found: set[str] = set()

    def note(action: int, table: str | None, *_: str | None) -> int:
        if action == sqlite3.SQLITE_READ and table in tables:
            found.add(str(table))
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


def check_query(sql: str) -> None:
    """Refuse a query of enormous length; errors: ValueError with the rest of a sentence."""
    if len(sql) > MOST_QUERY:
        raise ValueError(f"it has {len(sql):,} characters, more than {MOST_QUERY:,}; pass values as parameters")
