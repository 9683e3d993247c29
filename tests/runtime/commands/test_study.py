"""Claims about `worldsmith study domains`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from generator.main import main
from runtime.domain.domain import Domain
from tests.making import write_domain
from tests.runtime.suite_files import write_library

TOKENS = {
    "by_stage": {
        "tools": {"prompt": 900, "completion": 80},
        "code": {"prompt": 100, "completion": 20},
        "scenarios": {"prompt": 400, "completion": 40},
    },
    "estimated": True,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two domains, one with its tokens."""
    path = tmp_path / "domains"
    path.mkdir()
    write_domain(path, provenance={"tokens": TOKENS, "tasks": {"count": 4}})
    write_library(path, "copy")
    return path


def test_a_folder_of_domains_is_told_in_tables_and_as_json(
    library: Domain, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["study", "domains", str(folder)]) == 0
    told = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "small ~1,000 ~100 ~1,100" in told
    assert "small ~100 ~10 ~110" in told
    assert "most alike: copy and small, 0.000" in told
    assert main(["study", "domains", str(folder), "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert [(each["domain"], each["tools"], each["tasks"]) for each in content["domains"]] == [
        ("copy", len(library.tools), 3),
        ("small", 1, 0),
    ]
    assert content["mean_tokens"]["foundation"] == {"prompt": 1000, "completion": 100, "total": 1100}
    assert content["similarity"] == [{"domains": ["copy", "small"], "value": 0.0}]


def test_tables_are_the_same_bytes_every_time(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "study"
    made = []
    for _ in range(2):
        assert main(["study", "domains", str(folder), "--out", str(out)]) == 0
        made.append({path.name: path.read_bytes() for path in out.iterdir()})
    assert made[0] == made[1]
    assert sorted(made[0]) == ["domains.csv", "similarity.csv"]
