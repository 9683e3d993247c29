"""Claims about the parts of a suite: nested domains, the same number of tasks, in the order that was asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import UsageError
from runtime.harness.evaluation.plan import ChosenTask
from runtime.suites.members import MemberTasks
from runtime.suites.similarity import domain_similarity
from runtime.suites.split import Order, order_domains, split_suite
from runtime.suites.suite import SuiteFile, SuiteMember
from runtime.task.task_file import read_tasks
from tests.making import write_domain
from tests.runtime.suites.copies import write_library

THERE = {"first": 9, "second": 2, "third": 6, "fourth": 4}


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
    order = ["third", "second", "first", "fourth"]
    for count in (4, 5, 6):
        parts = split_suite(suite, members, order, [1, 2, 3, 4], count)
        assert [part.count for part in parts] == [count] * 4
        for smaller, larger in zip(parts, parts[1:], strict=False):
            assert set(smaller.tasks) < set(larger.tasks)
            for name, ids in smaller.tasks.items():
                assert set(larger.tasks[name]) <= set(ids)
        shares = {name: len(ids) for name, ids in parts[-1].tasks.items()}
        assert max(shares.values()) - min(shares.values()) <= 1
    assert split_suite(suite, members, order, [2, 4])[0].count == 8  # all that two domains have


def test_what_a_domain_has_too_few_of_the_others_have_more_of(library: Domain) -> None:
    (part,) = split_suite(*_make(library, THERE), list(THERE), [4], 17)
    assert {name: len(ids) for name, ids in part.tasks.items()} == {"first": 6, "second": 2, "third": 5, "fourth": 4}


def test_more_tasks_than_a_part_has_are_refused_with_what_it_has(library: Domain) -> None:
    suite, members = _make(library, {"first": 2, "second": 3})
    with pytest.raises(UsageError, match="A part of 1 of the domains of 'many' cannot have 3 tasks: there are 2 of fi"):
        split_suite(suite, members, ["first", "second"], [1, 2], 3)


def test_the_order_by_similarity_begins_with_the_most_or_the_least_alike(library: Domain, tmp_path: Path) -> None:
    words = ["harbour crane berth tonnage pilot"] * 3
    loaded = [load_domain(each) for each in (write_library(tmp_path, "harbour", words=words), write_domain(tmp_path))]
    domains = [_named(library, "plain"), _named(library, "copied"), *loaded]
    names = [each.name for each in domains]
    alike = domain_similarity(domains)
    assert alike["plain", "copied"] == pytest.approx(1)
    assert 1 > alike["plain", "harbour"] > alike["plain", "small"]
    assert all(alike[one, other] == alike[other, one] for one in names for other in names)
    for seed in (1, 2):
        assert set(order_domains(names, "most_similar", seed, alike)[:2]) == {"plain", "copied"}
        assert order_domains(names, "most_similar", seed, alike)[-1] == "small"
        assert "small" in order_domains(names, "least_similar", seed, alike)[:2]
    for order in get_args(Order):
        assert order_domains(names, order, 3, alike) == order_domains(names, order, 3, alike)
    assert len({tuple(order_domains(names, "seed", seed, alike)) for seed in range(8)}) > 2
