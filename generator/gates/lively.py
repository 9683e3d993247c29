"""Find out whether a world is worth acting on: its size, its states and their shares, its gaps, its names."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

from generator.gates.constraints import choices_in
from generator.gates.folder import FolderRequest
from generator.isolation.job import job
from runtime.domain.load import load_domain
from runtime.domain.schema import Column, Table
from runtime.session.world import World, build_world

_SIZE = 300
_LARGE, _HUGE = 3_000, 10_000
_OFF = 0.25  # by which a world may miss the size that was asked for
_NAMES = 15  # different values from which on a column of a small world holds names
_NAME_WORDS = 4  # that a name has at most, on average
_MORE_NAMES = 4  # times as many in the largest world, so that people can still say which row they mean
_SHARE_SEEDS = range(1, 25)
_FEWEST_ROWS = 20  # of a table whose states are counted
_MOST_ALIKE = 0.4  # of the worlds that may have the same number of rows in each state
_DATED = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True)
class LifelessReport:
    """What the worlds of a domain lack for tasks to happen in them."""

    faults: list[str]


@job("lifeless")
def find_lifeless(asked: FolderRequest) -> LifelessReport:
    """Look at worlds of three sizes; errors: BrokenDomain, EnvironmentFault."""
    domain = load_domain(asked.folder)
    worlds = {
        size: build_world(domain.populate, domain.schema, domain.policies, domain.now, 1, size)
        for size in (_SIZE, _LARGE, _HUGE)
    }
    return LifelessReport([*_faults_of_sizes(worlds), *_faults_of_columns(worlds[_SIZE]), *_faults_of_names(worlds)])


def _faults_of_sizes(worlds: dict[int, World]) -> Iterator[str]:
    for size, world in worlds.items():
        with closing(world.open()) as connection:
            counts = {
                table: connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0]
                for table in world.schema.tables
            }
        rows = sum(counts.values())
        if not size * (1 - _OFF) <= rows <= size * (1 + _OFF):
            shares = ", ".join(f"{table} {count}" for table, count in counts.items())
            yield f"world of size {size}: it has {rows} rows ({shares}); within a quarter of {size} is wanted"


def _faults_of_columns(world: World) -> Iterator[str]:
    choices = choices_in(world.schema)
    with closing(world.open()) as connection:
        for table in world.schema.tables.values():
            for column in table.columns:
                have = _values(connection, table, column.name)
                missing = [text for text in choices.get((table.name, column.name), ()) if text not in have]
                if missing:
                    shown = " or ".join(map(repr, missing))
                    yield f"world of size {_SIZE}: no row of {table.name} has {column.name} {shown}"
                yield from _faults_of_nulls(connection, table, column)


def _faults_of_nulls(connection: sqlite3.Connection, table: Table, column: Column) -> Iterator[str]:
    if column.nullable:
        rows, filled = connection.execute(f'SELECT count(*), count("{column.name}") FROM "{table.name}"').fetchone()
        if rows > 8 and filled in (0, rows):
            yield f"world of size {_SIZE}: {table.name}.{column.name} is {'always' if not filled else 'never'} NULL"


def _faults_of_names(worlds: dict[int, World]) -> Iterator[str]:
    """Columns of names that run out: a user who knows a company and a job must not mean fifty rows."""
    with closing(worlds[_SIZE].open()) as small, closing(worlds[_HUGE].open()) as huge:
        for table in worlds[_SIZE].schema.tables.values():
            bound = {name for foreign_key in table.foreign_keys for name in foreign_key.columns}
            for column in table.columns:
                if column.type != "TEXT" or column.name in bound or column.name in table.primary_key:
                    continue
                have = {value for value in _values(small, table, column.name) if isinstance(value, str)}
                if len(have) < _NAMES or not _are_names(have):
                    continue
                most = len(_values(huge, table, column.name))
                if most < _MORE_NAMES * len(have):
                    yield (
                        f"world of size {_HUGE}: {table.name}.{column.name} has {most} different values, and "
                        f"{len(have)} at size {_SIZE}; at least {_MORE_NAMES} times as many are wanted, so that people "
                        "can still say which row they mean: put names together from parts"
                    )


def _are_names(values: set[str]) -> bool:
    words = sum(len(value.split()) for value in values)
    return words <= _NAME_WORDS * len(values) and not any(_DATED.match(value) for value in values)


def _values(connection: sqlite3.Connection, table: Table, column: str) -> set[object]:
    return {row[0] for row in connection.execute(f'SELECT DISTINCT "{column}" FROM "{table.name}"')}


@job("shares")
def find_fixed_shares(asked: FolderRequest) -> LifelessReport:
    """Find columns of closed sets whose states are dealt out alike in every world; errors: as above.

    An average or a share that is the same in every world can be learned by heart.
    """
    domain = load_domain(asked.folder)
    counted: dict[tuple[str, str], list[tuple[tuple[str, int], ...]]] = {}
    for seed in _SHARE_SEEDS:
        world = build_world(domain.populate, domain.schema, domain.policies, domain.now, seed, _SIZE)
        for place, counts in _counts_in(world):
            counted.setdefault(place, []).append(counts)
    return LifelessReport([fault for place, worlds in counted.items() if (fault := _fault_of(*place, worlds))])


def _counts_in(world: World) -> Iterator[tuple[tuple[str, str], tuple[tuple[str, int], ...]]]:
    """Yield each table and column with listed texts, and how many rows have each."""
    with closing(world.open()) as connection:
        for table, column in choices_in(world.schema):
            counted = f'SELECT "{column}", count("{column}") FROM "{table}" GROUP BY 1 ORDER BY 1'
            rows = [(value, count) for value, count in connection.execute(counted) if count]
            if sum(count for _, count in rows) >= _FEWEST_ROWS:
                yield (table, column), tuple(rows)


def _fault_of(table: str, column: str, worlds: list[tuple[tuple[str, int], ...]]) -> str:
    counts, times = Counter(worlds).most_common(1)[0]
    if len(counts) < 2 or len(worlds) < len(_SHARE_SEEDS) / 2 or times <= _MOST_ALIKE * len(worlds):
        return ""
    shown = ", ".join(f"{count} {value}" for value, count in counts)
    return (
        f"worlds of size {_SIZE}: {table}.{column} has the same numbers ({shown}) in {times} of {len(worlds)} worlds "
        "of different seeds, so that every share of it is known without counting; draw each row's state with weights "
        "instead of dealing the states out in turn"
    )
