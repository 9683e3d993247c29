"""Decide the id of a made task, and read from an id what the task was made of."""

from __future__ import annotations

import re
from collections.abc import Sequence

from generator.tasks.plan import MadeOf, TaskPlan

_LONGEST_NAME = 40  # of a scenario, in an id
_USUAL_SEED = 1  # whose tasks do not name it
_NUMBERS = 1_000_000  # a task's number within a seed, which is what its id shows
_OF_MADE_TASK = re.compile(r"-(?:s(?P<seed>\d+)-)?(?:l(?P<complexity>[1-5])-)?(?:r(?P<rows>\d+)-)?(?P<within>\d{4,6})$")


def task_id(names: Sequence[str], plan: TaskPlan) -> str:
    """An id that depends on nothing that became of other tasks, and is that of no other seed, level or size."""
    seed, within = divmod(plan.number, _NUMBERS)
    apart = "" if seed == _USUAL_SEED else f"s{seed}-"
    apart += f"l{plan.complexity}-" if plan.asked else ""
    apart += "" if plan.rows is None else f"r{plan.rows}-"
    name = names[0].lower().replace("_", "-")[: _LONGEST_NAME - len(apart)].strip("-")
    more = f"-and-{len(names) - 1}-more" if len(names) > 1 else ""
    return f"{name}{more}-{apart}{within:04d}"


def read_task_id(made: str) -> MadeOf | None:
    """What a task was made of, by its id; None if it is not the id of a made task."""
    found = _OF_MADE_TASK.search(made)
    if found is None:
        return None
    seed = int(found["seed"] or _USUAL_SEED)
    complexity, rows = (int(found[name]) if found[name] else None for name in ("complexity", "rows"))
    return MadeOf(seed * _NUMBERS + int(found["within"]), complexity, rows)
