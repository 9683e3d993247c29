"""`worldsmith report` writes one file, the same one for the same store."""

from __future__ import annotations

import json
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


def test_the_page_lies_beside_the_store_unless_told_otherwise(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(store)]) == 0
    said = capsys.readouterr().out
    page = store.with_suffix(".html")
    assert said.startswith(f"{page}: 9 episodes, ")
    assert main(["report", str(store), "--out", str(tmp_path / "page.html"), "--json"]) == 0
    assert (tmp_path / "page.html").read_bytes() == page.read_bytes()
    assert json.loads(capsys.readouterr().out) == {
        "file": str(tmp_path / "page.html"),
        "bytes": page.stat().st_size,
        "episodes": 9,
    }
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
