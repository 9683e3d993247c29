"""Claims about which domains and tasks a suite's file means, and about its nested parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from runtime.domain.domain import Domain
from runtime.errors import UsageError
from runtime.harness.evaluation.plan import ChosenTask
from runtime.suites import MemberTasks, SuiteFile, SuiteMember, open_members, read_suite, split_suite
from runtime.task.task_file import read_tasks
from tests.conftest import refused
from tests.runtime.suite_files import write_library

THERE = {"first": 9, "second": 6, "third": 6, "fourth": 5}


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
        pytest.param("cout = 1", "domains.copy.cout: Extra inputs are not permitted", id="key"),
        pytest.param("count = 10", "-n is 10; domain 'copy' has 9 to choose from.", id="too_many"),
        pytest.param('tasks = ["task-1", "task-1"]', "task 'task-1' appears twice", id="twice"),
        pytest.param('tasks = ["task-1"]\ncount = 1', "it has 'tasks' and 'count'; give one", id="both"),
        pytest.param("count = 1\ncounts = { 1 = 1 }", "it has 'counts' and 'count'; give one", id="counts"),
        pytest.param('[domains.other]\npath = "copy"', "has 'other', but 'copy' is the domain 'copy'", id="name"),
        pytest.param("[domains.Copy]", "domains.Copy: String should match pattern", id="bad_name"),
        pytest.param("[", "is not TOML", id="toml"),
    ],
)
def test_a_suite_that_is_not_valid_is_refused_in_one_sentence(copy: Path, entry: str, sentence: str) -> None:
    with refused(sentence):
        _choose(copy, entry)


def _named(library: Domain, name: str) -> Domain:
    return replace(library, card=library.card.model_copy(update={"name": name}))


def _make(library: Domain, there: Mapping[str, int]) -> tuple[SuiteFile, list[MemberTasks]]:
    """A suite of domains like the library with so many tasks each."""
    task = next(iter(read_tasks(library).values()))
    members = [
        MemberTasks(
            _named(library, name),
            tuple(
                ChosenTask(task.model_copy(update={"id": f"task-{number}", "domain": name}), number)
                for number in range(count)
            ),
        )
        for name, count in there.items()
    ]
    return SuiteFile(Path("many.toml"), "many", "", 1, {name: SuiteMember() for name in there}), members


def test_parts_are_nested_and_each_has_as_many_tasks(library: Domain) -> None:
    suite, members = _make(library, THERE)
    for count in (4, 5):
        parts = split_suite(suite, members, [1, 2, 3, 4], count)
        assert [sum(map(len, part.values())) for part in parts] == [count] * 4
        for smaller, larger in zip(parts, parts[1:], strict=False):
            assert set(smaller) < set(larger)
            for name, ids in smaller.items():
                assert set(larger[name]) <= set(ids)
        shares = {name: len(ids) for name, ids in parts[-1].items()}
        assert max(shares.values()) - min(shares.values()) <= 1


def test_more_tasks_than_a_part_has_are_refused_with_what_it_has(library: Domain) -> None:
    suite, members = _make(library, {"first": 2, "second": 3})
    with pytest.raises(UsageError, match="A part of 1 of the domains of 'many' cannot have 4 tasks: there are [23];"):
        split_suite(suite, members, [1, 2], 4)
