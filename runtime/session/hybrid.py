"""A session of several domains: one session for each, a call goes to that of its prefix, and all make one state."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from runtime.domain.changes import Changes, RowDifference
from runtime.domain.domain import Domain
from runtime.domain.hybrid import HybridDomain, split_name
from runtime.domain.rule import Duty
from runtime.domain.schema import Key, Value
from runtime.errors import Rejection, UsageError
from runtime.sandbox.sqlite import open_memory
from runtime.session.clock import Clock, ClockPlan
from runtime.session.faults import FaultSource
from runtime.session.ruling import ForbiddenCall
from runtime.session.session import Outcome, Session, Snapshot, open_stored_session
from runtime.session.workspace import Workspace
from runtime.session.world import DEFAULT_SEED, DEFAULT_SIZE, World, WorldCache


@dataclass(frozen=True, eq=False)
class HybridWorld(World):
    """The worlds of several domains, by prefix; their tables are read under their prefix."""

    parts: Mapping[str, World] = field(kw_only=True, repr=False)

    def open(self) -> sqlite3.Connection:
        """Return a private copy in memory of all parts, to be read."""
        connection = open_memory()
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, len(self.parts))
        for number, (prefix, part) in enumerate(self.parts.items()):
            connection.execute(f"ATTACH ':memory:' AS part{number}")
            connection.deserialize(part.image, name=f"part{number}")
            for table in part.schema.tables:
                connection.execute(f'CREATE TEMP VIEW "{prefix}{table}" AS SELECT * FROM part{number}."{table}"')
        return connection

    def with_rows(self, rows: Iterable[tuple[str, Mapping[str, Value]]]) -> HybridWorld:
        """Add rows, each to the world of its table's prefix; errors: UsageError."""
        added: dict[str, list[tuple[str, Mapping[str, Value]]]] = {}
        for table, record in rows:
            prefix, own = split_name(self.parts, table)
            added.setdefault(prefix, []).append((own, record))
        if "" in added:
            raise UsageError(f"The added row of {added[''][0][0]!r} is of none of the domains.")
        return self._with({prefix: self.parts[prefix].with_rows(own) for prefix, own in added.items()})

    def with_values(self, table: str, key: Key, columns: Mapping[str, Value]) -> HybridWorld:
        """Change values of a row in the world of its table's prefix; errors: UsageError."""
        prefix, own = split_name(self.parts, table)
        return self._with({prefix: self.parts[prefix].with_values(own, key, columns)})

    def planned(self, plan: ClockPlan) -> World:
        """Refuse: the clocks of several offices do not move. Errors: UsageError."""
        raise UsageError("A task of several domains has no clock that moves.")

    def _with(self, changed: Mapping[str, World]) -> HybridWorld:
        parts = {prefix: changed.get(prefix, part) for prefix, part in self.parts.items()}
        return replace(self, parts=parts, known_digest=digest_of(parts))


def unite_worlds(domain: HybridDomain, parts: Mapping[str, World], origin: Mapping[str, Any]) -> HybridWorld:
    """Return the worlds of the parts of a domain, by prefix, as one."""
    return HybridWorld(b"", 0, domain.schema, domain.policies, origin, digest_of(parts), parts=parts)


def take_world(worlds: WorldCache, domain: Domain, seed: int = DEFAULT_SEED, size: int = DEFAULT_SIZE) -> World:
    """Return the world of a seed and a size, of several domains each one's; errors: EnvironmentFault, UsageError."""
    if not isinstance(domain, HybridDomain):
        return worlds.take(domain, seed, size)
    parts = {prefix: worlds.take(part, seed, size) for prefix, part in domain.parts.items()}
    return unite_worlds(domain, parts, {"seed": seed, "size": size})


def digest_of(parts: Mapping[str, World]) -> int:
    """Return the digest of worlds together."""
    return int(_joined(f"{part.digest:032x}" for part in parts.values()), 16)


@dataclass(frozen=True)
class HybridSnapshot(Snapshot):
    """The snapshots of the parts, by prefix."""

    parts: Mapping[str, Snapshot] = field(kw_only=True)


