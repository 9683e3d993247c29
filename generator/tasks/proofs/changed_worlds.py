"""Counterfactuals and luck: where one row of the start is another one, something else is right, and is rewarded.

Rows are edited with values that other rows hold, so that a rule or a decision comes out differently there.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from types import CodeType, FunctionType
from typing import Any

from generator.tasks.proofs.replayer import Candidate, PlannedStep, TaskReplayer, Trial
from generator.tasks.telling import Telling, retell
from runtime.domain.changes import Changes
from runtime.domain.rule import Rule
from runtime.domain.schema import Key, Row, RowRef, Schema, Value
from runtime.session.session import Session, Snapshot
from runtime.task.origin import leaves_of
from runtime.task.script import Permission, Script
from runtime.task.task import bind
from runtime.task.user import Form
from runtime.verification.verify import is_rewarded

_ROWS_TRIED, _ROWS_OF_A_TABLE = 12, 6
_PAIRED = 2  # other rows whose values of two columns are taken
_DONORS = 8  # other rows of which several values are taken together
MOST_TRIALS = 1_000  # edited rows
MOST_TELLINGS = 12  # of them, in which the scenarios are told again
_MOST_ALIKE = 3  # of these, with the same columns of a row


def try_counterfactuals(replayer: TaskReplayer, candidate: Candidate) -> Iterator[Trial]:
    """For each denied call, whether one rule denies it ("one"), and a "counterfactual" of it, where there is one."""
    for number, script in enumerate(candidate.scripts):
        shown: set[tuple[str, ...]] = set()  # of a set, whose earlier records may use up what one row gives
        for asked in script.permissions:
            if not asked.rules or (script.form == "each" and asked.rules in shown):
                continue
            shown.add(asked.rules)
            several = f"{', '.join(asked.rules)} all deny the call of {asked.call.step.tool}; one rule must do it."
            yield Trial("one", several if len(asked.rules) > 1 else "")
            if candidate.is_made_again(number):
                yield Trial("counterfactual")  # the same call is judged again after another request
                continue
            if any((link.later, link.kind) == (number, "rule") for link in candidate.links):
                yield Trial("counterfactual")  # without an earlier request the rules decide otherwise
                continue
            rule = next(each for each in candidate.domain.rules.rules if each.code == asked.rules[0])
            if not rule.no_counterfactual:
                yield from _try_counterfactual(replayer, candidate, number, asked, rule)


def _try_counterfactual(
    replayer: TaskReplayer, candidate: Candidate, number: int, asked: Permission, rule: Rule
) -> Iterator[Trial]:
    scripts = candidate.scripts
    failed: Counter[tuple[object, ...]] = Counter()
    for there, edit, telling in _find_counterfactuals(replayer, candidate, number, asked, rule, failed):
        yield Trial("counterfactual")
        where = f"with another {'/'.join(edit.columns(replayer.domain.schema))}, which permits it,"
        steps = _steps_of(replayer, candidate)
        refuses = _is_right_there(replayer, there, [step for each in steps for step in each], scripts, telling)
        stop = asked.after + 1 if scripts[number].form == "each" else None  # the other records of a set stay
        steps[number][asked.after : stop] = [replayer.denied_call(asked)]
        complies = _is_right_there(replayer, there, [step for each in steps for step in each], telling.scripts, telling)
        yield Trial("complies", "" if complies else f"Rule {rule.code}: {where} making the call is not rewarded.")
        yield Trial("refuses", f"Rule {rule.code}: {where} refusing the call is rewarded." if refuses else "")
        return
    columns = sorted({str(column) for _, _, *changed in failed for column in changed})
    why = f"with another {', '.join(columns)} it would, but the user then says or means something else"
    if not columns:
        edits = islice(edits_for_rule(replayer, candidate, rule, replayer.denied_call(asked).arguments), MOST_TRIALS)
        columns = sorted({column for edit in edits for column in edit.columns(replayer.domain.schema)})
        why = f"tried: {', '.join(columns) or 'nothing, as no row has to do with the call'}"
    lacking = f"No edit of one row lets rule {rule.code} permit the call of {asked.call.step.tool} in the same words"
    yield Trial("counterfactual", f"{lacking} ({why}).")


def _find_counterfactuals(
    replayer: TaskReplayer,
    candidate: Candidate,
    number: int,
    asked: Permission,
    rule: Rule,
    failed: Counter[tuple[object, ...]],
) -> Iterator[tuple[Session, RowEdit, Telling]]:
    """Yield the worlds with one row edited in which a denied call is permitted and the user says the same.

    `failed` counts the other edits that permit it: table, key, and columns.
    """
    place = candidate.scripts[number].permissions.index(asked)
    tellings = 0
    for there, edit in _permitting(replayer, candidate, number, asked, rule):
        way = (edit.table, edit.key, *edit.columns(replayer.domain.schema))
        if failed[way] == _MOST_ALIKE:
            continue  # the other columns have their turn, too
        telling = _tell_alike(candidate, there, number)
        tellings += 1
        if telling is not None and _permits_there(telling, number, place):
            yield there, edit, telling
            continue
        failed[way] += 1
        if tellings >= MOST_TELLINGS:
            return


def _permits_there(telling: Telling, number: int, place: int) -> bool:
    others = telling.scripts[number].permissions
    return len(others) > place and not others[place].rules


def _permitting(
    replayer: TaskReplayer, candidate: Candidate, number: int, asked: Permission, rule: Rule
) -> Iterator[tuple[Session, RowEdit]]:
    """Yield sessions of worlds with a row edited in which the call, after the same ones, is permitted."""
    call = replayer.denied_call(asked)
    before = replayer.state_when_asked(candidate, number, asked)

    def is_permitted_here(session: Session, edit: RowEdit) -> bool:
        """Ask a rule that does not look at the start without another one."""
        state = edit.changes
        state.merge(before.changes)
        session.restore(replace(before, world=session.world, changes=state))
        return not session.forbidding(call.tool, call.arguments)

    edits = islice(edits_for_rule(replayer, candidate, rule, call.arguments), MOST_TRIALS)
    for there, edit in changed_worlds(replayer, edits, None if rule.reads_start else is_permitted_here):
        if not rule.reads_start or not _is_denied_in(there, edit, before, call):
            yield there, edit


def _is_denied_in(there: Session, edit: RowEdit, before: Snapshot, call: PlannedStep) -> bool:
    """Return True if a call is denied in a world with a row edited, where the rule reads the start."""
    state = Changes()
    for (table, key), change in before.changes.rows.items():
        is_edited = (table, key) == (edit.table, edit.key)
        state.record(table, key, edit.after if is_edited else change.before, change.after)
    there.restore(replace(before, world=there.world, changes=state))
    there.open()
    return bool(there.forbidding(call.tool, call.arguments))


DECIDED: frozenset[Form] = frozenset({"conditional", "best_of"})
"""The forms of which a row decides; of those that a rule decides, the proof of counterfactuals says the same."""

MOST_LUCK_TRIALS = 96  # edited rows


def try_luck(replayer: TaskReplayer, candidate: Candidate) -> Iterator[Trial]:
    """For each scenario of such a form, whether some row "decides"."""
    for number, script in enumerate(candidate.scripts):
        if script.form in DECIDED:
            tried: set[str] = set()
            decides = _is_decided(replayer, candidate, number, script, tried)
            fault = (
                f"The chain of the form {script.form} is right whatever the rows hold that it is to be decided by "
                f"(tried: {', '.join(sorted(tried)) or 'nothing that a result shows'})."
            )
            yield Trial("decides", "" if decides else fault)


def _is_decided(replayer: TaskReplayer, candidate: Candidate, number: int, script: Script, tried: set[str]) -> bool:
    """Return True if a row can be edited so that the user says the same, and the same calls are no longer right.

    `tried` gets the columns that were edited.
    """
    first = sum(len(each.calls) for each in candidate.scripts[:number])
    steps = replayer.reference[first : first + len(script.calls)]
    written = [step.arguments for step in steps if replayer.domain.tools[step.tool].writes]
    results = [*written, *(step.result for step in steps)]  # what is changed first: it is the likeliest to decide
    chain = [step for steps in _steps_of(replayer, candidate) for step in steps]
    alone = [candidate.parts[number]]
    here = retell(alone, replayer.session, 0)
    if here is not None and here.scripts[0].wishes != script.wishes:
        here = None  # by itself it is about other rows than beside the others
    decisive = {lookup.best.column for lookup in script.lookups if lookup.best is not None}
    edits = islice(edits_of_results(replayer, candidate, results, decisive), MOST_LUCK_TRIALS)
    for there, _ in changed_worlds(replayer, _noted(edits, replayer, tried)):
        if here is not None and not _comes_out_differently(here, retell(alone, there, 0)):
            continue  # which is quicker found out than for all scenarios
        telling = _tell_alike(candidate, there, number)
        if telling is not None and not _is_right_there(replayer, there, chain, candidate.scripts, telling):
            return True
    return False


def _noted(edits: Iterable[RowEdit], replayer: TaskReplayer, tried: set[str]) -> Iterator[RowEdit]:
    """Yield edits, and note the columns of each."""
    for edit in edits:
        tried.update(edit.columns(replayer.domain.schema))
        yield edit


def _comes_out_differently(here: Telling, there: Telling | None) -> bool:
    """Return True if the user says the same, and something else is right."""
    return there is not None and there.scripts[0].wishes == here.scripts[0].wishes and there.outcome != here.outcome


def _tell_alike(candidate: Candidate, session: Session, number: int) -> Telling | None:
    """Tell the scenarios where the world differs for one of them, if the user then says and knows the same."""
    telling = retell(candidate.parts, session, number)
    own = [script.wishes for script in candidate.scripts]
    return telling if telling is not None and [script.wishes for script in telling.scripts] == own else None


def _steps_of(replayer: TaskReplayer, candidate: Candidate) -> list[list[PlannedStep]]:
    """Return the chain as it is played in variations, by scenario."""
    steps = iter(replayer.plan)
    return [[next(steps) for _ in script.calls] for script in candidate.scripts]


def _is_right_there(
    replayer: TaskReplayer, session: Session, steps: Sequence[PlannedStep], answers: Sequence[Script], telling: Telling
) -> bool:
    """Return True if these steps are accepted and, with the answers of some scripts, are right in the other world."""
    given, wanted = (
        {each.name: each.value for script in scripts for each in script.answers}
        for scripts in (answers, telling.scripts)
    )
    if given != wanted:
        return False
    results: dict[int, Mapping[str, Any]] = {}
    session.reset()
    session.plan_for(telling.plan)
    for step in steps:
        if not step.needs <= results.keys():
            return False
        outcome = session.perform(step.tool, bind(step.arguments, results))
        if outcome.result is None:
            return False
        results[step.number] = outcome.result
    session.settle()
    schema = replayer.domain.schema
    return is_rewarded(schema, replayer.policies, telling.changes, session.changes, dictated=replayer.dictated)


def changed_worlds(
    replayer: TaskReplayer, edits: Iterable[RowEdit], are_wanted: Callable[[Session, RowEdit], bool] | None = None
) -> Iterator[tuple[Session, RowEdit]]:
    """Yield a session on the start with each edit made, where the row fits the schema.

    `are_wanted` is asked first, on a session of the start itself, which it may change.
    """
    world = replayer.world
    with Session(replayer.domain, world) as session:
        session.open()  # from here on, a row that does not fit is refused where it is written
        for edit in edits:
            try:
                if are_wanted is not None and not are_wanted(session, edit):
                    continue
                session.restore(Snapshot(world, edit.changes, world.counter))
            except sqlite3.Error:
                continue
            digest = edit.changes.digest(world.digest, world.policies)
            changed = replace(world, image=session.image(), known_digest=digest)
            with Session(replayer.domain, changed) as there:
                yield there, edit


@dataclass(frozen=True)
class RowEdit:
    """A row of the start, and what it is instead."""

    table: str
    key: Key
    before: Row
    after: Row

    @property
    def changes(self) -> Changes:
        """The edit as changes of the start."""
        changes = Changes()
        changes.record(self.table, self.key, self.before, self.after)
        return changes

    def columns(self, schema: Schema) -> list[str]:
        """Return the columns that differ, as messages name them."""
        names = schema.tables[self.table].column_names
        values = zip(names, self.before, self.after, strict=True)
        return [f"{self.table}.{name}" for name, one, other in values if one != other]


def edits_for_rule(replayer: TaskReplayer, candidate: Candidate, rule: Rule, arguments: object) -> Iterator[RowEdit]:
    """Edit the rows that a rule reads, those first that have most to do with a call, and the columns that it names."""
    near = _anchors(replayer, [value for _, value in leaves_of(arguments)])
    ranked: list[tuple[bool, int, str, Row]] = []
    named: dict[str, frozenset[str]] = {}
    for name in sorted(rule.reads):
        table = replayer.domain.schema.tables[name]
        named[name] = columns_named(rule.function, table.column_names)
        rows = sorted(
            (row for row in replayer.start.rows[name] if near & set(row)), key=lambda row: -len(near & set(row))
        )
        ranked += [(not named[name], -len(near & set(row)), name, row) for row in rows[:_ROWS_OF_A_TABLE]]
    ranked.sort(key=lambda each: each[:2])
    places = [(name, row) for _, _, name, row in ranked]
    lacking = {name: (name, row) for name, row in reversed(places[_ROWS_TRIED:])}
    tried = places[:_ROWS_TRIED]
    tried += [lacking[name] for name in sorted(lacking.keys() - {name for name, _ in tried})]
    first = dict.fromkeys(_edits(replayer, candidate, [(name, row, named[name]) for name, row in tried]))
    yield from first
    yield from _pairs(replayer, candidate, [(name, row, named[name]) for name, row in tried])
    others = _edits(replayer, candidate, [(name, row, None) for name, row in tried])
    yield from (each for each in others if each not in first)


def edits_of_results(
    replayer: TaskReplayer, candidate: Candidate, results: object, decisive: Collection[str] = ()
) -> Iterator[RowEdit]:
    """Edit the rows that results name, in the columns that are known to be `decisive`, or in all that are shown."""
    shown = list(leaves_of(results))
    columns = decisive or {str(path[-1]) for path, _ in shown}
    rows = [
        (table.name, row, columns)
        for table in replayer.domain.schema.tables.values()
        for value in dict.fromkeys(value for path, value in shown if path[-1] in table.primary_key)
        if (row := replayer.row(table.name, (value,))) is not None
    ]
    return _edits(replayer, candidate, rows[:_ROWS_TRIED])


def _edits(
    replayer: TaskReplayer, candidate: Candidate, rows: Sequence[tuple[str, Row, Collection[str] | None]]
) -> Iterator[RowEdit]:
    """Edit single columns of all rows in turn, then all columns together as another row has them.

    Keys, references and what the user tells stay as they are; without columns, all others may change.
    """
    free = [
        (name, replayer.domain.schema.tables[name].key_of(row), row, _free_in(replayer, candidate, name, row, columns))
        for name, row, columns in rows
    ]
    waiting = [
        (name, key, row, at, _values_of(replayer, name, at, row[at])) for name, key, row, own in free for at in own
    ]
    for turn in range(max((len(values) for *_, values in waiting), default=0)):
        for name, key, row, at, values in waiting:
            if turn < len(values):
                yield RowEdit(name, key, row, (*row[:at], values[turn], *row[at + 1 :]))
    for name, key, row, own in free:
        others = replayer.start.rows[name]
        for other in others[:: max(1, len(others) // _DONORS)]:
            after = tuple(other[at] if at in own else value for at, value in enumerate(row))
            if sum(one != two for one, two in zip(row, after, strict=True)) > 1:
                yield RowEdit(name, key, row, after)


def _pairs(
    replayer: TaskReplayer, candidate: Candidate, rows: Sequence[tuple[str, Row, Collection[str]]]
) -> Iterator[RowEdit]:
    """Edit one of the columns with another free one as other rows have both, since a CHECK may tie them."""
    for name, row, columns in rows:
        key = replayer.domain.schema.tables[name].key_of(row)
        every = _free_in(replayer, candidate, name, row, None)
        for one in _free_in(replayer, candidate, name, row, columns):
            for two in every:
                others = (each for each in replayer.start.rows[name] if each[one] != row[one] and each[two] != row[two])
                for other in islice(others, _PAIRED) if one != two else ():
                    after = tuple(other[at] if at in (one, two) else value for at, value in enumerate(row))
                    yield RowEdit(name, key, row, after)


def _free_in(
    replayer: TaskReplayer, candidate: Candidate, name: str, row: Row, columns: Collection[str] | None
) -> list[int]:
    """Return the positions that may change: not keys, references or what the user tells."""
    table, told = replayer.domain.schema.tables[name], _told_cells(candidate)
    fixed = {column for each in table.foreign_keys for column in each.columns} | table.key_columns
    return [
        at
        for column, at in table.positions.items()
        if column not in fixed
        and (columns is None or column in columns)
        and RowRef(name, table.key_of(row), column) not in told
    ]


def _told_cells(candidate: Candidate) -> frozenset[RowRef]:
    """Return the cells that the user tells of."""
    told = (origin.source for script in candidate.scripts for origin in script.told)
    return frozenset(source for source in told if isinstance(source, RowRef))


def _anchors(replayer: TaskReplayer, values: Collection[Value]) -> frozenset[Value]:
    """Return the caller, what a call names, and what the rows that it names refer to."""
    caller = replayer.task.caller.key if replayer.task.caller is not None else []
    found = {*caller, *values}
    for table in replayer.domain.schema.tables.values():
        for value in values:
            row = replayer.row(table.name, (value,))
            if row is not None:
                found |= {row[table.positions[name]] for each in table.foreign_keys for name in each.columns}
    return frozenset(found - {None})


_WORD = re.compile(r"\w+")


def columns_named(function: Callable[..., Any], columns: Collection[str]) -> frozenset[str]:
    """Return those columns whose names are constants of a function, in SQL or as keys, or of those that it calls."""
    assert isinstance(function, FunctionType)
    words: set[str] = set()
    pending: list[tuple[CodeType, str | None]] = [(function.__code__, function.__doc__)]
    for code, prose in pending:  # the loop appends to it
        for value in (*code.co_consts, *map(function.__globals__.get, code.co_names)):
            inner: tuple[CodeType, str | None] | None = None
            if isinstance(value, CodeType):
                inner = value, None
            elif isinstance(value, FunctionType) and value.__module__ == function.__module__:
                inner = value.__code__, value.__doc__
            elif isinstance(value, str | tuple | list | set | frozenset | dict) and value != prose:
                words.update(_WORD.findall(value if isinstance(value, str) else repr(value)))
            if inner is not None and inner not in pending:
                pending.append(inner)
    return frozenset(words) & frozenset(columns)


def _values_of(replayer: TaskReplayer, name: str, at: int, own: Value) -> list[Value]:
    """Other values of a column, those first that decide most: at its ends, next to the clock, next to its own value."""
    known = {row[at] for row in replayer.start.rows[name]} - {own}
    values = sorted((each for each in known if each is not None), key=lambda each: (isinstance(each, str), each))
    wanted: list[int] = [0, len(values) - 1]
    marks: list[Value] = [own] if own is not None else []
    if values and isinstance(values[0], str) and values[0][:2].isdigit():
        marks.insert(0, replayer.domain.now[: len(values[0])])
    for mark in marks:
        place = sum((isinstance(each, str), each) < (isinstance(mark, str), mark) for each in values)
        wanted += [place + step for step in (0, -1, 2, -3, 8, -9)]
    chosen = [values[number] for number in dict.fromkeys(wanted) if 0 <= number < len(values)]
    return [*chosen, *([None] if None in known else [])]
