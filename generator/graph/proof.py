"""Find the graph of a domain folder, or execute its evidence again, in a child process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from generator.gates.cases.case import CaseBook, read_cases
from generator.graph.find import find_graph
from generator.graph.recheck import recheck
from generator.graph.write import graph_as_json
from runtime.domain.load import load_domain
from runtime.graph import read_graph


def prove_graph(folder: str, share: int = 0, shares: int = 1) -> dict[str, Any]:
    """The content of `graph.json`; with several `shares`, the edges of every so-many-th tool, for `join_graphs`."""
    domain = load_domain(Path(folder))
    sources = [name for number, name in enumerate(domain.tools) if number % shares == share]
    return graph_as_json(find_graph(domain, _cases_of(Path(folder)), sources))


def recheck_graph(folder: str) -> dict[str, Any]:
    """Figures of `graph.json` and one line per edge whose evidence does not show what it says."""
    domain = load_domain(Path(folder))
    graph = read_graph(Path(folder))
    return {
        "nodes": len(graph.nodes),
        "edges": len(graph.edges),
        "density": round(graph.density, 4),
        "kinds": graph.kinds,
        "faults": recheck(domain, graph, _cases_of(Path(folder))),
    }


def _cases_of(folder: Path) -> CaseBook:
    path = folder / "cases.jsonl"
    return read_cases(path) if path.is_file() else {}
