"""Twins: exactly one rule denies a call, and one cell that nobody tells of decides it: edited, it is permitted."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from generator.tasks.candidate import Candidate
from generator.tasks.proofs.replayer import TaskReplayer
from generator.tasks.proofs.trial import Trial
from runtime.domain.changes import Changes, RowName
from runtime.domain.rows import RowRef
from runtime.domain.rule import Rule
from runtime.domain.schema import Row, Value
from runtime.session.session import Session, Snapshot
from runtime.task.paths import leaves_of
from runtime.task.script import Permission, Script
from runtime.task.task import bind

MOST_TRIALS = 128  # edited rows
_VALUES_TRIED = 16  # of a column


def try_twins(replayer: TaskReplayer, candidate: Candidate) -> Iterator[Trial]:
    """For each denied call, whether one rule denies it ("one") and whether an edited row permits it ("twin")."""
    first = 0
    for script in candidate.scripts:
        for asked in script.permissions:
            if asked.rules:
                several = f"{', '.join(asked.rules)} all deny the call of {asked.call.step.tool}; one rule must do it."
                yield Trial("one", several if len(asked.rules) > 1 else "")
                edit = _twin_of(replayer, candidate, script, first, asked)
                lacking = f"No edit of one row lets rule {asked.rules[0]} permit the call of {asked.call.step.tool}."
                yield Trial("twin", "" if edit else lacking)
        first += len(script.calls)


def _twin_of(
    replayer: TaskReplayer, candidate: Candidate, script: Script, first: int, asked: Permission
) -> tuple[RowName, Row] | None:
    """A row of the start and what it is in the twin: there the same call, after the same ones, is permitted."""
    domain, world = replayer.domain, replayer.world
    rule = next(each for each in domain.rules.rules if each.code == asked.rules[0])
    before = replayer.reference[first : first + asked.after]
    arguments = bind(asked.call.step.arguments, [step.result for step in replayer.reference])
    told = {origin.source for each in candidate.scripts for origin in each.told if isinstance(origin.source, RowRef)}
    near = _anchors(replayer, [value for _, value in leaves_of(arguments)])
    with Session(domain, world) as session:
        session.open()  # from here on, a row that does not fit is refused where it is written
        for (table, key), row in islice(_edits(replayer, rule, near, told), MOST_TRIALS):
            changes = Changes()
            changes.record(table, key, replayer.row(table, key), row)
            try:
                session.restore(Snapshot(world, changes, world.counter))
            except sqlite3.Error:
                continue  # no such row fits the schema
            accepted = all(session.perform(step.tool, step.arguments).rejection is None for step in before)
            if accepted and not session.forbidding(asked.call.step.tool, arguments):
                return (table, key), row
    return None


def _anchors(replayer: TaskReplayer, values: Sequence[Value]) -> frozenset[Value]:
    """The caller, what a call names, and what the rows that it names refer to."""
    caller = replayer.task.caller.key if replayer.task.caller is not None else []
    found = {*caller, *values}
    for table in replayer.domain.schema.tables.values():
        for value in values:
            row = replayer.row(table.name, (value,))
            if row is not None:
                found |= {row[table.positions[name]] for each in table.foreign_keys for name in each.columns}
    return frozenset(found - {None})


def _edits(
    replayer: TaskReplayer, rule: Rule, near: frozenset[Value], told: Collection[RowRef]
) -> Iterator[tuple[RowName, Row]]:
    """Rows that the rule may look at, those nearest to the call first, with a value of another row in one column."""
    chance = random.Random(replayer.task.id)
    ranked = [(name, row) for name in sorted(rule.reads) for row in replayer.start.rows[name] if near & set(row)]
    ranked.sort(key=lambda each: -len(near & set(each[1])))
    for name, row in ranked:
        table = replayer.domain.schema.tables[name]
        key = table.key_of(row)
        fixed = {column for each in table.foreign_keys for column in each.columns} | table.key_columns
        for column, at in table.positions.items():
            if column not in fixed and RowRef(name, key, column) not in told:
                values = sorted({other[at] for other in replayer.start.rows[name]} - {row[at]}, key=str)
                for value in chance.sample(values, min(len(values), _VALUES_TRIED)):
                    yield (name, key), (*row[:at], value, *row[at + 1 :])
