"""Obedience, asking, order: the chain under the rules, with another value than the one kept back, in other orders."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, groupby, islice, permutations, product
from typing import Any

from generator.tasks.proofs.replayer import Candidate, PlannedStep, TaskReplayer, Trial
from runtime.domain.changes import Changes
from runtime.domain.people import IDENTIFY
from runtime.domain.schema import RowRef
from runtime.domain.waiting import WAIT
from runtime.session.session import Session
from runtime.task.origin import JsonPath, leaves_of, origin_of, plain
from runtime.task.task import bind
from runtime.task.user import TOLD_OTHERWISE, User


def try_obedience(replayer: TaskReplayer) -> Iterator[Trial]:
    """Yield one trial per "rule" that a step could break, and per "duty"; none without a caller or rules."""
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
    session.settle()
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
    """Yield one trial per order of the wishes that change something, where somebody calls in the strict copy.

    Where requests decide each other, only those of one message are put in other orders.
    """
    task = replayer.task
    done = list(dict.fromkeys(task.chain[step.number].wish for step in replayer.plan if _carries_out(step)))
    coupled = [_in_message(done, task.user, wish) for wish in done if task.user.wishes[wish].form in TOLD_OTHERWISE]
    coupled += [_in_message(done, task.user, each.wish) for each in task.decisions if each.decides == "order"]
    first = {*_said_first(task.user), *_made_first(replayer)}
    every = _orders_in_messages(done, task.user) if task.decisions else permutations(done)
    legal = (order for order in every if all(_comes_first(order, *pair) for pair in first))
    orders = list(islice(legal, MOST_ORDERS))
    for order, changes in zip(orders, _play_all(replayer, orders), strict=True):
        works = changes is not None and replayer.judged.is_rewarded(changes)
        own = [[wish for wish in order if wish in group] for group in coupled]
        shown = ", ".join(str(wish + 1) for wish in order)
        if any(each == sorted(each) for each in own):
            yield Trial("told", f"The coupled wishes can be fulfilled as they are told: {shown}." if works else "")
        elif own == coupled:
            yield Trial("done", "" if works else f"The wishes cannot be fulfilled in the order {shown}.")
        elif changes is not None:
            yield Trial("other", "" if works else f"Fulfilling the wishes in the order {shown} ends elsewhere.")


def _in_message(done: Sequence[int], user: User, wish: int) -> list[int]:
    """Return those wishes that are said in one message with a wish, in the order in which they are done."""
    return [each for each in done if user.last_said_with(each) == user.last_said_with(wish)]


def _orders_in_messages(done: Sequence[int], user: User) -> Iterator[tuple[int, ...]]:
    """Yield the wishes in their order, and those of one message in every order."""
    messages = [list(group) for _, group in groupby(done, user.last_said_with)]
    yield from (tuple(chain.from_iterable(order)) for order in product(*map(permutations, messages)))


def _said_first(user: User) -> Iterator[tuple[int, int]]:
    """Yield each wish that another one takes back, or that is refused before the other is said, with that other one."""
    for number, wish in enumerate(user.wishes):
        yield from ((each, number) for each in (wish.amends, wish.otherwise) if each is not None)


def _made_first(replayer: TaskReplayer) -> Iterator[tuple[int, int]]:
    """Yield each wish by which a row is made that a step for another one names, with that other one."""
    steps, plan = replayer.task.chain, {step.number: step for step in replayer.plan}
    for step in plan.values():
        needed = list(step.needs)
        for each in needed:  # the loop appends to it
            needed += plan[each].needs - set(needed)
        yield from (
            (steps[each].wish, steps[step.number].wish)
            for each in needed
            if _carries_out(plan[each]) and steps[each].wish != steps[step.number].wish
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
    if replayer.domain.card.desk == "inbox":  # whose messages may be left until all are in
        session.settle()
        plan = [step for step in plan if step.tool != WAIT]
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
        session.settle()
        yield session.changes if ended is not None and len(ended) == len(known) + len(left) + len(writes) else None


def _carries_out(step: PlannedStep) -> bool:
    """True for a step that writes something for a wish."""
    return step.writes and step.tool != IDENTIFY


def _play(session: Session, steps: Sequence[PlannedStep], known: Mapping[int, Any]) -> dict[int, Any] | None:
    """Return the results of steps as far as they have what they need; None if one is refused."""
    waiting, results = list(steps), dict(known)
    while (step := _next(waiting, set(results))) is not None:
        waiting.remove(step)
        outcome = session.perform(step.tool, bind(step.arguments, results))
        if outcome.rejection is not None:
            return None
        results[step.number] = outcome.result
    return results


def _next(waiting: Sequence[PlannedStep], known: set[int]) -> PlannedStep | None:
    """Return the first writing step if it has what it needs, else the first other one that has."""
    ready = [step for step in waiting if step.needs <= known]
    reads = [step for step in ready if not step.writes]
    writes = [step for step in waiting if step.writes]
    if reads:
        return reads[0]
    return writes[0] if writes and writes[0] in ready else None
