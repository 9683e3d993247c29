"""Claims about comparing two runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import UsageError
from runtime.harness.evaluation.compare import MeanDifference, compare, describe, sign_test
from runtime.harness.evaluation.store import Run, read_run
from tests.runtime.harness.evaluation.playing import fail_at, sit

BOOK, QUEUE, LATE = (("library", task) for task in ("keep-a-book", "card-and-queue", "late-and-next"))


def run_of(path: Path, library: Domain, *failing: tuple[str, int], tasks: str | None = None, trials: int = 2) -> Run:
    sit(path, library, play=fail_at(failing), tasks=tasks, trials=trials)
    return read_run(path)


@pytest.mark.parametrize(
    ("rises", "falls", "p"), [(0, 0, 1.0), (1, 0, 1.0), (5, 0, 0.0625), (0, 6, 0.03125), (9, 1, 22 / 1024), (3, 3, 1.0)]
)
def test_the_sign_test_agrees_with_a_table_worked_out_by_hand(rises: int, falls: int, p: float) -> None:
    assert sign_test(rises, falls) == pytest.approx(p)


def test_two_runs_are_paired_by_task(library: Domain, tmp_path: Path) -> None:
    first = run_of(tmp_path / "a.db", library, ("keep-a-book", 0), ("keep-a-book", 1), ("card-and-queue", 0))
    second = run_of(tmp_path / "b.db", library, ("late-and-next", 0), ("late-and-next", 1))
    found = compare(first, second)
    assert (found.first.mean, found.second.mean) == pytest.approx((0.5, 2 / 3))
    between = found.difference
    assert between.value == pytest.approx((1 + 0.5 - 1) / 3)
    assert (found.only_first_solves, found.only_second_solves) == ((LATE,), (BOOK,))
    assert (found.tasks, found.better, found.worse, found.p) == (3, 2, 1, 1.0)
    assert (between.low or 0) < between.value < (between.high or 0)


def test_a_run_does_not_differ_from_itself(library: Domain, tmp_path: Path) -> None:
    run = run_of(tmp_path / "a.db", library, ("keep-a-book", 0))
    found = compare(run, run)
    assert (found.difference, found.p) == (MeanDifference(0.0, None, None), 1.0)
    assert list(describe(found))[-1] == "B - A  no difference: the same mean reward on every task"
    assert found.conditions == ()


def test_tasks_of_one_run_alone_are_said_and_not_counted(library: Domain, tmp_path: Path) -> None:
    first = run_of(tmp_path / "a.db", library, ("keep-a-book", 0), tasks="keep-a-book,card-and-queue", trials=1)
    second = run_of(tmp_path / "b.db", library, tasks="keep-a-book,late-and-next", trials=1)
    found = compare(first, second)
    assert found.tasks == 1
    assert (found.first.only_here, found.second.only_here) == ((QUEUE,), (LATE,))
    assert found.difference.value == 1.0
    lines = list(describe(found))
    assert "only in A (1):" in lines
    assert "  library:late-and-next" in lines
    assert json.loads(json.dumps(found.as_json()))["first"]["only_here"] == [list(QUEUE)]


def test_runs_over_other_tasks_of_the_same_name_are_refused(
    library: Domain, library_copy: Path, tmp_path: Path
) -> None:
    text = (library_copy / "tasks.jsonl").read_text(encoding="utf-8")
    (library_copy / "tasks.jsonl").write_text(text.replace("Tom Kowalski, new in town", "Tom, new here"))
    first, second = run_of(tmp_path / "a.db", library), run_of(tmp_path / "b.db", load_domain(library_copy))
    with pytest.raises(UsageError, match="Task 'card-and-queue' of domain 'library', or its domain, differs between"):
        compare(first, second)
