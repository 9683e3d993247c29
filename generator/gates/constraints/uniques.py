"""The PRIMARY KEY and UNIQUE constraints of a table, as SQLite keeps them: by their indexes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from runtime.domain.schema import Table


@dataclass(frozen=True)
class UniqueIndex:
    """A UNIQUE by its index; a column that is an expression is None, and a partial one holds for some rows only."""

    name: str
    columns: tuple[str | None, ...]
    is_partial: bool


def unique_indexes(connection: sqlite3.Connection, table: Table) -> Iterator[UniqueIndex]:
    """What is UNIQUE in a table, but for its key."""
    for _, index, unique, origin, partial in connection.execute(f'PRAGMA index_list("{table.name}")').fetchall():
        if unique and origin != "pk":
            columns = tuple(row[2] for row in connection.execute(f'PRAGMA index_info("{index}")').fetchall())
            yield UniqueIndex(index, columns, bool(partial))
