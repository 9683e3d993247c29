"""Claims about `worldsmith show --card`."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from generator.main import main
from runtime.domain.load import load_domain
from tests.conftest import LIBRARY

FIRST, LAST = "<!-- card of library -->", "<!-- end of the card of library -->"


def test_a_card_has_rules_three_conversations_and_no_rates_that_nobody_measured(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["show", str(LIBRARY), "--card"]) == 0
    card = capsys.readouterr().out
    domain = load_domain(LIBRARY)
    assert domain.card.summary in card
    assert all(f"- `{rule.code}`: {rule.prose}" in card for rule in domain.rules.rules)
    assert card.count("> **Agent:** Hello, how can I help you?") == 3
    assert "**Pass rates**: not measured;" in card


def test_rates_of_the_tasks_as_they_are_stand_on_the_card_and_stale_ones_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "library"
    shutil.copytree(LIBRARY, folder)
    measured = ["calibrate", "./library", "--agent", "reference", "--name", "a clerk", "--transport", "session"]
    assert main([*measured, "--trials", "2"]) == 0
    capsys.readouterr()
    assert main(["show", "./library", "--card"]) == 0
    assert "| a clerk | scripted | 3 | 6 | 1.000 |" in capsys.readouterr().out
    with (folder / "policy.md").open("a") as policy:
        policy.write("\nNobody borrows on Sundays.\n")
    assert main(["show", "./library", "--card"]) == 0
    assert "**Pass rates**: not measured;" in capsys.readouterr().out


def test_a_file_without_the_marks_has_no_place_for_a_card(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# A page\n\n{FIRST}\nold\n")
    assert main(["show", str(LIBRARY), "--card", "--out", str(page)]) == 2
    assert "has no place for the card" in capsys.readouterr().err
    page.write_text(f"# A page\n\n{FIRST}\nold\n{LAST}\nThe end.\n")
    assert main(["show", str(LIBRARY), "--card", "--out", str(page)]) == 0
    text = page.read_text()
    assert text.startswith(f"# A page\n\n{FIRST}\n### Town library")
    assert text.endswith(f"{LAST}\nThe end.\n")
    assert "old" not in text.splitlines()
