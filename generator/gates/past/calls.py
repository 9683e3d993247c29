"""What accepted calls write and which columns they take from the clock, by two clocks; and rows shown to a reader."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

from generator.gates.calls.sample import Sampler
from generator.gates.calls.start import Place, Start, start_on
from generator.gates.cases.case import read_cases_if_any
from generator.gates.cases.run import world_of
from generator.gates.folder import FolderRequest
from generator.isolation.job import job
from runtime.domain.changes import RowDifference
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.domain.people import DESK_TABLES, is_desk_tool
from runtime.domain.policies import Policies
from runtime.domain.rule import Rulebook
from runtime.errors import EnvironmentFault, UsageError
from runtime.session.session import Session
from runtime.session.world import World

SEEDS, SIZE = range(1, 5), 300  # of the worlds whose past is judged
_ROWS, _NEIGHBORS = 20, 5  # of a world that a reader is shown
_TRIED, _ACCEPTED = 60, 12  # random calls of a tool
_SHIFTS = (timedelta(days=1, seconds=61), -timedelta(days=1, seconds=61))  # to the other clock
_CLOCK = "%Y-%m-%d %H:%M:%S"

Record = Mapping[str, Any]


@dataclass(frozen=True)
class Write:
    """A row that a call adds, changes or removes, and the columns that it fills from the clock."""

    table: str
    before: Record | None
    after: Record | None
    clocked: frozenset[str]

    @property
    def key(self) -> Any:
        """The first column of its key, which is the first of the table."""
        return next(iter((self.after or self.before or {}).values()), None)

    @cached_property
    def changed(self) -> frozenset[str]:
        """The columns that an existing row changes in."""
        if self.before is None or self.after is None:
            return frozenset()
        return frozenset(name for name, value in self.after.items() if value != self.before[name])

    @cached_property
    def set_columns(self) -> frozenset[str]:
        """The columns that the call gives a value to."""
        if self.after is None:
            return frozenset()
        names = self.changed if self.before is not None else self.after.keys()
        return frozenset(name for name in names if self.after[name] is not None)


@dataclass(frozen=True)
class SeenCall:
    """A call with the world it was made on and what it wrote."""

    tool: str
    arguments: Mapping[str, Any]
    world: World
    writes: tuple[Write, ...]


def on_clock(domain: Domain, clock: str) -> Domain:
    """Return a domain with another clock, without rules."""
    return replace(domain, card=domain.card.model_copy(update={"clock": clock}), rules=Rulebook())


def past_starts(domain: Domain) -> Iterator[Start]:
    """Yield the worlds whose past is judged; errors: EnvironmentFault of the world program."""
    return (start_on(domain, seed, SIZE) for seed in SEEDS)


def accepted_calls(domain: Domain, folder: Path, start: Start) -> list[SeenCall]:
    """Make the calls of a domain's cases, and random ones on a world."""
    return [*_from_cases(domain, folder), *_at_random(domain, start)]


def _from_cases(domain: Domain, folder: Path) -> Iterator[SeenCall]:
    for topic in read_cases_if_any(folder).values():
        for case in topic.cases:
            tool = domain.tools.get(case.tool)
            if tool is not None and tool.writes and case.is_success:
                try:
                    world = world_of(domain.schema, domain.policies, topic.rows, case.rows)
                except UsageError:
                    continue
                yield from _made(domain, world, case.tool, case.arguments)


def _at_random(domain: Domain, start: Start) -> Iterator[SeenCall]:
    for name, tool in domain.tools.items():
        if not tool.writes or is_desk_tool(name):
            continue
        chance, sampler, accepted = random.Random(name), Sampler(tool, start), 0
        for _ in range(_TRIED):
            for call in _made(domain, start.world, name, sampler.sample(chance, sampler.anchor(chance))):
                accepted += 1
                yield call
            if accepted == _ACCEPTED:
                break


def _made(domain: Domain, world: World, tool: str, arguments: Mapping[str, Any]) -> Iterator[SeenCall]:
    """Yield the call if it is accepted on the domain's clock and on another one."""
    here = written(domain, world, domain.now, (tool, arguments))
    if not here:
        return
    for shift in _SHIFTS:
        clock = (datetime.strptime(domain.now, _CLOCK) + shift).strftime(_CLOCK)
        there = written(domain, world, clock, (tool, arguments))
        if there is not None:
            others = {(each.table, each.key): each.after or {} for each in there}
            writes = tuple(
                Write(
                    each.table,
                    each.before,
                    each.after,
                    frozenset(
                        name
                        for name, value in (each.after or {}).items()
                        if (value, others.get((each.table, each.key), {}).get(name))
                        in ((domain.now, clock), (domain.now[:10], clock[:10]))
                    ),
                )
                for each in here
            )
            yield SeenCall(tool, arguments, world, writes)
            return


def written(
    domain: Domain, world: World, clock: str, *calls: tuple[str, Mapping[str, Any]]
) -> list[RowDifference] | None:
    """Return what calls at some time write, the last of them last; None if one is refused."""
    with Session(on_clock(domain, clock), world) as session:
        try:
            if any(session.perform(tool, arguments).rejection is not None for tool, arguments in calls):
                return None
        except EnvironmentFault:
            return None
        return session.changes.differences(domain.schema, Policies(domain.schema, {}, {}))


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
    drawn = [(tables[number % len(tables)], chance.random()) for number in range(_ROWS)]
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
