"""What tasks are worth as a benchmark is counted from their lines, and a tame set shows itself."""

from __future__ import annotations

import pytest

from generator.gates.worth import judge_task, measure_worth
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.task.task import AddedRow, Task
from runtime.task.task_file import read_tasks
from tests.conftest import SHIPPED_LIBRARY


@pytest.fixture(scope="module")
def library() -> Domain:
    """The library with all the tasks that ship."""
    return load_domain(SHIPPED_LIBRARY)


@pytest.fixture(scope="module")
def tasks(library: Domain) -> list[Task]:
    """The shipped tasks of the library."""
    return list(read_tasks(library).values())


def test_every_rule_of_the_library_denies_in_one_task_and_allows_in_another(library: Domain, tasks: list[Task]) -> None:
    worth = measure_worth(library, tasks)
    assert all(use.denied and use.allowed for use in worth.rules.values())
    assert worth.tasks == len(tasks)
    assert worth.table[2].startswith("| `DEBT_LIMIT` |")
    assert not any(miss.startswith("rule ") for miss in worth.misses)


def test_a_set_in_which_nothing_is_ever_denied_shows_itself(library: Domain, tasks: list[Task]) -> None:
    tame = [task for task in tasks if not judge_task(library, task).is_ruled]
    worth = measure_worth(library, tame)
    assert (worth.lost_by_complying, worth.lost_by_refusing, worth.ruled_tasks) == (0, 0, 0)
    assert f"0 of {len(tame)} tasks involve a rule; at least 33% are wanted" in worth.misses
    assert "rule DEBT_LIMIT: no task in which it denies or allows a request" in worth.misses


def test_always_refusing_fails_where_a_rule_allows_and_always_complying_where_it_denies(
    library: Domain, tasks: list[Task]
) -> None:
    one_way = [task for task in tasks if (own := judge_task(library, task)).denied and own.denied == own.judged]
    worth = measure_worth(library, [task for task in one_way if not judge_task(library, task).is_coupled])
    assert (worth.lost_by_refusing, worth.lost_by_complying) == (0, worth.tasks)


def test_few_tasks_are_not_judged_and_two_currencies_are(library: Domain, tasks: list[Task]) -> None:
    assert measure_worth(library, tasks[:3]).misses == []
    first = tasks[0].user.wishes[0]
    wish = first.model_copy(update={"words": [f"{first.words[0]} It was $4.50, not £5."]})
    user = tasks[0].user.model_copy(update={"wishes": [wish]})
    worth = measure_worth(library, [tasks[0].model_copy(update={"user": user}), *tasks[1:]])
    assert worth.currencies == ["$", "£"]
    assert "2 currencies are used: $ £; one is wanted" in worth.misses


def test_near_duplicates_that_nothing_shows_and_names_with_a_number_are_counted(
    library: Domain, tasks: list[Task]
) -> None:
    copy = AddedRow(table="book", columns={"title": "Meadow Duplex 14", "phone": "(937) 555-0174"})
    others = [
        task.model_copy(update={"difficulty": {"complexity": 2, "near_duplicates": number % 3 // 2}, "added": [copy]})
        for number, task in enumerate(tasks[:60])
    ]
    worth = measure_worth(library, others)
    assert (worth.confusable, worth.added, worth.numbered) == (20, 60, 60)
    assert "look-ups in 20 of 60 tasks above level 1 show near-duplicates; at least 75% are wanted" in worth.misses
