"""What the rows of a world look like, for whoever writes picks without seeing one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from generator.gates.request import FolderRequest
from generator.isolation.job import job
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.domain.schema import Row, Table, Value
from runtime.session.world import build_world

SEED, SIZE = 1, 100
_MOST_STATES, _MOST_NAMES = 8, 3  # different values of a column that are counted one by one
_STATE = re.compile(r"[a-z][a-z_]*")
_LONGEST = 20  # characters of a text that are shown


@dataclass(frozen=True)
class SampledWorld:
    """The rows of a small world in a few lines for each table."""

    tables: dict[str, str]


@job("sample")
def sample_world(asked: FolderRequest) -> SampledWorld:
    """Each table of a small world: how many rows, what its columns hold, a row."""
    domain = load_domain(asked.folder)
    world = build_world(domain.populate, domain.schema, domain.policies, domain.now, SEED, SIZE)
    connection = world.open()
    try:
        rows = {name: connection.execute(table.select_all).fetchall() for name, table in domain.schema.tables.items()}
    finally:
        connection.close()
    return SampledWorld(
        {name: "\n".join(_described(domain, domain.schema.tables[name], own)) for name, own in rows.items()}
    )


def _described(domain: Domain, table: Table, rows: Sequence[Row]) -> Iterator[str]:
    policies = domain.policies.by_table[table.name]
    referring = {column for key in table.foreign_keys for column in key.columns}
    kept = [name for name in table.column_names if policies[name].policy != "generated" and name not in referring]
    held = {name: _held([row[table.positions[name]] for row in rows]) for name in kept}
    yield f"- {table.name}, {len(rows)} rows: {'; '.join(f'{name} {what}' for name, what in held.items() if what)}"
    if rows:
        record = table.record(rows[len(rows) // 2])
        yield f"  one: {', '.join(f'{name} {_short(record[name])}' for name in kept if record[name] is not None)}"


def _held(values: Sequence[Value]) -> str:
    """The values of a column if they are few, else the range of numbers and days; and how many are missing."""
    counted = Counter(value for value in values if value is not None)
    texts = [value for value in counted if isinstance(value, str)]
    most = _MOST_STATES if all(map(_STATE.fullmatch, texts)) else _MOST_NAMES
    shown = ""
    if counted and all(isinstance(value, int | float) or _is_day(value) for value in counted):
        shown = f"{min(map(_ordered, counted))} to {max(map(_ordered, counted))}"
    elif len(counted) <= most:
        shown = ", ".join(f"{_short(value)} {count}" for value, count in counted.most_common())
    missing = f"null {values.count(None)}" if None in values else ""
    return ", ".join(part for part in (shown, missing) if part)


def _is_day(value: Value) -> bool:
    return isinstance(value, str) and value[4:5] == value[7:8] == "-" and value[:4].isdigit()


def _ordered(value: Value) -> Any:
    return value[:10] if isinstance(value, str) else value


def _short(value: Value) -> str:
    text = str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
