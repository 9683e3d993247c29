"""Known mistakes of a task: how an episode ends that makes one, by which it is recognised, and how one is made."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

from runtime.domain.changes import Changes
from runtime.domain.domain import Domain
from runtime.domain.people import is_desk_tool
from runtime.domain.policies import Policies
from runtime.domain.schema import Schema, Value
from runtime.task.paths import is_reference, steps_named
from runtime.task.task import Mistake, Step, Task, TaskAnswer

COMPLIES = "complies against a rule"
REFUSES = "refuses what is permitted"
TRUSTS = "trusts the user"
"""What the mistakes are called that an agent makes who decides always the same."""

_DIGEST_BYTES = 12


def fingerprint(changes: Changes, told: Mapping[str, str], schema: Schema, policies: Policies) -> str:
    """Equal for two ends that differ only in what no policy counts, and in the ids of new rows."""
    rows = []
    for (name, key), (before, after) in changes.rows.items():
        table = schema.tables[name]
        if name in policies.logs or before == after:
            continue
        counted: dict[str, Value] = {
            column: after[at]
            for column, at in table.positions.items()
            if after is not None
            and (before is None or before[at] != after[at])
            and policies.of(name, column).policy in ("hard", "semantic")
        }
        if counted or after is None:
            rows.append(json.dumps([name, None if before is None else list(key), counted], sort_keys=True))
    written = json.dumps([sorted(rows), sorted(told.items())], ensure_ascii=False)
    return blake2b(written.encode(), digest_size=_DIGEST_BYTES).hexdigest()


def mistake_of(task: Task, changes: Changes, told: Mapping[str, str], schema: Schema, policies: Policies) -> str | None:
    """Which of a task's known mistakes an end is that of; None for any other end."""
    if not task.mistakes:
        return None
    own = fingerprint(changes, told, schema, policies)
    return next((mistake.name for mistake in task.mistakes if mistake.end == own), None)


def mistaken(task: Task, mistakes: Sequence[Mistake]) -> Task:
    """The task as somebody takes it who makes these mistakes: with their chain and what they tell.

    Steps that need what a mistaken agent never looked up are left out.
    """
    chain: list[Step] = []
    moved: dict[int, int] = {}  # the numbers of steps as they were
    told: dict[str, str] = {}
    done = 0
    for mistake in sorted(mistakes, key=lambda each: each.start):
        if mistake.start < done:
            continue  # two mistakes in one place: the first is made
        _put_steps(chain, moved, task.chain, range(done, mistake.start))
        own = dict(moved)
        for number, step in enumerate(mistake.turn, mistake.start):
            _put_step(chain, own, step, number)
        done = mistake.stop
        told |= mistake.told
    _put_steps(chain, moved, task.chain, range(done, len(task.chain)))
    answers = [
        each.model_copy(update={"value": _value_of(each, told[each.name])}) if each.name in told else each
        for each in task.answers
        if told.get(each.name) != ""
    ]
    return task.model_copy(update={"chain": chain, "answers": answers})


def in_told_order(task: Task, domain: Domain) -> Task:
    """The task as somebody takes it who does its coupled wishes in the order in which they are told."""
    coupled = [
        number
        for number, step in enumerate(task.chain)
        if task.user.wishes[step.wish].form == "coupled"
        and domain.tools[step.tool].writes
        and not is_desk_tool(step.tool)
    ]
    told = dict(zip(coupled, sorted(coupled, key=lambda number: task.chain[number].wish), strict=True))
    chain: list[Step] = []
    moved: dict[int, int] = {}
    for number in range(len(task.chain)):
        _put_step(chain, moved, task.chain[told.get(number, number)], told.get(number, number))
    return task.model_copy(update={"chain": chain})


def _put_steps(chain: list[Step], moved: dict[int, int], steps: Sequence[Step], numbers: range) -> None:
    for number in numbers:
        _put_step(chain, moved, steps[number], number)


def _put_step(chain: list[Step], moved: dict[int, int], step: Step, number: int) -> None:
    """Add a step with its references as steps are numbered now, if it has all that it needs."""
    if set(steps_named(step.arguments)) <= moved.keys():
        moved[number] = len(chain)
        chain.append(step.model_copy(update={"arguments": _renumbered(step.arguments, moved)}))


def _renumbered(value: Any, moved: Mapping[int, int]) -> Any:
    if is_reference(value):
        return {**value, "$step": moved[value["$step"]]}
    if isinstance(value, Mapping):
        return {name: _renumbered(part, moved) for name, part in value.items()}
    return [_renumbered(part, moved) for part in value] if isinstance(value, list) else value


def _value_of(answer: TaskAnswer, told: str) -> str | int | float:
    """The value of an answer that is told so."""
    return float(told) * answer.minor if answer.kind in ("number", "money") else told
