"""Claims about which tasks an evaluation plays, and in which order."""

from __future__ import annotations

from pathlib import Path

import pytest

from runtime.domain.domain import Domain
from runtime.errors import UsageError
from runtime.harness.evaluation.plan import ChosenTask, EvaluationPlan, Remaining, TaskChoice, choose_tasks
from runtime.task.task import Task
from runtime.task.task_file import read_tasks
from tests.conftest import refused
from tests.making import make_domain
from tests.runtime.harness.evaluation.playing import CONFIG


def ids(chosen: tuple[ChosenTask, ...]) -> list[str]:
    return [each.task.id for each in chosen]


def test_so_many_tasks_are_the_same_ones_every_time_and_part_of_more(library: Domain) -> None:
    def draw(count: int, seed: int = 3) -> tuple[ChosenTask, ...]:
        return choose_tasks([library], TaskChoice(count=count, seed=seed))

    assert draw(1) == draw(1)
    assert set(ids(draw(1))) < set(ids(draw(2)))
    assert len({tuple(ids(draw(1, seed))) for seed in range(20)}) == 3


@pytest.mark.parametrize(
    ("choice", "complaint"),
    [
        (TaskChoice(ids=("keep-a-boat",)), "Task 'keep-a-boat' cannot be chosen; have: keep-a-book."),
        (TaskChoice(count=4), "-n is 4; domain 'library' has 3 to choose from."),
        (TaskChoice(count=0), "-n is 0"),
        (TaskChoice(levels=frozenset({3})), "Domain 'library' has no task of level 3; have: "),
        (TaskChoice(file=Path("no.jsonl")), "'no.jsonl' cannot be read: No such file or directory."),
    ],
)
def test_what_cannot_be_chosen_is_refused(library: Domain, choice: TaskChoice, complaint: str) -> None:
    with refused(complaint):
        choose_tasks([library], choice)


def test_a_split_without_tasks_a_domain_without_tasks_and_a_domain_twice_are_refused(
    library: Domain, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="no task in split 'held_out'"):
        choose_tasks([library], TaskChoice(split="held_out"))
    with pytest.raises(UsageError, match="'small' has no tasks"):
        choose_tasks([make_domain(tmp_path)])
    with pytest.raises(UsageError, match="Two domains are named 'library'"):
        choose_tasks([library, library])


def tasks_of_worlds(library: Domain, *worlds: tuple[int, int]) -> tuple[ChosenTask, ...]:
    task = read_tasks(library)["keep-a-book"]
    return tuple(
        ChosenTask(
            Task.model_validate({**task.model_dump(), "id": f"t{number}", "world": {"seed": seed, "size": size}}),
            number,
        )
        for number, (seed, size) in enumerate(worlds)
    )


def taken(owed: Remaining) -> list[tuple[str, int]]:
    return [(job.task.id, job.trial) for _ in range(owed.count) for job in owed.take()]


def test_one_trial_of_every_task_comes_before_the_next_in_an_order_of_the_seed(library: Domain) -> None:
    tasks = tasks_of_worlds(library, *((seed, 100 * seed) for seed in range(1, 9)))
    orders = [taken(Remaining(EvaluationPlan(CONFIG, (library,), tasks, 2, seed), ())) for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]
    for order in orders:
        first, second = order[:8], order[8:]
        assert [task for task, _ in first] == [task for task, _ in second]
        assert [trial for _, trial in order] == [0] * 8 + [1] * 8
        assert sorted(first) == [(f"t{number}", 0) for number in range(8)] != first


def test_tasks_of_one_world_follow_each_other_within_a_trial_and_belong_to_one_runner(library: Domain) -> None:
    plan = EvaluationPlan(CONFIG, (library,), tasks_of_worlds(library, (1, 100), (2, 300), (1, 100), (2, 300)))
    order = [task for task, _ in taken(Remaining(plan, ()))]
    worlds = {frozenset({"t0", "t2"}), frozenset({"t1", "t3"})}
    assert {frozenset(order[:2]), frozenset(order[2:])} == worlds
    owed = Remaining(plan, (), runners=2)
    assert {frozenset(job.task.id for _ in range(2) for job in owed.take(runner)) for runner in (0, 1)} == worlds
