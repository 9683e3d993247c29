"""A world that many tasks start from, with everything that depends on it alone: rows by key, example calls of tools."""

from __future__ import annotations

import random
from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from generator.gates.calls.sample import Sampler
from generator.gates.calls.start import Place, Start, places_changed
from generator.graph.chains import arguments_of_cases
from generator.graph.experiment import CallRunner, TriedCall
from generator.tasks.ids import FreshValues
from generator.tasks.network import Feed, Network
from runtime.domain.changes import Changes, RowName
from runtime.domain.domain import Domain
from runtime.domain.schema import Key, Value
from runtime.errors import UsageError
from runtime.session.session import Session, Snapshot
from runtime.session.world import IdNumbers, World, build_world
from runtime.task.origin import find_at, read_path
from runtime.task.task import AddedRow

_ATTEMPTS = 120  # at an example call
_ATTEMPTS_FED = 12  # with a value that another tool returned
_ATTEMPTS_REFINED = 40  # on rows that were added for it
_EXAMPLES_FED = 3  # of the tool that returns the value
_WORLDS_KEPT = 3
_IDS_KEPT_FREE = 50  # so that added rows take no id that a chain would get


@dataclass(frozen=True)
class Example:
    """Calls that go through on a world with some rows added; the last one is the example, the others lead up to it."""

    calls: tuple[TriedCall, ...]
    rows: tuple[AddedRow, ...] = ()

    @property
    def lead(self) -> tuple[TriedCall, ...]:
        """The calls that come before the example."""
        return self.calls[:-1]


