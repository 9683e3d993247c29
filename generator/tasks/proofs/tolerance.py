"""Tolerance: other ids, another order of the steps, and a dictated text in other letters are rewarded, too."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence

from generator.tasks.candidate import Trial
from generator.tasks.proofs.edits import honest_ways
from generator.tasks.proofs.plan import PlannedStep, that_matter
from generator.tasks.proofs.replayer import TaskReplayer
from generator.tasks.proofs.sensitivity import dictated_cells, replaced_cell
from runtime.task.task import Task

MOST_ORDERS = 12  # that are tried, of a sample
_FAR = 1_000  # by how much new ids are moved


def try_tolerance(replayer: TaskReplayer) -> Iterator[Trial]:
    """What is tried: other "ids", each other "order", and each honest way to write a dictated "text"."""
    matter = that_matter(replayer.plan)
    yield _try_ids(replayer, matter)
    for order in _other_orders(matter, replayer.task, random.Random(replayer.task.id)):
        performance = replayer.play(order)
        if not performance.rejected:
            verdict = replayer.verdict(performance.changes)
            numbers = ", ".join(str(step.number) for step in order if step.writes)
            why = verdict.differences[0].sentence if verdict.differences else ""
            yield Trial("order", f"Writing in the order {numbers} is not rewarded: {why}" if why else "")
    for cell in dictated_cells(replayer):
        for way, text in honest_ways(cell.text):
            differences = replayer.verdict(replaced_cell(replayer, cell, text)).differences
            why = f"{text!r} is not rewarded ({way}): {differences[0].sentence}" if differences else ""
            yield Trial("text", why)


def _try_ids(replayer: TaskReplayer, matter: Sequence[PlannedStep]) -> Trial:
    performance = replayer.play(matter, ids_from=replayer.world.counter + _FAR)
    for number, rejection in performance.rejected.items():
        return Trial("ids", f"With other ids, step {number} is rejected: {rejection.sentence}")
    differences = replayer.verdict(performance.changes).differences
    return Trial("ids", f"With other ids it is not rewarded: {differences[0].sentence}" if differences else "")


def _other_orders(matter: Sequence[PlannedStep], task: Task, chance: random.Random) -> Iterator[list[PlannedStep]]:
    """Orders of the writing steps that respect data flow; what a step needs to read is read just before it."""
    after = {
        step.number: _writes_before(step, matter) | _taken_back_by(step, matter, task) for step in matter if step.writes
    }
    usual = tuple(after)
    drawn = [_draw_order(usual, after, chance) for _ in range(4 * MOST_ORDERS)]
    orders = [order for order in dict.fromkeys(drawn) if order != usual][:MOST_ORDERS]
    by_number = {step.number: step for step in matter}
    for order in orders:
        yield _with_reads(order, by_number)


def _writes_before(step: PlannedStep, matter: Sequence[PlannedStep]) -> frozenset[int]:
    """The writing steps whose results a step needs, be it through what it reads."""
    by_number = {each.number: each for each in matter}
    found: set[int] = set()
    pending = [*step.needs]
    while pending:
        needed = by_number[pending.pop()]
        if needed.writes:
            found.add(needed.number)
        pending += needed.needs
    return frozenset(found)


def _taken_back_by(step: PlannedStep, matter: Sequence[PlannedStep], task: Task) -> frozenset[int]:
    """The writing steps for the wish that the wish of a step takes back or changes."""
    earlier = task.user.wishes[task.chain[step.number].wish].amends
    return frozenset(each.number for each in matter if each.writes and task.chain[each.number].wish == earlier)


def _draw_order(numbers: Sequence[int], after: Mapping[int, frozenset[int]], chance: random.Random) -> tuple[int, ...]:
    order: list[int] = []
    while len(order) < len(numbers):
        ready = [number for number in numbers if number not in order and after[number] <= set(order)]
        order.append(chance.choice(ready))
    return tuple(order)


def _with_reads(order: Sequence[int], by_number: Mapping[int, PlannedStep]) -> list[PlannedStep]:
    placed: dict[int, PlannedStep] = {}

    for number in order:
        needed = [number]
        for each in needed:  # grows while it is read: what a needed step needs in turn
            needed += sorted(by_number[each].needs - placed.keys())
        for each in sorted(set(needed) - {number}):
            placed.setdefault(each, by_number[each])
        placed[number] = by_number[number]
    return list(placed.values())
