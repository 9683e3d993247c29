"""Open what a person gives as a database: a SQL text, a SQLite file, or the address of a server."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import get_args

from generator.twin.ddl import read_sql
from generator.twin.rows import MOST_ROWS
from generator.twin.source import TwinSource
from generator.twin.sql import DIALECTS, Dialect
from runtime.errors import UsageError
from runtime.sandbox.files import check_regular
from runtime.sandbox.sqlite import open_foreign

MOST_BYTES = 25_000_000  # of a SQL text

_SQLITE_FILE = b"SQLite format 3\0"


def read_database(path: Path, dialect: str | None = None, most: int = MOST_ROWS) -> TwinSource:
    """Read a SQL text or a SQLite file; errors: UsageError in one sentence."""
    check_regular(path)
    with path.open("rb") as file:
        beginning = file.read(100_000)
    if beginning.startswith(_SQLITE_FILE):
        return _read_sqlite_file(path, most)
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise UsageError(
            f"{str(path)!r} has {size / 1e6:.0f} MB; a SQL text of at most {MOST_BYTES / 1e6:.0f} MB is read. "
            "Dump fewer rows or tables, or give the address of the server: a few hundred rows of each table are plenty."
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


def _read_sqlite_file(path: Path, most: int) -> TwinSource:
    from sqlalchemy import create_engine
    from sqlalchemy.exc import DBAPIError
    from sqlalchemy.pool import StaticPool

    from generator.twin.reflecting import reflect

    def opened() -> sqlite3.Connection:
        connection = open_foreign(path, ())
        connection.text_factory = lambda content: content.decode(errors="replace")
        return connection

    try:
        return reflect(
            create_engine("sqlite://", creator=opened, poolclass=StaticPool),
            path.stem,
            f"{path.name} (a SQLite file)",
            most,
        )
    except (sqlite3.Error, DBAPIError) as error:
        told = getattr(error, "orig", error)
        raise UsageError(f"{str(path)!r} cannot be read: {told}.") from error
