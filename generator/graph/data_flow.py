"""Find data flow: a value that one tool returned is what another accepts, and a made-up one in its place is not."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from generator.graph.draw import Drawer, other_texts
from generator.graph.examples import ExampleCalls
from generator.graph.runner import CallRunner, Ran, TriedCall
from generator.graph.slots import Slot, keys_named
from generator.graph.start import Column, Start
from runtime.domain.schema import Value
from runtime.domain.tool import Tool
from runtime.graph import Edge, Evidence
from runtime.session.session import Snapshot
from runtime.task.paths import JsonPath, dotted, leaves_of, put_at

_VALUES_OF_A_KIND = 2  # tried of one call's result for each column
_ITEMS_LOOKED_AT = 3
_DRAWS = 8
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}.*")


@dataclass(frozen=True)
class Leaf:
    """One value in a result, and the columns that it stands in: those that identify rows, or that hold words."""

    path: JsonPath
    value: Any
    keys: tuple[Column, ...] = ()
    words: tuple[Column, ...] = ()


@dataclass(frozen=True)
class DataFlow:
    """Looks for the data flow from one tool's call to all tools that are not known to take its values yet."""

    runner: CallRunner
    number: int
    drawers: Mapping[str, Drawer]
    examples: Mapping[str, ExampleCalls]

    def edges(self, source: TriedCall, ran: Ran, state: Snapshot, known: set[str]) -> Iterator[Edge]:
        """One edge for each tool that accepts a value of the result; `known` is added to."""
        leaves = list(_leaves_of(ran.result, source, self.runner.start, state))
        for target, drawer in self.drawers.items():
            if target == source.tool or target in known:
                continue
            for leaf, slot in _pairs(leaves, drawer):
                evidence = self._flow(source, state, leaf, slot, drawer)
                if evidence is not None:
                    known.add(target)
                    yield Edge(source=source.tool, target=target, kind="data_flow", evidence=evidence)
                    break

    def _flow(self, source: TriedCall, state: Snapshot, leaf: Leaf, slot: Slot, drawer: Drawer) -> Evidence | None:
        made_up = make_up(leaf.value, self.runner.start, state)
        for arguments in self._arguments(drawer, slot, leaf, source):
            call = TriedCall(drawer.tool.name, arguments)
            ran = self.runner.run(call, state)
            if not ran.accepted:
                continue
            without = self.runner.run(TriedCall(call.tool, put_at(arguments, slot.path, made_up)), state)
            if matters(ran, without, leaf.value, made_up, may_differ=_may_differ(leaf, slot, drawer.tool)):
                column = (leaf.keys or leaf.words or (None,))[0]
                return Evidence(
                    start=self.number,
                    source=dict(source.arguments),
                    result=dotted(leaf.path),
                    target=arguments,
                    parameter=slot.name,
                    value=leaf.value,
                    column=".".join(column) if column else None,
                    after=ran.shown,
                    made_up=made_up,
                    otherwise=without.shown,
                )
        return None

    def _arguments(self, drawer: Drawer, slot: Slot, leaf: Leaf, source: TriedCall) -> Iterator[dict[str, Any]]:
        """Succeeding calls of the target with the value put in, then calls on the rows around it."""
        seen = set()
        near = self.runner.start.near(
            place for column in leaf.keys for place in self.runner.start.holding(column, leaf.value)
        )
        rng = random.Random(f"{source.tool} {source.text} {drawer.tool.name} {slot.name}")
        tries = [
            put_at(example.arguments, slot.path, leaf.value) for example in self.examples[drawer.tool.name].succeeding
        ]
        for attempt in range(len(tries) + _DRAWS):
            if attempt < len(tries):
                arguments = tries[attempt]
            else:
                arguments = drawer.draw(rng, near or drawer.anchor(rng), {slot.path: leaf.value})
            text = json.dumps(arguments, sort_keys=True)
            if text not in seen:
                seen.add(text)
                yield arguments


def matters(ran: Ran, without: Ran, value: Any, made_up: Any, *, may_differ: bool) -> bool:
    """Whether a call that was accepted shows that it needed the value: otherwise it is refused, or says another thing.

    A result that differs only in repeating its argument says the same thing.
    """
    if not ran.accepted or without.crashed:
        return False
    if without.rejection:
        return without.rejection == "NOT_FOUND" or (may_differ and without.rejection == "INVALID_ARGUMENT")
    return may_differ and without_echo(ran.result, value) != without_echo(without.result, made_up)


