"""Decide whether a domain's worlds are sound: the same every time, at several sizes, filled, without ids in texts."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field

from generator.gates.calls.start import new_world, rows_of
from generator.gates.constraints import AttackReport, attack_world
from generator.gates.folder import FolderRequest
from generator.isolation.job import job
from runtime.domain.domain import Domain, broken_invariants
from runtime.domain.load import load_domain
from runtime.domain.people import DESK_TABLES
from runtime.domain.policies import Policies, canonical
from runtime.domain.schema import Row, Schema, Table
from runtime.errors import EnvironmentFault
from runtime.session.world import World

SEED = 1
SIZES = (1, 100, 300, 1_000, 3_000)  # those that tasks use among them
FURTHER_SEEDS = (2, 3)
_BUILT_TWICE = 300  # up to this size in one process; the greatest is built in another one, too, by `find_lifeless`
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
            world = new_world(domain, SEED, size)
            again = new_world(domain, SEED, size) if size <= _BUILT_TWICE else world
            others = {seed: new_world(domain, seed, size) for seed in FURTHER_SEEDS}
        except EnvironmentFault as fault:
            report.others.append(f"world of size {size}: {fault}")
            continue
        described = report.worlds[size] = _describe(world)
        if again is not world and _describe(again) != described:
            report.others.append(f"world of size {size}: two builds from the same seed differ")
        for seed, other in others.items():
            if size > 1 and other.digest == world.digest:
                report.others.append(f"world of size {size}: seeds {SEED} and {seed} give the same world")
        for seed, each in {SEED: world, **others}.items():
            report.others += [f"world of size {size}, seed {seed}: {fault}" for fault in _faults_in(domain, each)]
        if size == _SAMPLED_SIZE:
            report.constraints = attack_world(world)
            report.others += [] if _is_plain_twin(domain) else find_ids_in_texts(world)
            report.others += find_misspelt(world)
    return report


def _describe(world: World) -> BuiltWorld:
    tables = count_rows(world)
    return BuiltWorld(
        rows=sum(tables.values()),
        tables=tables,
        bytes=len(world.image),
        digest=f"{world.digest:032x}",
        image=image_digest(world),
    )


def count_rows(world: World) -> dict[str, int]:
    """Return how many rows each table of a world has."""
    with closing(world.open()) as connection:
        counted = {name: connection.execute(f'SELECT count(*) FROM "{name}"') for name in world.schema.tables}
        return {name: int(rows.fetchone()[0]) for name, rows in counted.items()}


def image_digest(world: World) -> str:
    """Return a digest of every byte of a world."""
    return hashlib.sha256(world.image).hexdigest()


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


_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\b")
_TOKEN = re.compile(r"[^\W_]+(?:[-_./:#][^\W_]+)*")
_MOST_SHOWN = 3


def _is_plain_twin(domain: Domain) -> bool:
    """Return whether nobody designed the columns of a domain, as of a database; its README names those with ids."""
    return "twin_of" in domain.card.provenance and "models" not in domain.card.provenance


def find_ids_in_texts(world: World) -> list[str]:
    """Return one sentence for each text column of a world whose values hold ids."""
    return [
        f"{column} holds ids in its text ({', '.join(places[:_MOST_SHOWN])}"
        f"{f', {len(places)} in all' if len(places) > _MOST_SHOWN else ''}); refer by a foreign key instead"
        for column, places in columns_with_ids(world).items()
    ]


def columns_with_ids(world: World) -> dict[str, list[str]]:
    """Return the text columns of a world whose values hold ids, each with what is held and where."""
    rows = rows_of(world)
    ids = ids_among(world.schema, rows)
    found: dict[str, list[str]] = {}
    for name, held in rows.items():
        table = world.schema.tables[name]
        for column in text_columns(table, world.policies):
            position = table.positions[column]
            for row in held:
                for token in ids_in(row[position], ids):
                    key = " / ".join(map(str, table.key_of(row)))
                    found.setdefault(f"{name}.{column}", []).append(f"{token!r} in row {key!r}")
    return found


def ids_among(schema: Schema, rows: Mapping[str, Iterable[Row]]) -> frozenset[str]:
    """Return the TEXT keys among rows that look like ids: a name such as 'fiction' may well occur in a text."""
    return frozenset(
        value
        for name, held in rows.items()
        if _is_named_by_text(schema.tables[name])
        for row in held
        for value in schema.tables[name].key_of(row)
        if isinstance(value, str) and _looks_like_id(value)
    )


def text_columns(table: Table, policies: Policies) -> Iterator[str]:
    """Yield the TEXT columns of a table that are compared and neither key nor reference."""
    named = {*table.primary_key, *(name for foreign_key in table.foreign_keys for name in foreign_key.columns)}
    if table.name in policies.logs:
        return
    for column in table.columns:
        is_compared = policies.of(table.name, column.name).policy != "generated"
        if column.type == "TEXT" and column.name not in named and is_compared:
            yield column.name


def ids_in(text: object, ids: Collection[str]) -> Iterator[str]:
    """Yield the ids that occur in a text as a word of their own."""
    if isinstance(text, str):
        for token in _TOKEN.findall(text):
            if token in ids:
                yield token


def _is_named_by_text(table: Table) -> bool:
    return len(table.primary_key) == 1 and table.by_name[table.primary_key[0]].type == "TEXT"


def _looks_like_id(value: str) -> bool:
    if _DAY.match(value):
        return False
    has_digit = any(character.isdigit() for character in value)
    return has_digit and (len(value) >= 5 or any(character.isalpha() for character in value))
