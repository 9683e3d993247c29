"""`show --graph` sums the graph up and shows the evidence of an edge; without a graph it says what to do."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from generator.main import main
from runtime.graph import read_graph
from tests.conftest import LIBRARY
from tests.making import write_domain

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library with its graph."""
    path = tmp_path_factory.mktemp("domains") / "library"
    shutil.copytree(LIBRARY, path)
    return path


def test_the_summary_has_figures_and_where_each_tool_leads(folder: Path, capsys: Capture) -> None:
    assert main(["show", str(folder), "--graph"]) == 0
    lines = capsys.readouterr().out.splitlines()
    graph = read_graph(folder)
    assert {f"edges: {len(graph.edges)}", f"density: {graph.density:.3f}", "isolated: none"} <= set(lines)
    assert "  search_books: borrow_book (data_flow), decline_request (data_flow), place_hold (data_flow)" in lines


def test_a_tool_lists_its_edges(folder: Path, capsys: Capture) -> None:
    assert main(["show", str(folder), "--tool", "cancel_hold"]) == 0
    assert "place_hold (data_flow, precondition)" in capsys.readouterr().out
    assert main(["show", str(folder), "--tool", "cancel_hold", "--json"]) == 0
    edges = json.loads(capsys.readouterr().out)["edges"]
    assert {"source": "place_hold", "target": "cancel_hold", "kind": "data_flow"} in edges


def test_an_edge_shows_its_calls(folder: Path, capsys: Capture) -> None:
    assert main(["show", str(folder), "--graph", "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    [edge] = [
        each
        for each in content["links"]
        if (each["source"], each["target"], each["kind"]) == ("place_hold", "cancel_hold", "precondition")
    ]
    assert edge["evidence"]["before"].startswith("NOT_FOUND: No hold")
    assert {"seed": 1, "size": 150}.items() <= content["starts"][edge["evidence"]["start"]].items()


@pytest.mark.parametrize(
    ("words", "error"),
    [
        pytest.param(["{none}", "--graph"], "has no graph.json; `worldsmith graph small` finds it", id="none"),
        pytest.param(["{folder}", "--tool", "cancel_hole"], "No tool 'cancel_hole' exists", id="typo"),
    ],
)
def test_what_cannot_be_shown_is_one_line(
    folder: Path, tmp_path: Path, capsys: Capture, words: list[str], error: str
) -> None:
    none = write_domain(tmp_path)
    assert main(["show", *(word.format(folder=folder, none=none) for word in words)]) == 2
    captured = capsys.readouterr()
    assert error in captured.err
    assert captured.err.count("\n") == 1
    assert captured.out == ""
