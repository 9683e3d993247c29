"""Claims about proving the tasks of a folder again, as they were made or from their lines alone."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from generator.gates.folder import ShareRequest
from generator.tasks.compose import Composer
from generator.tasks.make import with_proofs
from generator.tasks.plan import MadeOf
from generator.tasks.proofs.all import prove_candidate
from generator.tasks.proofs.recheck import recheck_tasks
from runtime.domain.load import load_domain
from runtime.graph import read_graph
from runtime.task.task_file import task_line
from tests.conftest import LIBRARY


@pytest.fixture
def library_copy(tmp_path: Path) -> Path:
    """The library's folder, free to be changed."""
    return Path(shutil.copytree(LIBRARY, tmp_path / "library", ignore=shutil.ignore_patterns("__pycache__")))


def change_task(folder: Path, number: int, **changes: Any) -> None:
    """Leave one task of a folder, changed."""
    path = folder / "tasks.jsonl"
    task = json.loads(path.read_text(encoding="utf-8").splitlines()[number])
    path.write_text(json.dumps({**task, **changes}), encoding="utf-8")


def test_the_tasks_written_by_hand_hold_against_every_proof() -> None:
    report = recheck_tasks(ShareRequest(LIBRARY))
    assert (report.tasks, report.kept, report.rejected, report.faults) == (3, 3, {}, [])
    assert report.proofs.keys() == {"replay", "documented", "inert", "necessity", "order", "tolerance", "sensitivity"}
    assert all(passed == tried > 0 for passed, tried in report.proofs.values())
    assert "renew_loan" in report.tools
    assert "cancel_hold" not in report.tools


def keep_made_tasks(folder: Path) -> list[dict[str, Any]]:
    """Put two tasks that are made here, one of them with counterfactuals, in the place of others."""
    domain = load_domain(folder)
    with Composer(domain, read_graph(folder)) as composer:
        made = [composer.compose(MadeOf(number, level)) for number, level in ((2, 4), (3, 2))]
        lines = [task_line(with_proofs(candidate, prove_candidate(candidate))) for candidate in made]
    (folder / "tasks.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return [json.loads(line) for line in lines]


def test_a_made_task_is_proven_again_by_every_proof_that_it_was_made_with(library_copy: Path) -> None:
    one, other = keep_made_tasks(library_copy)
    report = recheck_tasks(ShareRequest(library_copy))
    assert (report.kept, report.remade, report.not_remade, report.faults) == (2, 2, {}, [])
    assert report.proofs.keys() == one["proofs"].keys() | other["proofs"].keys()
    assert "counterfactuals" in report.proofs
    assert all(passed == tried for passed, tried in report.proofs.values())


def test_a_line_that_its_number_does_not_make_is_proven_as_far_as_it_goes(library_copy: Path) -> None:
    one, other = keep_made_tasks(library_copy)
    one["chain"][0]["wish"] = len(one["user"]["wishes"]) - 1
    other["user"]["profile"] = "Somebody else."
    (library_copy / "tasks.jsonl").write_text(f"{json.dumps(one)}\n{json.dumps(other)}\n", encoding="utf-8")
    report = recheck_tasks(ShareRequest(library_copy))
    assert report.remade == 0
    assert report.not_remade == {
        one["id"]: "its number makes a task with another chain",
        other["id"]: "its number makes a task with another user",
    }
    assert "counterfactuals" not in report.proofs


@pytest.mark.parametrize("lacking", ["scenarios.py", "graph.json"])
def test_a_folder_that_lacks_what_tasks_are_made_of_says_so(lacking: str, library_copy: Path) -> None:
    _, task = keep_made_tasks(library_copy)  # in the smaller world, so in the first share
    (library_copy / lacking).unlink()
    report = recheck_tasks(ShareRequest(library_copy, 0, 2))
    assert (report.remade, report.faults) == (0, [])
    assert lacking in report.not_remade[task["id"]]


@pytest.mark.parametrize(
    ("changes", "reason", "said"),
    [
        pytest.param({"chain": []}, "replay", "It has no reference chain.", id="no_chain"),
        pytest.param({"expected": []}, "replay", "The chain is not rewarded:", id="another_state"),
        pytest.param({"expected": [], "answers": []}, "replay", "The chain is not rewarded:", id="nothing_asked"),
    ],
)
def test_a_task_that_is_not_proven_is_counted_under_its_reason(
    changes: dict[str, Any], reason: str, said: str, library_copy: Path
) -> None:
    change_task(library_copy, 0, **changes)
    report = recheck_tasks(ShareRequest(library_copy))
    assert (report.kept, report.rejected) == (0, {reason: 1})
    assert said in report.faults[0]
