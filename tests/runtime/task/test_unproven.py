"""Claims about tasks that nobody proved: what is wrong with them is said before they are played."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from runtime.domain.domain import Domain
from runtime.task.task import Task, start_world
from runtime.task.task_file import find_task
from runtime.task.unproven import faults_of_unproven


def with_phone(line: dict[str, Any]) -> None:
    line["policies"] = {}


def with_an_undeclared_text(line: dict[str, Any]) -> None:
    line["texts"] = {}


def without_the_last_call(line: dict[str, Any]) -> None:
    line["chain"].pop()


@pytest.mark.parametrize(
    ("damage", "fault"),
    [
        (lambda line: None, None),
        (with_phone, "expects '(614) 555-0142' in member.phone, which is optional and not judged"),
        (with_an_undeclared_text, "in hold.note, a text that is not judged; add it to its texts as dictated."),
        (without_the_last_call, "does not reward its own chain: No hold was added"),
        (lambda line: line.update(chain=[]), "has no reference chain, so nothing shows that it can be solved."),
        (lambda line: line["chain"][-1].update(arguments={}), "has a chain that does not run: INVALID_ARGUMENT"),
        (lambda line: line["expected"].pop(0), "does not reward its own chain: "),
    ],
)
def test_an_unproven_task_is_said_to_be_wrong(
    library: Domain, damage: Callable[[dict[str, Any]], None], fault: str | None
) -> None:
    line = find_task(library, "card-and-queue").model_dump(mode="json", exclude_defaults=True)
    damage(line)
    task = Task.model_validate(line)
    found = list(faults_of_unproven(task, library, start_world(task, library)))
    assert not found if fault is None else any(fault in each for each in found)


def test_a_call_that_nobody_needs_is_named(library: Domain) -> None:
    task = find_task(library, "late-and-next")
    expected = [row for row in task.expected if row.table != "identification"]
    task = task.model_copy(update={"expected": expected})
    found = list(faults_of_unproven(task, library, start_world(task, library)))
    assert found == ["rewards its chain without step 1 (note_identification)."]
