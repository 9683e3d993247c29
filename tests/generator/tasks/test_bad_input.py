"""A fault in one line of `tasks.jsonl`, or in the world of one task, is named; the other tasks are still there."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from generator.gates.folder import ShareRequest
from generator.main import main
from generator.tasks.proofs.recheck import recheck_tasks
from tests.conftest import LIBRARY

CORRUPTED = '{"format": 1, "id": "cut-off", "domain": "libr'


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A library whose second task is cut off in the middle."""
    folder = Path(shutil.copytree(LIBRARY, tmp_path / "library", ignore=shutil.ignore_patterns("__pycache__")))
    path = folder / "tasks.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([lines[0], CORRUPTED, *lines[2:]]) + "\n", encoding="utf-8")
    return folder


def test_a_corrupted_line_is_named_and_the_others_are_proven(copy: Path) -> None:
    report = recheck_tasks(ShareRequest(copy))
    assert (report.kept, report.rejected) == (2, {"line": 1})
    (fault,) = report.faults
    assert f"{copy / 'tasks.jsonl'}:2: the line is not JSON" in fault
    assert sum(recheck_tasks(ShareRequest(copy, share, 2)).rejected.get("line", 0) for share in (0, 1)) == 1


def test_new_tasks_are_not_added_to_a_file_with_a_corrupted_line(
    copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (copy / "tasks.jsonl").read_bytes()
    assert main(["tasks", str(copy), "-n", "2", "--level", "1"]) == 2
    said = capsys.readouterr().err
    assert "tasks.jsonl:2: the line is not JSON" in said
    assert said.count("error: ") == 1
    assert (copy / "tasks.jsonl").read_bytes() == before


def test_a_world_that_no_longer_fits_its_task_is_named(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = copy / "tasks.jsonl"
    first, *others = path.read_text(encoding="utf-8").splitlines()
    moved = json.loads(first) | {"world": {"seed": 4, "size": 100, "digest": "0" * 32}}
    path.write_text("\n".join([json.dumps(moved), others[-1]]), encoding="utf-8")
    words = ["--format", "world", "--task", "keep-a-book", "--out", str(copy.parent / "start.db")]
    assert main(["export", str(copy), *words]) == 2
    assert "The world of task 'keep-a-book' has digest " in capsys.readouterr().err
    assert not (copy.parent / "start.db").exists()
    report = recheck_tasks(ShareRequest(copy))
    assert (report.kept, report.rejected) == (1, {"world": 1})
    assert "task 'keep-a-book'" in report.faults[0]