class HybridSession(Session):
    """The sessions of several domains as one; nothing that is done in one changes another."""

    domain: HybridDomain
    world: HybridWorld

    def __init__(
        self,
        domain: HybridDomain,
        world: HybridWorld,
        parts: Mapping[str, Session],
        *,
        strict: bool = False,
        judges: bool = False,
        faults: FaultSource | None = None,
    ) -> None:
        super().__init__(domain, world, strict=strict, judges=judges, faults=faults)
        self.parts = parts

    @property
    def call_count(self) -> int:
        """The calls of all parts, and those of no tool."""
        return self._strays + sum(part.call_count for part in self.parts.values())

    @call_count.setter
    def call_count(self, count: int) -> None:
        self._strays = count

    def _perform(self, name: str, arguments: Mapping[str, Any]) -> Outcome:
        if name not in self.domain.owners:
            try:
                self.domain.find_tool(name)
            except Rejection as rejection:
                self._strays += 1
                return Outcome(None, rejection, str(rejection))
        prefix, own = self.domain.owners[name]
        return self.parts[prefix]._perform(own, arguments)

    def forbidding(self, tool: str, arguments: Mapping[str, Any]) -> tuple[ForbiddenCall, ...]:
        """The rules of the tool's own domain that forbid a call now."""
        if tool not in self.domain.owners:
            return ()
        prefix, own = self.domain.owners[tool]
        return self.parts[prefix].forbidding(own, arguments)

    def unmet_duties(self) -> tuple[Duty, ...]:
        """The duties of all domains that are not fulfilled now."""
        return tuple(duty for part in self.parts.values() for duty in part.unmet_duties())

    def finds(self, sql: str, values: Mapping[str, Value]) -> bool:
        """Refuse: a SELECT reads one domain. Errors: UsageError."""
        raise UsageError("A task of several domains has no checks in SQL.")

    def snapshot(self) -> HybridSnapshot:
        """Remember the present state of all parts."""
        parts = {prefix: part.snapshot() for prefix, part in self.parts.items()}
        return HybridSnapshot(self.world, self.changes, 0, self.clock.state, parts=parts)

    def restore(self, snapshot: Snapshot) -> None:
        """Go back, or over, to a snapshot of the same world; errors: UsageError for one of another."""
        if snapshot.world is not self.world or not isinstance(snapshot, HybridSnapshot):
            raise UsageError("This snapshot is of another world; restore it on a session of that world.")
        for prefix, part in self.parts.items():
            part.restore(snapshot.parts[prefix])
        self.clock.state = snapshot.clock

    def reset(self) -> None:
        for part in self.parts.values():
            part.reset()
        self.clock = Clock(self.domain.now, None)
        if self.faults is not None:
            self.faults.reset()

    def fork(self) -> HybridSession:
        """Another session, in memory, in the same state."""
        parts = {prefix: part.fork() for prefix, part in self.parts.items()}
        forked = HybridSession(
            self.domain, self.world, parts, strict=self.strict, judges=self.judges, faults=deepcopy(self.faults)
        )
        forked.clock.state = self.clock.state
        return forked

    def diff(self) -> list[RowDifference]:
        return self.changes.differences(self.domain.schema, self.domain.policies)

    @property
    def changes(self) -> Changes:
        """The changed rows of all parts since the start, under their tables' prefixes."""
        return _under_prefixes({prefix: part.changes for prefix, part in self.parts.items()})

    def digest(self) -> str:
        """128 bits of the present state of all parts."""
        return _joined(part.digest() for part in self.parts.values())

    def image(self) -> bytes:
        """Refuse: several databases are not one file. Errors: UsageError."""
        raise UsageError("A session of several domains has a database for each; none holds all of it.")

    def scanned(self) -> tuple[Changes, str]:
        """Recompute changes and digest from the whole state of each part."""
        found = {prefix: part.scanned() for prefix, part in self.parts.items()}
        changes = _under_prefixes({prefix: changes for prefix, (changes, _) in found.items()})
        return changes, _joined(digest for _, digest in found.values())

    def part_of(self, table: str) -> tuple[Session, str]:
        """The session of the table's prefix; errors: UsageError for a table of none."""
        prefix, own = split_name(self.parts, table)
        if prefix not in self.parts:
            raise UsageError(f"None of the domains has a table {table!r:.100}.")
        return self.parts[prefix], own

    @property
    def is_stored(self) -> bool:
        return any(part.is_stored for part in self.parts.values())

    @property
    def connection(self) -> sqlite3.Connection | None:
        """A database connection, while there is one."""
        return next(iter(self.parts.values())).connection

    def open(self) -> Workspace:
        """Open the databases of all parts on the thread that will use them."""
        return [part.open() for part in self.parts.values()][0]

    def park(self) -> None:
        """Close the databases of all parts and keep what changed."""
        super().park()
        for part in self.parts.values():
            part.park()

    def close(self) -> None:
        """End the sessions of all parts for good."""
        for part in self.parts.values():
            part.close()
        super().close()


def start_session(
    domain: Domain,
    world: World,
    *,
    strict: bool = False,
    judges: bool = False,
    faults: FaultSource | None = None,
) -> Session:
    """Return a session of a domain, or of several as one, on a world of it; see `Session` for the options."""
    if not isinstance(domain, HybridDomain):
        return Session(domain, world, strict=strict, judges=judges, faults=faults)
    assert isinstance(world, HybridWorld)
    parts = {
        prefix: Session(part, world.parts[prefix], strict=strict, judges=judges)
        for prefix, part in domain.parts.items()
    }
    return HybridSession(domain, world, parts, strict=strict, judges=judges, faults=faults)


def resume_session(
    domain: Domain,
    root: Path,
    name: str,
    world: Callable[[], World],
    asked: Mapping[str, Any],
    *,
    strict: bool = False,
    faults: FaultSource | None = None,
) -> Session:
    """Resume the session of this name in a state folder, or start it: of several domains, one in a folder each.

    Errors: those of `open_stored_session`.
    """
    if not isinstance(domain, HybridDomain):
        return open_stored_session(domain, root, name, world, asked, strict=strict, faults=faults)
    made: list[HybridWorld] = []

    def part_of(prefix: str) -> World:
        if not made:
            united = world()
            assert isinstance(united, HybridWorld)
            made.append(united)
        return replace(made[0].parts[prefix], origin=made[0].origin)

    parts = {
        prefix: open_stored_session(part, root / name, part.name, partial(part_of, prefix), asked, strict=strict)
        for prefix, part in domain.parts.items()
    }
    first = next(iter(parts.values())).world
    worlds = {prefix: part.world for prefix, part in parts.items()}
    return HybridSession(domain, unite_worlds(domain, worlds, first.origin), parts, strict=strict, faults=faults)


def _under_prefixes(parts: Mapping[str, Changes]) -> Changes:
    return Changes(
        {
            (prefix + table, key): change
            for prefix, changes in parts.items()
            for (table, key), change in changes.rows.items()
        }
    )


def _joined(digests: Iterable[str]) -> str:
    return hashlib.blake2b("+".join(digests).encode(), digest_size=16).hexdigest()
