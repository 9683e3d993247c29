"""`worldsmith graph` writes the graph of a domain as it is found, the same bytes each time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from generator.main import main
from tests.conftest import LIBRARY
from tests.making import make_domain

Capture = pytest.CaptureFixture[str]


def test_the_graph_that_the_library_carries_is_the_one_that_is_found(tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "graph.json"
    assert main(["graph", str(LIBRARY), "--out", str(out), "--json"]) == 0
    assert out.read_bytes() == (LIBRARY / "graph.json").read_bytes()
    told = json.loads(capsys.readouterr().out)
    assert (told["file"], told["nodes"], sum(told["kinds"].values())) == (str(out), 15, told["edges"])


def test_a_domain_without_scenarios_has_a_graph_too(tmp_path: Path, capsys: Capture) -> None:
    folder = make_domain(tmp_path).path
    assert main(["graph", str(folder)]) == 0
    assert capsys.readouterr().out == f"{folder / 'graph.json'}: 1 tool, 0 edges, density 0.000\n"
    assert json.loads((folder / "graph.json").read_text(encoding="utf-8"))["nodes"][0]["id"] == "do_nothing"


@pytest.mark.parametrize(
    ("words", "error"),
    [
        pytest.param(["libary"], "no domain 'libary'", id="typo"),
        pytest.param(["library"], "library belongs to the installed package; pass --out FILE", id="carried"),
        pytest.param(["library", "--out", "nowhere/graph.json"], "there is no folder 'nowhere'", id="no_folder"),
    ],
)
def test_what_cannot_be_written_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture, words: list[str], error: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["graph", *words]) == 2
    said = capsys.readouterr().err
    assert error in said
    assert said.count("\n") == 1
