"""Prove that nobody knows how many rows have a state without counting them: the numbers differ from world to world.

An average or a share that is the same in every world can be learnt by heart (proof 16, unguessable).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

from generator.gates.constraints.constraints import read_constraints
from generator.gates.request import FolderRequest
from generator.gates.worlds.lifeless import listed
from generator.isolation.job import job
from runtime.domain.load import load_domain
from runtime.session.world import World, build_world

SEEDS, SIZE = range(1, 25), 300
FEWEST_ROWS = 20  # of a table whose states are counted
MOST_ALIKE = 0.4  # of the worlds that may have the same number of rows in each state


@dataclass(frozen=True)
class SharesReport:
    """The columns of closed sets whose states are dealt out alike in every world."""

    faults: list[str]


@job("shares")
def find_fixed_shares(asked: FolderRequest) -> SharesReport:
    """Count the states in worlds of many seeds; errors: BrokenDomain, EnvironmentFault."""
    domain = load_domain(asked.folder)
    counted: dict[tuple[str, str], list[tuple[tuple[str, int], ...]]] = {}
    for seed in SEEDS:
        world = build_world(domain.populate, domain.schema, domain.policies, domain.now, seed, SIZE)
        for place, counts in _counts_in(world):
            counted.setdefault(place, []).append(counts)
    return SharesReport([fault for place, worlds in counted.items() if (fault := _fault_of(*place, worlds))])


def _counts_in(world: World) -> Iterator[tuple[tuple[str, str], tuple[tuple[str, int], ...]]]:
    """Of each table and column with listed texts, how many rows have each."""
    with closing(world.open()) as connection:
        for constraints in read_constraints(connection, world.schema):
            table = constraints.table
            columns = {listed(check.expression)[0] for check in constraints.checks} & set(table.positions)
            for column in sorted(columns):
                counted = f'SELECT "{column}", count("{column}") FROM "{table.name}" GROUP BY 1 ORDER BY 1'
                rows = [(value, count) for value, count in connection.execute(counted) if count]
                if sum(count for _, count in rows) >= FEWEST_ROWS:
                    yield (table.name, column), tuple(rows)


def _fault_of(table: str, column: str, worlds: list[tuple[tuple[str, int], ...]]) -> str:
    counts, times = Counter(worlds).most_common(1)[0]
    if len(counts) < 2 or len(worlds) < len(SEEDS) / 2 or times <= MOST_ALIKE * len(worlds):
        return ""
    shown = ", ".join(f"{count} {value}" for value, count in counts)
    return (
        f"worlds of size {SIZE}: {table}.{column} has the same numbers ({shown}) in {times} of {len(worlds)} worlds of "
        "different seeds, so that every share of it is known without counting; draw each row's state with weights "
        "instead of dealing the states out in turn"
    )
