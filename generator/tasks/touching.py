"""Whether two scenarios are one story: one of them changes what the other looks up, or changes as well."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from generator.tasks.telling import ToldScenario
from runtime.domain.domain import Domain
from runtime.task.paths import scalars_of
from runtime.task.task import Task


def do_touch(one: ToldScenario, other: ToldScenario, domain: Domain) -> bool:
    """Whether a row that one changes is changed by the other, or stands in what the other looks up.

    Finding the caller and noting who it is are no wishes, and so do not count.
    """
    changed = [_named(part, domain) for part in (one, other)]
    return bool(
        changed[0] & changed[1] or changed[0] & _looked_up(other, domain) or changed[1] & _looked_up(one, domain)
    )


def count_touching(parts: Sequence[ToldScenario], domain: Domain) -> int:
    """How many scenarios touch another one."""
    return sum(any(do_touch(part, other, domain) for other in parts if other is not part) for part in parts)


def is_one_story(task: Task) -> bool:
    """Whether wishes bear on each other, and no scenario shares nothing but the caller with the others."""
    scenarios = task.difficulty.get("scenarios", 1)
    return has_touching_wishes(task) and (scenarios == 1 or task.difficulty.get("touching", 0) == scenarios)


def has_touching_wishes(task: Task) -> bool:
    """Whether some wish bears on another one: it is coupled, a second choice or a change of mind, or they touch."""
    told = any(wish.joined or wish.otherwise is not None or wish.amends is not None for wish in task.user.wishes)
    return told or task.difficulty.get("touching", 0) > 1


def _named(part: ToldScenario, domain: Domain) -> set[tuple[str, Any]]:
    """The rows that a scenario changes, by the column and the value of a key of one column."""
    tables = domain.schema.tables
    rows = [(tables[name].primary_key, key) for name, key in part.changed]
    return {(columns[0], key[0]) for columns, key in rows if len(columns) == 1}


def _looked_up(part: ToldScenario, domain: Domain) -> set[tuple[str, Any]]:
    """Every value that reading tools return to a scenario, with its column, but for finding the caller."""
    script = part.script
    known = script.identified.steps if script.identified is not None else ()
    return {
        (str(path[-1]), value)
        for number, call in enumerate(script.calls, script.first_step)
        if number not in known and not domain.tools[call.step.tool].writes
        for path, value in scalars_of(call.result)
        if path
    }