def without_echo(result: Any, value: Any) -> Any:
    """A result with every repetition of a value taken out."""
    if isinstance(result, dict):
        return {name: without_echo(part, value) for name, part in result.items()}
    if isinstance(result, list):
        return [without_echo(part, value) for part in result]
    if isinstance(value, str) and isinstance(result, str):
        return re.sub(re.escape(value), "\0", result, flags=re.IGNORECASE)
    return "\0" if type(result) is type(value) and result == value else result


def make_up(value: Any, start: Start, state: Snapshot) -> Any:
    """A value of the same type and shape that no row holds: other digits for digits, or other letters for letters."""
    if isinstance(value, str) and _DATE.fullmatch(value):
        return str(int(value[:4]) + 1) + value[4:5] + "01-01" + value[10:]
    taken = {other for column in start.keys for other in keys_in(start, state, column)}
    taken.update(text for texts in start.texts.values() for text in texts)
    others: Iterator[Any] = (value + 9973 * shift for shift in range(1, 100))
    if isinstance(value, str):
        others = other_texts(value)
    return next(other for other in others if other not in taken)


def keys_in(start: Start, state: Snapshot, column: Column) -> dict[Value, None]:
    """The values of an identifying column in a state, removed rows included."""
    table, name = column
    position = start.domain.schema.tables[table].positions[name]
    added = {
        change.after[position]: None
        for (changed, _), change in state.changes.rows.items()
        if changed == table and change.after is not None
    }
    return {**start.keys[column], **added} if added else start.keys[column]


def _leaves_of(result: Any, source: TriedCall, start: Start, state: Snapshot) -> Iterator[Leaf]:
    """The values of a result that identify something and that the call was not told."""
    told = {value for _, value in _values_in(source.arguments)}
    tool = start.domain.tools[source.tool]
    schema = start.domain.schema
    seen: dict[tuple[Column, ...], set[Any]] = {}
    for path, value in _values_in(result):
        if isinstance(value, bool) or value is None or value in told or value == "":
            continue
        name = str([part for part in path if isinstance(part, str)][-1])
        named = keys_named(name, sorted(tool.reads), schema) + (
            keys_named(name[:-1], sorted(tool.reads), schema) if name.endswith("s") else []
        )
        # An id in text says itself what it is; a number is one only by its name.
        among = [*named, *start.keys] if isinstance(value, str) else named
        keys = tuple(dict.fromkeys(column for column in among if value in keys_in(start, state, column)))
        words: tuple[Column, ...] = ()
        if not keys and isinstance(value, str) and not _DATE.fullmatch(value):
            words = tuple((table, texts[value]) for table, texts in start.texts.items() if value in texts)
        of_a_kind = seen.setdefault(keys or words or ((dotted(path), ""),), set())
        if value not in of_a_kind and len(of_a_kind) < _VALUES_OF_A_KIND:
            of_a_kind.add(value)
            yield Leaf(path, value, keys, words)


def _values_in(value: Any) -> Iterator[tuple[JsonPath, Any]]:
    """The single values with their paths; of a list those of the first items."""
    for path, leaf in leaves_of(value):
        if not isinstance(leaf, dict | list) and all(isinstance(part, str) or part < _ITEMS_LOOKED_AT for part in path):
            yield path, leaf


def _pairs(leaves: Sequence[Leaf], drawer: Drawer) -> Iterator[tuple[Leaf, Slot]]:
    """The slots of a tool that a value may go to: row keys first, then words it selects by, then a calculator's own."""
    for is_of_kind in (_is_key_for, _are_words_for, _is_number_for):
        for leaf in leaves:
            for slot in drawer.slots:
                if isinstance(leaf.value, str) == (slot.type == "string") and is_of_kind(leaf, slot, drawer.tool):
                    yield leaf, slot


def _is_key_for(leaf: Leaf, slot: Slot, tool: Tool) -> bool:
    if slot.keys:
        return not set(leaf.keys).isdisjoint(slot.keys)
    return slot.is_open and any(table in tool.reads for table, _ in leaf.keys)


def _are_words_for(leaf: Leaf, slot: Slot, tool: Tool) -> bool:
    if not slot.is_words or slot.keys:
        return False
    return any(column in slot.columns if slot.columns else column[0] in tool.reads for column in leaf.words)


def _is_number_for(leaf: Leaf, slot: Slot, tool: Tool) -> bool:
    """A calculator, which looks at no table, is told values by name."""
    return not tool.reads and leaf.path[-1] == slot.path[-1] and not leaf.keys and "enum" not in slot.schema


def _may_differ(leaf: Leaf, slot: Slot, tool: Tool) -> bool:
    """Whether another result says that the tool selected by the value: one that writes would only have stored it."""
    return tool.read_only or (bool(leaf.keys) and bool(slot.keys))
