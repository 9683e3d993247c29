"""Claims about `worldsmith compare`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from generator.main import main
from runtime.domain.domain import Domain
from tests.runtime.harness.evaluation.playing import fail_at, sit


@pytest.fixture
def stores(library: Domain, tmp_path: Path) -> tuple[str, str]:
    """Two runs; the first fails at one task more."""
    first, second = tmp_path / "a.db", tmp_path / "b.db"
    sit(first, library, play=fail_at([("keep-a-book", 0)]))
    sit(second, library)
    return str(first), str(second)


def test_two_runs_are_compared_in_words(stores: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", *stores]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "A  mean reward 0.667  agent reference, user none"
    assert "B - A  +0.333  (-0.323 to +0.773, 95%)" in lines
    assert "B better on 1, worse on 0; sign test p = 1" in lines
    assert lines[-2:] == ["only B solves (1):", "  library:keep-a-book"]


def test_two_runs_are_compared_as_json(stores: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", *stores, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["difference"]["value"] == pytest.approx(1 / 3, abs=1e-6)
    assert found["only_second_solves"] == [["library", "keep-a-book"]]
    assert (found["tasks"], found["better"], found["worse"], found["p"]) == (3, 1, 0, 1.0)


def test_what_is_no_store_is_one_clear_line(
    stores: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", stores[0], str(tmp_path / "none.db")]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert (
        captured.err == f"error: There is no run store {str(tmp_path / 'none.db')!r}; `worldsmith eval` writes one.\n"
    )
