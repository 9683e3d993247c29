"""Claims about which domains and tasks a suite's file means."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from runtime.errors import UsageError
from runtime.suites.members import open_members
from runtime.suites.suite import read_suite
from tests.runtime.suites.copies import write_library


def _choose(folder: Path, entry: str, seed: int = 1) -> list[str]:
    path = folder / "one.toml"
    path.write_text(f"format = 1\nseed = {seed}\n[domains.copy]\npath = 'copy'\n{entry}\n")
    return [each.task.id for member in open_members(read_suite(path)) for each in member.tasks]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A folder with a domain of nine tasks, three of each of three levels."""
    write_library(tmp_path, "copy", tasks=9)
    return tmp_path


def test_a_suite_has_all_tasks_of_a_domain_unless_it_says_otherwise(copy: Path) -> None:
    assert _choose(copy, "") == [f"task-{number}" for number in range(9)]
    assert _choose(copy, 'tasks = ["task-4", "task-0"]') == ["task-0", "task-4"]
    assert _choose(copy, "levels = [1, 3]") == ["task-0", "task-2", "task-3", "task-5", "task-6", "task-8"]


def test_so_many_tasks_are_part_of_more_and_the_same_ones_every_time(copy: Path) -> None:
    three, five = _choose(copy, "count = 3"), _choose(copy, "count = 5")
    assert len(three) == 3
    assert set(three) < set(five)
    assert three == _choose(copy, "count = 3")
    assert any(_choose(copy, "count = 3", seed) != three for seed in (2, 3, 4))


def test_so_many_of_each_level_are_as_many(copy: Path) -> None:
    chosen = _choose(copy, "counts = { 1 = 2, 3 = 1 }")
    assert Counter(int(task[-1]) % 3 + 1 for task in chosen) == {1: 2, 3: 1}


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        pytest.param("cout = 1", "'domains.copy.cout' is not known here; have: count", id="key"),
        pytest.param("count = 10", "10 tasks cannot be drawn; there are 9.", id="too_many"),
        pytest.param("counts = { 2 = 4 }", "4 tasks of level 2 cannot be drawn; there are 3.", id="level"),
        pytest.param("counts = { 9 = 1 }", "domains.copy.counts.9: input should be less than or equal to 5", id="nine"),
        pytest.param('tasks = ["task-10"]', "Task 'task-10' cannot be chosen; have: task-1", id="task"),
        pytest.param('tasks = ["task-1", "task-1"]', "task 'task-1' appears twice", id="twice"),
        pytest.param('tasks = ["task-1"]\ncount = 1', "names its tasks; 'count' would choose among all", id="both"),
        pytest.param("count = 1\ncounts = { 1 = 1 }", "has 'counts' by level and 'count'; give one", id="counts"),
        pytest.param('split = "held_out"', "Domain 'copy' has no task in split 'held_out'", id="split"),
        pytest.param('[domains.other]\npath = "copy"', "has 'other', but 'copy' is the domain 'copy'", id="name"),
        pytest.param("[domains.libary]", "no domain 'libary'; have: library", id="unknown"),
        pytest.param("[domains.Copy]", "'Copy' cannot be the name of a domain", id="bad_name"),
        pytest.param("[", "is not TOML", id="toml"),
    ],
)
def test_a_suite_that_is_not_valid_is_refused_in_one_sentence(copy: Path, entry: str, sentence: str) -> None:
    with pytest.raises(UsageError) as raised:
        _choose(copy, entry)
    assert sentence in str(raised.value)
    assert "\n" not in str(raised.value)
