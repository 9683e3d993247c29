"""Tie requests of two offices: a value that one tells is what the other needs, or one outcome decides on the other.

Found by type, and proven by execution: what comes of it replaces what the requests came to by themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import count
from typing import Any

from generator.hybrid.unite import Dependency, OfficeTask, Place, Union
from runtime.domain.changes import Changes
from runtime.domain.domain import Domain
from runtime.domain.locale import minor_of
from runtime.domain.people import DECLINE
from runtime.errors import EnvironmentFault, Rejection
from runtime.session.session import Session
from runtime.task.judge import JudgedTask
from runtime.task.mistakes import COMPLIES, mistaken
from runtime.task.origin import leaves_of, put_at
from runtime.task.task import Mistake, Step, Task, TaskAnswer, expected_rows, replay
from runtime.task.user import KnownFact, Wish


def tied_by_value(union: Union) -> Iterator[Union]:
    """Yield the tasks with a value of one request replaced by what another office tells, wherever that goes through."""
    for source, teller in union.tasks.items():
        for answer in teller.task.own_answers:
            for prefix, own in union.tasks.items():
                for number, wish in enumerate(own.task.user.wishes if prefix != source else ()):
                    for fact in wish.facts:
                        title = union.domain.parts[source].card.title
                        of = "amount of the " if answer.kind == "money" else ""
                        words = f"the {of}{answer.name} at {title}"
                        made = _with_value(union.domain.parts[prefix], own, number, fact, answer, words)
                        if made is not None:
                            tied = Union(union.domain, {**union.tasks, prefix: made}, tied="value")
                            yield said_after(tied, (source, answer.wish), (prefix, number))


def said_after(union: Union, first: Place, then: Place) -> Union:
    """Return tasks so that one request is said after another one: the office of the second waits for its turn."""
    for turns in count():
        late = replace(union, late={then[0]: turns})
        turn = {place: number for number, group in enumerate(late.groups) for place in group}
        if turn[first] < turn[then]:
            return late
    raise AssertionError


def _with_value(
    domain: Domain, own: OfficeTask, number: int, fact: KnownFact, answer: TaskAnswer, words: str
) -> OfficeTask | None:
    """Return a task in which a request names what another office tells instead of a fact; None if it cannot."""
    task, wish = own.task, own.task.user.wishes[number]
    last = all(each.wish != number for each in task.own_answers)
    if fact.proves or not wish.acts or not wish.writes or wish.refusals or not last or fact.value == answer.value:
        return None
    places = [
        (at, path)
        for at, step in enumerate(task.chain)
        if step.wish == number
        for path, value in leaves_of(step.arguments)
        if value == fact.value and _is_of(answer, path[-1], value)
    ]
    worded = with_words(own, number, fact, words) if places else None
    if worded is None:
        return None
    made = task.model_copy(
        update={
            "user": worded.task.user,
            "chain": [_put(step, fact.value, answer.value) if step.wish == number else step for step in task.chain],
            "mistakes": [
                each.model_copy(update={"turn": [_put(step, fact.value, answer.value) for step in each.turn]})
                for each in task.mistakes
            ],
        }
    )
    try:
        changes = _changes_alike(domain, own, made, number)
    except (Rejection, EnvironmentFault):
        return None
    if changes is None or not all(_is_forbidden(domain, own, made, each) for each in made.mistakes):
        return None
    made = made.model_copy(update={"expected": expected_rows(changes, domain)})
    if JudgedTask(task, domain, own.world).is_rewarded(changes):
        return None  # the value does not matter
    return replace(own, task=made)


def with_words(own: OfficeTask, number: int, fact: KnownFact, words: str) -> OfficeTask | None:
    """Return a task in which a request says something in place of the value of a fact; None if it cannot."""
    user = own.task.user
    wish = user.wishes[number]
    said = [] if fact.withheld else [*wish.words, wish.short]
    if fact.corrects or any(each.count(fact.said) != 1 for each in said) or fact.said in own.task.texts:
        return None
    told = fact.model_copy(update={"value": words, "said": words})
    changed = wish.model_copy(
        update={
            "words": [each.replace(fact.said, words) for each in wish.words],
            "short": wish.short.replace(fact.said, words),
            "facts": [told if each is fact else each for each in wish.facts],
        }
    )
    wishes = [changed if each is wish else each for each in user.wishes]
    task = own.task.model_copy(update={"user": user.model_copy(update={"wishes": wishes})})
    return replace(own, task=task)


def details_said(task: Task, number: int, fact: KnownFact) -> list[str]:
    """Return the parameters that a writing request gives the value of a fact to."""
    wish = task.user.wishes[number]
    if fact.proves or not wish.acts or not wish.writes or wish.refusals:
        return []
    steps = [step for step in task.chain if step.wish == number]
    found = [path[-1] for step in steps for path, value in leaves_of(step.arguments) if value == fact.value]
    return [str(name) for name in dict.fromkeys(found)]


def is_as_right(domain: Domain, own: OfficeTask, number: int, old: Any, new: Any) -> bool:
    """Return True if a task is rewarded with another spelling of a value that a request gives."""
    chain = [_put(step, old, new) if step.wish == number else step for step in own.task.chain]
    with Session(domain, own.world, strict=True) as session, suppress(Rejection, EnvironmentFault):
        replay(session, chain)
        return JudgedTask(own.task, domain, own.world).is_rewarded(session.changes)
    return False


def _changes_alike(domain: Domain, own: OfficeTask, made: Task, number: int) -> Changes | None:
    """Return what the chain of a changed task comes to; None if later requests find something else than before.

    Errors: Rejection, EnvironmentFault.
    """
    with Session(domain, own.world, strict=True) as session:
        before = replay(session, own.task.chain)
        session.reset()
        after = replay(session, made.chain)
        later = [at for at, step in enumerate(made.chain) if step.wish > number]
        return session.changes if all(before[at] == after[at] for at in later) else None


def _is_forbidden(domain: Domain, own: OfficeTask, made: Task, mistake: Mistake) -> bool:
    """Return True unless a mistake does what a rule forbids, and no rule does so any more."""
    if mistake.name != COMPLIES:
        return True
    with Session(domain, own.world, strict=True) as session:
        try:
            replay(session, mistaken(made, [mistake]).chain)
        except (Rejection, EnvironmentFault):
            return True
        return False


def _is_of(answer: TaskAnswer, parameter: Any, value: Any) -> bool:
    """Return True if a value of a parameter is of an answer's kind: a date, or an amount in the same units."""
    if answer.kind == "money":
        return isinstance(value, int) and answer.minor == minor_of(f"_{parameter}")
    if answer.kind in ("date", "moment"):
        return isinstance(value, str) and isinstance(answer.value, str) and _shape(value) == _shape(answer.value)
    return False


