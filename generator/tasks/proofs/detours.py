"""Detours: where a rule denies a call, no other call that the rules permit changes what it would have changed.

A call that costs a person a row of their own, such as a place in another queue, is not a detour.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, islice, product
from typing import Any

from generator.gates.calls.sample import Slot, slots_of
from generator.gates.calls.start import Column
from generator.tasks.proofs.replayer import Candidate, PlannedStep, TaskReplayer, Trial
from runtime.domain.changes import Changes, RowName
from runtime.domain.people import DECLINED, IDENTIFICATION
from runtime.domain.rule import Rule
from runtime.domain.schema import Row, Value
from runtime.domain.tool import Tool
from runtime.session.session import Snapshot
from runtime.task.origin import leaves_of, put_at
from runtime.task.script import Permission

_MOST_CALLS = 200  # of one tool
_OPTIONAL_AT_ONCE = 2  # arguments of one call that could be left out; one alone does something, or with another
_DATE = slice(4, 5), "-"  # of a text that is ordered as dates are


@dataclass(frozen=True)
class _Goal:
    """What the denied call would change: cells by row and column with both values, rows that it adds and removes."""

    cells: Mapping[RowName, Mapping[int, tuple[Value, Value]]]
    added: Mapping[str, Sequence[Mapping[int, Value]]]
    removed: Collection[RowName]

    @property
    def tables(self) -> frozenset[str]:
        """The tables that it changes."""
        return frozenset({*self.added, *(name for name, _ in (*self.cells, *self.removed))})


def try_detours(replayer: TaskReplayer, candidate: Candidate) -> Iterator[Trial]:
    """Yield one trial per denied call: whether there is a "detour"."""
    for number, script in enumerate(candidate.scripts):
        for asked in script.permissions:
            if asked.rules and candidate.domain.rules.is_rule(asked.rules[0]):  # a duty looks at the end itself
                yield Trial("detour", _detour(replayer, candidate, number, asked))


def _detour(replayer: TaskReplayer, candidate: Candidate, number: int, asked: Permission) -> str:
    """Return a sentence about a call that reaches what the denied one would change; empty if there is none."""
    domain, session, call = replayer.domain, replayer.session, replayer.denied_call(asked)
    before = replayer.state_when_asked(candidate, number, asked)
    rule = next(each for each in domain.rules.rules if each.code == asked.rules[0])
    session.restore(before)
    goal = _goal_of(replayer, call, rule)
    related = _related(replayer, call, rule, goal)
    for tool in domain.tools.values():
        if not tool.writes & goal.tables:
            continue
        for arguments in islice(_calls(replayer, tool, call, related), _MOST_CALLS):
            session.restore(before)
            if session.perform(tool.name, arguments).rejection is not None:
                continue
            if not _reaches(replayer, goal, session.changes, before):
                continue
            session.restore(before)
            if not session.forbidding(tool.name, arguments):
                denied, way = (
                    _shown(name, given) for name, given in ((call.tool, call.arguments), (tool.name, arguments))
                )
                return f"Rule {rule.code} denies {denied}, but permits {way}, which has the same effect."
    return ""


def _shown(tool: str, arguments: Mapping[str, Any]) -> str:
    return f"{tool}({', '.join(f'{name}={value!r}' for name, value in arguments.items())})"


def _reaches(replayer: TaskReplayer, goal: _Goal, now: Changes, before: Snapshot) -> bool:
    """Return True if a call reached a part of the goal and cost no person a row of their own."""
    rows, known, people = now.rows, before.changes.rows, replayer.domain.people
    for name, row in rows.items():
        is_goal = name in goal.cells or name in goal.removed
        if people and name[0] in people.owns and row.before is not None and row != known.get(name) and not is_goal:
            return False
    for name, cells in goal.cells.items():
        after = rows[name].after if name in rows else None
        if after is not None and any(_is_nearer(after[at], *cell) for at, cell in cells.items()):
            return True
    added: list[tuple[str, Row]] = [
        (table, row.after)
        for (table, key), row in rows.items()
        if row.before is None and row.after is not None and (table, key) not in known
    ]
    if any(all(row[at] == cells[at] for at in cells) for table, row in added for cells in goal.added.get(table, ())):
        return True
    return any(name in rows and rows[name].after is None for name in goal.removed)


def _is_nearer(now: Value, before: Value, wanted: Value) -> bool:
    """Return True if a cell is what complying makes it or, of an amount or a date, was moved the same way."""
    if now == wanted:
        return True
    kinds = (int, float) if isinstance(wanted, int | float) else (str,)
    if not all(isinstance(each, kinds) for each in (now, before, wanted)):
        return False
    if kinds == (str,) and not all(str(each)[_DATE[0]] == _DATE[1] for each in (now, before, wanted)):
        return False
    return now != before and (now > before) == (wanted > before)  # type: ignore[operator]


def _goal_of(replayer: TaskReplayer, call: PlannedStep, rule: Rule) -> _Goal:
    """Return what the call changes in the lenient session, which is in the state before it; notes and logs aside.

    Where it changes the row that the rule judges, that row is what is wanted, and what else changes follows from it.
    """
    domain, policies = replayer.domain, replayer.policies
    aside = {*policies.logs, IDENTIFICATION, DECLINED}
    replayer.session.call(call.tool, **call.arguments)
    rows = {name: row for name, row in replayer.session.open().changes.rows.items() if name[0] not in aside}
    judged = {each.item for each in rule.calls(call.tool, {**domain.tools[call.tool].defaults, **call.arguments})}
    rows = {name: row for name, row in rows.items() if row.before is not None and judged & set(name[1])} or rows
    cells: dict[RowName, dict[int, tuple[Value, Value]]] = {}
    added: dict[str, list[dict[int, Value]]] = {}
    removed: list[RowName] = []
    for (table, key), (before, after) in rows.items():
        counted = [
            at
            for column, at in domain.schema.tables[table].positions.items()
            if policies.of(table, column).policy in ("hard", "semantic")
        ]
        if after is None:
            removed.append((table, key))
        elif before is None:
            added.setdefault(table, []).append({at: after[at] for at in counted})
        else:
            cells[table, key] = {at: (before[at], after[at]) for at in counted if before[at] != after[at]}
    return _Goal(cells, added, removed)


def _related(replayer: TaskReplayer, call: PlannedStep, rule: Rule, goal: _Goal) -> dict[str, list[Row]]:
    """By table: the caller, the rows that a call names, those they refer to, and rows that refer to any of these.

    Of the last, those of tables that the rule reads or the call changes.
    """
    schema, caller = replayer.domain.schema, replayer.task.caller
    named: dict[RowName, Row] = {}
    values = [*(caller.key if caller is not None else ()), *(value for _, value in leaves_of(call.arguments))]
    for table in schema.tables.values():
        for value in values:
            row = replayer.row(table.name, (value,))
            if row is not None:
                named[table.name, (value,)] = row
    for (name, _), row in list(named.items()):
        for each in schema.tables[name].foreign_keys:
            key = tuple(row[schema.tables[name].positions[column]] for column in each.columns)
            above = replayer.row(each.parent, key)
            if above is not None:
                named[each.parent, key] = above
    found: dict[str, list[Row]] = {}
    for (name, _), row in named.items():
        found.setdefault(name, []).append(row)
    for name in sorted(goal.tables | rule.reads):
        table = schema.tables[name]
        ways = [(each.parent, [table.positions[column] for column in each.columns]) for each in table.foreign_keys]
        for row in replayer.start.rows[name]:
            refers = any((parent, tuple(row[at] for at in places)) in named for parent, places in ways)
            if refers and (name, table.key_of(row)) not in named:
                found.setdefault(name, []).append(row)
    return found


def _calls(
    replayer: TaskReplayer, tool: Tool, call: PlannedStep, related: Mapping[str, Sequence[Row]]
) -> Iterator[dict[str, Any]]:
    """Yield arguments for a tool from what is told and from related rows."""
    needed = set(tool.arguments.schema.get("required", ()))
    slots = [slot for slot in slots_of(tool, replayer.domain.schema) if slot.path[0] in needed or not slot.is_words]
    values = {slot.path: _values(replayer, slot, call, related) for slot in slots}
    optional = list(dict.fromkeys(slot.path[0] for slot in slots if slot.path[0] not in needed))
    for chosen in chain.from_iterable(combinations(optional, count) for count in range(_OPTIONAL_AT_ONCE + 1)):
        given = [slot for slot in slots if slot.path[0] in needed or slot.path[0] in chosen]
        for each in _combined([(values[slot.path], bool(slot.keys)) for slot in given]):
            arguments: dict[str, Any] = {}
            for slot, value in zip(given, each, strict=True):
                arguments = put_at(arguments, slot.path, value)
            try:
                tool.arguments.check_untrusted(arguments)
            except (ValueError, OverflowError):
                continue
            if (tool.name, arguments) != (call.tool, call.arguments):
                yield arguments


def _combined(values: Sequence[tuple[Sequence[Value], bool]]) -> Iterator[tuple[Value, ...]]:
    """All combinations of the values that name rows, with the first ones of the others, and with each other one."""
    if not all(each for each, _ in values):
        return
    for named in product(*(each if names_row else each[:1] for each, names_row in values)):
        yield named
        for at, (each, names_row) in enumerate(values):
            if not names_row:
                yield from ((*named[:at], value, *named[at + 1 :]) for value in each[1:])


def _values(replayer: TaskReplayer, slot: Slot, call: PlannedStep, related: Mapping[str, Sequence[Row]]) -> list[Value]:
    """Return what a place in the arguments is tried with."""
    found: dict[Value, None] = {}
    if "enum" in slot.schema:
        found.update(dict.fromkeys(slot.schema["enum"]))
    elif slot.type == "boolean":
        found.update(dict.fromkeys((False, True)))
    else:
        kinds: tuple[type, ...] = {"string": (str,), "integer": (int,), "number": (int, float)}[slot.type]
        own = [value for path, value in leaves_of(call.arguments) if path[-1] == slot.path[-1]]
        near = [
            row[replayer.domain.schema.tables[table].positions[column]]
            for table, column in slot.keys or slot.columns
            for row in related.get(table, ())
        ]
        told = [] if slot.keys else [fact.value for fact in replayer.task.user.facts]
        found.update(dict.fromkeys(each for each in (*own, *near, *told) if type(each) in kinds))
        if slot.is_words and not slot.keys and not any(_is_exact(replayer, column) for column in slot.columns):
            found = dict.fromkeys(own[:1])  # an agent must not invent words that nobody said
    return [value for value in found if value is not None]


def _is_exact(replayer: TaskReplayer, column: Column) -> bool:
    return replayer.policies.of(*column).policy == "hard"
