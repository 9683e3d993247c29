"""Prove a domain's worlds: built at several sizes, the same every time, filled, sound, without ids in texts."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field

from generator.gates.constraints import AttackReport, attack_world
from generator.gates.folder import FolderRequest
from generator.gates.text_ids import find_ids_in_texts
from generator.isolation.job import job
from runtime.domain.domain import Domain
from runtime.domain.invariants import broken_invariants
from runtime.domain.load import load_domain
from runtime.domain.people import DESK_TABLES
from runtime.domain.policies import canonical
from runtime.errors import EnvironmentFault
from runtime.session.world import World, build_world

SEED = 1
SIZES = (1, 100, 300, 1_000, 3_000)  # those that tasks use among them
FURTHER_SEEDS = (2, 3)
_SAMPLED_SIZE = 100  # of the world whose rows the constraints are attacked from


@dataclass(frozen=True)
class BuiltWorld:
    """A world in figures and digests: equal for worlds that are the same."""

    rows: int
    tables: dict[str, int]  # rows by table
    bytes: int
    digest: str
    image: str


@dataclass
class WorldsReport:
    """The worlds by size, which must be the same in another process, where sets have another order; and all faults."""

    worlds: dict[int, BuiltWorld] = field(default_factory=dict)
    constraints: AttackReport = field(default_factory=lambda: AttackReport(0, 0, ()))
    others: list[str] = field(default_factory=list)  # faults beside those of the constraints

    @property
    def faults(self) -> list[str]:
        """Everything that is wrong."""
        return [*self.constraints.faults, *self.others]


@job("worlds")
def prove_worlds(asked: FolderRequest) -> WorldsReport:
    """Build a domain's worlds and attack its schema from their rows; errors: BrokenDomain."""
    domain = load_domain(asked.folder)
    report = WorldsReport()
    for size in SIZES:
        try:
            world, again = _build(domain, SEED, size), _build(domain, SEED, size)
            others = {seed: _build(domain, seed, size) for seed in FURTHER_SEEDS}
        except EnvironmentFault as fault:
            report.others.append(f"world of size {size}: {fault}")
            continue
        described = report.worlds[size] = _describe(world)
        if _describe(again) != described:
            report.others.append(f"world of size {size}: two builds from the same seed differ")
        for seed, other in others.items():
            if size > 1 and other.digest == world.digest:
                report.others.append(f"world of size {size}: seeds {SEED} and {seed} give the same world")
        for seed, each in {SEED: world, **others}.items():
            report.others += [f"world of size {size}, seed {seed}: {fault}" for fault in _faults_in(domain, each)]
        if size == _SAMPLED_SIZE:
            report.constraints = attack_world(world)
            report.others += find_ids_in_texts(world)
            report.others += find_misspelt(world)
    return report


def _build(domain: Domain, seed: int, size: int) -> World:
    return build_world(domain.populate, domain.schema, domain.policies, domain.now, seed, size)


def _describe(world: World) -> BuiltWorld:
    with closing(world.open()) as connection:
        tables = {
            name: int(connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0])
            for name in world.schema.tables
        }
    return BuiltWorld(
        rows=sum(tables.values()),
        tables=tables,
        bytes=len(world.image),
        digest=f"{world.digest:032x}",
        image=hashlib.sha256(world.image).hexdigest(),
    )


def _faults_in(domain: Domain, world: World) -> Iterator[str]:
    with closing(world.open()) as connection:
        filled = [name for name in world.schema.tables if connection.execute(f'SELECT 1 FROM "{name}"').fetchone()]
        empty = [name for name in world.schema.tables if name not in (*filled, *DESK_TABLES)]
        if empty and world.origin["size"] > 1:
            yield f"no row in {', '.join(empty)}; every table must be filled"
        for name, _, parent, *_ in connection.execute("PRAGMA foreign_key_check").fetchmany(3):
            yield f"a row of {name} refers to a missing row of {parent}"
        for (said,) in connection.execute("PRAGMA integrity_check(3)"):
            if said != "ok":
                yield f"SQLite says {said!r}"
        yield from broken_invariants(connection, domain.invariants)


def find_misspelt(world: World) -> Iterator[str]:
    """Yield one sentence for each column whose values are not what its policy says, or cannot be told apart by it."""
    with closing(world.open()) as connection:
        for table, columns in world.policies.by_table.items():
            for column, policy in columns.items():
                if policy.spelled is None:
                    continue
                query = f'SELECT DISTINCT "{column}" FROM "{table}" WHERE "{column}" IS NOT NULL ORDER BY 1'
                forms: dict[str, str] = {}
                for (value,) in connection.execute(query):
                    form = canonical(value, policy.spelled)
                    if form is None:
                        yield (
                            f"{table}.{column} is spelled {policy.spelled!r}, but {value!r} is none; write another "
                            "value, or leave `spelled` out"
                        )
                        break
                    if form in forms:
                        yield (
                            f"{table}.{column} is spelled {policy.spelled!r}, so that {forms[form]!r} and {value!r} "
                            "are the same; write one of them, or leave `spelled` out"
                        )
                        break
                    forms[form] = value