def _shape(value: str) -> str:
    return "".join("0" if letter.isdigit() else letter for letter in value)


def _put(step: Step, old: Any, new: Any) -> Step:
    arguments: Any = dict(step.arguments)
    for path, value in list(leaves_of(step.arguments)):
        if value == old:
            arguments = put_at(arguments, path, new)
    return step.model_copy(update={"arguments": arguments})


def tied_by_condition(union: Union, number: int) -> Iterator[Union]:
    """Yield the tasks with a request of one office that is to be done only if one of another is refused, or is done."""
    groups = union.groups
    turn = {place: at for at, group in enumerate(groups) for place in group}
    for at, group in enumerate(groups):
        (source, asked), decided = group[0], union.tasks[group[0][0]].task.user.wishes[group[0][1]]
        if len(group) > 1 or not decided.acts or bool(decided.writes) == bool(decided.refusals):
            continue
        for prefix, own in union.tasks.items():
            wish = len(own.task.user.wishes) - 1
            mine = [place for place in turn if place[0] == prefix]
            later = {place[1] for place in mine if turn[place] > at and place[1] != wish}
            refuses = any(step.tool == DECLINE and step.wish in later for step in own.task.chain)
            if prefix == source or refuses or turn[mine[0]] >= at or not _can_hang(own.task, wish, groups):
                continue
            refused = bool(number // 2 % 2)
            holds = refused == bool(decided.refusals)
            yield replace(
                union, condition=Dependency((source, asked), (prefix, wish), refused, holds), tied="condition"
            )


def _can_hang(task: Task, number: int, groups: list[list[Place]]) -> bool:
    """Return True if a request can be made to depend: the last one of its office, said alone, which only acts."""
    wish: Wish = task.user.wishes[number]
    alone = not wish.joined and wish.otherwise is None and wish.amends is None
    decided = any(number in (each.wish, *each.after) for each in task.decisions)
    answers = any(each.wish == number for each in task.own_answers)
    return alone and number > 0 and bool(wish.writes) and not wish.refusals and not answers and not decided
