"""A suite's tasks from Python: those of its file, narrowed like a domain's, and sent to other processes."""

from __future__ import annotations

import pickle
from collections import Counter
from pathlib import Path

import pytest

from tests.runtime.suite_files import write_suite_file
from tests.worldsmith.playing import play
from worldsmith import Suite, UsageError, load, tasks


def test_the_suite_that_is_carried_has_the_tasks_of_its_domains_one_after_another() -> None:
    suite = Suite.read("small")
    assert suite.domains == (load("library"), load("job_seeking"), load("second_hand_marketplace"))
    chosen = suite.tasks()
    assert len(chosen) == len(suite) == 24
    assert set(chosen[:3]) <= set(tasks("library", split="train"))
    assert set(chosen[3:19]) < set(tasks("job_seeking", split="held_out"))
    assert Counter(task.level for task in chosen[3:19]) == {1: 3, 2: 4, 3: 4, 4: 1, 5: 4}
    assert set(chosen[19:]) < set(tasks("second_hand_marketplace", split="held_out"))


def test_tasks_of_a_suite_are_narrowed_played_and_found_again(tmp_path: Path) -> None:
    suite = Suite.read(write_suite_file(tmp_path, {"first": 3, "second": 2}))
    assert [repr(task) for task in suite.tasks(level=2)] == [
        "DomainTask('first', 'task-1')",
        "DomainTask('second', 'task-1')",
    ]
    assert suite.tasks(split="train", form="direct", level=[1, 2, 3]) == suite.tasks()
    task = suite.tasks(level=3)[0]
    reward, _ = play(task)
    assert reward == 1
    assert pickle.loads(pickle.dumps(task)).task == task.task
    for asked, sentence in (
        ({"split": "held_out", "level": 5}, "The suite 'many' has no task of level 5 in split 'held_out'."),
        ({"form": "coupled"}, "The suite 'many' has no task of form 'coupled'."),
        ({"split": "test"}, "There is no split 'test'; have: train, held_out."),
        ({"form": "hard"}, "There is no form 'hard'; have: direct, withheld, "),
    ):
        with pytest.raises(UsageError, match=sentence):
            suite.tasks(**asked)  # type: ignore[arg-type]
