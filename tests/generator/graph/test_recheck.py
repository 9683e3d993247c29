"""Executing the evidence again catches an edge that was made up, moved, or outlived its tools."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from generator.gates.folder import FolderRequest
from generator.graph.find import EvidenceReport, recheck_graph
from runtime.errors import UsageError
from tests.conftest import LIBRARY


@pytest.fixture(scope="module")
def text() -> str:
    """The text of the library's graph."""
    return (LIBRARY / "graph.json").read_text(encoding="utf-8")


@pytest.fixture
def check(text: str, tmp_path: Path) -> Callable[[Callable[[dict[str, Any]], object]], EvidenceReport]:
    """Write the library's graph with something done to it, and check it."""

    def check_changed(change: Callable[[dict[str, Any]], object]) -> EvidenceReport:
        folder = tmp_path / "library"
        shutil.copytree(LIBRARY, folder, dirs_exist_ok=True)
        changed = json.loads(text)
        change(changed)
        (folder / "graph.json").write_text(json.dumps(changed), encoding="utf-8")
        return recheck_graph(FolderRequest(folder))

    return check_changed


def _first(graph: dict[str, Any], kind: str) -> dict[str, Any]:
    edge: dict[str, Any] = next(edge for edge in graph["edges"] if edge["kind"] == kind)
    return edge


def test_an_untouched_graph_has_figures_and_no_fault(check: Any, text: str) -> None:
    figures = check(lambda graph: None)
    assert figures.faults == []
    assert figures.nodes == 15
    assert figures.edges == len(json.loads(text)["edges"]) == sum(figures.kinds.values())
    assert 0 < figures.density < 1


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        pytest.param(
            lambda graph: _first(graph, "data_flow")["evidence"].update(value="X-1"), "not 'X-1'", id="another_value"
        ),
        pytest.param(
            lambda graph: _first(graph, "precondition")["evidence"].update(before="NOT_FOUND: Nobody."),
            "not 'NOT_FOUND: Nobody.'",
            id="another_rejection",
        ),
        pytest.param(
            lambda graph: _first(graph, "shared_state").update(kind="precondition"),
            "makes no such difference",
            id="another_kind",
        ),
        pytest.param(
            lambda graph: _first(graph, "shared_state")["evidence"].update(changed={"book": ["title"]}),
            "not {'book': ['title']}",
            id="other_columns",
        ),
        pytest.param(lambda graph: graph["edges"].append(graph["edges"][0]), "is a second one", id="a_second_edge"),
        pytest.param(lambda graph: graph["nodes"][0].update(reads=[]), "has another topic or other tables", id="node"),
    ],
)
def test_a_tampered_graph_is_caught(check: Any, change: Callable[[dict[str, Any]], object], fault: str) -> None:
    faults = check(change).faults
    assert faults
    assert any(fault in line for line in faults), faults


def test_a_graph_of_other_tools_is_caught(check: Any) -> None:
    def rename(graph: dict[str, Any]) -> None:
        graph["nodes"][0]["id"] = "lend_book"
        graph["edges"] = [edge for edge in graph["edges"] if "borrow_book" not in (edge["source"], edge["target"])]

    assert check(rename).faults == ["tool 'borrow_book' is not a node", "node 'lend_book' is not a tool"]


@pytest.mark.parametrize(
    ("written", "error"),
    [
        pytest.param("{", "is not a graph", id="no_json"),
    ],
)
def test_a_file_that_is_no_graph_is_one_sentence(tmp_path: Path, written: str, error: str) -> None:
    folder = tmp_path / "library"
    shutil.copytree(LIBRARY, folder)
    (folder / "graph.json").write_text(written)
    with pytest.raises(UsageError, match=error):
        recheck_graph(FolderRequest(folder))


def test_the_file_is_node_link_of_networkx(text: str) -> None:
    nx = pytest.importorskip("networkx")
    written = json.loads(text)
    assert written["format"] == 1
    network = nx.node_link_graph(written, edges="edges", key="kind")
    assert network.number_of_nodes() == 15
    assert network.number_of_edges() == len(written["edges"])
    assert network.edges["find_member", "borrow_book", "data_flow"]["evidence"]["parameter"] == "member_id"
