"""Other worlds, orders and choices: a row edited, requests in another order, another value than the one kept back."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, permutations
from typing import Any

from generator.tasks.proofs.edits import RowEdit, edited_world, edits_for_rule, edits_of_results
from generator.tasks.proofs.replayer import Candidate, PlannedStep, TaskReplayer, Trial
from generator.tasks.telling import Telling, retell
from runtime.domain.changes import Changes
from runtime.domain.people import IDENTIFY
from runtime.domain.rule import Rule
from runtime.domain.schema import RowRef
from runtime.session.session import Session, Snapshot
from runtime.task.origin import JsonPath, leaves_of, origin_of, plain
from runtime.task.script import Permission, Script
from runtime.task.task import bind
from runtime.task.user import Form, User
from runtime.verification.verify import is_rewarded


def try_obedience(replayer: TaskReplayer) -> Iterator[Trial]:
    """One trial per "rule" that a step could break, and per "duty"; none without a caller or rules."""
    domain, task = replayer.domain, replayer.task
    if task.caller is None or not domain.rules:
        return
    session = replayer.strict
    session.reset()
    results: list[Mapping[str, Any]] = []
    for number, step in enumerate(task.chain):
        outcome = session.perform(step.tool, bind(step.arguments, results))
        if outcome.rejection is not None:
            yield Trial("rule", f"Step {number} ({step.tool}) is not permitted: {outcome.rejection.sentence}")
            return
        if domain.rules.on(step.tool):
            yield Trial("rule")
        results.append(outcome.result or {})
    unmet = {duty.code for duty in session.unmet_duties()}
    for duty in domain.rules.duties:
        yield Trial("duty", f"Duty {duty.code} is not met at the end: {duty.prose}" if duty.code in unmet else "")


FEWEST_ALTERNATIVES = 3
MOST_ALTERNATIVES = 6


def try_asking(replayer: TaskReplayer, candidate: Candidate) -> Iterator[Trial]:
    """For each value that was chosen and kept back, one trial per "guess", and whether there are enough to "choose".

    A value that a scenario of the form withheld keeps back although it is "readable" does not pass.
    """
    for script in candidate.scripts:
        if script.form == "withheld":
            for origin in filter(None, map(origin_of, script.kept_back)):
                if isinstance(origin.source, RowRef) and not _proves_who_calls(candidate, origin.source):
                    yield Trial("readable", f"What is kept back can be looked up in {origin}.")
    facts = [fact for wish in replayer.task.user.wishes for fact in wish.facts if fact.withheld and not fact.proves]
    for fact in facts:
        others = _options(candidate, fact.value)
        if others is None:
            continue
        few = f"{fact.name!r} is kept back, and is one of only {len(others) + 1} values; at least 4 are needed."
        yield Trial("choose", few if len(others) < FEWEST_ALTERNATIVES else "")
        places = [
            (step.number, leaf)
            for step in replayer.plan
            for leaf, value in leaves_of(step.arguments)
            if value == fact.value
        ]
        for other in others[:MOST_ALTERNATIVES]:
            yield _try_guess(replayer, fact.name, places, other)


def _proves_who_calls(candidate: Candidate, cell: RowRef) -> bool:
    """Return True for a value that identifies people: an office asks for it in any case."""
    people = candidate.domain.people
    return people is not None and (cell.table, cell.column) in {
        (people.table, column) for column in (people.name, *people.found_by, *people.proven_by)
    }


def _options(candidate: Candidate, value: object) -> list[object] | None:
    """Return what else a withheld value could have been; None if no scenario chose it."""
    for script in candidate.scripts:
        for kept in script.kept_back:
            origin = origin_of(kept)
            if plain(kept) == value and origin is not None and origin in script.options:
                return list(script.options[origin])
    return None


def _try_guess(replayer: TaskReplayer, name: str, places: list[tuple[int, JsonPath]], other: object) -> Trial:
    performance = replayer.play(replayer.plan, instead=dict.fromkeys(places, other))
    for number, rejection in performance.rejected.items():
        return Trial("guess", f"With {other!r} for {name!r}, step {number} is rejected: {rejection.sentence}")
    rewarded = replayer.judged.is_rewarded(performance.changes)
    return Trial("guess", f"{other!r} instead of the {name!r} that is kept back is rewarded." if rewarded else "")


MOST_ORDERS = 24  # of the wishes


def try_order(replayer: TaskReplayer) -> Iterator[Trial]:
    """One trial per order of the wishes that change something, where somebody calls in the strict copy."""
    task = replayer.task
    done = list(dict.fromkeys(task.chain[step.number].wish for step in replayer.plan if _carries_out(step)))
    coupled = [wish for wish in done if task.user.wishes[wish].form == "coupled"]
    first = {*_said_first(task.user), *_made_first(replayer)}
    legal = (order for order in permutations(done) if all(_comes_first(order, *pair) for pair in first))
    orders = list(islice(legal, MOST_ORDERS))
    for order, changes in zip(orders, _play_all(replayer, orders), strict=True):
        works = changes is not None and replayer.judged.is_rewarded(changes)
        own = [wish for wish in order if wish in coupled]
        shown = ", ".join(str(wish + 1) for wish in order)
        if coupled and own == sorted(coupled):
            yield Trial("told", f"The coupled wishes can be fulfilled as they are told: {shown}." if works else "")
        elif own == coupled:
            yield Trial("done", "" if works else f"The wishes cannot be fulfilled in the order {shown}.")
        elif changes is not None:
            yield Trial("other", "" if works else f"Fulfilling the wishes in the order {shown} ends elsewhere.")


def _said_first(user: User) -> Iterator[tuple[int, int]]:
    """Each wish that another one takes back, or that is refused before the other is said, with that other one."""
    for number, wish in enumerate(user.wishes):
        yield from ((each, number) for each in (wish.amends, wish.otherwise) if each is not None)


def _made_first(replayer: TaskReplayer) -> Iterator[tuple[int, int]]:
    """Each wish by which a row is made that a step for another one names, with that other one."""
    chain, plan = replayer.task.chain, {step.number: step for step in replayer.plan}
    for step in plan.values():
        needed = list(step.needs)
        for each in needed:  # grows while it is read
            needed += plan[each].needs - set(needed)
        yield from (
            (chain[each].wish, chain[step.number].wish)
            for each in needed
            if _carries_out(plan[each]) and chain[each].wish != chain[step.number].wish
        )


def _comes_first(order: Sequence[int], earlier: int, later: int) -> bool:
    return earlier not in order or later not in order or order.index(earlier) < order.index(later)


def _play_all(replayer: TaskReplayer, orders: Sequence[Sequence[int]]) -> Iterator[Changes | None]:
    """Yield the changes with the wishes in each order; None if a call is refused or lacks a result.

    What is only noted in a log, or read, and who calls, comes first wherever that is possible, as in the chain; so that
    all orders begin with the same steps, which are made once.
    """
    task, plan = replayer.task, replayer.plan
    session = replayer.session if task.caller is None else replayer.strict
    session.reset()
    waiting = [step for step in plan if not _carries_out(step)]
    known = _play(session, waiting, {})
    begun = session.snapshot()
    for order in orders:
        if known is None:
            yield None
            continue
        session.restore(begun)
        writes = [
            step for wish in order for step in plan if _carries_out(step) and task.chain[step.number].wish == wish
        ]
        left = [step for step in waiting if step.number not in known]
        ended = _play(session, [*left, *writes], known)
        yield session.changes if ended is not None and len(ended) == len(known) + len(left) + len(writes) else None


def _carries_out(step: PlannedStep) -> bool:
    """True for a step that writes something for a wish."""
    return step.writes and step.tool != IDENTIFY


def _play(session: Session, steps: Sequence[PlannedStep], known: Mapping[int, Any]) -> dict[int, Any] | None:
    """The results of steps as far as they have what they need; None if one is refused."""
    waiting, results = list(steps), dict(known)
    while (step := _next(waiting, set(results))) is not None:
        waiting.remove(step)
        outcome = session.perform(step.tool, bind(step.arguments, results))
        if outcome.rejection is not None:
            return None
        results[step.number] = outcome.result
    return results


def _next(waiting: Sequence[PlannedStep], known: set[int]) -> PlannedStep | None:
    """The first writing step if it has what it needs, else the first other one that has."""
    ready = [step for step in waiting if step.needs <= known]
    reads = [step for step in ready if not step.writes]
    writes = [step for step in waiting if step.writes]
    if reads:
        return reads[0]
    return writes[0] if writes and writes[0] in ready else None


MOST_TRIALS = 1_000  # edited rows
MOST_TELLINGS = 12  # of them, in which the scenarios are told again
_MOST_ALIKE = 3  # of these, with the same columns of a row


def try_counterfactuals(replayer: TaskReplayer, candidate: Candidate) -> Iterator[Trial]:
    """For each denied call, whether one rule denies it ("one"), and a "counterfactual" of it, where there is one."""
    for number, script in enumerate(candidate.scripts):
        for asked in script.permissions:
            if not asked.rules:
                continue
            several = f"{', '.join(asked.rules)} all deny the call of {asked.call.step.tool}; one rule must do it."
            yield Trial("one", several if len(asked.rules) > 1 else "")
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
        steps[number][asked.after :] = [denied_call(replayer, asked)]
        complies = _is_right_there(replayer, there, [step for each in steps for step in each], telling.scripts, telling)
        yield Trial("complies", "" if complies else f"Rule {rule.code}: {where} making the call is not rewarded.")
        yield Trial("refuses", f"Rule {rule.code}: {where} refusing the call is rewarded." if refuses else "")
        return
    columns = sorted({str(column) for _, _, *changed in failed for column in changed})
    why = f"with another {', '.join(columns)} it would, but the user then says or means something else"
    if not columns:
        edits = islice(edits_for_rule(replayer, candidate, rule, denied_call(replayer, asked).arguments), MOST_TRIALS)
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


def denied_call(replayer: TaskReplayer, asked: Permission) -> PlannedStep:
    """The call that the rules were asked about, with the values that it would have been made with."""
    arguments = bind(asked.call.step.arguments, [step.result for step in replayer.reference])
    return PlannedStep(-1, asked.call.step.tool, arguments, frozenset(), writes=True)


def _permitting(
    replayer: TaskReplayer, candidate: Candidate, number: int, asked: Permission, rule: Rule
) -> Iterator[tuple[Session, RowEdit]]:
    """Sessions of worlds with a row edited in which the call, after the same ones, is permitted."""
    domain, world = replayer.domain, replayer.world
    call = denied_call(replayer, asked)
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
                changed = edited_world(session, edit)
            except sqlite3.Error:
                continue  # the row does not fit the schema
            with Session(domain, changed) as there:
                if not rule.reads_start or not _is_denied_in(there, edit, before, call):
                    yield there, edit


def _is_denied_in(there: Session, edit: RowEdit, before: Snapshot, call: PlannedStep) -> bool:
    """Return True if a call is denied in a world with a row edited, where the rule reads the start."""
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
    return replayer.state_before(first + asked.after)


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
    with Session(replayer.domain, replayer.world) as session:
        session.open()  # from here on, a row that does not fit is refused where it is written
        alone = [candidate.parts[number]]
        here = retell(alone, session, 0)
        if here is not None and here.scripts[0].wishes != script.wishes:
            here = None  # by itself it is about other rows than beside the others
        decisive = {lookup.best.column for lookup in script.lookups if lookup.best is not None}
        for edit in islice(edits_of_results(replayer, candidate, results, decisive), MOST_LUCK_TRIALS):
            tried.update(edit.columns(replayer.domain.schema))
            try:
                world = edited_world(session, edit)
            except sqlite3.Error:
                continue
            with Session(replayer.domain, world) as there:
                if here is not None and not _comes_out_differently(here, retell(alone, there, 0)):
                    continue  # which is quicker found out than for all scenarios
                telling = _tell_alike(candidate, there, number)
                if telling is not None and not _is_right_there(replayer, there, chain, candidate.scripts, telling):
                    return True
    return False


def _comes_out_differently(here: Telling, there: Telling | None) -> bool:
    """Return True if the user says the same, and something else is right."""
    return there is not None and there.scripts[0].wishes == here.scripts[0].wishes and there.outcome != here.outcome


def _tell_alike(candidate: Candidate, session: Session, number: int) -> Telling | None:
    """Tell the scenarios where the world differs for one of them, if the user then says and knows the same."""
    telling = retell(candidate.parts, session, number)
    own = [script.wishes for script in candidate.scripts]
    return telling if telling is not None and [script.wishes for script in telling.scripts] == own else None


def _steps_of(replayer: TaskReplayer, candidate: Candidate) -> list[list[PlannedStep]]:
    """The chain as it is played in variations, by scenario."""
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
    for step in steps:
        if not step.needs <= results.keys():
            return False
        outcome = session.perform(step.tool, bind(step.arguments, results))
        if outcome.result is None:
            return False
        results[step.number] = outcome.result
    schema = replayer.domain.schema
    return is_rewarded(schema, replayer.policies, telling.changes, session.changes, dictated=replayer.dictated)
