"""The chain as variations of it are played: ids made on the way by step and path, rows of the start by their ids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runtime.domain.changes import Changes
from runtime.domain.domain import Domain
from runtime.domain.schema import Value
from runtime.task.paths import is_reference, leaves_of, path_of, put_at, reference_to, value_at
from runtime.task.task import Step


@dataclass(frozen=True)
class PlayedStep:
    """A step of the reference chain as it ran: its arguments as bound, its result, the rows that it changed."""

    tool: str
    arguments: Mapping[str, Any]
    result: Mapping[str, Any]
    changes: Changes


@dataclass(frozen=True)
class PlannedStep:
    """A step, with the steps whose results its arguments refer to; `writes` unless it touches logs alone."""

    number: int
    tool: str
    arguments: Mapping[str, Any]
    needs: frozenset[int]
    writes: bool


def plan_chain(chain: Sequence[Step], played: Sequence[PlayedStep], domain: Domain) -> list[PlannedStep]:
    """Plan a chain as it was played.

    A place in a list means another row as soon as the list is another one. So a reference into a list becomes the value
    itself, and where that is the id of a row that the chain made, a reference to where the id was first returned.
    """
    made = _where_ids_were_made(played, domain)
    planned = []
    for number, (step, ran) in enumerate(zip(chain, played, strict=True)):
        arguments: dict[str, Any] = dict(step.arguments)
        for leaf, value in list(leaves_of(step.arguments)):
            if is_reference(value) and any(isinstance(part, int) for part in path_of(value)):
                bound = value_at(ran.arguments, leaf)
                found = made.get(bound) if isinstance(bound, str | int) else None
                arguments = put_at(arguments, leaf, bound if found is None or found["$step"] >= number else found)
        needs = frozenset(value["$step"] for _, value in leaves_of(arguments) if is_reference(value))
        writes = bool(domain.tools[step.tool].writes - domain.policies.logs)
        planned.append(PlannedStep(number, step.tool, arguments, needs, writes))
    return planned


def that_matter(plan: Sequence[PlannedStep]) -> list[PlannedStep]:
    """The writing steps, and those whose results they need: the others leave no trace in the final state."""
    wanted: set[int] = set()
    for step in reversed(plan):
        if step.writes or step.number in wanted:
            wanted |= {step.number, *step.needs}
    return [step for step in plan if step.number in wanted]


def without(plan: Sequence[PlannedStep], number: int) -> list[PlannedStep]:
    """The plan without a step and all that depend on its result."""
    gone = {number}
    for step in plan:
        if step.needs & gone:
            gone.add(step.number)
    return [step for step in plan if step.number not in gone]


def _where_ids_were_made(played: Sequence[PlayedStep], domain: Domain) -> dict[Value, dict[str, Any]]:
    """References to the ids of added rows, by id."""
    ids = set(_ids_of_added_rows(played, domain))
    found: dict[Value, dict[str, Any]] = {}
    for number, step in enumerate(played):
        for leaf, value in leaves_of(step.result):
            if isinstance(value, str | int) and value in ids:
                found.setdefault(value, reference_to(number, leaf))
    return found


def _ids_of_added_rows(played: Sequence[PlayedStep], domain: Domain) -> Iterator[Value]:
    for step in played:
        for (table, key), change in step.changes.rows.items():
            if change.before is None and len(domain.schema.tables[table].primary_key) == 1:
                yield key[0]
