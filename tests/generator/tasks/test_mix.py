"""The places of tasks by level: as many of each, and rules that deny in half of those that ask one, where any hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import count

import pytest

from generator.tasks.plan import Mix, TaskPlan, plan_task


def made(number: int, holds: Callable[[TaskPlan], bool], complexity: int | None = None) -> list[TaskPlan]:
    """The tasks that are kept if these candidates hold, at most ten candidates a task tried."""
    mix = Mix(number, complexity)
    plans = (plan_task(number, complexity) for number in count(1_000_000))
    kept: list[TaskPlan] = []
    tried = 0
    while len(kept) < number:
        for plan in mix.next_round(plans, 10 * number - tried):
            if mix.has_place(plan):
                tried += 1
                mix.count(plan, is_kept=holds(plan))
                kept += [plan] if holds(plan) else []
    return kept


def levels(plans: list[TaskPlan]) -> dict[int, int]:
    return dict(Counter(plan.complexity for plan in plans))


@pytest.mark.parametrize(
    ("number", "wanted"),
    [
        pytest.param(5, {1: 1, 2: 1, 3: 1, 4: 1, 5: 1}, id="one_each"),
        pytest.param(64, {1: 12, 2: 13, 3: 13, 4: 13, 5: 13}, id="left_over_to_the_hardest"),
        pytest.param(256, {1: 51, 2: 51, 3: 51, 4: 51, 5: 52}, id="many"),
    ],
)
def test_each_level_has_a_fifth(number: int, wanted: dict[int, int]) -> None:
    assert levels(made(number, lambda _: True)) == wanted
    assert levels(made(number, lambda plan: plan.complexity < 4 or plan.number % 3 == 0)) == wanted


def test_rules_deny_in_half_of_a_level_however_few_of_these_hold() -> None:
    kept = made(100, lambda plan: not plan.denied or plan.number % 3 == 0)
    assert {level: sum(p.denied for p in kept if p.complexity == level) for level in (4, 5)} == {4: 10, 5: 10}


def test_places_that_nothing_holds_for_go_to_the_others() -> None:
    assert levels(made(60, lambda plan: plan.complexity < 4)) == {1: 20, 2: 20, 3: 20}
    kept = made(60, lambda plan: plan.complexity != 4 or not plan.denied)
    assert levels(kept) == dict.fromkeys(range(1, 6), 12), "of a level, they go to its other half"


def test_a_few_tasks_and_those_of_one_level_come_as_they_are_drawn() -> None:
    assert [plan.number for plan in made(4, lambda _: True)] == list(range(1_000_000, 1_000_004))
    assert [plan.number for plan in made(9, lambda _: True, complexity=5)] == list(range(1_000_000, 1_000_009))


def test_no_more_candidates_are_tried_than_may_be() -> None:
    mix = Mix(64)
    assert len(mix.next_round((plan_task(number) for number in count()), 7)) == 7
    assert mix.next_round(iter(()), 7) == []
