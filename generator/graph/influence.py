"""Find influence: a call is rejected before another and accepted after it, or says another thing after it."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from generator.graph.draw import Drawer
from generator.graph.examples import ExampleCalls
from generator.graph.runner import CallRunner, Ran, TriedCall
from generator.graph.start import Place, Start
from runtime.domain.schema import Schema
from runtime.domain.tool import Tool
from runtime.graph import Edge, EdgeKind, Evidence
from runtime.session.session import Snapshot
from runtime.task.paths import find_at

CALLS = 3  # of a source whose influence is looked for; more find hardly anything that these do not
_DRAWS_AFTER = 6  # calls on the rows that were changed
_DRAWS_BEFORE = 3  # calls that may lift a rejection

Found = set[tuple[str, EdgeKind]]  # target and kind


@dataclass(frozen=True)
class Influence:
    """Looks for what one tool's calls change for the calls of all others."""

    runner: CallRunner
    number: int
    drawers: Mapping[str, Drawer]
    examples: Mapping[str, ExampleCalls]

    @cached_property
    def _looks_at(self) -> dict[str, frozenset[str]]:
        schema = self.runner.start.domain.schema
        return {name: tables_looked_at(drawer.tool, schema) for name, drawer in self.drawers.items()}

    def edges(self, source: TriedCall, state: Snapshot, known: Found) -> Iterator[Edge]:
        """The edges that one call shows by calls on what it changed, and by those known to succeed or be rejected."""
        changed = {table for table, _ in state.changes.rows}
        near: list[Place] | None = None
        for target, drawer in self.drawers.items():
            if target == source.tool or not changed & self._looks_at[target] or _is_all_known(target, known):
                continue
            if near is None:
                near = self.runner.start.near(places_changed(state))
            examples = self.examples[target]
            rng = random.Random(f"{source.tool} {source.text} before {target}")
            drawn = [TriedCall(target, drawer.draw(rng, near)) for _ in range(_DRAWS_AFTER)]
            yield from self._compare(source, state, [*drawn, *examples.succeeding, *examples.rejected], known)

    def edges_to_rejected(self, source: Drawer, target: str, known: Found) -> Iterator[Edge]:
        """The edges that calls of the source show when they are about the rows of the target's rejected calls."""
        writes = source.tool.writes
        if not writes & self._looks_at[target] or (target, "precondition") in known:
            return
        for rejected in self.examples[target].rejected:
            near = self.runner.start.near(self._places_named(rejected))
            rng = random.Random(f"{source.tool.name} before {target} {rejected.text}")
            for arguments in (source.draw(rng, near) for _ in range(_DRAWS_BEFORE)):
                call = TriedCall(source.tool.name, arguments)
                ran, state = self.runner.run_and_stay(call)
                if ran.accepted and state.changes.rows:
                    yield from self._compare(call, state, [rejected], known)
                    if (target, "precondition") in known:
                        return

    def _compare(self, source: TriedCall, state: Snapshot, calls: Iterable[TriedCall], known: Found) -> Iterator[Edge]:
        """The edges that these calls show, all made before the source's call and then all after it."""
        befores = [(call, self.runner.run_at_first(call, state.counter)) for call in calls]
        for call, before in befores:
            if before.crashed or before.rejection == "RESOURCE_EXHAUSTED" or (call.tool, kind_after(before)) in known:
                continue
            after = self.runner.run(call, state)
            kind = kind_of_change(before, after)
            if kind is None:
                continue
            known.add((call.tool, kind))
            evidence = Evidence(
                start=self.number,
                source=dict(source.arguments),
                target=dict(call.arguments),
                changed=columns_changed(state, self._looks_at[call.tool], self.runner.start),
                before=before.shown,
                after=after.shown,
            )
            yield Edge(source=source.tool, target=call.tool, kind=kind, evidence=evidence)

    def _places_named(self, call: TriedCall) -> list[Place]:
        """The rows that a call's arguments name."""
        return [
            place
            for slot in self.drawers[call.tool].slots
            for column in slot.keys
            for place in self.runner.start.holding(column, find_at(call.arguments, slot.path))
        ]


def kind_of_change(before: Ran, after: Ran) -> EdgeKind | None:
    """What it shows of a call that it came out otherwise after another: each pair of outcomes has one meaning.

    A call that is rejected both times, if for different reasons, shows nothing.
    """
    if before.crashed or after.crashed or before.text == after.text or not (before.accepted or after.accepted):
        return None
    if "RESOURCE_EXHAUSTED" in (before.rejection, after.rejection):
        return None
    return kind_after(before)


def kind_after(before: Ran) -> EdgeKind:
    """The only kind of change that a call can show which came out so before."""
    return "precondition" if before.rejection else "shared_state"


def tables_looked_at(tool: Tool, schema: Schema) -> frozenset[str]:
    """What can matter to a call: the tables it declares, and those that foreign keys tie to the ones it writes."""
    tied = {
        other.name
        for other in schema.tables.values()
        for foreign_key in other.foreign_keys
        if foreign_key.parent in tool.writes
    } | {foreign_key.parent for table in tool.writes for foreign_key in schema.tables[table].foreign_keys}
    return tool.reads | tied


def columns_changed(state: Snapshot, tables: frozenset[str], start: Start) -> dict[str, list[str]]:
    """The columns that differ in a state, in some tables; all columns of a row that came or went are its key."""
    found: dict[str, dict[str, None]] = {}
    for (name, _), change in state.changes.rows.items():
        if name not in tables:
            continue
        table = start.domain.schema.tables[name]
        if change.before is None or change.after is None:
            columns: Iterable[str] = table.primary_key
        else:
            pairs = zip(table.column_names, change.before, change.after, strict=True)
            columns = [column for column, old, new in pairs if old != new]
        found.setdefault(name, {}).update(dict.fromkeys(columns))
    return {name: sorted(columns) for name, columns in sorted(found.items())}


def places_changed(state: Snapshot) -> list[Place]:
    """The rows that a state adds, changes or removes."""
    return [
        (table, row)
        for (table, _), change in state.changes.rows.items()
        for row in (change.after, change.before)
        if row is not None
    ]


def _is_all_known(target: str, known: Found) -> bool:
    return (target, "precondition") in known and (target, "shared_state") in known
