"""A suite's tasks from Python: those of its file, narrowed like a domain's, and sent to other processes."""

from __future__ import annotations

import pickle
from collections import Counter
from pathlib import Path

import pytest

from tests.runtime.suites.copies import write_suite_file
from tests.worldsmith.playing import play, reference
from worldsmith import Suite, UsageError, load, tasks


def test_a_suite_has_the_tasks_of_its_domains_one_after_another() -> None:
    suite = Suite.read("small")
    assert suite.domains == (load("library"), load("job_seeking"))
    chosen = suite.tasks()
    assert len(chosen) == len(suite) == 19
    assert chosen[:3] == tasks("library") == suite.tasks(split="train")
    assert Counter(task.level for task in chosen[3:]) == {1: 2, 2: 4, 3: 4, 4: 4, 5: 2}
    assert set(suite.tasks(level=[4, 5])) == {task for task in chosen if task.level in (4, 5)}
    with pytest.raises(UsageError, match="The suite 'small' has no task of level 5 in split 'train'."):
        suite.tasks(split="train", level=5)
    assert suite.tasks(split="held_out", form="direct") == chosen[3:]
    with pytest.raises(UsageError, match="The suite 'small' has no task of form 'coupled'."):
        suite.tasks(form="coupled")
    with pytest.raises(UsageError, match="There is no split 'test'; have: train, held_out."):
        suite.tasks(split="test")  # type: ignore[arg-type]


def test_a_task_of_a_suite_in_a_folder_is_played_and_found_again(tmp_path: Path) -> None:
    (task, *_) = Suite.read(write_suite_file(tmp_path, {"first": 1, "second": 1})).tasks()
    reward, _ = play(task, reference(task))
    assert reward == 1
    assert pickle.loads(pickle.dumps(task)).task == task.task
