"""Edit one row of the start so that a rule or a decision comes out differently, with values that other rows hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from types import CodeType, FunctionType
from typing import Any

from generator.tasks.proofs.replayer import Candidate, TaskReplayer
from runtime.domain.changes import Changes
from runtime.domain.rule import Rule
from runtime.domain.schema import Key, Row, RowRef, Schema, Value
from runtime.session.session import Session, Snapshot
from runtime.session.world import World
from runtime.task.origin import leaves_of

_ROWS_TRIED, _ROWS_OF_A_TABLE = 12, 6
_PAIRED = 2  # other rows whose values of two columns are taken
_DONORS = 8  # other rows of which several values are taken together


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
        """The columns that differ, as messages name them."""
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


def edited_world(session: Session, edit: RowEdit) -> World:
    """The world of a session with a row edited; errors: sqlite3.Error if the row does not fit."""
    world = session.world
    digest = edit.changes.digest(world.digest, world.policies)
    session.restore(Snapshot(world, edit.changes, world.counter))
    edited = replace(world, image=session.image())
    vars(edited)["digest"] = digest  # which need not be worked out again from all rows
    return edited


def _told_cells(candidate: Candidate) -> frozenset[RowRef]:
    """The cells that the user tells of."""
    told = (origin.source for script in candidate.scripts for origin in script.told)
    return frozenset(source for source in told if isinstance(source, RowRef))


def _anchors(replayer: TaskReplayer, values: Collection[Value]) -> frozenset[Value]:
    """The caller, what a call names, and what the rows that it names refer to."""
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
    for code, prose in pending:  # grows while it is read
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
