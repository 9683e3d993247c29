"""Claims about proving the tasks of a folder again, as they were made or from their lines alone."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from generator.gates.folder import ShareRequest
from generator.tasks.proofs.recheck import recheck_tasks
from tests.conftest import LIBRARY, SHIPPED_LIBRARY


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
    """Put two of the tasks that were made for the library, one of them with twins, in the place of others."""
    lines = (SHIPPED_LIBRARY / "tasks.jsonl").read_text(encoding="utf-8").splitlines()
    made = [json.loads(line) for line in lines]
    of_world = next(task["world"] | {"digest": ""} for task in made if "twins" in task.get("proofs", {}))
    kept = [task for task in made if task["world"] | {"digest": ""} == of_world]
    kept = [task for task in kept if task.get("proofs")]
    kept.sort(key=lambda task: "twins" not in task["proofs"])
    (folder / "tasks.jsonl").write_text("".join(f"{json.dumps(task)}\n" for task in kept[:2]), encoding="utf-8")
    return kept[:2]


def test_a_made_task_is_proven_again_by_every_proof_that_it_was_made_with(library_copy: Path) -> None:
    one, other = keep_made_tasks(library_copy)
    report = recheck_tasks(ShareRequest(library_copy))
    assert (report.kept, report.remade, report.not_remade, report.faults) == (2, 2, {}, [])
    assert report.proofs.keys() == one["proofs"].keys() | other["proofs"].keys()
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
    assert "twins" not in report.proofs


@pytest.mark.parametrize("lacking", ["scenarios.py", "graph.json"])
def test_a_folder_that_lacks_what_tasks_are_made_of_says_so(lacking: str, library_copy: Path) -> None:
    (task, _) = keep_made_tasks(library_copy)
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
