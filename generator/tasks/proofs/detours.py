"""Detours: where a rule denies a call, no two calls that the rules permit come to what it would have changed.

What costs somebody a row of their own, such as a place in another queue, is no way that an office takes unasked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, product
from typing import Any

from generator.gates.calls.sample import Slot, slots_of
from generator.gates.calls.start import Column
from generator.tasks.candidate import UNDECIDED, Candidate, Trial
from generator.tasks.proofs.edits import columns_named
from generator.tasks.proofs.plan import PlannedStep
from generator.tasks.proofs.replayer import TaskReplayer
from generator.tasks.proofs.twins import call_of, state_before
from runtime.domain.changes import RowName
from runtime.domain.domain import Domain
from runtime.domain.people import DECLINED, IDENTIFICATION
from runtime.domain.rule import Rule
from runtime.domain.schema import Row, Value
from runtime.domain.tool import Tool
from runtime.session.session import Session, Snapshot
from runtime.task.paths import leaves_of, put_at, scalars_of
from runtime.task.script import Permission

MOST_CALLS = 4_000
_OPTIONAL_AT_ONCE = 2  # arguments of one call that could be left out; one alone does something, or with another
_DATE = slice(4, 5), "-"  # of a text that is ordered as dates are


_Cell = tuple[str, str | None]  # a table and a column; None: which rows it has


class _TooMany(Exception):
    """The calls are used up."""


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


@dataclass(frozen=True)
class _TriedCall:
    tool: Tool
    arguments: Mapping[str, Any]

    def __str__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())
        return f"{self.tool.name}({given})"


def try_detours(replayer: TaskReplayer, candidate: Candidate) -> Iterator[Trial]:
    """One trial per denied call: whether there is a "detour", or it is "undecided" within so many calls."""
    for number, script in enumerate(candidate.scripts):
        for asked in script.permissions:
            if asked.rules:
                try:
                    yield Trial("detour", _detour(replayer, candidate, number, asked))
                except _TooMany:
                    fault = f"Whether rule {asked.rules[0]} leaves a way round is not known after {MOST_CALLS} calls."
                    yield Trial(UNDECIDED, fault)


def _detour(replayer: TaskReplayer, candidate: Candidate, number: int, asked: Permission) -> str:
    """Calls that reach a cell which complying changes, in a sentence; empty if there are none. Errors: _TooMany.

    Of two calls the first changes what the second was refused for.
    """
    domain, call = replayer.domain, call_of(replayer, asked)
    before = state_before(replayer, candidate, number, asked)
    rule = next(each for each in domain.rules.rules if each.code == asked.rules[0])
    goal = _goal_of(replayer, call, rule)
    own, related = {value for _, value in scalars_of(call.arguments)}, _related(replayer, call, rule, goal)
    tables = goal.tables | rule.reads
    tried = [each for name in domain.tools for each in _calls(replayer, domain.tools[name], tables, call, related)]
    denied = _TriedCall(domain.tools[call.tool], call.arguments)
    made: list[tuple[_TriedCall, Snapshot]] = []
    refused: list[tuple[_TriedCall, frozenset[_Cell]]] = []
    known = [before.changes.rows]  # of two calls that come to the same, one is followed
    with Session(domain, replayer.world, strict=True) as session:
        search = _DetourSearch(session, before, goal)
        for each in (denied, *tried):
            after = search.make(each, before)
            if after is None:
                if each.tool.writes & goal.tables and own & {value for _, value in scalars_of(each.arguments)}:
                    refused.append((each, search.looked_at(each)))
            elif search.reached:
                return _said(replayer, asked, each)
            elif after.changes.rows not in known:
                known.append(after.changes.rows)
                made.append((each, after))
        for each, after in made:
            changed = _changed(domain, before, after)
            for following, decided_by in refused:
                if changed & decided_by and search.make(following, after) is not None and search.reached:
                    return _said(replayer, asked, each, following)
    return ""


def _said(replayer: TaskReplayer, asked: Permission, *calls: _TriedCall) -> str:
    way = " and then ".join(map(str, calls))
    wanted = call_of(replayer, asked)
    denied = _TriedCall(replayer.domain.tools[wanted.tool], wanted.arguments)
    return f"Rule {asked.rules[0]} denies {denied}, but permits {way}, which comes to the same."


def _changed(domain: Domain, before: Snapshot, after: Snapshot) -> frozenset[_Cell]:
    """What is otherwise after some calls: columns of rows, and tables that have other rows."""
    found: set[_Cell] = set()
    for (name, key), row in after.changes.rows.items():
        was = before.changes.rows.get((name, key))
        old, new = (was.after if was is not None else row.before), row.after
        if old is None or new is None:
            found |= {(name, None)} if old != new else set()
        else:
            names = domain.schema.tables[name].column_names
            found |= {(name, column) for column, one, other in zip(names, old, new, strict=True) if one != other}
    return frozenset(found)


class _DetourSearch:
    """Makes calls in the strict twin, each in a state that it goes back to."""

    def __init__(self, session: Session, before: Snapshot, goal: _Goal) -> None:
        self._session, self._before, self._goal = session, before, goal
        self._made = 0
        self._here: Snapshot | None = None

    def make(self, call: _TriedCall, state: Snapshot) -> Snapshot | None:
        """The state after a call; None if it is rejected or changes nothing. Errors: _TooMany."""
        self._made += 1
        if self._made > MOST_CALLS:
            raise _TooMany
        if self._here is not state:
            self._session.restore(state)
        self._here = state
        if self._session.perform(call.tool.name, call.arguments).rejection is not None:
            return None
        self._here = None
        after = self._session.snapshot()
        self._now = after.changes
        return after if after.changes.rows != state.changes.rows else None

    def looked_at(self, call: _TriedCall) -> frozenset[_Cell]:
        """What decided that the last call, which was this one, was rejected or changed nothing."""
        domain = self._session.domain
        codes = {each.rule for each in self._session.forbidding(call.tool.name, call.arguments)}
        judges = [(rule.function, rule.reads) for rule in domain.rules.rules if rule.code in codes]
        read = judges or [(call.tool.function, frozenset(call.tool.reads) | frozenset(call.tool.writes))]
        return frozenset(
            (table, column)
            for function, tables in read
            for table in tables
            for column in (None, *columns_named(function, domain.schema.tables[table].column_names))
        )

    @property
    def reached(self) -> bool:
        """Whether the last call that was accepted came to a part of the goal, and cost nobody a row of their own."""
        rows, known = self._now.rows, self._before.changes.rows
        people = self._session.domain.people
        for name, row in rows.items():
            is_goal = name in self._goal.cells or name in self._goal.removed
            if people and name[0] in people.owns and row.before is not None and row != known.get(name) and not is_goal:
                return False
        for name, cells in self._goal.cells.items():
            after = rows[name].after if name in rows else None
            if after is not None and any(_is_nearer(after[at], *cell) for at, cell in cells.items()):
                return True
        added: list[tuple[str, Row]] = [
            (table, row.after)
            for (table, key), row in rows.items()
            if row.before is None and row.after is not None and (table, key) not in known
        ]
        if any(all(row[at] == wanted[at] for at in wanted) for table, row in added for wanted in self._added(table)):
            return True
        return any(name in rows and rows[name].after is None for name in self._goal.removed)

    def _added(self, table: str) -> Sequence[Mapping[int, Value]]:
        return self._goal.added.get(table, ())


def _is_nearer(now: Value, before: Value, wanted: Value) -> bool:
    """Whether a cell is what complying makes it or, of an amount or a date, was moved the same way."""
    if now == wanted:
        return True
    kinds = (int, float) if isinstance(wanted, int | float) else (str,)
    if not all(isinstance(each, kinds) for each in (now, before, wanted)):
        return False
    if kinds == (str,) and not all(str(each)[_DATE[0]] == _DATE[1] for each in (now, before, wanted)):
        return False
    return now != before and (now > before) == (wanted > before)  # type: ignore[operator]


def _goal_of(replayer: TaskReplayer, call: PlannedStep, rule: Rule) -> _Goal:
    """What the call changes in the lenient session, which is in the state before it; notes and logs aside.

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
    replayer: TaskReplayer, tool: Tool, tables: Collection[str], call: PlannedStep, related: Mapping[str, Sequence[Row]]
) -> Iterator[_TriedCall]:
    """The calls of a tool that writes one of these tables, with what is told, and what stands in related rows."""
    if not tool.writes & set(tables):
        return
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
                yield _TriedCall(tool, arguments)


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
    """What a place in the arguments is tried with."""
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
            found = dict.fromkeys(own[:1])  # words that nobody said are nobody's to invent
    return [value for value in found if value is not None]


def _is_exact(replayer: TaskReplayer, column: Column) -> bool:
    return replayer.policies.of(*column).policy == "hard"
