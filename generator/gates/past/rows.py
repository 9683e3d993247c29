"""Show some rows of a world with those around them, for a reader who knows what could not be."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

from generator.gates.calls.start import Place, Start
from generator.gates.folder import FolderRequest
from generator.gates.past.calls import past_starts
from generator.isolation.job import job
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.domain.people import DESK_TABLES

ROWS, _NEIGHBORS = 20, 5


@dataclass(frozen=True)
class ShownRows:
    """Rows of several tables, each with its neighbors indented below it."""

    text: str


@job("rows")
def show_rows(asked: FolderRequest) -> ShownRows:
    """Draw rows of a world, each table in turn; errors: BrokenDomain, EnvironmentFault."""
    domain = load_domain(asked.folder)
    start, chance = next(past_starts(domain)), random.Random(1)
    tables = [name for name in domain.schema.tables if name not in DESK_TABLES and start.rows[name]]
    drawn = [(tables[number % len(tables)], chance.random()) for number in range(ROWS)]
    places = [(table, start.rows[table][int(part * len(start.rows[table]))]) for table, part in drawn]
    return ShownRows("\n".join(line for place in places for line in _with_neighbors(domain, start, place)))


def _with_neighbors(domain: Domain, start: Start, place: Place) -> Iterator[str]:
    yield f"- {_shown(domain, place)}"
    others = [other for other in start.near([place]) if other != place and other[0] not in DESK_TABLES]
    yield from (f"  - {_shown(domain, other)}" for other in others[:_NEIGHBORS])


def _shown(domain: Domain, place: Place) -> str:
    table, row = place
    record = domain.schema.tables[table].record(row)
    return f"{table}: {', '.join(f'{name} {value!r}' for name, value in record.items() if value is not None)}"
