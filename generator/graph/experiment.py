"""Decide what a call depends on: the same calls are made with one value changed, or with one of them left out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any, NamedTuple

from generator.gates.calls.sample import Slot, other_texts, slot_at, slots_of
from generator.gates.calls.start import Column, Start
from runtime.domain.changes import Changes
from runtime.domain.schema import Schema, Value
from runtime.domain.tool import Tool
from runtime.errors import EnvironmentFault
from runtime.graph import EdgeKind, Evidence, SetUpCall
from runtime.session.session import Session, Snapshot
from runtime.task.origin import JsonPath, dotted, find_at, put_at

_SHOWN = 100  # characters of a text in evidence


@dataclass(frozen=True)
class TriedCall:
    """A tool and the arguments it is called with."""

    tool: str
    arguments: Mapping[str, Any]

    @cached_property
    def text(self) -> str:
        """The same for equal arguments, whatever their order."""
        return json.dumps(self.arguments, sort_keys=True)


@dataclass(frozen=True)
class Ran:
    """The outcome of a call: the text an agent reads, the kind of a rejection, and the state it leaves.

    It is `void`, and shows nothing, if the tool crashed or a limit of the session stopped it.
    """

    text: str
    left: Snapshot
    rejection: str = ""
    void: bool = False

    @property
    def accepted(self) -> bool:
        """Whether the call went through."""
        return not self.rejection and not self.void

    @cached_property
    def result(self) -> Any:
        """What an accepted call returned."""
        return json.loads(self.text)

    @property
    def shown(self) -> str:
        """The text for evidence: cut if it is long, and then with a digest of the whole."""
        if len(self.text) <= _SHOWN:
            return self.text
        return f"{self.text[:_SHOWN]}... {blake2b(self.text.encode(), digest_size=6).hexdigest()}"


class CallRunner:
    """A session on a start that goes to the state a call is to run from; crashes are noted by tool."""

    def __init__(self, start: Start) -> None:
        self.start = start
        self.crashes: dict[str, str] = {}
        self._session = Session(start.domain, start.world)
        self.beginning = self._session.snapshot()
        self._here: Snapshot | None = self.beginning
        self._made: dict[tuple[tuple[str, str], ...], Ran | str] = {(): Ran("{}", self.beginning)}
        self._at_first: dict[tuple[str, str, int], Ran] = {}
        self._slots: dict[str, list[Slot]] = {}

    def slot(self, tool: str, path: JsonPath) -> Slot | None:
        """Return the slot of a tool that a place in its arguments belongs to."""
        if tool not in self._slots:
            self._slots[tool] = slots_of(self.start.domain.tools[tool], self.start.domain.schema)
        return slot_at(self._slots[tool], path)

    def run(self, call: TriedCall, state: Snapshot | None = None) -> Ran:
        """Make the call in a state, or on the start; whatever it changes is undone before the next one."""
        state = self.beginning if state is None else state
        if self._here is not state:
            self._session.restore(state)
        self._here = state
        try:
            outcome = self._session.perform(call.tool, call.arguments)
        except EnvironmentFault as fault:
            self.crashes.setdefault(call.tool, f"{call.text[:_SHOWN]}: {fault}")
            return Ran(str(fault), state, void=True)
        if outcome.rejection is not None:
            kind = outcome.rejection.kind
            return Ran(outcome.text, state, kind, void=kind == "RESOURCE_EXHAUSTED")
        if not self.start.domain.tools[call.tool].read_only:
            self._here = self._session.snapshot()
        return Ran(outcome.text, self._here)

    def after(self, calls: Sequence[TriedCall]) -> Ran | str:
        """Make some calls on the start: the outcome of the last one, or a sentence if one of them is rejected."""
        name = tuple((call.tool, call.text) for call in calls)
        if name not in self._made:
            made = self.after(calls[:-1])
            if not isinstance(made, str):
                ran = self.run(calls[-1], made.left)
                made = ran if ran.accepted else f"{calls[-1].tool} is rejected: {ran.text}"
            self._made[name] = made
        return self._made[name]

    def run_without(self, call: TriedCall, state: Snapshot, counter: int) -> Ran:
        """Make the call in a state with the id counter at a number, so that new ids are those of another state."""
        if "insert" not in self.start.domain.tools[call.tool].operations:
            counter = state.counter
        if state is not self.beginning:
            return self.run(call, Snapshot(state.world, state.changes, counter))
        name = (call.tool, call.text, counter)
        if name not in self._at_first:
            moved = counter != state.counter
            self._at_first[name] = self.run(call, Snapshot(state.world, Changes(), counter) if moved else state)
        return self._at_first[name]

    def close(self) -> None:
        """End the session."""
        self._session.close()

    def __enter__(self) -> CallRunner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class FlowCalls(NamedTuple):
    """Calls in which B takes a value that A returned at `result` as its `parameter`, and those before and between."""

    lead: tuple[TriedCall, ...]
    source: TriedCall
    between: tuple[TriedCall, ...]
    target: TriedCall
    result: JsonPath
    parameter: JsonPath


def try_flow(runner: CallRunner, calls: FlowCalls, made_up: Any) -> Evidence | str:
    """Make calls, and again with a made-up value: the evidence that B needs the value, or why there is none.

    B needs it if it is accepted, and with the made-up one refused, or returns or stores something else.
    """
    domain = runner.start.domain
    slot = runner.slot(calls.target.tool, calls.parameter)
    value = find_at(calls.target.arguments, calls.parameter)
    if slot is None or value is None:
        return f"{calls.target.tool} is not called with a value as {dotted(calls.parameter)!r}"
    source = runner.after((*calls.lead, calls.source))
    before = runner.after((*calls.lead, calls.source, *calls.between))
    if isinstance(source, str) or isinstance(before, str):
        return source if isinstance(source, str) else str(before)
    returned = find_at(source.result, calls.result)
    if returned != value or type(returned) is not type(value):
        return f"{calls.source.tool} returns {returned!r} at {dotted(calls.result)}, not {value!r}"
    ran = runner.run(calls.target, before.left)
    if not ran.accepted:
        return f"{calls.target.tool} is rejected: {ran.text}"
    other = runner.run(
        TriedCall(calls.target.tool, put_at(calls.target.arguments, calls.parameter, made_up)), before.left
    )
    stored = columns_apart(ran.left, other.left, domain.schema) if other.accepted else {}
    if not _needs_value(ran, other, slot, value, made_up, stored):
        return f"the value does not matter to {calls.target.tool}"
    return Evidence(
        start=0,
        lead=_set_up(calls.lead),
        between=_set_up(calls.between),
        source=dict(calls.source.arguments),
        result=dotted(calls.result),
        target=dict(calls.target.arguments),
        parameter=dotted(calls.parameter),
        value=value,
        after=ran.shown,
        made_up=made_up,
        otherwise=other.shown,
        changed=stored or None,
    )


def try_influence(
    runner: CallRunner, lead: Sequence[TriedCall], source: TriedCall, target: TriedCall
) -> tuple[EdgeKind, Evidence] | str:
    """Make B after some calls with A and without A: the kind of influence with its evidence, or why there is none."""
    domain = runner.start.domain
    without, made = runner.after(lead), runner.after((*lead, source))
    if isinstance(without, str) or isinstance(made, str):
        return without if isinstance(without, str) else str(made)
    before, after = runner.run_without(target, without.left, made.left.counter), runner.run(target, made.left)
    kind = kind_of_influence(before)
    if before.void or after.void or before.text == after.text or not (before.accepted or after.accepted):
        return f"{source.tool} makes no such difference to {target.tool}"
    tables = tables_that_matter(domain.tools[target.tool], domain.schema)
    apart = columns_apart(without.left, made.left, domain.schema)
    return kind, Evidence(
        start=0,
        lead=_set_up(lead),
        source=dict(source.arguments),
        target=dict(target.arguments),
        changed={table: columns for table, columns in apart.items() if table in tables},
        before=before.shown,
        after=after.shown,
    )


def kind_of_influence(before: Ran) -> EdgeKind:
    """Return the only kind of influence that a call with this outcome before A can show."""
    return "precondition" if before.rejection else "shared_state"


def tables_that_matter(tool: Tool, schema: Schema) -> frozenset[str]:
    """Return the tables that can matter to a call: those it declares, and those tied by foreign keys to its writes."""
    tied = {
        other.name
        for other in schema.tables.values()
        for foreign_key in other.foreign_keys
        if foreign_key.parent in tool.writes
    } | {foreign_key.parent for table in tool.writes for foreign_key in schema.tables[table].foreign_keys}
    return tool.reads | tied


def columns_apart(one: Snapshot, other: Snapshot, schema: Schema) -> dict[str, list[str]]:
    """Return the columns in which two states differ; of a row that only one of them has, its key."""
    apart: dict[str, set[str]] = {}
    for name in {*one.changes.rows, *other.changes.rows}:
        table = schema.tables[name[0]]
        here, there = one.changes.rows.get(name), other.changes.rows.get(name)
        rows = [here.after if here else there and there.before, there.after if there else here and here.before]
        if rows[0] == rows[1]:
            continue
        columns = set(table.primary_key)
        if rows[0] is not None and rows[1] is not None:
            columns = {column for column, a, b in zip(table.column_names, rows[0], rows[1], strict=True) if a != b}
        apart.setdefault(table.name, set()).update(columns)
    return {table: sorted(columns) for table, columns in sorted(apart.items())}


def make_up(value: Any, start: Start, state: Snapshot) -> Any:
    """Return a value of the same type and shape that names no row: other digits for digits, or other letters."""
    taken = [keys_in(start, state, column) for column in start.keys]
    others: Iterator[Any] = (value + 9973 * shift for shift in range(1, 100))
    if isinstance(value, str):
        others = other_texts(value)
    return next(other for other in others if not any(other in keys for keys in taken))


def keys_in(start: Start, state: Snapshot, column: Column) -> Mapping[Value, None]:
    """Return the values of an identifying column in a state, removed rows included."""
    table, name = column
    position = start.domain.schema.tables[table].positions[name]
    added = {
        change.after[position]: None
        for (changed, _), change in state.changes.rows.items()
        if changed == table and change.after is not None
    }
    return {**start.keys[column], **added} if added else start.keys[column]


def _needs_value(
    ran: Ran, other: Ran, slot: Slot, value: Any, made_up: Any, stored: Mapping[str, Sequence[str]]
) -> bool:
    if other.void:
        return False
    if other.rejection:
        return other.rejection != "INVALID_ARGUMENT" or bool(slot.keys)
    return bool(stored) or _without_echo(ran.result, value) != _without_echo(other.result, made_up)


def _without_echo(result: Any, value: Any) -> Any:
    """Return a result with every repetition of a value taken out."""
    if isinstance(result, dict):
        return {name: _without_echo(part, value) for name, part in result.items()}
    if isinstance(result, list):
        return [_without_echo(part, value) for part in result]
    if isinstance(value, str) and isinstance(result, str):
        return re.sub(re.escape(value), "\0", result, flags=re.IGNORECASE)
    return "\0" if type(result) is type(value) and result == value else result


def _set_up(calls: Sequence[TriedCall]) -> list[SetUpCall] | None:
    return [SetUpCall(tool=call.tool, arguments=dict(call.arguments)) for call in calls] or None
