"""Find out whether a world is worth acting on: its size, states, gaps and names, and people worth serving."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from generator.gates.calls.start import new_world, world_on
from generator.gates.constraints import choices_in
from generator.gates.folder import FaultsReport, FolderRequest
from generator.gates.worlds import count_rows, image_digest
from generator.isolation.job import job
from runtime.domain.arguments import weekday
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.domain.people import DESK_TABLES, People, owner_in_sql
from runtime.domain.schema import Column, Schema, Table
from runtime.session.world import World

_SIZE = 300
_LARGE, _HUGE = 3_000, 10_000
_OFF = 0.25  # by which a world may miss the size that was asked for
_NAMES = 15  # different values from which on a column of a small world holds names
_NAME_WORDS = 4  # that a name has at most, on average
_MORE_NAMES = 4  # times as many in the largest world, so that people can still say which row they mean
_SHARE_SEEDS = range(1, 25)
_FEWEST_ROWS = 20  # of a table whose states are counted
_MOST_ALIKE = 0.4  # of the worlds that may have the same number of rows in each state
_DATED = re.compile(r"\d{4}-\d{2}-\d{2}|\d{1,2}:\d{2}")
NAMESAKES = 0.1  # of the people at least
PROVABLE = 0.5
SEVERAL, MANY = 2, 4  # rows of one table that one person owns
OWNERS_OF_SEVERAL = 0.2  # of the people
WITHIN_HOURS = 0.95  # of the moments
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}")
_FEWEST_MOMENTS = 5


@dataclass(frozen=True)
class LivelyReport:
    """What the worlds lack, and the digests of those that were looked at, by size: the same in every process."""

    faults: list[str]
    images: dict[int, str] = field(default_factory=dict)


@job("lively")
def find_lifeless(asked: FolderRequest) -> LivelyReport:
    """Look at worlds of three sizes, then at the shares of many small ones; errors: BrokenDomain, EnvironmentFault."""
    domain = load_domain(asked.folder)
    worlds = {size: new_world(domain, 1, size) for size in (_SIZE, _LARGE, _HUGE)}
    faults = [*_faults_of_sizes(worlds), *_faults_of_columns(worlds[_LARGE]), *_faults_of_names(worlds)]
    return LivelyReport(faults or fixed_shares(domain), {size: image_digest(worlds[size]) for size in (_SIZE, _LARGE)})


def _faults_of_sizes(worlds: dict[int, World]) -> Iterator[str]:
    for size, world in worlds.items():
        counts = count_rows(world)
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
                    yield f"world of size {_LARGE}: no row of {table.name} has {column.name} {shown}"
                yield from _faults_of_nulls(connection, table, column)


def _faults_of_nulls(connection: sqlite3.Connection, table: Table, column: Column) -> Iterator[str]:
    if column.nullable:
        rows, filled = connection.execute(f'SELECT count(*), count("{column.name}") FROM "{table.name}"').fetchone()
        if rows > 8 and filled in (0, rows):
            said = "always NULL; give some rows a value" if not filled else "never NULL; leave it out in some rows"
            yield f"world of size {_LARGE}: {table.name}.{column.name} is {said}"


def _faults_of_names(worlds: dict[int, World]) -> Iterator[str]:
    """Columns of names that run out: a user who knows a company and a job must not mean fifty rows."""
    with closing(worlds[_SIZE].open()) as small, closing(worlds[_HUGE].open()) as huge:
        for table in worlds[_SIZE].schema.tables.values():
            policies = worlds[_SIZE].policies.by_table[table.name]
            own_words = {name for name, policy in policies.items() if policy.policy == "semantic"}
            bound = {name for foreign_key in table.foreign_keys for name in foreign_key.columns}
            for column in table.columns:
                if column.type != "TEXT" or column.name in {*bound, *own_words, *table.primary_key}:
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
    is_code = all(value.replace("-", "").isdigit() for value in values)  # ZIP codes
    return words <= _NAME_WORDS * len(values) and not is_code and not any(_DATED.match(value) for value in values)


def _values(connection: sqlite3.Connection, table: Table, column: str) -> set[object]:
    return {row[0] for row in connection.execute(f'SELECT DISTINCT "{column}" FROM "{table.name}"')}


def fixed_shares(domain: Domain) -> list[str]:
    """Name columns of closed sets whose states are dealt out alike in every world, so that they can be learned."""
    counted: dict[tuple[str, str], list[tuple[tuple[str, int], ...]]] = {}
    choices = choices_in(domain.schema)
    for seed in _SHARE_SEEDS:
        world = world_on(domain, seed, _SIZE)
        for place, counts in _counts_in(world, choices):
            counted.setdefault(place, []).append(counts)
    return [fault for place, worlds in counted.items() if (fault := _fault_of(*place, worlds))]


def _counts_in(
    world: World, columns: Iterable[tuple[str, str]]
) -> Iterator[tuple[tuple[str, str], tuple[tuple[str, int], ...]]]:
    """Yield each table and column with listed texts, and how many rows have each."""
    with closing(world.open()) as connection:
        for table, column in columns:
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


@dataclass(frozen=True)
class CallersRequest:
    """A domain folder whose tools may not be there yet, who calls, and when the office works."""

    folder: Path
    people: People
    open_days: Sequence[str]
    opens: str
    closes: str
    any_time: Sequence[str] = ()


@job("callers")
def find_callers_lacking(asked: CallersRequest) -> FaultsReport:
    """Look at the people of one world; errors: BrokenDomain, EnvironmentFault."""
    domain = load_domain(asked.folder)
    world = world_on(domain, 1, _SIZE)
    with closing(world.open()) as connection:
        faults = [
            *_faults_of_people(connection, asked.people),
            *_faults_of_owning(connection, domain.schema, asked.people),
            *_faults_of_hours(connection, domain.schema, asked),
            *_faults_of_the_desk(connection, domain.schema),
        ]
    stated = [] if domain.invariants else ["INVARIANTS is not there: say what always holds that no CHECK can say"]
    return FaultsReport([*(f"world of size {_SIZE}: {fault}" for fault in faults), *stated])


def _faults_of_people(connection: sqlite3.Connection, people: People) -> Iterator[str]:
    table = people.table
    names = Counter(name for (name,) in connection.execute(f'SELECT "{people.name}" FROM "{table}"'))
    count = names.total()
    namesakes = sum(number for number in names.values() if number > 1)
    if namesakes < NAMESAKES * count:
        yield (
            f"{namesakes} of {count} rows of {table} share their {people.name} with another one; about one in four "
            "must, and differ in everything else"
        )
    for column in people.found_by:
        different = connection.execute(
            f'SELECT count(DISTINCT "{column}"), count("{column}") FROM "{table}"'
        ).fetchone()
        if different[0] != different[1]:
            yield f"two rows of {table} have the same {column}, by which people are found"
    proven = " AND ".join(f'"{column}" IS NOT NULL' for column in (*people.proven_by, *people.found_by))
    (able,) = connection.execute(f'SELECT count(*) FROM "{table}" WHERE {proven}').fetchone()
    if able < PROVABLE * count:
        yield f"{able} of {count} rows of {table} have all of {', '.join(people.proven_by)}; at least half must"


def _faults_of_owning(connection: sqlite3.Connection, schema: Schema, people: People) -> Iterator[str]:
    (count,) = connection.execute(f'SELECT count(*) FROM "{people.table}"').fetchone()
    several: set[object] = set()
    most = 0
    for table in people.owns:
        owners = Counter(
            owner for (owner,) in connection.execute(f'SELECT {owner_in_sql(schema, people, table)} FROM "{table}"')
        )
        owners.pop(None, None)
        several |= {owner for owner, number in owners.items() if number >= SEVERAL}
        most = max([most, *owners.values()])
    if len(several) < OWNERS_OF_SEVERAL * count:
        yield f"{len(several)} of {count} people own {SEVERAL} rows of one table or more; every third or so must"
    if most < MANY:
        yield f"nobody owns more than {most} rows of {', '.join(people.owns)}; some must have {MANY} of one table"


def _faults_of_hours(connection: sqlite3.Connection, schema: Schema, asked: CallersRequest) -> Iterator[str]:
    for table in schema.tables.values():
        for column in table.column_names:
            if f"{table.name}.{column}" in asked.any_time:
                continue
            moments = [
                value
                for (value,) in connection.execute(f'SELECT "{column}" FROM "{table.name}"')
                if isinstance(value, str) and _MOMENT.fullmatch(value)
            ]
            odd = [each for each in moments if not _is_open(each, asked)]
            if len(moments) >= _FEWEST_MOMENTS and len(odd) > (1 - WITHIN_HOURS) * len(moments):
                yield (
                    f"{len(odd)} of {len(moments)} values of {table.name}.{column} are out of hours, as {odd[0]!r}, a "
                    f"{weekday(odd[0])}; the office works on {', '.join(asked.open_days)} from {asked.opens} to "
                    f"{asked.closes}"
                )


def _faults_of_the_desk(connection: sqlite3.Connection, schema: Schema) -> Iterator[str]:
    """Name tables that only the assistant fills: rules are not known yet, and nobody has been identified today."""
    for table in DESK_TABLES:
        if table in schema.tables:
            (count,) = connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()
            if count:
                yield f"{count} rows of {table}; leave this table empty, the assistant fills it"


def _is_open(moment: str, asked: CallersRequest) -> bool:
    return weekday(moment) in asked.open_days and asked.opens <= moment[11:16] <= asked.closes
