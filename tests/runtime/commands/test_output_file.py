"""A command's output replaces a file of its own kind; any other only with `--force`."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from generator.main import main
from runtime.domain.domain import Domain
from tests.runtime.harness.played import keep, some_episodes


@pytest.fixture(scope="module")
def store(library: Domain, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("run") / "run.db"
    keep(path, library, some_episodes(library))
    return path


WRITERS = [
    pytest.param(["report", "{store}", "--out"], ".html", id="report"),
    pytest.param(["export", "{store}", "--format", "messages", "--out"], ".jsonl", id="export_messages"),
    pytest.param(["show", "job_seeking", "--graph", "--out"], ".svg", id="show_svg"),
]


@pytest.mark.parametrize(("words", "ending"), WRITERS)
def test_a_file_of_the_same_kind_is_replaced_and_no_other(
    words: list[str], ending: str, store: Path, library: Domain, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [word.format(store=store) for word in words]
    out = tmp_path / f"out{ending}"
    assert main([*words, str(out)]) == 0
    written = out.read_bytes()
    assert main([*words, str(out)]) == 0, "of the same kind"
    capsys.readouterr()
    for other in (store, library.path / "domain.json", library.path / "tasks.jsonl", library.path / "world.py"):
        shutil.copy(other, out)
        assert main([*words, str(out)]) == 2
        said = capsys.readouterr().err
        assert "exists and is not a" in said
        assert len(said.splitlines()) == 1
        assert out.read_bytes() == other.read_bytes()
    assert main([*words, str(out), "--force"]) == 0
    assert out.read_bytes() == written
    assert [path.name for path in tmp_path.iterdir()] == [out.name]
