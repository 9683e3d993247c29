"""`worldsmith suite make`: the days that a suite names are made here, and are what the suite says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from generator.main import main
from tests.conftest import SHIPPED_LIBRARY

SUITE = """format = 1
[domains.library_day]
days_of = "{library}"
days = [2, 3]
digest = "{digest}"
"""


def test_the_days_of_a_suite_are_made_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    suite = tmp_path / "own.toml"
    suite.write_text(SUITE.format(library=SHIPPED_LIBRARY, digest=""))
    assert main(["suite", "show", "own.toml"]) == 2
    assert "that are not made yet; `worldsmith suite make own.toml` makes them here." in capsys.readouterr().err
    assert main(["suite", "make", "own.toml", "--processes", "1", "--json"]) == 0
    digest = json.loads(capsys.readouterr().out)["domains"][0]["digest"]
    suite.write_text(SUITE.format(library=SHIPPED_LIBRARY, digest=digest))
    assert main(["suite", "make", "own.toml"]) == 0  # they are there already
    capsys.readouterr()
    assert main(["eval", "--suite", "own.toml", "--agent", "idle", "--store", "run.db", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["tasks"], figures["avg_at_k"][0]["value"]) == (2, 0.0)
    assert (figures["components"]["first_third_of_items"], figures["components"]["last_third_of_items"]) == (0.0, 0.0)
    assert main(["report", "run.db"]) == 0
    page = Path("run.html").read_text()
    assert '"messages":[{"subject":' in page
    assert "Messages of the day" in page
    assert '"right":true' not in page
    days = tmp_path / "domains" / "library_day" / "tasks.jsonl"
    days.write_text(days.read_text().splitlines()[0] + "\n")
    assert main(["suite", "show", "own.toml"]) == 2
    assert f"not {digest} as in the suite 'own'" in capsys.readouterr().err
    assert main(["suite", "make", "own.toml"]) == 1
    assert f"not {digest} as the suite says" in capsys.readouterr().out
