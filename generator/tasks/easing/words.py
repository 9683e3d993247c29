"""A task in which the user says at once what was withheld, the truth, or coupled wishes in an order that works."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from generator.tasks.easing.unease import Uneasy
from runtime.domain.domain import Domain
from runtime.harness.users.words import without_opener
from runtime.session.opening import WorldCache
from runtime.task.mistakes import TRUSTS
from runtime.task.paths import is_reference, steps_named
from runtime.task.speech import said, said_money
from runtime.task.task import Mistake, Step, Task, start_world
from runtime.task.user import Belief, KnownFact, Wish
from runtime.verification.text.match import tells


def tell_at_once(task: Task, domain: Domain, worlds: WorldCache | None = None) -> Task:
    """The task whose withheld wishes say what they kept back; who calls is asked for as before. Errors: Uneasy."""
    identity = _identity(task, domain, worlds)
    wishes = []
    for wish in task.user.wishes:
        kept = [fact for fact in wish.facts if fact.withheld and fact.value not in identity]
        if wish.form != "withheld" or not kept:
            wishes.append(wish)
            continue
        facts = [_told(fact, task) if fact in kept else fact for fact in wish.facts]
        told = " ".join(_capital(_ended(f"{fact.name.replace('_', ' ')}: {fact.said}")) for fact in kept)
        words = [f"{_ended(each)} {told}" for each in wish.words]
        wishes.append(wish.model_copy(update={"words": words, "facts": facts}))
    if wishes == task.user.wishes:
        raise Uneasy("keeps nothing back but who calls")
    return _with_wishes(task, wishes)


def tell_the_truth(task: Task, domain: Domain) -> Task:
    """The task whose mistaken wishes say what is so in the place of what was believed. Errors: Uneasy."""
    wishes = []
    for wish in task.user.wishes:
        words, facts = wish.words, wish.facts
        for belief in wish.beliefs if wish.form == "mistaken" else ():
            truth = _said_like(belief, facts, domain.now)
            words = [_put(each, belief.said, truth) for each in words]
            facts = [
                KnownFact(name=fact.name, value=belief.truth, said=truth, withheld=fact.withheld)
                if fact.said == belief.said
                else fact
                for fact in facts
            ]
        wishes.append(wish.model_copy(update={"words": words, "facts": facts, "beliefs": []}))
    if not any(wish.beliefs for wish in task.user.wishes if wish.form == "mistaken"):
        raise Uneasy("holds no belief that a row contradicts")
    mistakes = [each for each in task.mistakes if each.name != TRUSTS]  # which nobody can make any more
    return _with_wishes(task, wishes).model_copy(update={"mistakes": mistakes})


def tell_in_order(task: Task, domain: Domain) -> Task:
    """The task whose coupled wishes are told one after another, in the order in which its chain fulfils them.

    Errors: Uneasy.
    """
    order = _working_order(task, domain)
    if order == list(range(len(order))):
        raise Uneasy("is fulfilled in the order in which its coupled wishes are told")
    place = {old: new for new, old in enumerate(order)}
    wishes: list[Wish] = []
    for group in _groups(task):
        wishes += _reordered(task, sorted(group, key=place.__getitem__), place)
    steps = [each.model_copy(update={"wish": place[each.wish]}) for each in task.chain]
    answers = [each.model_copy(update={"wish": place[each.wish]}) for each in task.answers]
    moved = [new for old, new in place.items() if old != new]
    steps = _when_needed(steps, domain, moved)
    at = _places_by_wish(steps)
    chain = [_step_at(steps[old], at) for old in sorted(at, key=at.__getitem__)]
    mistakes = [_mistake_at(each, at) for each in task.mistakes if _stays(each, task, at, moved)]
    parts = {"chain": chain, "answers": answers, "mistakes": mistakes}
    return _with_wishes(task, wishes).model_copy(update=parts)


def _with_wishes(task: Task, wishes: Sequence[Wish]) -> Task:
    return task.model_copy(update={"user": task.user.model_copy(update={"wishes": list(wishes)})})


def _identity(task: Task, domain: Domain, worlds: WorldCache | None) -> set[object]:
    """The values by which the caller says, or proves, who they are."""
    people = domain.people
    if people is None or task.caller is None:
        return set()
    table = domain.schema.tables[people.table]
    connection = start_world(task, domain, worlds).open()
    try:
        row = table.record(connection.execute(table.select_row, tuple(task.caller.key)).fetchone())
    finally:
        connection.close()
    return {row[column] for column in (people.name, *people.found_by, *people.proven_by)}


def _told(fact: KnownFact, task: Task) -> KnownFact:
    """A fact that is told; a dictated text is known as it is, without the quotes that it stands in."""
    dictated = isinstance(fact.value, str) and fact.value in task.texts_said("dictated")
    said_now = str(fact.value) if dictated else fact.said
    return KnownFact(name=fact.name, value=fact.value, said=said_now)


def _said_like(belief: Belief, facts: Sequence[KnownFact], now: str) -> str:
    """The truth as the user says what they believe: a date as a date, an amount in the same currency."""
    wrong = next((fact for fact in facts if fact.said == belief.said), None)
    if wrong is None or belief.said == said(wrong.value, now):
        return said(belief.truth, now)
    currency = re.sub(r"[\d.,\s-]", "", belief.said)
    if isinstance(wrong.value, int) and isinstance(belief.truth, int) and currency:
        for minor in (1, 10, 100, 1000):
            if said_money(wrong.value, currency, minor) == belief.said:
                return said_money(belief.truth, currency, minor)
    raise Uneasy(f"believes {belief.said!r}, and how its truth {belief.truth!r} is said so is not known")


def _put(words: str, wrong: str, truth: str) -> str:
    """Words with the truth in the place of what is believed."""
    put, count = re.subn(rf"(?<!\w){re.escape(wrong)}(?!\w)", lambda _: truth, words, flags=re.IGNORECASE)
    if not count:
        raise Uneasy(f"does not say {wrong!r}, which its user believes, as words of their own")
    return _capital(put) if words[:1].isupper() else put


def _groups(task: Task) -> list[list[int]]:
    """The wishes, those of one message together."""
    groups: list[list[int]] = []
    for number, wish in enumerate(task.user.wishes):
        if wish.joined and groups:
            groups[-1].append(number)
        else:
            groups.append([number])
    return groups


def _working_order(task: Task, domain: Domain) -> list[int]:
    """The wishes in an order that works: coupled ones of a message as the chain fulfils them."""
    first: dict[int, int] = {}  # the step that first writes for a wish
    for number, step in enumerate(task.chain):
        if _writes(step, domain):
            first.setdefault(step.wish, number)
    order: list[int] = []
    for group in _groups(task):
        coupled = sorted(
            (each for each in group if task.user.wishes[each].form == "coupled"),
            key=lambda each: (first.get(each, len(task.chain)), each),
        )
        turn = iter(coupled)
        order += [next(turn) if task.user.wishes[each].form == "coupled" else each for each in group]
    return order


def _reordered(task: Task, group: Sequence[int], place: dict[int, int]) -> list[Wish]:
    """The wishes of a message in another order, each said for itself and with the facts that it is the first to say.

    What is told when it is asked for is known from the first one on.
    """
    own = [task.user.wishes[number] for number in group]
    if len(own) == 1 or not any(wish.form == "coupled" for wish in own):
        return own
    facts = [fact for wish in own for fact in wish.facts]
    known: list[KnownFact] = []
    wishes = []
    for number, wish in enumerate(own):
        mine = [fact for fact in facts if fact not in known and _belongs(fact, wish, is_first=not number)]
        known += mine
        moved = {
            name: None if other is None else place[other]
            for name, other in (("otherwise", wish.otherwise), ("amends", wish.amends))
        }
        words = [each if number else without_opener(each) for each in wish.words]
        wishes.append(wish.model_copy(update={"words": words, "facts": mine, "joined": False, **moved}))
    return wishes


def _belongs(fact: KnownFact, wish: Wish, *, is_first: bool) -> bool:
    if fact.withheld:
        return is_first
    return fact in wish.facts or all(tells(each, fact.said) for each in wish.words)


def _writes(step: Step, domain: Domain) -> bool:
    people = domain.people
    return bool(domain.tools[step.tool].writes) and not (people and people.noting(step.tool))


def _when_needed(steps: Sequence[Step], domain: Domain, moved: Collection[int]) -> list[Step]:
    """Steps for wishes that moved: those that only read, or note who calls, are for the first wish that needs them."""
    noted = domain.people.identification.tool if domain.people and domain.people.identification else ""
    found = list(steps)
    for number in reversed(range(len(steps))):
        step = steps[number]
        if step.wish not in moved or _writes(step, domain):
            continue
        later = found[number + 1 :]
        needing = [each.wish for each in later if step.tool == noted or number in steps_named(each.arguments)]
        found[number] = step.model_copy(update={"wish": min(needing, default=step.wish)})
    return found


def _places_by_wish(steps: Sequence[Step]) -> dict[int, int]:
    """Where each step of a chain comes wish by wish."""
    order = sorted(range(len(steps)), key=lambda number: (steps[number].wish, number))
    return {old: new for new, old in enumerate(order)}


def _step_at(step: Step, at: Mapping[int, int]) -> Step:
    return step.model_copy(update={"arguments": _renumbered(step.arguments, at)})


def _stays(mistake: Mistake, task: Task, at: Mapping[int, int], moved: Collection[int]) -> bool:
    """Whether a mistake is one in what is done behind the wishes that moved, and so the same as before."""
    wishes = {step.wish for step in (*task.chain[mistake.start :], *mistake.turn)}
    return not wishes & set(moved) and all(at[number] == number for number in range(mistake.start, len(at)))


def _mistake_at(mistake: Mistake, at: Mapping[int, int]) -> Mistake:
    """A mistake whose turn refers to earlier steps as they are numbered now; its own are numbered on as before."""
    own = {**at, **{number: number for number in range(mistake.start, mistake.start + len(mistake.turn))}}
    return mistake.model_copy(update={"turn": [_step_at(step, own) for step in mistake.turn]})


def _renumbered(value: Any, place: Mapping[int, int]) -> Any:
    if is_reference(value):
        return {**value, "$step": place[value["$step"]]}
    if isinstance(value, dict):
        return {name: _renumbered(part, place) for name, part in value.items()}
    return [_renumbered(part, place) for part in value] if isinstance(value, list) else value


def _ended(text: str) -> str:
    return text if text[-1:] in ".!?" else f"{text}."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
