"""Find out whether a world has callers worth serving: namesakes, several things of one person, hours of the trade."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from generator.isolation.job import job
from runtime.domain.dates import weekday
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.domain.people import People, owner_in_sql
from runtime.domain.schema import Schema
from runtime.session.world import build_world

SIZE = 300
NAMESAKES = 0.1  # of the people at least
PROVABLE = 0.5
SEVERAL, MANY = 2, 4  # rows of one table that one person owns
OWNERS_OF_SEVERAL = 0.2  # of the people
WITHIN_HOURS = 0.95  # of the moments
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}")
_FEWEST_MOMENTS = 5


@dataclass(frozen=True)
class CallersRequest:
    """A domain folder whose tools may not be there yet, who calls, and when the office works.

    `noted_in` are the tables in which identifications are noted.
    """

    folder: Path
    people: People
    open_days: Sequence[str]
    opens: str
    closes: str
    any_time: Sequence[str] = ()
    noted_in: Sequence[str] = ()


@dataclass(frozen=True)
class CallersReport:
    """What a world lacks for people to call about."""

    faults: list[str]


@job("callers")
def find_callers_lacking(asked: CallersRequest) -> CallersReport:
    """Look at the people of one world; errors: BrokenDomain, EnvironmentFault."""
    domain = load_domain(asked.folder)
    world = build_world(domain.populate, domain.schema, domain.policies, domain.now, 1, SIZE)
    with closing(world.open()) as connection:
        faults = [
            *_faults_of_names(connection, asked.people),
            *_faults_of_owning(connection, domain.schema, asked.people),
            *_faults_of_hours(connection, domain.schema, asked),
            *_faults_of_the_morning(connection, domain, asked.noted_in),
        ]
    stated = [] if domain.invariants else ["INVARIANTS is not there: say what always holds that no CHECK can say"]
    return CallersReport([*(f"world of size {SIZE}: {fault}" for fault in faults), *stated])


def _faults_of_names(connection: sqlite3.Connection, people: People) -> Iterator[str]:
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


def _faults_of_the_morning(connection: sqlite3.Connection, domain: Domain, noted_in: Sequence[str]) -> Iterator[str]:
    """Who was identified today already could not be identified by an assistant."""
    today = domain.now[:10]
    for table in noted_in:
        for column in domain.schema.tables[table].column_names:
            of_today = f'SELECT count(*) FROM "{table}" WHERE substr("{column}", 1, 10) = ?'
            (count,) = connection.execute(of_today, [today]).fetchone()
            if count:
                yield (
                    f"{count} rows of {table} are of today ({column}); it is the morning, and nobody has been "
                    "identified yet: let them be of earlier days"
                )


def _is_open(moment: str, asked: CallersRequest) -> bool:
    return weekday(moment) in asked.open_days and asked.opens <= moment[11:16] <= asked.closes
