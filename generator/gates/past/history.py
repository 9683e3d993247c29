"""How many past events the rules of a domain would have forbidden, had they been asked at the time.

What an event leaves in a row is learned from calls: the states, stamps and counters that a tool sets, and from which
columns its arguments can be read. The worlds are then taken back event by event, the newest first, and each rule is
asked about the call behind an event on the rows and the clock of that moment.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import cached_property
from typing import Any

from generator.gates.constraints import choices_in
from generator.gates.folder import FolderRequest
from generator.gates.past.calendar import CalendarReport, Place, is_day, read_calendar, stamps_of
from generator.gates.past.calls import SIZE, Record, SeenCall, Write, accepted_calls, past_starts
from generator.gates.rules.reach import columns_of, words_of
from generator.isolation.job import job
from runtime.domain.caller_rules import is_caller_rule
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.domain.rule import Rule, Rulebook
from runtime.errors import EnvironmentFault, Rejection
from runtime.sandbox.sqlite import open_memory
from runtime.session.ruling import Ruling
from runtime.session.workspace import Limits, Workspace, confined
from runtime.session.world import World
from runtime.wording import counted

MOST_FORBIDDEN = 0.02  # of the past events that a rule would have judged
_FEWEST = 10  # events that say anything of a rule
_NOON = " 12:00:00"


@dataclass
class RuleHistory:
    """How many past events a rule was asked about, how many it forbids, and one that it forbids."""

    asked: int = 0
    forbidden: int = 0
    such_as: str = ""

    @property
    def is_kept(self) -> bool:
        """True if hardly any event breaks the rule."""
        return self.asked < _FEWEST or self.forbidden <= MOST_FORBIDDEN * self.asked


@dataclass
class HistoryReport:
    """The past of each rule by its code."""

    rules: dict[str, RuleHistory] = field(default_factory=dict)

    @property
    def asked(self) -> dict[str, RuleHistory]:
        """The rules that could be asked about past events."""
        return {code: own for code, own in self.rules.items() if own.asked}

    @property
    def figure(self) -> str:
        """The figures in words."""
        events, forbidden = (
            sum(own.asked for own in self.asked.values()),
            sum(own.forbidden for own in self.asked.values()),
        )
        share = f" ({forbidden / events:.0%})" if events else ""
        rules = f"{len(self.asked)} of {counted(len(self.rules), 'rule')}"
        return f"{rules} asked about {counted(events, 'past event')}, {forbidden:,} forbidden{share}"

    @property
    def lines(self) -> list[str]:
        """The figures of each rule in words."""
        return [
            f"{code}: {f'forbids {own.forbidden} of {own.asked} past events' if own.asked else 'not asked of the past'}"
            for code, own in self.rules.items()
        ]

    @property
    def faults(self) -> list[str]:
        """A sentence for each rule that the past breaks."""
        return [
            f"rule {code}: it would have forbidden {own.forbidden} of {own.asked} past events in worlds of size {SIZE} "
            f"({own.forbidden / own.asked:.0%}; at most {MOST_FORBIDDEN:.0%} are allowed), as {own.such_as}"
            for code, own in self.rules.items()
            if not own.is_kept
        ]


@dataclass
class PastReport:
    """What a domain's worlds tell of the past, beside what its tools and its rules allow."""

    calendar: CalendarReport = field(default_factory=CalendarReport)
    history: HistoryReport = field(default_factory=HistoryReport)

    @property
    def faults(self) -> list[str]:
        """Everything that could not have come about."""
        return [*self.calendar.faults, *self.history.faults]

    @property
    def missed(self) -> list[str]:
        """The gates that the worlds do not pass."""
        return [name for name, own in (("calendar", self.calendar), ("history", self.history)) if own.faults]

    @property
    def lines(self) -> list[str]:
        """The figures for the card of the domain."""
        lines = [f"calendar: {self.calendar.figure}"]
        if self.history.rules:
            lines += [f"history: {self.history.figure}", *(f"history of {line}" for line in self.history.lines)]
        return lines


