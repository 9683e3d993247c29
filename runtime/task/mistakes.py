"""Known mistakes of a task: how an episode ends that makes one, how one is made, which row is taken unseen."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from runtime.domain.changes import Changes
from runtime.domain.domain import Domain
from runtime.domain.people import is_desk_tool
from runtime.domain.policies import Policies
from runtime.domain.schema import Schema, Value
from runtime.domain.waiting import WAIT
from runtime.task.origin import JsonPath, is_reference, leaves_of, path_of, steps_named
from runtime.task.task import ACCOUNT, Mistake, Step, Task, TaskAnswer
from runtime.task.user import TOLD_OTHERWISE

COMPLIES = "complies against a rule"
REFUSES = "refuses what is permitted"
AS_SAID = "takes requests in the order in which they are said"
FIRST_ONLY = "rules on the first record only"
STALE = "does not look again after an earlier request"
TRUSTS = "trusts the user"
TAKES_ALONE = "takes each message by itself"
NEWEST = "takes the newest message first"
CARELESS = (AS_SAID, FIRST_ONLY, STALE)
"""What the mistakes are called that an agent makes who decides always the same."""

_DIGEST_BYTES = 12


def fingerprint(changes: Changes, told: Mapping[str, str], schema: Schema, policies: Policies) -> str:
    """Equal for two ends that differ only in what no policy counts, in the ids of new rows, and in the last account."""
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
    written = json.dumps(
        [sorted(rows), sorted((name, value) for name, value in told.items() if name != ACCOUNT)], ensure_ascii=False
    )
    return blake2b(written.encode(), digest_size=_DIGEST_BYTES).hexdigest()


def mistake_of(task: Task, changes: Changes, told: Mapping[str, str], schema: Schema, policies: Policies) -> str | None:
    """Which of a task's known mistakes an end is that of; None for any other end."""
    if not task.mistakes:
        return None
    own = fingerprint(changes, told, schema, policies)
    return next((mistake.name for mistake in task.mistakes if mistake.end == own), None)


def mistaken(task: Task, mistakes: Sequence[Mistake]) -> Task:
    """Return the task with the chain and the answers of an agent that makes these mistakes.

    Steps that need what a mistaken agent never looked up are left out.
    """
    chain: list[Step] = []
    moved: dict[int, int] = {}  # the numbers of steps as they were
    told: dict[str, str] = {}
    done = 0
    for mistake in sorted(mistakes, key=lambda each: each.start):
        if mistake.start < done:
            continue  # two mistakes in one place: the first is made
        for number in range(done, mistake.start):
            _put_step(chain, moved, task.chain[number], number)
        own = dict(moved)
        for number, step in enumerate(mistake.turn, mistake.start):
            _put_step(chain, own, step, number)
        done = mistake.stop
        told |= mistake.told
    for number in range(done, len(task.chain)):
        _put_step(chain, moved, task.chain[number], number)
    answers = [
        each.model_copy(update={"value": _value_of(each, told[each.name])}) if each.name in told else each
        for each in task.answers
        if told.get(each.name) != ""
    ]
    return task.model_copy(update={"chain": chain, "answers": answers})


def in_told_order(task: Task, domain: Domain) -> Task:
    """Return the task with the chain of an agent that does coupled wishes in the order in which they are said."""
    ordered = {wish for each in task.decisions if each.decides == "order" for wish in (each.wish, *each.after)}
    coupled = [
        number
        for number, step in enumerate(task.chain)
        if (step.wish in ordered or task.user.wishes[step.wish].form in TOLD_OTHERWISE)
        and domain.tools[step.tool].writes
        and not is_desk_tool(step.tool)
    ]
    told = dict(zip(coupled, sorted(coupled, key=lambda number: task.chain[number].wish), strict=True))
    chain: list[Step] = []
    moved: dict[int, int] = {}
    for number in range(len(task.chain)):
        _put_step(chain, moved, task.chain[told.get(number, number)], told.get(number, number))
    return task.model_copy(update={"chain": chain})


