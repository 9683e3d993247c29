"""Which tables a query reads, found out by preparing it, and which queries cost too much even to prepare."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Collection
from functools import lru_cache

from runtime.sandbox.sql_tokens import is_parameter, is_quoted, is_word, name_of, tokens_of

MOST_COPIES = 10_000
MOST_QUERY = 50_000  # characters
_JOIN_STEPS, _FREE_JOIN = 40, 2_000
_COMPARING = dict.fromkeys(("=", "<", ">", "is", "in", "between", "like", "glob"), 1) | {"using": 4, "natural": 8}
_COMPOUND = frozenset({"union", "intersect", "except"})
_AFTER_FROM = _COMPOUND | {"where", "group", "having", "order", "limit"}
_NO_COLUMNS = frozenset(",.=<>!?+-*/|;") | {"select", "as", "and", "or", "not", "null", "is", "in", "from", "where"}
_RESERVED = _AFTER_FROM | _NO_COLUMNS | {"join", "between", "using"}  # what no name is, unless it is quoted
_PREPARING = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}


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


def check_query(sql: str) -> None:
    """Refuse a query that SQLite would take for ever to prepare; errors: ValueError with the rest of a sentence."""
    if len(sql) > MOST_QUERY:
        raise ValueError(f"it has {len(sql):,} characters, more than {MOST_QUERY:,}; pass values as parameters")
    _check_copies(sql)


@lru_cache(maxsize=1024)
def _check_copies(sql: str) -> None:
    """Refuse a query that SQLite would copy parts of too often before it counts or asks anything; errors: ValueError.

    It copies a common table expression for each time that it is named, and a column of a subquery for each time that
    the query around it names it: forty that name the one before twice are a million million copies.
    """
    tokens = _tokens(sql)
    named = Counter(tokens)
    copies = 1
    for name in {_defined(tokens, position) for position, token in enumerate(tokens) if token == "as"} - {""}:
        copies *= max(named[name] - 1, 1)
    if copies > MOST_COPIES:
        raise ValueError(f"it names its WITH parts in each other, which makes up to {copies:,.0f} copies of them")
    copies = _copies_of_columns(tokens)
    if copies > MOST_COPIES:
        raise ValueError(f"it names columns of queries within queries, which makes up to {copies:,.0f} copies of them")


@lru_cache(maxsize=1024)
def joining_steps(sql: str) -> int:
    """What it costs to put the tables of a query in order, before SQLite counts or asks anything.

    Measured: with all columns of n tables equal to each other, about as n * n * comparisons. Subqueries may become part
    of the query around them, so only the parts of a compound query are planned one by one.
    """
    if not re.search(r"\bjoin\b|\bfrom\b.*,", sql, re.IGNORECASE | re.DOTALL):
        return 0
    tokens = _tokens(sql)
    steps = tables = comparisons = 0
    listing: list[bool] = [False]  # at each level of parentheses, whether commas stand between tables
    rows = re.search(r"\)\s*(?:=|is\b)[^(]*\(", sql, re.IGNORECASE) is not None  # (a, b) = (c, d) compares them all
    for before, token in zip(["", *tokens], tokens, strict=False):
        if token == "(":
            listing.append(listing[-1] and before in ("from", "join", ",", "("))
        elif token == ")" and len(listing) > 1:
            listing.pop()
        elif token in ("from", "join"):
            tables += 1
            listing[-1] = True
        elif token == "select" or token in _AFTER_FROM:
            listing[-1] = False
        elif token == ",":
            tables += listing[-1]
            comparisons += rows and not listing[-1]
        comparisons += _COMPARING.get(token, 0)
        if token in _COMPOUND and len(listing) == 1 and tokens[0] != "with":
            steps += _steps_of(tables, comparisons)
            tables = comparisons = 0
    return steps + _steps_of(tables, comparisons)


def _steps_of(tables: int, comparisons: int) -> int:
    steps = _JOIN_STEPS * tables * tables * (1 + comparisons)
    return steps if steps > _FREE_JOIN else 0


def _tokens(sql: str) -> list[str]:
    """Names, keywords and single signs; a quoted name that would read as one of the latter keeps a mark before it."""
    tokens: list[str] = []
    for token in tokens_of(sql):
        name = name_of(token)
        if is_quoted(token):
            tokens.append(f'"{name}' if name in _RESERVED or not is_word(name) else name)
        elif is_parameter(token):
            tokens.append("?")
        elif is_word(token):
            tokens.append(name)
        else:
            tokens += token
    return tokens


def _copies_of_columns(tokens: list[str]) -> int:
    """How often a name of the innermost query may be copied outwards: a product over queries within queries."""
    words: list[list[str]] = [[]]
    copies = [1]
    for token in [*tokens, ")"]:  # the last one ends the query itself
        if token == "(":
            words.append([])
            copies.append(1)
        elif token == ")" and words:
            own, below = words.pop(), copies.pop()
            if "select" in own:
                below *= max(Counter(word for word in own if word not in _NO_COLUMNS).values(), default=1)
            elif words:
                words[-1] += own
            if not copies:
                return below
            copies[-1] = max(copies[-1], below)
        else:
            words[-1].append(token)
    return 1


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