@job("past")
def prove_past(asked: FolderRequest) -> PastReport:
    """Hold the worlds of a domain folder against its tools and rules; errors: BrokenDomain, EnvironmentFault."""
    domain = load_domain(asked.folder)
    starts = list(past_starts(domain))
    calls = accepted_calls(domain, asked.folder, starts[0])
    return PastReport(read_calendar(domain, calls, starts), ask_rules(domain, calls, [start.world for start in starts]))


def ask_rules(domain: Domain, calls: Sequence[SeenCall], worlds: Sequence[World]) -> HistoryReport:
    """Ask the rules of a domain about the past of its worlds, from what these calls leave in rows."""
    own = [rule for rule in domain.rules.rules if not is_caller_rule(rule)]
    report = HistoryReport({rule.code: RuleHistory() for rule in own})
    traces = list(_traces(domain, calls)) if own else []
    for world in worlds if own else ():
        with _Past(domain, world, own, traces) as past:
            past.judge(report)
    return report


@dataclass(frozen=True)
class Trace:
    """What the calls of one tool leave in a row: new rows, or the same states in rows that were there before."""

    tool: str
    table: str
    is_new: bool
    states: frozenset[tuple[str, Any]]  # columns of listed values that it sets, each to this one
    stamps: frozenset[str]
    counters: Mapping[str, int]  # columns that each call moves by the same number
    kinds: Mapping[str, frozenset[Any]]  # columns of listed values that it leaves alone, or gives a new row, as seen
    befores: tuple[tuple[Record, frozenset[str]], ...]  # what columns were before, and those of which it is not known
    arguments: Mapping[str, str]  # the column that holds each argument
    lists: frozenset[str]  # arguments that are lists of such values
    others: Record  # arguments that no column holds, from some call
    moves: frozenset[Place]  # running totals that its calls move, in any table

    def is_left_in(self, row: Record) -> bool:
        """True if a row looks as this tool left it."""
        return (
            all(row[name] == value for name, value in self.states)
            and all(row[name] is not None for name in self.stamps)
            and (self.is_new or all(row[name] in seen for name, seen in self.kinds.items()))
            and all(row[name] >= step for name, step in self.counters.items() if type(row[name]) is int)
        )

    def call(self, row: Record) -> dict[str, Any]:
        """Return the arguments of the call that left a row."""
        found = {name: row[column] for name, column in self.arguments.items()}
        given = {name: [value] if name in self.lists else value for name, value in found.items() if value is not None}
        return {**self.others, **given}


def _traces(domain: Domain, calls: Sequence[SeenCall]) -> Iterator[Trace]:
    """Yield what each tool leaves, by table and by the states that it sets."""
    choices = choices_in(domain.schema)
    stamps = stamps_of([write for call in calls for write in call.writes])
    totals = _totals(calls, choices)
    mutable = {(write.table, name) for call in calls for write in call.writes for name in write.changed}
    by_tool: dict[Any, list[tuple[SeenCall, Write]]] = defaultdict(list)
    for call in calls:
        for write in call.writes:
            if write.after is not None:
                fixed = frozenset(
                    (name, value)
                    for name, value in (write.after if write.before is None else {}).items()
                    if (write.table, name) in choices.keys() - mutable and value not in call.arguments.values()
                )
                by_tool[call.tool, write.table, write.before is None, fixed].append((call, write))
    for (tool, table, is_new, fixed), every in by_tool.items():
        listed = [name for other, name in choices if other == table]
        counters = {} if is_new else _counters(every, stamps)
        groups: dict[Any, list[tuple[SeenCall, Write]]] = defaultdict(list)
        for call, write in every:
            for name in write.changed.intersection(listed):
                if (write.after or {})[name] is not None:
                    groups[frozenset([(name, (write.after or {})[name])])].append((call, write))
        for states, seen in (groups or {fixed: every}).items():
            writes = [write for _, write in seen]
            set_always = frozenset.intersection(*(write.set_columns for write in writes))
            arguments, lists = _arguments(seen)
            yield Trace(
                tool,
                table,
                is_new,
                states,
                frozenset(name for name in set_always if (table, name) in stamps),
                counters,
                {
                    name: frozenset((write.after or {})[name] for _, write in every)
                    for name in listed
                    if not any(name in write.changed for _, write in every)
                },
                tuple(_befores(table, writes, choices, counters)),
                arguments,
                lists,
                {name: value for name, value in seen[-1][0].arguments.items() if name not in arguments},
                totals & {(each.table, name) for call, _ in seen for each in call.writes for name in each.changed},
            )


