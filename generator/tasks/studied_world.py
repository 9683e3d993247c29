"""A world that many tasks start from, with everything that depends on it alone: rows by key, example calls of tools."""

from __future__ import annotations

import random
from collections import OrderedDict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from generator.gates.calls.sample import Sampler
from generator.gates.calls.start import Place, Start, places_changed
from generator.graph.chains import arguments_of_cases
from generator.graph.experiment import CallRunner, TriedCall
from generator.tasks.network import Network
from runtime.domain.changes import RowName
from runtime.domain.domain import Domain
from runtime.domain.schema import Key, Row, Value
from runtime.session.session import Session, Snapshot
from runtime.session.world import IdNumbers, World, build_world
from runtime.task.origin import find_at, read_path

_ATTEMPTS = 30  # at an example call
_ATTEMPTS_FED = 12  # with a value that another tool returned
_EXAMPLES = 3  # of a tool
_ANCHORS = 12  # rows of a table that example calls are about, which many tools share
_WORLDS_KEPT = 3


class _RememberingSession(Session):
    """A session that asks its start each question once: scenarios are told on it again and again."""

    def __init__(self, domain: Domain, world: World) -> None:
        super().__init__(domain, world)
        self._read: dict[tuple[str, tuple[Value, ...]], list[Row]] = {}

    def read_start(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        """What a SELECT finds in the world as it was before any call; errors: sqlite3.Error."""
        asked = sql, tuple(values)
        if asked not in self._read:
            self._read[asked] = super().read_start(*asked)
        return self._read[asked]


class StudiedWorld:
    """One world of a domain; what is asked of it is worked out once, and does not depend on what was asked before."""

    def __init__(self, domain: Domain, network: Network, seed: int, size: int) -> None:
        self.domain = domain
        self.network = network
        self.ids: IdNumbers = "dealt" if domain.people is not None else "counted"
        self.world = build_world(domain.populate, domain.schema, domain.policies, domain.now, seed, size, self.ids)
        self.start = Start(domain, self.world)
        self.session = _RememberingSession(domain, self.world)
        """For telling scenarios: a session is expensive to open and cheap to reset."""
        self._runner = CallRunner(self.start)
        self._samplers: dict[str, Sampler] = {}
        self._examples: dict[str, list[TriedCall]] = {}
        self._prepared: dict[str, list[TriedCall]] = {}
        self._ran: dict[tuple[str, ...], bool] = {}
        self.accepted: dict[tuple[str, ...], bool] = {}
        """Whether calls go through one after another, as the proofs of its tasks found out."""

    def row(self, table: str, key: Key) -> dict[str, Value] | None:
        """A row of the world by its key."""
        row = self.start.row(table, key)
        return None if row is None else self.domain.schema.tables[table].record(row)

    def referring(self, name: RowName) -> Sequence[RowName]:
        """The rows of the world that refer to a row."""
        return self._referring.get(name, ())

    @cached_property
    def _referring(self) -> dict[RowName, list[RowName]]:
        found: dict[RowName, list[RowName]] = {}
        for table in self.domain.schema.tables.values():
            for foreign_key in table.foreign_keys:
                if foreign_key.parent_columns == self.domain.schema.tables[foreign_key.parent].primary_key:
                    positions = [table.positions[column] for column in foreign_key.columns]
                    for row in self.start.rows[table.name]:
                        parent = (foreign_key.parent, tuple(row[position] for position in positions))
                        found.setdefault(parent, []).append((table.name, table.key_of(row)))
        return found

    def example(self, tool: str, within: Collection[str]) -> list[TriedCall]:
        """Calls that go through, of which the last one is of this tool and one before it of some others."""
        found = self.calls_of(tool)[:1] or self._after_another(tool)
        return found if all(call.tool in within for call in found[:-1]) else []

    def runs(self, chain: Sequence[str]) -> bool:
        """Return True if tools go through one after another, each after what had to be set up for it."""
        name = tuple(chain)
        if name not in self._ran:
            rng = self._random(f"chain {' '.join(chain)}")
            state: Snapshot | None = self._runner.beginning
            results: dict[str, Any] = {}
            for tool in chain:
                state = state and self._go_on(tool, state, results, rng)
            self._ran[name] = state is not None
        return self._ran[name]

    def close(self) -> None:
        """Let the world go."""
        self.session.close()
        self._runner.close()

    def _go_on(self, tool: str, state: Snapshot, results: dict[str, Any], rng: random.Random) -> Snapshot | None:
        """The state after a call that goes through, of those there are to try; its result is added to the others."""
        for call, before in self._tries(tool, state, results, rng):
            ran = self._runner.run(call, before)
            if ran.accepted:
                results[tool] = ran.result
                return ran.left
        return None

    def _tries(
        self, tool: str, state: Snapshot, results: Mapping[str, Any], rng: random.Random
    ) -> Iterator[tuple[TriedCall, Snapshot]]:
        """Calls of a tool with what earlier ones returned, calls known to run, and calls on what others set up."""
        sampler = self._sampler(tool)
        for feed in self.network.feeds.get(tool, ()):
            slot = next((slot for slot in sampler.slots if slot.name == feed.parameter), None)
            value = find_at(results.get(feed.source), read_path(feed.result))
            if slot is not None and value is not None:
                near = self.start.near(self.start.holding(slot.keys, value))
                for _ in range(_ATTEMPTS_FED):
                    yield TriedCall(tool, sampler.sample(rng, near or sampler.anchor(rng), {slot.path: value})), state
        yield from ((call, state) for call in self.calls_of(tool))
        for source in self.network.unlocking.get(tool, ()):
            for call in self.calls_of(source)[:1]:
                ran = self._runner.run(call, state)
                if ran.left.changes.rows:
                    near = self.start.near(places_changed(ran.left))
                    yield from ((TriedCall(tool, sampler.sample(rng, near)), ran.left) for _ in range(_ATTEMPTS_FED))

    def calls_of(self, tool: str) -> list[TriedCall]:
        """Return a few calls of a tool that go through on the world as it is."""
        calls = self._examples.get(tool)
        if calls is None:
            calls = self._examples[tool] = []
            rng, seen = self._random(f"example of {tool}"), set()
            sampler = self._sampler(tool)
            for _ in range(_ATTEMPTS):
                call = TriedCall(tool, sampler.sample(rng, self._anchor(sampler, rng)))
                if call.text not in seen and self._runner.run(call, self._runner.beginning).accepted:
                    calls.append(call)
                    if len(calls) == _EXAMPLES:
                        break
                seen.add(call.text)
        return calls

    def _anchor(self, sampler: Sampler, rng: random.Random) -> list[Place]:
        """The rows around one of a few that a tool can be about."""
        about = {column[0] for slot in sampler.slots for column in slot.keys} | sampler.tool.reads
        tables = sorted(name for name in about if self._anchors[name])
        return self.start.near([rng.choice(self._anchors[rng.choice(tables)])]) if tables else []

    @cached_property
    def _anchors(self) -> dict[str, list[Place]]:
        rng = self._random("anchors")
        return {
            name: [(name, row) for row in rng.sample(rows, min(len(rows), _ANCHORS))]
            for name, rows in self.start.rows.items()
        }

    def _after_another(self, tool: str) -> list[TriedCall]:
        """A call of a tool that the world as it is has no call of, after one that leaves what it needs; often none."""
        if tool not in self._prepared:
            rng = self._random(f"{tool} after another")
            sampler = self._sampler(tool)
            tries = (
                (call, earlier, TriedCall(tool, sampler.sample(rng, near)))
                for earlier, call in self._unlocking(tool)
                for near in [self.start.near(places_changed(earlier))] * _ATTEMPTS_FED
            )
            found = ([call, later] for call, earlier, later in tries if self._runner.run(later, earlier).accepted)
            self._prepared[tool] = next(found, [])
        return self._prepared[tool]

    def _unlocking(self, tool: str) -> list[tuple[Snapshot, TriedCall]]:
        """States that tools leave which may come before this one, with the calls that lead there."""
        found = []
        for source in self.network.unlocking.get(tool, ()):
            for call in self.calls_of(source)[:1]:
                ran = self._runner.run(call)
                if ran.accepted and ran.left.changes.rows:
                    found.append((ran.left, call))
        return found

    def _sampler(self, tool: str) -> Sampler:
        sampler = self._samplers.get(tool)
        if sampler is None:
            sampler = self._samplers[tool] = Sampler(
                self.domain.tools[tool], self.start, self.network.told.get(tool, ())
            )
        return sampler

    def _random(self, purpose: str) -> random.Random:
        return random.Random(f"{purpose} on {self.world.origin['seed']} of {self.world.origin['size']}")


class StudiedWorlds:
    """The worlds of a domain that were studied last; building one is the expensive part of a task."""

    def __init__(self, domain: Domain, network: Network) -> None:
        self._domain, self._network = domain, network
        self._kept: OrderedDict[tuple[int, int], StudiedWorld] = OrderedDict()

    def of(self, seed: int, size: int) -> StudiedWorld:
        """The world of a seed and a size."""
        studied = self._kept.pop((seed, size), None)
        if studied is None:
            studied = StudiedWorld(self._domain, self._network, seed, size)
        self._kept[seed, size] = studied
        while len(self._kept) > _WORLDS_KEPT:
            _, oldest = self._kept.popitem(last=False)
            oldest.close()
        return studied

    def close(self) -> None:
        """Let all worlds go."""
        for studied in self._kept.values():
            studied.close()
        self._kept.clear()


def told_in_cases(domain: Domain) -> dict[str, list[dict[str, Any]]]:
    """The arguments of each tool's success cases, if the domain has cases."""
    return arguments_of_cases(domain.path)
