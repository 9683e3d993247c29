"""Invariants of a domain's worlds, as its world program states them: a sentence, and SQL that finds what breaks it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any

from runtime.domain.schema import Schema, Table, Value
from runtime.sandbox.sqlite import open_memory, tables_read

MOST_INVARIANTS = 20

Invariants = Mapping[str, str]
"""For each sentence a SELECT that returns nothing while it holds, and otherwise columns of the rows that break it."""


def faults_of_invariants(stated: Any, schema: Schema) -> Iterator[str]:
    """Yield what is wrong with `INVARIANTS` of a world program, a sentence each."""
    if not isinstance(stated, Mapping) or not all(isinstance(each, str) for pair in stated.items() for each in pair):
        yield 'INVARIANTS is not a dict of texts, such as {"Nobody is their own friend.": "SELECT friend_id ..."}.'
        return
    if len(stated) > MOST_INVARIANTS:
        yield f"INVARIANTS has {len(stated)} entries; at most {MOST_INVARIANTS} are read."
        return
    columns = {name for table in schema.tables.values() for name in table.column_names}
    with closing(open_memory()) as connection:
        schema.create(connection)
        for sentence, query in stated.items():
            try:
                tables_read(connection, query, schema.tables)
                named = _columns_of(connection, query)
            except (sqlite3.Error, ValueError) as error:
                yield f"INVARIANTS, {sentence!r:.80}: SQLite does not accept its SELECT: {error!s:.200}."
                continue
            if not named & columns:
                yield f"INVARIANTS, {sentence!r:.80}: its SELECT returns no column of a table, such as a row's key."


def broken_invariants(connection: sqlite3.Connection, invariants: Invariants) -> Iterator[str]:
    """Yield each invariant that does not hold, with a row that breaks it."""
    for sentence, query in invariants.items():
        found = connection.execute(query)
        row = found.fetchone()
        if row is not None:
            shown = ", ".join(f"{each[0]} {value!r}" for each, value in zip(found.description, row, strict=True))
            yield f"{sentence!r} does not hold: {shown:.200}"


class NewRowCheck:
    """Checks whether a new row breaks an invariant that held before.

    Only invariants that read its table are evaluated, narrowed to rows it refers to.
    """

    def __init__(self, connection: sqlite3.Connection, invariants: Invariants, table: Table) -> None:
        referring = [name for foreign_key in table.foreign_keys for name in foreign_key.columns]
        by_reach = list(dict.fromkeys([*referring, *table.primary_key, *table.column_names]))
        self._connection = connection
        self._queries: list[tuple[str, str | None]] = []
        for query in invariants.values():
            if table.name not in tables_read(connection, query, (table.name,)):
                continue
            shared = next((name for name in by_reach if name in _columns_of(connection, query)), None)
            narrowed = f'SELECT 1 FROM ({query}) WHERE "{shared}" IS ? LIMIT 1'  # noqa: S608
            self._queries.append((query if shared is None else narrowed, shared))

    def breaks(self, record: Mapping[str, Value]) -> bool:
        """True if an invariant no longer holds after this row was added."""
        return any(
            self._connection.execute(query, () if name is None else (record[name],)).fetchone() is not None
            for query, name in self._queries
        )


def _columns_of(connection: sqlite3.Connection, query: str) -> set[str]:
    return {each[0] for each in connection.execute(f"SELECT * FROM ({query}) LIMIT 0").description}  # noqa: S608
