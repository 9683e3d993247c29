"""The scripted user and an assistant that asks leave before each change: it gets its yes and hears every wish."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from runtime.domain.domain import Domain
from runtime.harness.episode import Episode
from runtime.harness.users.scripted import ScriptedKind
from runtime.task.task import Task, read_tasks
from tests.runtime.harness.users.confirming import PHRASINGS, Conversation, converse, talk
from tests.runtime.harness.users.conversations import make_task
from tests.runtime.harness.users.measure import read_scripts

CHANGES: dict[str, list[list[str]]] = json.loads((Path(__file__).parent / "changes.json").read_text("utf-8"))
"""Per script what an assistant would change for each of its wishes."""


def rehearse(name: str, manner: str) -> list[str]:
    """The faults of the user of a script where the changes are only talked about."""
    task = make_task(["Hello."]).model_copy(update={"user": read_scripts()[name]})
    user, changes = ScriptedKind().meet(task, 0), CHANGES[name]
    played = asyncio.run(talk(user, Episode("Help."), task, lambda wish: iter(changes[wish]), PHRASINGS[manner]))
    return played.faults(task)


@pytest.mark.parametrize("manner", PHRASINGS)
def test_every_question_for_leave_is_answered_with_a_yes_and_every_wish_is_said(manner: str) -> None:
    assert len(CHANGES) >= 40
    assert {name: faults for name in CHANGES if (faults := rehearse(name, manner))} == {}


@pytest.mark.parametrize("manner", PHRASINGS)
def test_the_tasks_of_a_domain_are_solved_though_each_change_waits_for_a_yes(library: Domain, manner: str) -> None:
    for task in read_tasks(library).values():
        played = converse(library, task, PHRASINGS[manner])
        assert (played.faults(task), played.reward) == ([], 1)


def test_a_question_that_is_not_answered_with_a_yes_is_a_fault() -> None:
    task: Task = make_task(["Please renew it."])
    assert Conversation([("Shall I?", "Thank you.")], ["Please renew it."], ended=True).faults(task)
    assert Conversation([("Shall I?", "Yes.")], ["Please renew it."], ended=False).faults(task)
    assert not Conversation([("Shall I?", "Yes.")], ["Please renew it."], ended=True).faults(task)
