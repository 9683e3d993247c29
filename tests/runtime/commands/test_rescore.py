"""Claims about `worldsmith rescore`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from generator.main import main
from runtime.domain.load import load_domain
from tests.conftest import LIBRARY
from tests.runtime.harness.evaluation.playing import sit
from tests.runtime.harness.evaluation.test_rescore import rewrite_task


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the library that a test may change."""
    return Path(shutil.copytree(LIBRARY, tmp_path / "library"))


@pytest.fixture
def store(folder: Path, tmp_path: Path) -> Path:
    """A run over that copy."""
    path = tmp_path / "run.db"
    sit(path, load_domain(folder))
    return path


def test_verdicts_that_stand_are_said_with_status_0(
    store: Path, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rescore", str(store), "--domain", str(folder)]) == 0
    assert capsys.readouterr().out == "3 verdicts given again, 0 flipped\n"


def test_a_flip_is_listed_with_status_1(store: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rewrite_task(folder, "keep-a-book", answers=[{"name": "day", "value": "2026-05-05", "kind": "date"}])
    before = store.read_bytes()
    assert main(["rescore", str(store), "--domain", str(folder), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [(flip["task"], flip["before"], flip["now"]) for flip in found["flips"]] == [("keep-a-book", 1, 0)]
    assert found["flips"][0]["why"]
    assert (found["judged"], found["unjudged"]) == (3, {})
    assert store.read_bytes() == before
    assert main(["rescore", str(store), "--domain", str(folder)]) == 1
    assert "flip: library:keep-a-book trial 0: reward 1 in the run, 0 now" in capsys.readouterr().out


def test_what_is_no_store_is_one_clear_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rescore", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith(f"error: There is no run store {str(tmp_path)!r}; ")
