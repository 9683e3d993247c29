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


def _evidence(kind: str, **changes: Any) -> Callable[[dict[str, Any]], object]:
    return lambda graph: _first(graph, kind)["evidence"].update(changes)


TAMPERED: dict[str, Callable[[dict[str, Any]], object]] = {
    "not 'X-1'": _evidence("data_flow", value="X-1"),
    "not 'NOT_FOUND: Nobody.'": _evidence("precondition", before="NOT_FOUND: Nobody."),
    "not {'book': ['title']}": _evidence("shared_state", changed={"book": ["title"]}),
    "makes no such difference": lambda graph: _first(graph, "shared_state").update(kind="precondition"),
    "is a second one": lambda graph: graph["edges"].append(graph["edges"][0]),
    "has another topic or other tables": lambda graph: graph["nodes"][0].update(reads=[]),
}


@pytest.mark.parametrize("said", TAMPERED)
def test_a_tampered_graph_is_caught(check: Any, said: str) -> None:
    faults = check(TAMPERED[said]).faults
    assert any(said in line for line in faults), faults


def test_a_graph_of_other_tools_is_caught(check: Any) -> None:
    def rename(graph: dict[str, Any]) -> None:
        graph["nodes"][0]["id"] = "lend_book"
        graph["edges"] = [edge for edge in graph["edges"] if "borrow_book" not in (edge["source"], edge["target"])]

    assert check(rename).faults == ["tool 'borrow_book' is not a node", "node 'lend_book' is not a tool"]


def test_a_file_that_is_no_graph_is_one_sentence(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(LIBRARY, tmp_path / "library"))
    (folder / "graph.json").write_text("{")
    with pytest.raises(UsageError, match="is not a graph"):
        recheck_graph(FolderRequest(folder))


def test_the_file_is_node_link_of_networkx(text: str) -> None:
    nx = pytest.importorskip("networkx")
    written = json.loads(text)
    assert written["format"] == 1
    network = nx.node_link_graph(written, edges="edges", key="kind")
    assert network.number_of_nodes() == 15
    assert network.number_of_edges() == len(written["edges"])
    assert network.edges["find_member", "borrow_book", "data_flow"]["evidence"]["parameter"] == "member_id"
