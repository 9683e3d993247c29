"""Twins and luck: with one row edited, the other decision is right, so a chain that never read the row is wrong."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from generator.tasks.candidate import Candidate, Trial
from generator.tasks.proofs.edits import RowEdit, edited_world, edits_for_rule, edits_of_results
from generator.tasks.proofs.plan import PlannedStep
from generator.tasks.proofs.replayer import TaskReplayer
from generator.tasks.telling import Telling
from runtime.domain.changes import Changes
from runtime.domain.rule import Rule
from runtime.session.session import Session, Snapshot
from runtime.task.script import Permission, Script
from runtime.task.task import bind
from runtime.task.user import Form
from runtime.verification.verify import is_rewarded

MOST_TRIALS = 1_000  # edited rows
MOST_TELLINGS = 12  # of them, in which the scenarios are told again
_MOST_ALIKE = 3  # of these, with the same columns of a row


def try_twins(replayer: TaskReplayer, candidate: Candidate) -> Iterator[Trial]:
    """For each denied call, whether one rule denies it ("one") and what comes of it in a "twin", where there is one."""
    for number, script in enumerate(candidate.scripts):
        for asked in script.permissions:
            if not asked.rules:
                continue
            several = f"{', '.join(asked.rules)} all deny the call of {asked.call.step.tool}; one rule must do it."
            yield Trial("one", several if len(asked.rules) > 1 else "")
            rule = next(each for each in candidate.domain.rules.rules if each.code == asked.rules[0])
            if not rule.no_twin:
                yield from _try_twin(replayer, candidate, number, asked, rule)


def _try_twin(
    replayer: TaskReplayer, candidate: Candidate, number: int, asked: Permission, rule: Rule
) -> Iterator[Trial]:
    scripts = candidate.scripts
    for there, edit, telling in _find_twins(replayer, candidate, number, asked, rule):
        yield Trial("twin")
        where = f"with another {'/'.join(edit.columns(replayer.domain.schema))}, which permits it,"
        steps = _steps_of(replayer, candidate)
        refuses = _is_right_there(replayer, there, [step for each in steps for step in each], scripts, telling)
        steps[number][asked.after :] = [call_of(replayer, asked)]
        complies = _is_right_there(replayer, there, [step for each in steps for step in each], telling.scripts, telling)
        yield Trial("complies", "" if complies else f"Rule {rule.code}: {where} making the call is not rewarded.")
        yield Trial("refuses", f"Rule {rule.code}: {where} refusing the call is rewarded." if refuses else "")
        return
    lacking = f"No edit of one row lets rule {rule.code} permit the call of {asked.call.step.tool} in the same words."
    yield Trial("twin", lacking)


def _find_twins(
    replayer: TaskReplayer, candidate: Candidate, number: int, asked: Permission, rule: Rule
) -> Iterator[tuple[Session, RowEdit, Telling]]:
    """Yield the worlds with one row edited in which a denied call is permitted and the user says the same."""
    place = candidate.scripts[number].permissions.index(asked)
    tellings = 0
    failed: Counter[tuple[object, ...]] = Counter()
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


def call_of(replayer: TaskReplayer, asked: Permission) -> PlannedStep:
    """The call that the rules were asked about, with the values that it would have been made with."""
    arguments = bind(asked.call.step.arguments, [step.result for step in replayer.reference])
    return PlannedStep(-1, asked.call.step.tool, arguments, frozenset(), writes=True)


def _permitting(
    replayer: TaskReplayer, candidate: Candidate, number: int, asked: Permission, rule: Rule
) -> Iterator[tuple[Session, RowEdit]]:
    """Sessions of worlds with a row edited in which the call, after the same ones, is permitted."""
    domain, world = replayer.domain, replayer.world
    call = call_of(replayer, asked)
    before = state_before(replayer, candidate, number, asked)
    with Session(domain, world) as session:
        session.open()  # from here on, a row that does not fit is refused where it is written
        for edit in islice(edits_for_rule(replayer, candidate, rule, call.arguments), MOST_TRIALS):
            state = edit.changes
            state.merge(before.changes)
            try:
                session.restore(Snapshot(world, state, before.counter))
                # A rule that does not look at the start is asked without another one.
                if not rule.reads_start and session.forbidding(call.tool, call.arguments):
                    continue
                twin = edited_world(session, edit)
            except sqlite3.Error:
                continue  # the row does not fit the schema
            with Session(domain, twin) as there:
                if not rule.reads_start or not _is_denied_in(there, edit, before, call):
                    yield there, edit


def _is_denied_in(there: Session, edit: RowEdit, before: Snapshot, call: PlannedStep) -> bool:
    """Whether a call is denied in a world with a row edited, of which the rule looks at the start, too."""
    state = Changes()
    for (table, key), change in before.changes.rows.items():
        is_edited = (table, key) == (edit.table, edit.key)
        state.record(table, key, edit.after if is_edited else change.before, change.after)
    there.restore(Snapshot(there.world, state, before.counter))
    there.open()
    return bool(there.forbidding(call.tool, call.arguments))


def state_before(replayer: TaskReplayer, candidate: Candidate, number: int, asked: Permission) -> Snapshot:
    """The state in which the rules were asked about a call of a scenario."""
    first = sum(len(script.calls) for script in candidate.scripts[:number])
    replayer.go_to(replayer.beginning)
    replayer.leave()
    for step in replayer.reference[: first + asked.after]:
        replayer.session.call(step.tool, **step.arguments)
    return replayer.session.snapshot()


DECIDED: frozenset[Form] = frozenset({"conditional", "best_of"})
"""The forms of which a row decides; of those that a rule decides, the proof of twins says the same."""

MOST_LUCK_TRIALS = 96  # edited rows


def try_luck(replayer: TaskReplayer, candidate: Candidate) -> Iterator[Trial]:
    """For each scenario of such a form, whether some row "decides"."""
    for number, script in enumerate(candidate.scripts):
        if script.form in DECIDED:
            decides = _is_decided(replayer, candidate, number, script)
            fault = f"The chain of the form {script.form} is right whatever the rows hold that it is to be decided by."
            yield Trial("decides", "" if decides else fault)


def _is_decided(replayer: TaskReplayer, candidate: Candidate, number: int, script: Script) -> bool:
    """Whether a row can be edited so that the user says the same, and the same calls are no longer right."""
    first = sum(len(each.calls) for each in candidate.scripts[:number])
    steps = replayer.reference[first : first + len(script.calls)]
    written = [step.arguments for step in steps if replayer.domain.tools[step.tool].writes]
    results = [*written, *(step.result for step in steps)]  # what is changed first: it is the likeliest to decide
    chain = [step for steps in _steps_of(replayer, candidate) for step in steps]
    with Session(replayer.domain, replayer.world) as session:
        session.open()  # from here on, a row that does not fit is refused where it is written
        decisive = {lookup.best.column for lookup in script.lookups if lookup.best is not None}
        for edit in islice(edits_of_results(replayer, candidate, results, decisive), MOST_LUCK_TRIALS):
            try:
                world = edited_world(session, edit)
            except sqlite3.Error:
                continue
            with Session(replayer.domain, world) as there:
                telling = _tell_alike(candidate, there, number)
                if telling is not None and not _is_right_there(replayer, there, chain, candidate.scripts, telling):
                    return True
    return False


def _tell_alike(candidate: Candidate, session: Session, number: int) -> Telling | None:
    """Tell the scenarios where the world differs for one of them, if the user then says and knows the same."""
    telling = candidate.retell(session, number)
    own = [script.wishes for script in candidate.scripts]
    return telling if telling is not None and [script.wishes for script in telling.scripts] == own else None


def _steps_of(replayer: TaskReplayer, candidate: Candidate) -> list[list[PlannedStep]]:
    """The chain as it is played in variations, by scenario."""
    steps = iter(replayer.plan)
    return [[next(steps) for _ in script.calls] for script in candidate.scripts]


def _is_right_there(
    replayer: TaskReplayer, session: Session, steps: Sequence[PlannedStep], answers: Sequence[Script], telling: Telling
) -> bool:
    """Whether these steps, all accepted, and the answers of some scripts are what the telling there comes to."""
    given, wanted = (
        {each.name: each.value for script in scripts for each in script.answers}
        for scripts in (answers, telling.scripts)
    )
    if given != wanted:
        return False
    results: dict[int, Mapping[str, Any]] = {}
    session.reset()
    for step in steps:
        if not step.needs <= results.keys():
            return False
        outcome = session.perform(step.tool, bind(step.arguments, results))
        if outcome.result is None:
            return False
        results[step.number] = outcome.result
    schema = replayer.domain.schema
    return is_rewarded(schema, replayer.policies, telling.changes, session.changes, composed=replayer.composed)
