"""A day at the office: proven tasks as messages of an inbox, each judged by itself."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import worldsmith
from generator.day.make import can_be_item, compose_day
from generator.day.office import check_days, make_office
from generator.tasks.proofs.all import prove_line
from runtime.domain.domain import Domain
from runtime.domain.people import DECLINE
from runtime.errors import UsageError
from runtime.session.session import Session
from runtime.task.judge import judge
from runtime.task.task import Task, replay, start_world
from runtime.task.task_file import read_tasks
from worldsmith.catalog import DomainTask
from worldsmith.rollout import Rollout

LIBRARY = Path("domains/library")


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Domain:
    return make_office(worldsmith.load(str(LIBRARY)), tmp_path_factory.mktemp("office") / "library_day")


@pytest.fixture(scope="module")
def items() -> list[Task]:
    """Return four tasks of different customers in one world, the third with something denied."""
    worlds: dict[object, dict[str, Task]] = {}
    for task in read_tasks(worldsmith.load(str(LIBRARY))).values():
        if can_be_item(task):
            worlds.setdefault(task.world.base, {}).setdefault(str(task.caller), task)
    for found in worlds.values():
        denied = [each for each in found.values() if any(step.tool == DECLINE for step in each.chain)]
        others = [each for each in found.values() if each not in denied]
        if denied and len(others) > 2:
            return [*others[:2], denied[0], others[2]]
    raise AssertionError("no world has enough tasks")


@pytest.fixture(scope="module")
def day(office: Domain, items: list[Task]) -> Task:
    return compose_day(office, "day-of-tests", items)


def test_a_day_is_judged_item_by_item(office: Domain, day: Task) -> None:
    world = start_world(day, office)
    for left_out in (None, 0, 2):
        read = next(step for step in day.chain if step.wish == left_out or left_out is None)
        with Session(office, world) as session:
            replay(session, [read if step.wish == left_out else step for step in day.chain])
            verdict = judge(day, office, world, session.changes)
        wrong = [name for name, right in verdict.components.items() if name.startswith("request") and not right]
        assert wrong == ([] if left_out is None else [f"request_{left_out + 1}"])
        assert verdict.progress == (1.0 if left_out is None else 0.75)


def test_the_manager_opens_and_says_what_is_left(office: Domain, day: Task) -> None:
    task = DomainTask(office, day)
    with Rollout(task).sync() as rollout:
        messages = rollout.open()
        assert "work through the office's inbox" in messages[0]["content"]
        assert "There are 4 messages in the inbox." in messages[-1]["content"]
        listed = json.loads(rollout.call("list_messages"))
        assert listed["total"] == 4
        first = listed["messages"][0]["message_id"]
        assert rollout.call("set_aside", {"message_id": first, "reason": "unclear"})
        assert "There are still 3 new messages" in rollout.say("I'm done.")
        assert "There are still 3 new messages" in rollout.say("I'm done.")
        rollout.say("I'm done.")
        assert rollout.done
        verdict = rollout.verdict()
    assert verdict.reward == 0
    assert verdict.components["request_1"] == 0


def test_check_proves_a_day(office: Domain, day: Task) -> None:
    proven = prove_line(office, day, start_world(day, office))
    assert [(name, proof) for name, proof in proven.proofs.items() if not proof.holds] == []
    assert {"replay", "inert", "necessity", "documented", "mistakes"} <= proven.proofs.keys()


def test_items_that_meddle_with_each_other_make_no_day(office: Domain, items: list[Task]) -> None:
    with pytest.raises(UsageError, match="on the day|go through on the day|another order"):
        compose_day(office, "day-of-two", [items[0], items[0]])


def test_days_take_the_place_of_days_alone() -> None:
    with pytest.raises(UsageError, match="holds something else than days"):
        check_days(LIBRARY, replace=True)
