"""Open what a person gives as a database: a SQL text, or a SQLite file with its rows."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, get_args

from generator.twin.ddl import DIALECTS, SqlReader, read_sql
from generator.twin.rows import MOST_ROWS
from generator.twin.source import TwinSource
from generator.twin.sql import Dialect, Statement
from runtime.errors import UsageError
from runtime.sandbox.files import check_regular
from runtime.sandbox.sqlite import open_foreign

MOST_BYTES = 25_000_000  # of a SQL text

_SQLITE_FILE = b"SQLite format 3\0"


def read_database(path: Path, dialect: str | None = None) -> TwinSource:
    """Read a SQL text or a SQLite file; errors: UsageError in one sentence."""
    check_regular(path)
    with path.open("rb") as file:
        beginning = file.read(100_000)
    if beginning.startswith(_SQLITE_FILE):
        return _read_sqlite_file(path)
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise UsageError(
            f"{str(path)!r} has {size / 1e6:.0f} MB; a SQL text of at most {MOST_BYTES / 1e6:.0f} MB is read. "
            "Dump fewer rows or tables: a few hundred rows of each table are plenty."
        )
    if b"\0" in beginning:
        raise UsageError(f"{str(path)!r} is a binary file, not a SQLite database; write a dump as SQL text.")
    text = path.read_text(encoding="utf-8-sig", errors="replace")
    if not text.strip():
        raise UsageError(f"{str(path)!r} is empty.")
    known = next((each for each in get_args(Dialect) if each == dialect), None)
    if dialect is not None and known is None:
        raise UsageError(f"--dialect {dialect!r} is unknown; have: {', '.join(DIALECTS)}.")
    return read_sql(text, path.stem, path.name, known)


def _read_sqlite_file(path: Path) -> TwinSource:
    """Read the statements of the file's catalog as a SQL text, then rows."""
    try:
        with closing(open_foreign(path, {"sqlite_master"})) as own:
            query = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"
            made = [each for each in own.execute(query).fetchall() if not each[0].startswith("sqlite_")]
        virtual = tuple(f"{name}_" for name, sql in made if re.match(r"CREATE\s+VIRTUAL", sql, re.IGNORECASE))
        reader = SqlReader("sqlite")
        for name, sql in made:
            if not (virtual and name.startswith(virtual)):  # tables that hold the content of a virtual one
                reader.take(Statement(sql))
        source = reader.finish(path.stem, f"{path.name} (a SQLite file)")
        if not source.tables:
            raise UsageError(f"{str(path)!r} holds no table that can be read.")
        with closing(open_foreign(path, set(source.tables))) as own:
            _take_rows(own, source)
    except sqlite3.Error as error:
        raise UsageError(f"{str(path)!r} cannot be read: {error}.") from error
    return source


def _take_rows(own: sqlite3.Connection, source: TwinSource) -> None:
    """Read the first rows of each table, and the rows that they refer to."""
    own.text_factory = lambda content: content.decode(errors="replace")
    totals = {name: own.execute(f"SELECT count(*) FROM {_quoted(name)}").fetchone()[0] for name in source.tables}
    taken: dict[str, dict[tuple[Any, ...], None]] = {name: {} for name in source.tables}
    pending: list[tuple[str, str, tuple[Any, ...]]] = [(name, "", ()) for name in source.tables]
    while pending:
        name, where, values = pending.pop()
        table = source.tables[name]
        columns = list(table.columns)
        query = f"SELECT {', '.join(map(_quoted, columns))} FROM {_quoted(name)} {where} LIMIT {MOST_ROWS}"
        for row in own.execute(query, values).fetchall():
            if row in taken[name]:
                continue
            taken[name][row] = None
            for key in table.references:
                held = tuple(row[columns.index(column)] for column in key.columns)
                if totals.get(key.table, 0) > MOST_ROWS and None not in held:
                    condition = " AND ".join(f"{_quoted(column)} = ?" for column in key.theirs)
                    pending.append((key.table, f"WHERE {condition}", held))
    for name, rows in taken.items():
        source.tables[name].rows = [dict(zip(source.tables[name].columns, row, strict=True)) for row in rows]
        if totals[name] > len(rows):
            source.losses.append(f"Rows of {name}: {len(rows):,} of {totals[name]:,} were read.")
    source.real_rows = any(taken.values())


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
