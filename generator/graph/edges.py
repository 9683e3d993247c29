"""Decide which calls are tried for edges: examples of each tool, then other tools on what these returned or changed."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from generator.gates.calls.sample import Sampler, Slot, keys_named
from generator.gates.calls.start import Column, Place, places_changed
from generator.graph.experiment import (
    CallRunner,
    FlowCalls,
    Ran,
    TriedCall,
    keys_in,
    kind_of_influence,
    make_up,
    tables_that_matter,
    try_flow,
    try_influence,
)
from runtime.graph import Edge, EdgeKind
from runtime.task.origin import JsonPath, find_at, leaves_of, put_at

_ENOUGH, _ENOUGH_REJECTED = 5, 4  # example calls of a tool
_ALIKE = 2  # rejected calls whose sentences differ in values only
_LEAST_ATTEMPTS, _MOST_ATTEMPTS = 80, 240
_OF_THE_STATE = ("FAILED_PRECONDITION", "ALREADY_EXISTS", "PERMISSION_DENIED", "NOT_FOUND")
_INFLUENCING = 2  # calls of a source whose influence is looked for
_INFLUENCED = 3  # example calls of a target on which it is looked for
_ON_CHANGED_ROWS = 5  # calls of a target
_FED = 8  # calls of a target with one value
_VALUES_OF_A_KIND = 2  # tried of one call's result for each column
_ITEMS_LOOKED_AT = 3

Known = set[tuple[str, str, EdgeKind]]  # source, target and kind


@dataclass
class ExampleCalls:
    """Calls of one tool on a start: those that succeed there, and those that are rejected for what its rows are."""

    succeeding: list[TriedCall] = field(default_factory=list)
    rejected: list[TriedCall] = field(default_factory=list)


@dataclass(frozen=True)
class _Leaf:
    """One value in a result, and the columns in which it identifies a row."""

    path: JsonPath
    value: Any
    keys: tuple[Column, ...]


class EdgeSearch:
    """Looks for edges on one start; `told` are arguments of successful cases, by tool."""

    def __init__(self, runner: CallRunner, told: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
        self.runner, self._start = runner, runner.start
        domain = self._start.domain
        self.samplers = {name: Sampler(tool, self._start, told.get(name, ())) for name, tool in domain.tools.items()}
        self.examples = {name: self._examples_of(sampler) for name, sampler in self.samplers.items()}
        self._mattering = {name: tables_that_matter(tool, domain.schema) for name, tool in domain.tools.items()}

    def edges(self, known: Known) -> Iterator[Edge]:
        """Yield the edges that are not known yet; `known` is added to."""
        for name in sorted(self.samplers):
            writing = 0
            for call in self.examples[name].succeeding:
                ran = self.runner.after([call])
                if isinstance(ran, str):
                    continue
                yield from self._flows(call, ran, known)
                writing += bool(ran.left.changes.rows)
                if ran.left.changes.rows and writing <= _INFLUENCING:
                    yield from self._influences(call, ran, known)
            if self.examples[name].succeeding and self.samplers[name].tool.writes:
                yield from self._lifted_rejections(self.samplers[name], known)

    def _examples_of(self, sampler: Sampler) -> ExampleCalls:
        rng = random.Random(f"examples of {sampler.tool.name} on {self._start.world.origin}")
        found, seen, alike = ExampleCalls(), set(), Counter[str]()
        for attempt in range(_MOST_ATTEMPTS):
            has_enough = len(found.succeeding) >= _ENOUGH
            if has_enough and (attempt >= _LEAST_ATTEMPTS or len(found.rejected) >= _ENOUGH_REJECTED):
                break
            call = TriedCall(sampler.tool.name, sampler.sample(rng, sampler.anchor(rng)))
            if call.text in seen:
                continue
            seen.add(call.text)
            ran = self.runner.run(call)
            if ran.accepted and not has_enough:
                found.succeeding.append(call)
            elif ran.rejection in _OF_THE_STATE and len(found.rejected) < _ENOUGH_REJECTED:
                reason = re.sub(r"'[^']*'|\"[^\"]*\"|\d+", "", ran.text)
                alike[reason] += 1
                if alike[reason] <= _ALIKE:
                    found.rejected.append(call)
        return found

    def _flows(self, source: TriedCall, ran: Ran, known: Known) -> Iterator[Edge]:
        """Yield one edge for each tool that needs a key which the call returned."""
        leaves = list(self._leaves_of(source, ran))
        for target, sampler in self.samplers.items():
            if target != source.tool and (source.tool, target, "data_flow") not in known:
                edge = next(self._flows_into(sampler, source, ran, leaves), None)
                if edge is not None:
                    known.add((source.tool, target, "data_flow"))
                    yield edge

    def _flows_into(self, sampler: Sampler, source: TriedCall, ran: Ran, leaves: Sequence[_Leaf]) -> Iterator[Edge]:
        for leaf in leaves:
            made_up = None
            for slot in sampler.slots:
                if not _takes_key(slot, leaf, sampler):
                    continue
                made_up = make_up(leaf.value, self._start, ran.left) if made_up is None else made_up
                for call in self._fed_calls(sampler, slot, leaf, source):
                    evidence = try_flow(self.runner, FlowCalls((), source, (), call, leaf.path, slot.path), made_up)
                    if not isinstance(evidence, str):
                        yield Edge(source=source.tool, target=call.tool, kind="data_flow", evidence=evidence)

    def _fed_calls(self, sampler: Sampler, slot: Slot, leaf: _Leaf, source: TriedCall) -> Iterator[TriedCall]:
        """Yield succeeding calls of the target with the value put in, then calls on the rows around it."""
        name = sampler.tool.name
        rng = random.Random(f"{source.tool} {source.text} {name} {slot.name}")
        near = self._start.near(self._start.holding(leaf.keys, leaf.value))
        seen = set()
        examples = [put_at(call.arguments, slot.path, leaf.value) for call in self.examples[name].succeeding]
        for number in range(len(examples) + _FED):
            if number < len(examples):
                call = TriedCall(name, examples[number])
            else:
                call = TriedCall(name, sampler.sample(rng, near or sampler.anchor(rng), {slot.path: leaf.value}))
            if call.text not in seen:
                seen.add(call.text)
                yield call

    def _leaves_of(self, source: TriedCall, ran: Ran) -> Iterator[_Leaf]:
        """Yield the values of a result that identify a row and that the call was not told."""
        told = {value for _, value in _values_in(source.arguments)}
        tool, schema = self._start.domain.tools[source.tool], self._start.domain.schema
        seen: dict[tuple[Column, ...], set[Any]] = {}
        for path, value in _values_in(ran.result):
            if isinstance(value, bool) or value is None or value in told:
                continue
            # An id in text says itself what it is; a number is one only by its name.
            among: Iterable[Column] = self._start.keys
            if not isinstance(value, str):
                name = str([part for part in path if isinstance(part, str)][-1])
                among = keys_named(name, sorted(tool.reads), schema)
            keys = tuple(column for column in among if value in keys_in(self._start, ran.left, column))
            of_a_kind = seen.setdefault(keys, set())
            if keys and value not in of_a_kind and len(of_a_kind) < _VALUES_OF_A_KIND:
                of_a_kind.add(value)
                yield _Leaf(path, value, keys)

    def _influences(self, source: TriedCall, ran: Ran, known: Known) -> Iterator[Edge]:
        """Yield the edges that calls on the changed rows show, and example calls."""
        changed = {table for table, _ in ran.left.changes.rows}
        near = self._start.near(places_changed(ran.left))
        for target, sampler in self.samplers.items():
            if target == source.tool or not changed & self._mattering[target]:
                continue
            if {(source.tool, target, "precondition"), (source.tool, target, "shared_state")} <= known:
                continue
            rng = random.Random(f"{source.tool} {source.text} before {target}")
            sampled = [TriedCall(target, sampler.sample(rng, near)) for _ in range(_ON_CHANGED_ROWS)]
            examples = self.examples[target]
            yield from self._compare(
                source, ran, [*sampled, *examples.succeeding[:_INFLUENCED], *examples.rejected], known
            )

    def _lifted_rejections(self, source: Sampler, known: Known) -> Iterator[Edge]:
        """Yield the preconditions shown by calls of the source on the rows of other tools' rejected calls."""
        name = source.tool.name
        for target in self.samplers:
            if target == name or not source.tool.writes & self._mattering[target]:
                continue
            for rejected in self.examples[target].rejected:
                if (name, target, "precondition") in known:
                    break
                near = self._start.near(self._rows_named(rejected))
                rng = random.Random(f"{name} before {target} {rejected.text}")
                call = TriedCall(name, source.sample(rng, near))
                ran = self.runner.after([call])
                if not isinstance(ran, str) and ran.left.changes.rows:
                    yield from self._compare(call, ran, [rejected], known)

    def _compare(self, source: TriedCall, ran: Ran, calls: Iterable[TriedCall], known: Known) -> Iterator[Edge]:
        befores = [(call, self.runner.run_without(call, self.runner.beginning, ran.left.counter)) for call in calls]
        for call, before in befores:
            name = (source.tool, call.tool, kind_of_influence(before))
            if before.void or name in known:
                continue
            found = try_influence(self.runner, (), source, call)
            if not isinstance(found, str):
                known.add(name)
                yield Edge(source=source.tool, target=call.tool, kind=found[0], evidence=found[1])

    def _rows_named(self, call: TriedCall) -> list[Place]:
        """Return the rows that a call's arguments name."""
        return [
            place
            for slot in self.samplers[call.tool].slots
            for place in self._start.holding(slot.keys, find_at(call.arguments, slot.path))
        ]


def _takes_key(slot: Slot, leaf: _Leaf, sampler: Sampler) -> bool:
    """Return whether a slot may take a key: by its name, or if its name says nothing and the tool only reads."""
    if isinstance(leaf.value, str) != (slot.type == "string"):
        return False
    if slot.keys:
        return not set(leaf.keys).isdisjoint(slot.keys)
    return slot.is_open and sampler.tool.read_only and any(table in sampler.tool.reads for table, _ in leaf.keys)


def _values_in(value: Any) -> Iterator[tuple[JsonPath, Any]]:
    """Yield the single values with their paths; of a list those of the first items."""
    for path, leaf in leaves_of(value):
        if not isinstance(leaf, dict | list) and all(isinstance(part, str) or part < _ITEMS_LOOKED_AT for part in path):
            yield path, leaf
