"""The tasks of a folder are proven again, as they were made or from their lines; a fault in one leaves the others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from generator.gates.folder import ShareRequest
from generator.main import main
from generator.tasks.compose import Composer
from generator.tasks.make import with_proofs
from generator.tasks.plan import MadeOf
from generator.tasks.proofs.all import prove_candidate
from generator.tasks.proofs.recheck import recheck_tasks
from runtime.task.task_file import task_line
from tests.conftest import LIBRARY


def test_the_tasks_written_by_hand_hold_against_every_proof() -> None:
    report = recheck_tasks(ShareRequest(LIBRARY))
    assert (report.tasks, report.kept, report.rejected, report.faults) == (3, 3, {}, [])
    assert report.proofs.keys() == {"replay", "documented", "inert", "necessity", "order", "tolerance", "sensitivity"}
    assert all(passed == tried > 0 for passed, tried in report.proofs.values())
    assert "renew_loan" in report.tools
    assert "cancel_hold" not in report.tools


@pytest.fixture(scope="module")
def lines(composer: Composer) -> list[str]:
    """Two tasks that are made here, one of them with counterfactuals."""
    made = [composer.compose(MadeOf(number, level)) for number, level in ((2, 4), (3, 2))]
    return [task_line(with_proofs(candidate, prove_candidate(candidate))) for candidate in made]


@pytest.fixture
def made(lines: list[str], library_copy: Path) -> list[dict[str, Any]]:
    """These tasks in the place of the library's."""
    (library_copy / "tasks.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return [json.loads(line) for line in lines]


def test_a_made_task_is_proven_again_by_every_proof_that_it_was_made_with(
    library_copy: Path, made: list[dict[str, Any]]
) -> None:
    one, other = made
    report = recheck_tasks(ShareRequest(library_copy))
    assert (report.kept, report.remade, report.not_remade, report.faults) == (2, 2, {}, [])
    assert report.proofs.keys() == one["proofs"].keys() | other["proofs"].keys()
    assert "counterfactuals" in report.proofs
    assert all(passed == tried for passed, tried in report.proofs.values())


def test_a_line_that_its_number_does_not_make_is_proven_as_far_as_it_goes(
    library_copy: Path, made: list[dict[str, Any]]
) -> None:
    one, other = made
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
def test_a_folder_that_lacks_what_tasks_are_made_of_says_so(
    lacking: str, library_copy: Path, made: list[dict[str, Any]]
) -> None:
    _, task = made  # in the smaller world, so in the first share
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
    path = library_copy / "tasks.jsonl"
    first, *_ = path.read_text(encoding="utf-8").splitlines()
    path.write_text(json.dumps(json.loads(first) | changes), encoding="utf-8")
    report = recheck_tasks(ShareRequest(library_copy))
    assert (report.kept, report.rejected) == (0, {reason: 1})
    assert said in report.faults[0]


@pytest.fixture
def corrupted(library_copy: Path) -> Path:
    """A library whose second task is cut off in the middle."""
    path = library_copy / "tasks.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    cut_off = '{"format": 1, "id": "cut-off", "domain": "libr'
    path.write_text("\n".join([lines[0], cut_off, *lines[2:]]) + "\n", encoding="utf-8")
    return library_copy


def test_a_corrupted_line_is_named_and_the_others_are_proven(corrupted: Path) -> None:
    report = recheck_tasks(ShareRequest(corrupted))
    assert (report.kept, report.rejected) == (2, {"line": 1})
    (fault,) = report.faults
    assert f"{corrupted / 'tasks.jsonl'}:2: the line is not JSON" in fault
    assert sum(recheck_tasks(ShareRequest(corrupted, share, 2)).rejected.get("line", 0) for share in (0, 1)) == 1


def test_new_tasks_are_not_added_to_a_file_with_a_corrupted_line(
    corrupted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (corrupted / "tasks.jsonl").read_bytes()
    assert main(["tasks", str(corrupted), "-n", "2", "--level", "1"]) == 2
    said = capsys.readouterr().err
    assert "tasks.jsonl:2: the line is not JSON" in said
    assert said.count("error: ") == 1
    assert (corrupted / "tasks.jsonl").read_bytes() == before


def test_a_world_that_no_longer_fits_its_task_is_named(corrupted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = corrupted / "tasks.jsonl"
    first, *others = path.read_text(encoding="utf-8").splitlines()
    moved = json.loads(first) | {"world": {"seed": 4, "size": 100, "digest": "0" * 32}}
    path.write_text("\n".join([json.dumps(moved), others[-1]]), encoding="utf-8")
    words = ["--format", "world", "--task", "keep-a-book", "--out", str(corrupted.parent / "start.db")]
    assert main(["export", str(corrupted), *words]) == 2
    assert "The world of task 'keep-a-book' has digest " in capsys.readouterr().err
    assert not (corrupted.parent / "start.db").exists()
    report = recheck_tasks(ShareRequest(corrupted))
    assert (report.kept, report.rejected) == (1, {"world": 1})
    assert "task 'keep-a-book'" in report.faults[0]
