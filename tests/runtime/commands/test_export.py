"""`worldsmith export` writes whole files, says what it left out, and refuses what makes no sense."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from generator.main import main
from runtime.domain.domain import Domain
from tests.runtime.harness.played import keep, play, some_episodes


@pytest.fixture(scope="module")
def store(library: Domain, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("run") / "run.db"
    keep(path, library, some_episodes(library))
    return path


@pytest.mark.parametrize(("kind", "lines"), [("messages", 9), ("sft", 4), ("rl", 3)])
def test_each_format_is_json_lines(
    store: Path, tmp_path: Path, kind: str, lines: int, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.jsonl"
    assert main(["export", str(store), "--format", kind, "--out", str(out), "--json"]) == 0
    found = [json.loads(each) for each in out.read_text(encoding="ascii").splitlines()]
    assert len(found) == lines
    assert json.loads(capsys.readouterr().out)["lines"] == lines
    assert [path.name for path in tmp_path.iterdir()] == ["out.jsonl"]


def test_nothing_to_train_on_is_no_success_and_no_file(
    library: Domain, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep(tmp_path / "run.db", library, [play(library, "keep-a-book", [])])
    assert main(["export", str(tmp_path / "run.db"), "--format", "sft", "--out", str(tmp_path / "out.jsonl")]) == 1
    assert capsys.readouterr().out == "nothing was written: 0 of 1 episode; left out: 1 reward below 1\n"
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        pytest.param(["--format", "rl", "--json"], "--json goes with --out", id="json_on_stdout"),
        pytest.param(["--format", "rl", "--out", "/no/such/folder/out.jsonl"], "cannot be written", id="no_folder"),
    ],
)
def test_what_makes_no_sense_is_refused(
    store: Path, words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", str(store), *words]) == 2
    assert sentence in capsys.readouterr().err
