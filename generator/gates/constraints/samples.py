"""Put sample rows into a database, and say of each that does not fit what is wrong with it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence

from runtime.domain.schema import ForeignKey, Row, Schema, Table, Value


def insert_samples(
    connection: sqlite3.Connection, schema: Schema, rows: Sequence[tuple[str, Mapping[str, Value]]]
) -> Iterator[str]:
    """Insert the rows that fit, parents first; say of every other what is wrong with it."""
    ranked = sorted(enumerate(rows), key=lambda item: schema.parents_first.get(item[1][0], 0))
    orphans: list[str] = []
    connection.execute("PRAGMA foreign_keys = OFF")
    for _, (name, row) in ranked:
        shown = f"sample row of {name} {json.dumps(dict(row), ensure_ascii=False, default=repr)}"
        table = schema.tables.get(name)
        unknown = [column for column in row if table is None or column not in table.positions]
        if table is None or unknown:
            what = f"column {unknown[0]!r}" if table else f"table {name!r}"
            have = ", ".join(table.column_names if table else schema.tables)
            yield f"{shown} names unknown {what}; have: {have}"
            continue
        try:
            connection.execute(table.insert_columns(tuple(row)), tuple(row.values())).fetchall()
        except (sqlite3.Error, OverflowError, ValueError) as error:
            yield f"{shown} does not fit: {error}"
    while broken := connection.execute("PRAGMA foreign_key_check").fetchall():
        # Rows of WITHOUT ROWID tables are reported without their keys, so they are looked for by what they lack.
        removed = 0
        for name, number in sorted({(row[0], row[3]) for row in broken}):
            foreign_key = _foreign_keys_by_number(connection, schema.tables[name])[number]
            for orphan in _orphans(connection, schema.tables[name], foreign_key):
                key = " / ".join(map(str, schema.tables[name].key_of(orphan)))
                orphans.append(
                    f"sample row of {name} {key!r} does not fit: its {', '.join(foreign_key.columns)} names "
                    f"no row of {foreign_key.parent}"
                )
                connection.execute(schema.tables[name].delete_row, schema.tables[name].key_of(orphan))
                removed += 1
        if not removed:
            break
    yield from sorted(orphans)


def _foreign_keys_by_number(connection: sqlite3.Connection, table: Table) -> dict[int, ForeignKey]:
    numbers = sorted({row[0] for row in connection.execute(f'PRAGMA foreign_key_list("{table.name}")')}, reverse=True)
    return dict(zip(numbers, table.foreign_keys, strict=True))


def _orphans(connection: sqlite3.Connection, table: Table, foreign_key: ForeignKey) -> list[Row]:
    given = " AND ".join(f'"{table.name}"."{column}" IS NOT NULL' for column in foreign_key.columns)
    equal = " AND ".join(
        f'parent."{theirs}" = "{table.name}"."{own}"'
        for own, theirs in zip(foreign_key.columns, foreign_key.parent_columns, strict=True)
    )
    sql = f'{table.select_all} WHERE {given} AND NOT EXISTS (SELECT 1 FROM "{foreign_key.parent}" parent WHERE {equal})'
    return connection.execute(sql).fetchall()
