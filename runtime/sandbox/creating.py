"""What SQL of a schema may do while it is read: make tables and indexes of bounded number and shape, nothing else."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from runtime.sandbox.sql_tokens import tokens_of

MOST_SQL = 200_000  # characters of a schema
_MOST = {"table": 200, "index": 256}  # an index of each UNIQUE and of each key included
_MOST_INDEXES = 16  # of one table: each row is kept in all of them, each query planned with all
MOST_COLUMNS = 200  # of a table, and so of what a tool reads at once
_LIMITS = {sqlite3.SQLITE_LIMIT_COLUMN: MOST_COLUMNS, sqlite3.SQLITE_LIMIT_EXPR_DEPTH: 200}
_TICK, _MOST_TICKS = 1_000, 20_000  # operations of SQLite between two counts, and counts

# Of one row, by its size at most: none makes a long text of a short one but replace(), which the bound on values holds.
FUNCTIONS = frozenset(
    {
        *("abs", "coalesce", "date", "datetime", "glob", "ifnull", "iif", "instr", "julianday", "length", "like"),
        *("lower", "ltrim", "max", "min", "nullif", "replace", "round", "rtrim", "sign", "strftime", "substr"),
        *("substring", "time", "trim", "typeof", "unicode", "unixepoch", "upper"),
    }
)
_QUERY = frozenset({"select", "with", "values"})  # what AS ( begins other than a generated column
_CATALOGUE = "sqlite_master"
_COMES_WITH = frozenset({sqlite3.SQLITE_READ, sqlite3.SQLITE_REINDEX})
_WRITING = frozenset({sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE})
_OTHERWISE = {
    sqlite3.SQLITE_ATTACH: "attaches the file {0!r}",
    sqlite3.SQLITE_DETACH: "detaches a database",
    sqlite3.SQLITE_SELECT: "runs a SELECT",
    sqlite3.SQLITE_PRAGMA: "runs the PRAGMA {0!r}",
    sqlite3.SQLITE_INSERT: "inserts into {0!r}",
    sqlite3.SQLITE_UPDATE: "updates {0!r}",
    sqlite3.SQLITE_DELETE: "deletes from {0!r}",
    sqlite3.SQLITE_DROP_TABLE: "drops the table {0!r}",
    sqlite3.SQLITE_ALTER_TABLE: "alters the table {1!r}",
    sqlite3.SQLITE_CREATE_VIEW: "makes the view {0!r}",
    sqlite3.SQLITE_CREATE_TRIGGER: "makes the trigger {0!r}",
    sqlite3.SQLITE_CREATE_VTABLE: "makes the virtual table {0!r}",
    sqlite3.SQLITE_TRANSACTION: "says {0}",
    sqlite3.SQLITE_SAVEPOINT: "says SAVEPOINT",
    sqlite3.SQLITE_ANALYZE: "runs ANALYZE",
}


class Forbidden(Exception):
    """SQL of a schema does what it may not: the rest of a sentence that says what."""


def check_columns(sql: str) -> None:
    """Refuse generated columns, each of which may take twice as long as those it is made of; errors: Forbidden."""
    before = word = ""
    for token in tokens_of(sql):
        token = token.lower()
        if (before, word) == ("as", "(") and token not in _QUERY:
            raise Forbidden("has a generated column, which is not allowed; store the value instead")
        before, word = word, token


@contextmanager
def creating_tables(connection: sqlite3.Connection) -> Iterator[None]:
    """Within this, SQL may make tables and indexes on a connection; errors: Forbidden, sqlite3.Error.

    The authorizer is asked when a statement is prepared, before any of it runs.
    """
    watch = _SchemaWatch()
    before = {limit: connection.setlimit(limit, most) for limit, most in _LIMITS.items()}
    connection.set_authorizer(watch.authorize)
    connection.set_progress_handler(watch.count, _TICK)
    try:
        yield
    except sqlite3.Error as error:
        if watch.refusal:
            raise Forbidden(watch.refusal) from error
        raise
    finally:
        connection.set_authorizer(None)
        connection.set_progress_handler(None, 0)
        for limit, most in before.items():
            connection.setlimit(limit, most)


class _SchemaWatch:
    """What SQLite asks before it prepares and while it runs a statement of a schema."""

    def __init__(self) -> None:
        self.refusal = ""
        self._made = dict.fromkeys(_MOST, 0)
        self._indexes: Counter[str] = Counter()
        self._ticks = 0

    def count(self) -> int:
        self._ticks += 1
        if self._ticks > _MOST_TICKS:
            self.refusal = "makes SQLite do too much; leave something out"
        return self._ticks > _MOST_TICKS

    def authorize(self, action: int, first: str | None, second: str | None, *_: str | None) -> int:
        # What making a table or an index comes with; SQLite itself lets no statement write to its catalogue.
        if action in _COMES_WITH or (action in _WRITING and first == _CATALOGUE):
            return sqlite3.SQLITE_OK
        self.refusal = self._refusal_of(action, first, second)
        return sqlite3.SQLITE_DENY if self.refusal else sqlite3.SQLITE_OK

    def _refusal_of(self, action: int, first: str | None, second: str | None) -> str:
        if action == sqlite3.SQLITE_CREATE_TABLE:
            return self._one_more("table")
        if action == sqlite3.SQLITE_CREATE_INDEX:
            self._indexes[second or ""] += 1
            if self._indexes[second or ""] > _MOST_INDEXES:
                return f"makes more than {_MOST_INDEXES} indexes of the table {second!r}; leave some out"
            return self._one_more("index")
        if action == sqlite3.SQLITE_FUNCTION:
            if second in FUNCTIONS:
                return ""
            return f"calls the SQL function {second}(), which is not allowed; have: {', '.join(sorted(FUNCTIONS))}"
        does = _OTHERWISE.get(action, "does more than that").format(first or "", second or "")
        return f"{does}, which is not allowed; a schema holds tables and indexes only"

    def _one_more(self, kind: str) -> str:
        self._made[kind] += 1
        if self._made[kind] <= _MOST[kind]:
            return ""
        return f"makes more than {_MOST[kind]} {'tables' if kind == 'table' else 'indexes'}; leave some out"
