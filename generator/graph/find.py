"""Decide what the tool dependency graph of a domain is (paper, section 4.1.3): its edges, backed by execution.

Every choice is sampled from a generator seeded by names, and effort is counted, not timed, so that the graph is the
same in every process.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from generator.gates.calls.start import start_on
from generator.gates.folder import FolderRequest
from generator.graph.chains import (
    WORLDS,
    ChainFlowsRequest,
    arguments_of_cases,
    prove_chain_flows,
    with_edges,
)
from generator.graph.edges import EdgeSearch, Known
from generator.graph.experiment import CallRunner
from generator.isolation.job import ProvingLimits, job
from generator.isolation.process import prove
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.graph import FORMAT, Graph, Node, StartOfEvidence

_LIMITS = ProvingLimits(cpu_seconds=240, wall_seconds=1_800)


def find_whole_graph(folder: Path) -> Graph:
    """Return the graph of a domain folder in its present state; errors: BrokenDomain, ProofFailed."""
    return with_chain_flows(folder, search_graph(folder))


def search_graph(folder: Path) -> Graph:
    """Return the graph that needs no scenarios; errors: BrokenDomain, ProofFailed."""
    return prove(prove_graph, FolderRequest(folder), _LIMITS)


def with_chain_flows(folder: Path, graph: Graph) -> Graph:
    """Add every data flow of the chains that the folder's scenarios come to; errors: BrokenDomain, ProofFailed."""
    return prove(prove_chain_flows, ChainFlowsRequest(folder, graph), _LIMITS)


@job("edges")
def prove_graph(asked: FolderRequest) -> Graph:
    """Find the graph of a domain folder that needs no scenarios; errors: BrokenDomain, EnvironmentFault."""
    return find_graph(load_domain(asked.folder))


def find_graph(domain: Domain) -> Graph:
    """Find the edges between a domain's tools on each world; a later world only adds what is missing.

    Errors: EnvironmentFault if no world can be built.
    """
    told = arguments_of_cases(domain.path)
    nodes = {name: node_of(domain, name) for name in domain.tools}
    starts = tuple(StartOfEvidence(seed=seed, size=size) for seed, size in WORLDS)
    graph = Graph(starts=starts, unexecuted=(), crashed={}, nodes=nodes, edges=())
    known: Known = set()
    executed: set[str] = set()
    crashes: dict[str, str] = {}
    for start, (seed, size) in zip(starts, WORLDS, strict=True):
        with CallRunner(start_on(domain, seed, size)) as runner:
            search = EdgeSearch(runner, told)
            executed |= {name for name, found in search.examples.items() if found.succeeding}
            graph = with_edges(graph, start, list(search.edges(known)))
            crashes = runner.crashes | crashes
    unexecuted = tuple(name for name in domain.tools if name not in executed)
    return Graph(starts, unexecuted, dict(sorted(crashes.items())), nodes, graph.edges)


def node_of(domain: Domain, name: str) -> Node:
    """Return a tool as a node; its topic is the file it stands in."""
    tool = domain.tools[name]
    topic = tool.file.rpartition("/")[2].removesuffix(".py")
    return Node(id=name, topic=topic, reads=sorted(tool.reads), writes=sorted(tool.writes))


def write_graph(graph: Graph) -> str:
    """Return the text of `graph.json`, with a line for each node and edge."""
    about = {
        "starts": [_short(start) for start in graph.starts],
        "unexecuted": graph.unexecuted,
        "crashed": dict(graph.crashed),
    }
    edges = [{**edge.model_dump(exclude={"evidence"}), "evidence": _short(edge.evidence)} for edge in graph.edges]
    parts = {
        "format": _line(FORMAT),
        "directed": _line(True),
        "multigraph": _line(True),
        "graph": _line(about),
        "nodes": _lines([node.model_dump() for node in graph.nodes.values()]),
        "edges": _lines(edges),
    }
    return "{\n" + ",\n".join(f'  "{name}": {text}' for name, text in parts.items()) + "\n}\n"


def _short(part: BaseModel) -> dict[str, Any]:
    return part.model_dump(mode="json", exclude_none=True)


def _lines(values: list[dict[str, Any]]) -> str:
    return "[\n" + ",\n".join(f"    {_line(value)}" for value in values) + "\n  ]" if values else "[]"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