def newest_first(task: Task) -> Task:
    """Return the task with the chain of an agent that takes the newest message first, except for what it builds on.

    It waits for all of them before.
    """
    chain: list[Step] = []
    if task.clock is not None:
        arguments = {"until": task.clock.until, "until_notice": False}
        chain.append(Step(tool=WAIT, arguments=arguments, wish=len(task.user.wishes) - 1))
    moved: dict[int, int] = {}
    own: dict[int, list[int]] = {}
    for number, step in enumerate(task.chain):
        if step.tool != WAIT:
            own.setdefault(step.wish, []).append(number)

    def take(wish: int) -> None:
        numbers = own.pop(wish, [])
        for named in [named for number in numbers for named in steps_named(task.chain[number].arguments)]:
            take(task.chain[named].wish)
        for number in numbers:
            _put_step(chain, moved, task.chain[number], number)

    for wish in sorted(own, reverse=True):
        take(wish)
    return task.model_copy(update={"chain": chain})


def _put_step(chain: list[Step], moved: dict[int, int], step: Step, number: int) -> None:
    """Add a step with its references as steps are numbered now, if it has all that it needs."""
    if set(steps_named(step.arguments)) <= moved.keys():
        moved[number] = len(chain)
        chain.append(step.model_copy(update={"arguments": renumbered(step.arguments, moved)}))


def renumbered(value: Any, moved: Mapping[int, int]) -> Any:
    """Return arguments whose references name steps by their numbers as `moved` has them."""
    if is_reference(value):
        return {**value, "$step": moved[value["$step"]]}
    if isinstance(value, Mapping):
        return {name: renumbered(part, moved) for name, part in value.items()}
    return [renumbered(part, moved) for part in value] if isinstance(value, list) else value


def _value_of(answer: TaskAnswer, told: str) -> str | int | float:
    return float(told) * answer.minor if answer.kind in ("number", "money") else told


Entries = Sequence[Mapping[str, Any]]

_DATE = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True)
class RowChoice:
    """That a step of a chain takes one entry of a list that an earlier step returned."""

    step: int
    source: int  # the earlier step
    path: JsonPath  # of the list in its result
    index: int


def row_choices(chain: Sequence[Step]) -> list[RowChoice]:
    """Return the entries that a chain takes of lists, each once; none of a list of which it takes several."""
    found: dict[tuple[int, JsonPath], list[RowChoice]] = {}
    for number, step in enumerate(chain):
        for source, path in [
            (each["$step"], path_of(each)) for _, each in leaves_of(step.arguments) if is_reference(each)
        ]:
            place = next((at for at, part in enumerate(path) if isinstance(part, int)), None)
            if place is not None:
                choice = RowChoice(number, source, path[:place], int(path[place]))
                found.setdefault((source, path[:place]), []).append(choice)
    return [choices[0] for choices in found.values() if len({each.index for each in choices}) == 1]


def take_row(shortcut: str, entries: Sequence[Any]) -> int:
    """Return the place of the entry that a shortcut takes of a list; the first where the entries have no columns."""
    if not entries or not all(isinstance(each, Mapping) for each in entries):
        return 0
    return ROW_SHORTCUTS[shortcut](entries)


def _lowest_id(entries: Entries) -> int:
    """Of the first column that is named as an id, or else of the first one."""
    names = list(entries[0])
    column = next((name for name in names if name == "id" or name.endswith("_id")), names[0] if names else "")
    return min(range(len(entries)), key=lambda at: (str(type(entries[at].get(column))), entries[at].get(column) or ""))


def _newest(entries: Entries) -> int:
    """By the first column of dates; without one the last entry."""
    for name in entries[0]:
        values = [each.get(name) for each in entries]
        if all(isinstance(value, str) and _DATE.match(value) for value in values):
            return values.index(max(map(str, values)))
    return len(entries) - 1


def _most_frequent(entries: Entries) -> int:
    """Return the entry whose values most others share."""
    counts = Counter((name, str(value)) for each in entries for name, value in each.items())
    return max(range(len(entries)), key=lambda at: sum(counts[name, str(value)] for name, value in entries[at].items()))


ROW_SHORTCUTS: Mapping[str, Callable[[Entries], int]] = {
    "first_row": lambda entries: 0,
    "last_row": lambda entries: len(entries) - 1,
    "lowest_id": _lowest_id,
    "newest_row": _newest,
    "most_frequent_row": _most_frequent,
}
