"""How a made task can be raised: a level up, the denied side of its rule, another form, more near-duplicates.

All keep its number, and so the seed of its world and the order in which its scenarios are tried.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from generator.tasks.plan import RULED, SLOTS, MadeOf, plan_of
from generator.tasks.task_id import read_task_id
from runtime.task.task import Task
from runtime.task.user import Form

WayName = Literal["level", "denied twin", "form", "near-duplicates"]

_MOST_LEVEL = max(SLOTS)
_MOST_FORMS = 2  # that are tried of a task
_TIMES = 2  # as many near-duplicates
_PLAIN: frozenset[Form] = frozenset({"direct"})


@dataclass(frozen=True)
class Way:
    """One way to raise a task: its name, and what the raised one is made of."""

    name: WayName
    made: MadeOf


def ways_of(task: Task, seed: int = 1) -> list[Way]:
    """The ways to raise a task, those first that change most; none of one that is not made of a number.

    The order of the forms that are tried depends on the seed and on the task alone.
    """
    made = read_task_id(task.id)
    if made is None or task.level is None:
        return []
    return list(_ways_of(task, made, task.level, seed))


def _ways_of(task: Task, made: MadeOf, level: int, seed: int) -> Iterator[Way]:
    plan = plan_of(made, has_forms=True)
    forms = {wish.form for wish in task.user.wishes}
    if level < _MOST_LEVEL:
        yield Way("level", replace(made, complexity=level + 1, form=None))
    if forms & RULED and not plan.denied:
        yield Way("denied twin", replace(made, denied=True))
    others = sorted(frozenset[Form]().union(*SLOTS[level]) - forms - _PLAIN)
    random.Random(f"harder forms of {task.id} by seed {seed}").shuffle(others)
    for form in others[:_MOST_FORMS]:
        yield Way("form", replace(made, form=form))
    yield Way("near-duplicates", replace(made, near_duplicates=_TIMES * plan.near_duplicates))