class StudiedWorld:
    """One world of a domain; what is asked of it is worked out once, and does not depend on what was asked before."""

    def __init__(self, domain: Domain, network: Network, seed: int, size: int) -> None:
        self.domain = domain
        self.network = network
        self.ids: IdNumbers = "dealt" if domain.people is not None else "counted"  # as near-duplicates are drawn anew
        self.world = build_world(domain.populate, domain.schema, domain.policies, domain.now, seed, size, self.ids)
        self.start = Start(domain, self.world)
        self.session = Session(domain, self.world)
        """For telling scenarios: a session is expensive to open and cheap to reset."""
        self._runner = CallRunner(self.start)
        self._samplers: dict[str, Sampler] = {}
        self._examples: dict[str, list[TriedCall]] = {}
        self._fed: dict[tuple[str, str], Example | None] = {}
        self._held: dict[tuple[str, str], dict[Value, None]] = {}
        self._ran: dict[tuple[str, ...], bool] = {}

    def row(self, table: str, key: Key) -> dict[str, Value] | None:
        """A row of the world by its key."""
        row = self.start.row(table, key)
        return None if row is None else self.domain.schema.tables[table].record(row)

    def held(self, table: str, column: str) -> dict[Value, None]:
        """The values of a column, each once, in the order of the rows."""
        values = self._held.get((table, column))
        if values is None:
            position = self.domain.schema.tables[table].positions[column]
            values = self._held[table, column] = dict.fromkeys(row[position] for row in self.start.rows[table])
        return values

    def fresh_values(self, added_for: str = "running tools", *, after_refinement: bool = False) -> FreshValues:
        """Values that no row of the world has, nor, if these come after it, one that was added to run a tool.

        Ids that are dealt at random depend on what the rows are added for, and are free with all but certainty.
        """
        dealt = self.ids == "dealt"
        counter = self.world.counter + (0 if dealt else _IDS_KEPT_FREE * (2 if after_refinement else 1))
        dealer = self._random(f"ids of {added_for}") if dealt else None
        return FreshValues(self.domain.schema, self.network.unique_groups, self.held, counter, dealer)

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

    def complete(self, rows: Iterable[AddedRow]) -> list[tuple[str, dict[str, Value]]]:
        """Added rows as table and whole record."""
        tables = self.domain.schema.tables
        return [
            (
                row.table,
                {
                    **((self.row(row.table, tuple(row.source)) if row.source else None) or {}),
                    **({} if row.source else dict.fromkeys(tables[row.table].column_names)),
                    **row.columns,
                },
            )
            for row in rows
        ]

    def world_with(self, rows: Sequence[AddedRow]) -> World:
        """The world and some rows more; errors: UsageError if they do not fit."""
        _ = self.world.digest  # known here, it need not be worked out again from all the rows of the new world
        return self.world.with_rows(self.complete(rows)) if rows else self.world

    def example(self, tool: str, within: Collection[str] | None = None) -> Example | None:
        """A call of a tool that goes through: on the world as it is, after another tool, or on rows added for it.

        The other tool is one of `within`, if that is given.
        """
        calls = self.calls_of(tool)
        if calls:
            return Example((calls[0],))
        found = self._prepared.get(tool, ())
        return next((one for one in found if within is None or all(call.tool in within for call in one.lead)), None)

    def fed_example(self, source: str, tool: str) -> Example | None:
        """A call of a tool with a value that a call of another one returns."""
        known = (source, tool)
        if known not in self._fed:
            feed = next((feed for feed in self.network.feeds.get(tool, ()) if feed.source == source), None)
            self._fed[known] = None if feed is None else self._feed(feed, tool)
        return self._fed[known]

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
                call = TriedCall(tool, sampler.sample(rng, sampler.anchor(rng)))
                if call.text not in seen and self._runner.run(call, self._runner.beginning).accepted:
                    calls.append(call)
                    if len(calls) == _EXAMPLES_FED:
                        break
                seen.add(call.text)
        return calls

    def _feed(self, feed: Feed, tool: str) -> Example | None:
        sampler = self._sampler(tool)
        slot = next((slot for slot in sampler.slots if slot.name == feed.parameter), None)
        if slot is None:
            return None
        rng = self._random(f"{feed.source} feeds {tool}")
        for source in self.calls_of(feed.source):
            ran = self._runner.run(source)
            value = find_at(ran.result, read_path(feed.result)) if ran.accepted else None
            if value is None:
                continue
            near = self.start.near(self.start.holding(slot.keys, value))
            for _ in range(_ATTEMPTS_FED):
                call = TriedCall(tool, sampler.sample(rng, near or sampler.anchor(rng), {slot.path: value}))
                if self._runner.run(call, ran.left).accepted:
                    return Example((source, call) if ran.left.changes.rows else (call,))
        return None

    @cached_property
    def _prepared(self) -> dict[str, list[Example]]:
        """Examples of the tools that the world as it is has no call of: after another tool, and on added rows.

        The rows are counted on from tool to tool, so that those of several tools can be added together.
        """
        found: dict[str, list[Example]] = {}
        fresh = self.fresh_values()
        for tool in self.network.tools:
            if not self.calls_of(tool):
                examples = (self._after_another(tool), self._refined(tool, fresh))
                found[tool] = [example for example in examples if example is not None]
        return found

    def _after_another(self, tool: str) -> Example | None:
        rng = self._random(f"{tool} after another")
        sampler = self._sampler(tool)
        for earlier, call in self._unlocking(tool):
            touched = [(name, change.after) for (name, _), change in earlier.changes.rows.items() if change.after]
            near = self.start.near(touched)
            for _ in range(_ATTEMPTS_FED):
                later = TriedCall(tool, sampler.sample(rng, near))
                if self._runner.run(later, earlier).accepted:
                    return Example((call, later))
        return None

    def _refined(self, tool: str, fresh: FreshValues) -> Example | None:
        """Rows as another tool would leave them, added as rows of their own, and a call on them."""
        for state, _ in self._unlocking(tool):
            rows = self._as_own_rows(state.changes, fresh)
            call = self._call_on(tool, rows) if rows else None
            if call is not None:
                return Example((call,), tuple(rows))
        return None

    def _as_own_rows(self, changes: Changes, fresh: FreshValues) -> list[AddedRow]:
        """Added and changed rows under fresh keys, referring to each other where they did."""
        tables = self.domain.schema.tables
        left = [(tables[name], key, change) for (name, key), change in changes.rows.items() if change.after]
        left = [entry for entry in left if len(entry[0].primary_key) == 1]
        keys = {(table.name, key): fresh.key(table.name, key) for table, key, _ in left}
        rows = []
        for table, key, change in left:
            new = table.record(change.after or ())
            for foreign_key in table.foreign_keys:
                parent = (foreign_key.parent, tuple(new[name] for name in foreign_key.columns))
                if parent in keys:
                    new[foreign_key.columns[0]] = keys[parent]
            new[table.primary_key[0]] = keys[table.name, key]
            old = table.record(change.before) if change.before else {}
            columns = {name: value for name, value in new.items() if not old or old[name] != value}
            columns |= fresh.unique_values(table.name, new, set(columns) if old else set())
            rows.append(AddedRow(table=table.name, source=list(key) if old else [], columns=columns))
        return rows

    def _call_on(self, tool: str, rows: Sequence[AddedRow]) -> TriedCall | None:
        try:
            world = self.world_with(rows)
        except UsageError:
            return None
        start = Start(self.domain, world)
        own: list[Place] = []
        for name, record in self.complete(rows):
            own.append((name, tuple(record[column] for column in self.domain.schema.tables[name].column_names)))
        sampler = Sampler(self.domain.tools[tool], start, self.network.told.get(tool, ()))
        rng = self._random(f"{tool} on added rows")
        with CallRunner(start) as runner:
            for _ in range(_ATTEMPTS_REFINED):
                call = TriedCall(tool, sampler.sample(rng, start.near(own)))
                if runner.run(call, runner.beginning).accepted:
                    return call
        return None

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
