"""Whether an assistant can look up what a rule turns on: where an edited row changes its answer, some call shows that.

An assistant starts from a call that a caller asks for, what tells who the caller is, and the day. It calls reading
tools with what it knows and with what these calls return. Two worlds in which all of these calls return the same are
one to it; a rule that answers differently in them cannot be kept.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice, product
from types import CodeType, FunctionType
from typing import Any

from generator.gates.calls.sample import Slot, keys_named, link, name_at, slots_of
from generator.gates.calls.start import Column, Place, Start
from runtime.domain.caller_rules import owners_of, people_key
from runtime.domain.changes import Changes
from runtime.domain.domain import Domain
from runtime.domain.people import DESK_TABLES
from runtime.domain.rule import Rule, Rulebook
from runtime.domain.schema import Key, Row, Value
from runtime.domain.tool import Tool
from runtime.errors import EnvironmentFault
from runtime.session.session import Session, Snapshot
from runtime.session.world import World
from runtime.task.origin import scalars_of

HIDDEN = " which no reading tool shows to "  # stands in each complaint
_ASKED = 30  # calls of a rule
_ROWS, _VALUES = 4, 5  # of a table near such a call that are edited, and other values of a column
_TURNS = 2  # edits of a column that change what a rule says of a call
_MOST_LOOKS = 60  # calls of a tool that an assistant makes for one decision, with what it learned first
_FEW = 3  # values of a parameter that a tool must be given, where another one is tried, too
_DAY: Column = ("", "day")

_WORD = re.compile(r"[A-Za-z_]\w*")

Judged = tuple[World, str, Mapping[str, Any]]  # a call that its tool accepts, in its world
_Look = tuple[str, dict[str, Any]]  # a reading tool and its arguments


def find_hidden(domain: Domain, asked: Mapping[str, Sequence[Judged]], start: Start) -> Iterator[str]:
    """Name the rules that turn on what cannot be looked up, given calls of each; those of other worlds are left out."""
    for rule in domain.rules.rules:
        calls = [call for call in asked.get(rule.code, ()) if call[0] is start.world]
        calls = calls[:: max(1, len(calls) // _ASKED)][:_ASKED]
        alone = replace(domain, rules=Rulebook((rule,)))
        faults = (_hidden_from(alone, rule, tool, arguments, start) for _, tool, arguments in calls)
        yield from islice(filter(None, faults), 1)


def _hidden_from(domain: Domain, rule: Rule, tool: str, arguments: Mapping[str, Any], start: Start) -> str:
    """Return what decides a call and cannot be looked up, as a complaint about its rule; empty if there is nothing."""
    told = _told(start, arguments)
    if told is None:
        return ""
    turned: Counter[Column] = Counter()
    with Session(domain, start.world) as here, Session(domain, start.world) as there:
        if (said := _denies(here, tool, arguments)) is None:
            return ""
        assistant = _Assistant(here, told)
        for edit in _edits(rule, start, arguments):
            place = edit.table, edit.column
            if turned[place] == _TURNS:
                continue
            with _edited(there, edit, rule) as other:
                if other is None or _denies(other, tool, arguments) in (said, None):
                    continue
                turned[place] += 1
                if not assistant.notices(other, edit):
                    given = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
                    return (
                        f"rule {rule.code}: whether it denies {tool}({given}) turns on {'.'.join(place)} of "
                        f"{'/'.join(map(str, edit.key))},{HIDDEN}someone who knows only this call and the caller's "
                        f"details; let it turn on rows that can be found from there"
                    )
    return ""


def _denies(session: Session, tool: str, arguments: Mapping[str, Any]) -> bool | None:
    """Return whether the rule denies a call here; None where it crashes, which other gates name."""
    try:
        return bool(session.forbidding(tool, arguments))
    except EnvironmentFault:
        return None


@dataclass(frozen=True)
class _Edit:
    """A row of a world with another value in one column."""

    table: str
    key: Key
    column: str
    before: Row
    after: Row


def _edits(rule: Rule, start: Start, arguments: Mapping[str, Any]) -> Iterator[_Edit]:
    """Edit the columns that a rule names in the rows that have to do with a call; keys and references stay."""
    schema, named = start.domain.schema, columns_of(start.domain, rule)
    for table, row in _concerned(rule, start, arguments):
        own = schema.tables[table]
        fixed = {*own.primary_key, *(column for each in own.foreign_keys for column in each.columns)}
        for column in sorted(name for place, name in named if place == table and name not in fixed):
            at = own.positions[column]
            known = {each[at] for each in start.rows[table]} - {row[at]}
            values = sorted(known - {None}, key=lambda value: (isinstance(value, str), value))
            picked = [*values[:: max(1, len(values) // _VALUES)], *values[-1:], *known & {None}]
            for value in dict.fromkeys(picked):
                yield _Edit(table, own.key_of(row), column, row, (*row[:at], value, *row[at + 1 :]))


def _concerned(rule: Rule, start: Start, arguments: Mapping[str, Any]) -> Iterator[Place]:
    """Yield the rows that a rule reads, those first that a call names, then what refers to them, and their parents."""
    named = [
        (table.name, row)
        for table in start.domain.schema.tables.values()
        for _, value in scalars_of(dict(arguments))
        if len(table.primary_key) == 1 and (row := start.row(table.name, (value,))) is not None
    ]
    near = start.near(named)
    for table in sorted(rule.reads.difference(DESK_TABLES)):
        yield from islice((place for place in near if place[0] == table), _ROWS)


@contextmanager
def _edited(session: Session, edit: _Edit, rule: Rule) -> Iterator[Session | None]:
    """Lend a session on the world with a row edited, from its start if the rule looks at that; None if none fits."""
    world, changes = session.world, Changes()
    changes.record(edit.table, edit.key, edit.before, edit.after)
    try:
        session.restore(Snapshot(world, changes, world.counter))
        session.open()
    except sqlite3.Error:
        yield None
        return
    if not rule.reads_start:
        yield session
        return
    changed = replace(world, image=session.image(), known_digest=changes.digest(world.digest, world.policies))
    with Session(session.domain, changed) as other:
        yield other


def _told(start: Start, arguments: Mapping[str, Any]) -> list[tuple[str, Value]] | None:
    """Return what an assistant knows at first, by name: the day, the call, the caller's details, and people it names.

    None for a call that nobody asks for, as its rows belong to different people.
    """
    people, schema = start.domain.people, start.domain.schema
    values = [(name_at(path), value) for path, value in scalars_of(dict(arguments))]
    told: list[tuple[str, Value]] = [(_DAY[1], start.domain.now)]
    if people is None:
        return [*told, *values]

    named = [value for _, value in values if start.record(people.table, value) is not None]
    owners = (owners_of(people, schema, start.record, table, key) for table in people.owns for _, key in values)
    owned = list(filter(None, owners))
    shared = [each for each in owned[0] if all(each in own for own in owned)] if owned else named
    if owned and not shared:
        return None
    key = people_key(people, schema)
    caller = arguments.get(key, next(iter(shared), None))
    for person in dict.fromkeys([caller, *named] if caller is not None else ()):
        record = start.record(people.table, person) or {}
        columns = (key, people.name, *people.found_by, *(people.proven_by if person == caller else ()))
        told += [(column, record[column]) for column in columns if column in record]
    return [*told, *values]


class _Assistant:
    """Calls reading tools one by one with what it knows, and remembers what they returned."""

    def __init__(self, session: Session, told: Sequence[tuple[str, Value]]) -> None:
        self._session = session
        self._known: dict[Column, dict[Value, None]] = defaultdict(dict)
        self._places: dict[tuple[str, Sequence[str]], Sequence[Column]] = {}  # the columns that names stand for
        self._seen: list[tuple[_Look, Any, str]] = []
        for name, value in told:
            self._learn(name, value)

    def notices(self, other: Session, edit: _Edit) -> bool:
        """Return whether some call returns something else in the other session."""
        key = str(edit.key[0])
        likely = sorted(self._seen, key=lambda seen: key not in seen[2])
        return any(_look(other, look) != result for look, result, _ in chain(likely, self._further))

    @cached_property
    def _further(self) -> Iterator[tuple[_Look, Any, str]]:
        """Make every call that can be made and was not yet, each tool in turn, until nothing new is learned."""
        domain = self._session.domain
        tools = {tool.name: tool for tool in domain.tools.values() if not tool.writes}
        slots = {name: slots_of(tool, domain.schema) for name, tool in tools.items()}
        made: dict[str, set[str]] = {name: set() for name in tools}

        def rounds() -> Iterator[tuple[_Look, Any, str]]:
            before = -1
            while before < sum(map(len, made.values())):
                before = sum(map(len, made.values()))
                pending = {name: self._looks_of(tool, slots[name]) for name, tool in tools.items()}
                while pending:
                    for name, looks in list(pending.items()):
                        look = next((each for each in looks if repr(each) not in made[name]), None)
                        if look is None or len(made[name]) == _MOST_LOOKS:
                            del pending[name]
                        else:
                            made[name].add(repr(look))
                            yield self._made(tools[name], look)

        return rounds()

    def _made(self, tool: Tool, look: _Look) -> tuple[_Look, Any, str]:
        """Make a call, and learn from its result."""
        result = _look(self._session, look)
        self._seen.append((look, result, repr((look, result))))
        tables = tuple(sorted(tool.reads))
        for path, value in scalars_of(result) if isinstance(result, Mapping) else ():
            self._learn(name_at(path), value, tables)
        return self._seen[-1]

    def _looks_of(self, tool: Tool, slots: Sequence[Slot]) -> Iterator[_Look]:
        """Yield calls of a tool: what it must be given, and at most one of the keys and choices that it may be."""
        properties = tool.arguments.schema["properties"]
        required = set(tool.arguments.schema.get("required", ()))
        wide = {name: part["maximum"] for name, part in properties.items() if {"default", "maximum"} <= part.keys()}
        needed = [slot for slot in slots if slot.path[0] in required]
        optional = [slot for slot in slots if slot.path[0] not in required and (slot.keys or "enum" in slot.schema)]
        for filled in ([], *([slot] for slot in optional)):
            few = _FEW if filled else None
            values = [self._values(tool, slot) for slot in filled] + [self._values(tool, slot)[:few] for slot in needed]
            for given in product(*values):
                pairs = zip((*filled, *needed), given, strict=True)
                yield tool.name, wide | {str(slot.path[0]): _in_list(slot, value) for slot, value in pairs}

    def _values(self, tool: Tool, slot: Slot) -> list[Any]:
        """Return what is known of a parameter, or of what it may be at all."""
        schema = slot.schema
        if "enum" in schema:
            return list(schema["enum"])
        if slot.type == "boolean":
            return [True, False]
        columns = slot.keys or slot.columns or [("", name_at(slot.path))]
        if slot.is_open:  # words to search for: anything that is known of what the tool reads
            columns = [column for column in self._known if column[0] in tool.reads]
        known = [value for column in columns for value in self._known[column]]
        if "pattern" in schema and not known:
            known = [*self._known[_DAY]]
        if slot.is_open:
            known = [value for value in known if isinstance(value, str)]
        elif slot.is_number and not slot.keys:
            known += [schema.get("minimum", 0), schema.get("maximum", 1_000)]
        return list(dict.fromkeys(known))[:_MOST_LOOKS]

    def _learn(self, name: str, value: Value, tables: Sequence[str] = ()) -> None:
        """Keep a value of this name, which a tool that reads these tables returned."""
        if value is None or isinstance(value, bool):
            return
        if (name, tables) not in self._places:
            schema = self._session.domain.schema
            self._places[name, tables] = keys_named(name, tables, schema) or link(name, tables, schema)
        for column in self._places[name, tables] or [("", name)]:
            self._known[column].setdefault(value)
        if isinstance(value, str) and value[:4].isdigit() and value[4:5] == value[7:8] == "-":
            self._known[_DAY].setdefault(value[:10])


def _in_list(slot: Slot, value: Any) -> Any:
    return [value] if len(slot.path) > 1 else value


def _look(session: Session, look: _Look) -> Any:
    """Return what a call returns, or why it is refused."""
    try:
        outcome = session.perform(*look)
    except EnvironmentFault:
        return None
    return outcome.result if outcome.rejection is None else outcome.rejection.kind


def columns_of(domain: Domain, rule: Rule) -> set[tuple[str, str]]:
    """Return the columns of tables read that the code of a rule names, without keys and tables about callers."""
    words = set(words_of(rule.function))
    return {
        (name, column)
        for name in rule.reads.difference(DESK_TABLES)
        for column in domain.schema.tables[name].column_names
        if column in words and column not in domain.schema.tables[name].primary_key
    }


def words_of(function: Any, seen: set[str] | None = None) -> Iterator[str]:
    """Yield the words in the texts of a function and of the helpers that it calls."""
    seen = set() if seen is None else seen
    if not isinstance(function, FunctionType) or function.__name__ in seen:
        return
    seen.add(function.__name__)
    codes = [function.__code__]
    for code in codes:
        codes += [each for each in code.co_consts if isinstance(each, CodeType)]
        texts = [each for each in code.co_consts if isinstance(each, str) and each != function.__doc__]
        yield from (word for text in texts for word in _WORD.findall(text))
        for name in code.co_names:
            yield from words_of(function.__globals__.get(name), seen)
