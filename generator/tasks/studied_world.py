"""What tasks of a domain share: how its tools depend on each other, and worlds with rows by key and example calls."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from generator.gates.calls.sample import Sampler, slot_path, slots_of
from generator.gates.calls.start import Place, Start, places_changed
from generator.graph.experiment import CallRunner, TriedCall
from runtime.domain.changes import RowName
from runtime.domain.domain import Domain
from runtime.domain.schema import Key, Row, Value
from runtime.graph import Graph
from runtime.session.session import Session, Snapshot
from runtime.session.world import IdNumbers, World
from runtime.task.origin import dotted, find_at, read_path
from runtime.task.stored_world import stored_world

_ATTEMPTS = 30  # at an example call
_ATTEMPTS_FED = 12  # with a value that another tool returned
_EXAMPLES = 3  # of a tool
_ANCHORS = 12  # rows of a table that example calls are about, which many tools share
LAMBDA = 0.5  # of c(H), as in the paper


@dataclass(frozen=True)
class Feed:
    """A tool that returns, at a place in its result, a value for a parameter of another."""

    source: str
    result: str
    parameter: str


class Network:
    """A domain's tools and how they depend on each other; `told` are arguments of successful cases, by tool."""

    def __init__(self, domain: Domain, graph: Graph, told: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
        self.told = told
        self.tools = sorted(domain.tools)
        self._domain = domain
        self._edges = [edge for edge in graph.edges if {edge.source, edge.target} <= domain.tools.keys()]

    @cached_property
    def _targets(self) -> dict[str, set[str]]:
        """The tools to which edges of any kind lead from each one."""
        found: dict[str, set[str]] = {}
        for edge in self._edges:
            found.setdefault(edge.source, set()).add(edge.target)
        return found

    def is_satisfiable(self, tool: str, within: Collection[str]) -> bool:
        """Return True if tools of a subset return every id that a tool must be given."""
        return all(self.feeding(tool, parameter, within) for parameter in self.needs[tool])

    def feeding(self, tool: str, parameter: str, within: Collection[str]) -> list[str]:
        """Return the tools of a subset that return a value for a parameter of a tool."""
        return [
            feed.source for feed in self.feeds.get(tool, ()) if feed.parameter == parameter and feed.source in within
        ]

    def complexity(self, within: Collection[str]) -> float:
        """c(H) = (|V_H| + 0.5 |E_H|) / (|V_G| + 0.5 |E_G|), where E are the ordered pairs that edges connect."""
        return self._weight(within) / self._weight(self.tools) if self.tools else 1.0

    def _weight(self, within: Collection[str]) -> float:
        inside = set(within)
        return len(inside) + LAMBDA * sum(len(self._targets.get(tool, set()) & inside) for tool in inside)

    @cached_property
    def after(self) -> dict[str, list[str]]:
        """The tools that take a value of a tool or need what it does; those that merely see what it wrote do not."""
        found: dict[str, set[str]] = {}
        for edge in self._edges:
            if edge.kind != "shared_state":
                found.setdefault(edge.source, set()).add(edge.target)
        return {tool: sorted(targets) for tool, targets in found.items()}

    @cached_property
    def feeds(self) -> dict[str, list[Feed]]:
        """What is known to feed each tool."""
        found: dict[str, list[Feed]] = {}
        for edge in self._edges:
            evidence = edge.evidence
            if edge.kind == "data_flow" and evidence.result is not None and evidence.parameter is not None:
                parameter = dotted(slot_path(read_path(evidence.parameter)))
                feed = Feed(edge.source, evidence.result, parameter)
                found.setdefault(edge.target, []).append(feed)
        return {tool: sorted(feeds, key=lambda feed: feed.source) for tool, feeds in found.items()}

    @cached_property
    def unlocking(self) -> dict[str, list[str]]:
        """Tools that may have to come before one, those that are known to unlock it first."""
        found: dict[str, dict[str, None]] = {}
        for kind in ("precondition", "data_flow", "shared_state"):
            for edge in self._edges:
                if edge.kind == kind and self._domain.tools[edge.source].writes:
                    found.setdefault(edge.target, {}).setdefault(edge.source)
        return {tool: list(sources) for tool, sources in found.items()}

    @cached_property
    def needs(self) -> dict[str, list[str]]:
        """The parameters that a tool must be given the id of a row in."""
        needs = {}
        for name, tool in self._domain.tools.items():
            required = set(tool.arguments.schema.get("required", ()))
            slots = slots_of(tool, self._domain.schema)
            needs[name] = [slot.name for slot in slots if slot.keys and slot.path[0] in required]
        return needs


class _RememberingSession(Session):
    """A session that asks its start each question once: scenarios are told on it again and again."""

    def __init__(self, domain: Domain, world: World) -> None:
        super().__init__(domain, world)
        self._read: dict[tuple[str, tuple[Value, ...]], list[Row]] = {}

    def read_start(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        """Return what a SELECT finds in the world as it was before any call; errors: sqlite3.Error."""
        asked = sql, tuple(values)
        if asked not in self._read:
            self._read[asked] = super().read_start(*asked)
        return self._read[asked]


class StudiedWorld:
    """One world of a domain; what is asked of it is worked out once, and does not depend on what was asked before."""

    def __init__(self, domain: Domain, network: Network, seed: int, size: int, world: World | None = None) -> None:
        """`world` is one that differs from that of the seed and size in what is known of a caller."""
        self.domain = domain
        self.network = network
        self.ids: IdNumbers = "dealt" if domain.people is not None else "counted"
        self.world = world or stored_world(domain, size, seed, self.ids)
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
        """Return a row of the world by its key."""
        row = self.start.row(table, key)
        return None if row is None else self.domain.schema.tables[table].record(row)

    def referring(self, name: RowName) -> Sequence[RowName]:
        """Return the rows of the world that refer to a row."""
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
        """Return calls that go through, of which the last one is of this tool and one before it of some others."""
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

    def __enter__(self) -> StudiedWorld:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

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
        """Return the rows around one of a few that a tool can be about."""
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
