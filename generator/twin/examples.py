"""Rows and values to try things with: a few rows of a twin's world, and other values that a column may have."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from itertools import islice
from typing import Any

from generator.twin.settled import Settled, SettledTable
from generator.twin.source import SourceColumn
from runtime.domain.arguments import add_days
from runtime.domain.domain import Domain
from runtime.session.world import build_world

_MOST_TEXT = 4_000  # characters of an argument

Row = dict[str, Any]


def read_world(domain: Domain, seed: int, size: int) -> dict[str, list[Row]]:
    """The rows of a world by table."""
    world = build_world(domain.populate, domain.schema, domain.policies, domain.now, seed, size)
    with closing(world.open()) as connection:
        connection.row_factory = sqlite3.Row
        return {
            name: [dict(row) for row in connection.execute(f"SELECT * FROM {name}")] for name in world.schema.tables
        }


def sample_rows(settled: Settled, rows: Mapping[str, Sequence[Row]], count: int) -> dict[str, list[Row]]:
    """A few rows of each table, spread over all, with everything that they refer to."""
    kept: dict[str, dict[tuple[Any, ...], Row]] = {name: {} for name in settled.tables}

    def keep(table: SettledTable, row: Row) -> None:
        key = tuple(row[name] for name in table.key)
        if key in kept[table.name]:
            return
        kept[table.name][key] = row
        for reference in table.references:
            values = [row[name] for name in reference.columns]
            parents = (each for each in rows[reference.table] if [each[name] for name in reference.theirs] == values)
            for parent in list(parents)[:1] if None not in values else ():
                keep(settled.tables[reference.table], parent)

    for table in settled.tables.values():  # a new row of what goes with one row each needs one that is free
        for reference in table.references:
            if reference.columns == table.key or reference.columns in table.uniques:
                taken = [[row[name] for name in reference.columns] for row in rows[table.name]]
                free = (row for row in rows[reference.table] if [row[name] for name in reference.theirs] not in taken)
                for row in islice(free, 2):
                    keep(settled.tables[reference.table], row)
    for table in reversed(settled.tables.values()):
        own = rows[table.name]
        wanted = min(count, len(own))
        for number in range(wanted):
            if len(kept[table.name]) < count:
                keep(table, own[number * len(own) // wanted])
    return {name: [each[key] for key in sorted(each, key=repr)] for name, each in kept.items()}


def fresh_values(column: SourceColumn, value: Any, now: str) -> list[Any]:
    """Other values that a column may have, as far as its own declaration says."""
    match column.kind:
        case _ if column.choices:
            return [each for each in column.choices if each != value]
        case "boolean":
            return [1 - (value or 0)]
        case "integer" | "real":
            step = 1 if column.kind == "integer" else 1.5
            tried = [(value or 0) + step * number for number in (1, 2, 3, 5, 8, 13, -1, -2)]
            least, most = column.least, column.most
            return [each for each in tried if (least is None or each >= least) and (most is None or each <= most)]
        case "date":
            return [add_days(value or now[:10], number) for number in (1, 2, 3, -1)]
        case "timestamp":
            return [add_days(value or now, number) for number in (1, 2, 3, -1)]
        case "time":
            return [f"{hour:02d}:15:00" for hour in (9, 10, 11, 12)]
    text = (value or column.name.replace("_", " "))[: _MOST_TEXT - 10]
    longest = column.longest or _MOST_TEXT
    name, at, host = text.partition("@")
    made = [f"{name}{number}{at}{host}" for number in range(2, 30)]
    return [each if len(each) <= longest else f"{number:0{min(longest, 6)}d}" for number, each in enumerate(made, 1)]