def _totals(calls: Sequence[SeenCall], choices: Any) -> frozenset[Place]:
    """Return the columns of numbers that calls move by amounts that differ, and that no row holds."""
    steps: dict[Place, set[Any]] = defaultdict(set)
    for call in calls:
        for write in call.writes:
            for name in write.changed if write.before and write.after else ():
                was, now = (write.before or {})[name], (write.after or {})[name]
                is_number = type(was) in (int, float) and type(now) in (int, float)
                if is_number and (write.table, name) not in choices and now not in call.arguments.values():
                    steps[write.table, name].add(now - was)
    return frozenset(place for place, found in steps.items() if len(found) > 1)


def _counters(seen: Sequence[tuple[SeenCall, Write]], stamps: set[Place]) -> dict[str, int]:
    """Return the columns that every call moves by the same number, of days where they hold a day."""
    steps: dict[str, set[tuple[int, Any]]] = defaultdict(set)
    for call, write in seen:
        for name, value in (write.after or {}).items():
            given = value in call.arguments.values() or (write.table, name) in stamps
            was = (write.before or {})[name]
            steps[name].add((0 if given else _step(was, value), was))
    return {
        name: step
        for name, found in steps.items()
        for step in {step for step, _ in found}
        if step and all(step == other for other, _ in found) and (abs(step) == 1 or len(found) > 1)
    }


def _step(was: Any, value: Any) -> int:
    if is_day(was) and is_day(value):
        return (date.fromisoformat(value[:10]) - date.fromisoformat(was[:10])).days
    return value - was if type(value) is int and type(was) is int else 0


def _moved_back(value: Any, step: int) -> Any:
    """Return a value as it was before it was moved."""
    if value is None:
        return None
    if is_day(value):
        return str(date.fromisoformat(value[:10]) - timedelta(days=step)) + value[10:]
    return value - step


def _befores(
    table: str, writes: Sequence[Write], choices: Any, counters: Mapping[str, int]
) -> Iterator[tuple[Record, frozenset[str]]]:
    """Yield what the columns that a tool changes were before, listed values and what was empty, and the other ones."""
    seen = set()
    for write in writes:
        if write.before is not None:
            before = {
                name: write.before[name]
                for name in sorted(write.changed)
                if (table, name) in choices or (write.before[name] is None and name not in counters)
            }
            lost = write.changed - before.keys() - counters.keys()
            if (text := f"{json.dumps(before)} {sorted(lost)}") not in seen:
                seen.add(text)
                yield before, lost


def _arguments(seen: Sequence[tuple[SeenCall, Write]]) -> tuple[dict[str, str], frozenset[str]]:
    """Return the column that holds each argument in every call, and the arguments that are lists of such values."""
    found: dict[str, str] = {}
    lists = set()
    for name in dict.fromkeys(name for call, _ in seen for name in call.arguments):
        own = [
            (call.arguments[name], write.after or {}) for call, write in seen if call.arguments.get(name) is not None
        ]
        columns = [
            column for column in (own[0][1] if own else ()) if all(_holds(row[column], value) for value, row in own)
        ]
        if columns:
            found[name] = name if name in columns else columns[0]
            if any(isinstance(value, list) for value, _ in own):
                lists.add(name)
    return found, frozenset(lists)


def _holds(held: Any, value: Any) -> bool:
    return held in value if isinstance(value, list) else type(held) is type(value) and held == value


@dataclass(frozen=True, eq=False)
class _Event:
    """That one of some tools left a row as it is, at a time that its stamp tells, or at an unknown one."""

    table: str
    key: tuple[Any, ...]
    left_by: tuple[Trace, ...]
    at: str | None

    @cached_property
    def order(self) -> tuple[Any, ...]:
        """Later events come first; of those at the same time, changes before new rows, and rows made last."""
        return (_moment(self.at or ""), not self.left_by[0].is_new, str(self.key))

    @property
    def shown(self) -> str:
        """The event in words."""
        return f"{self.left_by[0].tool} of {self.table} {self.key[0]!r}{f' at {self.at}' if self.at else ''}"


