"""`worldsmith init`: a draft loads at once and says what is left to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.main import main


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_draft_loads_and_check_says_what_is_left(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "plain"]) == 0
    assert main(["show", "plain"]) == 0
    assert main(["check", "plain", "--calls", "20"]) == 1
    said = capsys.readouterr().out
    assert "FILL IN in schema.sql, line 1, 2, 3" in said
    assert "seeds 1 and 2 give the same world" in said


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("Shop", "A domain cannot be named 'Shop'; write lower-case letters, digits and _."),
        ("there", "'domains/there' is there already; choose another name."),
    ],
)
def test_what_cannot_be_a_draft_is_one_line(name: str, sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("domains/there").mkdir(parents=True)
    assert main(["init", name]) == 2
    assert capsys.readouterr().err == f"error: {sentence}\n"
    assert [path.name for path in Path("domains").iterdir()] == ["there"]
