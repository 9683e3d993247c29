"""Which tables a query reads, found out by preparing it, and which queries cost too much even to prepare."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Collection
from functools import lru_cache

MOST_COPIES = 10_000
_PREPARING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
_TOKEN = re.compile(
    r"""\s+|--[^\n]*|/\*.*?(?:\*/|$)|(?P<name>'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|\w+)|(?P<sign>.)""", re.DOTALL
)


def tables_read(connection: sqlite3.Connection, sql: str, tables: Collection[str]) -> frozenset[str]:
    """The tables that a query reads; nothing of it runs, and nothing but a query is prepared. Errors: sqlite3.Error."""
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


@lru_cache(maxsize=1024)
def check_query(sql: str) -> None:
    """Refuse a query that SQLite would take for ever to prepare; errors: ValueError with the rest of a sentence.

    SQLite copies a common table expression for each time that it is named, before it counts or asks anything: forty
    that name the one before twice are a million million copies.
    """
    if "with" not in sql.lower():
        return
    tokens = [(match["name"] or "").strip("'\"`[]").lower() or match["sign"] or "" for match in _TOKEN.finditer(sql)]
    tokens = [token for token in tokens if token]
    named = Counter(tokens)
    copies = 1
    for name in {_defined(tokens, position) for position, token in enumerate(tokens) if token == "as"} - {""}:
        copies *= max(named[name] - 1, 1)
    if copies > MOST_COPIES:
        raise ValueError(f"it names its WITH parts in each other, which makes up to {copies:,.0f} copies of them")


def _defined(tokens: list[str], position: int) -> str:
    """What `AS (` at a place defines: the name before it, or before its list of columns."""
    after = [token for token in tokens[position + 1 : position + 4] if token not in ("not", "materialized")]
    if not after or after[0] != "(":
        return ""
    before = position - 1
    if tokens[before] == ")":
        while before > 0 and tokens[before] != "(":
            before -= 1
        before -= 1
    return tokens[before] if before >= 0 else ""
