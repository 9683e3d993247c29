"""Proof 14 on tasks made by hand: every conversation ends, nothing is told unasked, and the user is deaf."""

from __future__ import annotations

import pytest

from generator.tasks.proofs.user import shape_of, walk_user
from runtime.domain.domain import Domain
from runtime.harness.users.machine import Machine
from runtime.harness.users.scripted import ScriptedUser
from runtime.harness.users.words import Speaker
from runtime.task.task import Task, Wish, start_world
from runtime.task.task_file import find_task
from runtime.task.user import Belief


def with_wishes(task: Task, *wishes: Wish) -> Task:
    return task.model_copy(update={"user": task.user.model_copy(update={"wishes": list(wishes)})})


def task_of_all_forms(library: Domain) -> Task:
    """Joined wishes, a second choice, insisting, a belief, a change of mind, one that only asks."""
    task = find_task(library, "keep-a-book")
    keep = task.user.wishes[0].model_copy(update={"insists": ["But I need it for my exam."]})
    return with_wishes(
        task,
        keep,
        Wish(words=["And tell me how many I have."], acts=False, joined=True),
        Wish(words=["Then at least for a week."], otherwise=0, form="fallback"),
        Wish(
            words=["Actually, make it one week. It is due on Friday, isn't it?"],
            amends=0,
            beliefs=[Belief(name="due", said="Friday", truth="2026-03-19")],
        ),
    )


@pytest.mark.parametrize("name", ["card-and-queue", "all forms"])
def test_a_walk_through_every_state_finds_nothing_to_complain_of(library: Domain, name: str) -> None:
    task = task_of_all_forms(library) if name == "all forms" else find_task(library, name)
    walk = walk_user(task, library, start_world(task, library))
    assert walk.complaints == ()
    assert walk.states > 20


def test_a_user_that_tells_what_is_withheld_is_found(library: Domain, monkeypatch: pytest.MonkeyPatch) -> None:
    def restate_all(speaker: Speaker, wishes: object) -> str:
        return "; ".join(fact.said for fact in task.user.facts)

    task = find_task(library, "card-and-queue")
    monkeypatch.setattr(Speaker, "restated", restate_all)
    walk = walk_user(task, library, start_world(task, library))
    assert any(each.startswith("the user tells 'e-mail address' unasked") for each in walk.complaints)


def test_a_user_that_hears_what_is_right_is_found(library: Domain, monkeypatch: pytest.MonkeyPatch) -> None:
    say = Speaker.say

    def say_more(speaker: Speaker, move: object, question: str = "") -> str:
        right = speaker._user.profile == task.user.profile  # noqa: SLF001
        return say(speaker, move, question) + ("" if right else " Hm.")  # type: ignore[arg-type]

    task = find_task(library, "card-and-queue")
    monkeypatch.setattr(Speaker, "say", say_more)
    other = task.model_copy(update={"user": task.user.model_copy(update={"profile": "Somebody else."})})
    made = ScriptedUser.__init__

    def take_other(user: ScriptedUser, given: Task, seed: int, reader: object) -> None:
        made(user, given if given.expected else other, seed, reader)  # type: ignore[arg-type]

    monkeypatch.setattr(ScriptedUser, "__init__", take_other)
    walk = walk_user(task, library, start_world(task, library))
    assert any("if something else is expected" in each for each in walk.complaints)


def test_a_user_that_comes_no_further_is_found(library: Domain, monkeypatch: pytest.MonkeyPatch) -> None:
    task = find_task(library, "card-and-queue")
    monkeypatch.setattr(Machine, "replied", lambda machine: None)
    walk = walk_user(task, library, start_world(task, library))
    assert any(each.startswith("the user comes no further with") for each in walk.complaints)


def test_tasks_of_one_shape_need_one_walk(library: Domain) -> None:
    task = find_task(library, "keep-a-book")
    again = task.model_copy(update={"title": "The same with other words"})
    assert shape_of(task) == shape_of(again) != shape_of(find_task(library, "late-and-next"))