class _Past:
    """One world that is taken back in time."""

    def __init__(self, domain: Domain, world: World, rules: Sequence[Rule], traces: Sequence[Trace]) -> None:
        self._domain, self._rules, self._traces = domain, rules, traces
        self._connection = world.open()
        self._moved: set[tuple[str, Any]] = set()  # rows with totals that a later event has moved
        self._totals = {place for trace in traces for place in trace.moves}
        self._initial = {(trace.table, state) for trace in traces if trace.is_new for state in trace.states}
        self._columns = {rule.code: columns_of(domain, rule) for rule in rules}
        self._words = {rule.code: set(words_of(rule.function)) for rule in rules}

    def __enter__(self) -> _Past:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def judge(self, report: HistoryReport) -> None:
        """Take back each event and ask the rules; one without a time is asked about at every day that its row tells."""
        events = list(self._events())
        times = [(event.order, event, event.at) for event in events if event.at]
        for event in events:
            days = [] if event.at else [self._domain.now, *self._days_of(event)]
            times += [((_moment(day), True, str(event.key)), event, day) for day in days]
        answers: dict[_Event, dict[str, list[bool]]] = {event: defaultdict(list) for event in events}
        for _, event, time in sorted(times, key=lambda each: each[0], reverse=True):
            if event.at:
                self._ask(event, time, answers[event])
            else:
                self._connection.execute("SAVEPOINT event")
                self._ask(event, time, answers[event])
                self._connection.execute("ROLLBACK TO event")
                self._connection.execute("RELEASE event")
        for event, told in answers.items():
            for code, forbids in told.items():
                if not forbids:  # no such call: another event of this row has taken it back already
                    continue
                own = report.rules[code]
                own.asked += 1
                if all(forbids):
                    own.forbidden += 1
                    own.such_as = own.such_as or event.shown

    def _events(self) -> Iterator[_Event]:
        restamped = {(trace.table, name) for trace in self._traces if not trace.is_new for name in trace.stamps}
        for table in self._domain.schema.tables.values():
            own = [trace for trace in self._traces if trace.table == table.name]
            for row in self._connection.execute(table.select_all).fetchall() if own else ():
                record, key = table.record(row), table.key_of(row)
                left = [trace for trace in own if trace.is_left_in(record)]
                groups: dict[Any, list[Trace]] = defaultdict(list)
                for trace in left:
                    if trace.is_new:
                        groups["new"].append(trace)
                    else:
                        is_first = all((table.name, state) in self._initial for state in trace.states)
                        tellers = [*sorted(trace.stamps), *trace.counters] if is_first else [*trace.states]
                        for teller in tellers[:1]:
                            groups[teller].append(trace)
                for group in _as_calls(groups.values()):
                    shared = frozenset.intersection(*(trace.stamps for trace in group))
                    if group[0].is_new:
                        shared -= {name for place, name in restamped if place == table.name}
                    at = min((str(record[name]) for name in shared), default=None)
                    if at or not group[0].is_new or any(_is_as_made(record, trace) for trace in group):
                        yield _Event(table.name, key, tuple(group), at)

    def _ask(self, event: _Event, time: str, told: dict[str, list[bool]]) -> None:
        """Take an event back, and ask the rules that guard all tools which it could have come from."""
        table = self._domain.schema.tables[event.table]
        found = self._connection.execute(table.select_row, event.key).fetchone()
        if found is None:
            return
        row = table.record(found)
        tools = {trace.tool for trace in event.left_by}
        guarding = [rule for rule in self._rules if tools <= rule.on.keys() and self._is_known(rule, event, row)]
        for trace, lost in self._taken_back(event, row, is_asked=bool(guarding)):
            for rule in guarding:
                if lost and not self._columns[rule.code].isdisjoint((event.table, name) for name in lost):
                    continue
                if not self._words[rule.code].intersection(trace.others) and rule.on[trace.tool] not in trace.others:
                    told[rule.code] += self._answer(rule, _moment(time), trace.tool, trace.call(row))
        self._moved |= {place for trace in event.left_by for place in self._totals_near(event, row, trace.moves)}

    def _days_of(self, event: _Event) -> set[str]:
        """Return the past days in a row, and those that it held before the event."""
        table = self._domain.schema.tables[event.table]
        row = table.record(self._connection.execute(table.select_row, event.key).fetchone())
        values: list[Any] = [*row.values()]
        values += [_moved_back(row[name], step) for trace in event.left_by for name, step in trace.counters.items()]
        return {value for value in values if is_day(value) and value <= self._domain.now}

    def _is_known(self, rule: Rule, event: _Event, row: Record) -> bool:
        """True unless the rule turns on a running total that later events have moved."""
        return self._moved.isdisjoint(self._totals_near(event, row, self._columns[rule.code] & self._totals))

    def _totals_near(self, event: _Event, row: Record, places: Any) -> Iterator[tuple[str, Any]]:
        """Yield the totals of a row and of its parents."""
        for table, column in places:
            name = f"{table}.{column}"
            if table == event.table:
                yield name, event.key[0]
            for key in self._domain.schema.tables[event.table].foreign_keys:
                if key.parent == table:
                    yield name, row[key.columns[0]]

    def _taken_back(self, event: _Event, row: Record, *, is_asked: bool) -> Iterator[tuple[Trace, frozenset[str]]]:
        """Bring the row to each state that it may have been in before, and leave it in the last one.

        Where no rule is asked, the last one is all that counts.
        """
        table = self._domain.schema.tables[event.table]
        if event.left_by[0].is_new:
            self._connection.execute(table.delete_row, event.key)
            yield event.left_by[0], frozenset()
            return
        for traces in [(trace,) for trace in event.left_by] if is_asked else [event.left_by]:
            states = []
            for trace in traces:
                moved = {
                    name: _moved_back(row[name], step) for name, step in trace.counters.items() if row[name] is not None
                }
                states += [(trace, lost, {**row, **before, **moved}) for before, lost in trace.befores]
            fitted = False
            for is_strict in (True, False):
                self._connection.execute(f"PRAGMA ignore_check_constraints = {int(not is_strict)}")
                for trace, lost, values in states if is_asked else reversed(states):
                    with suppress(sqlite3.Error):
                        changed = [values[name] for name in table.column_names]
                        self._connection.execute(table.update_columns(table.column_names), (*changed, *event.key))
                        fitted = True
                        yield trace, lost
                        if not is_asked:
                            return
                if fitted:
                    break

    def _answer(self, rule: Rule, time: str, tool: str, call: Mapping[str, Any]) -> list[bool]:
        """Return whether the rule forbids a call at a time; nothing where it cannot be asked."""
        card = self._domain.card.model_copy(update={"clock": time})
        domain = replace(self._domain, card=card, rules=Rulebook((rule,)))
        now = Workspace(self._connection, domain.schema, domain.policies, time)
        with ExitStack() as stack:
            try:
                checked = domain.find_tool(tool).check(call)
                start = stack.enter_context(closing(self._copy()))
                ruling = Ruling(
                    domain, Limits(), lambda: confined(start, domain.schema, domain.policies, domain.now, Limits())
                )
                return [any(True for _ in ruling.forbidding(now, tool, checked))]
            except (Rejection, EnvironmentFault):
                return []

    def _copy(self) -> sqlite3.Connection:
        return open_memory(self._connection.serialize())


def _as_calls(groups: Iterable[list[Trace]]) -> list[list[Trace]]:
    """Return the traces of each event; states that one tool sets along with the same stamp come from one call."""
    calls: dict[Any, list[Trace]] = {}
    for number, group in enumerate(groups):
        made_by = frozenset((trace.tool, trace.stamps) for trace in group)
        is_stamped = not group[0].is_new and all(stamps for _, stamps in made_by)
        calls.setdefault(made_by if is_stamped else number, []).extend(group)
    return [sorted(call, key=_changes) for call in calls.values()]


def _changes(trace: Trace) -> int:
    """Return how many columns a trace brings back at most, so that the row is left as early as can be."""
    return max((len(before) + len(lost) for before, lost in trace.befores), default=0)


def _is_as_made(row: Record, trace: Trace) -> bool:
    """True if a row is in the states in which it was made: what counts it then, counts it now."""
    return all(row[name] in seen for name, seen in trace.kinds.items())


def _moment(time: str) -> str:
    return time if len(time) > 10 else time + _NOON
