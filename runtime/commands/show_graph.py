"""What `worldsmith show` prints of a tool dependency graph: figures, the edges of a tool, their evidence."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from runtime.errors import UsageError
from runtime.graph import Edge, EdgeKind, Evidence, Graph
from runtime.wording import counted, have

_TITLES: dict[EdgeKind, str] = {
    "data_flow": "data flow",
    "precondition": "precondition",
    "shared_state": "shared state",
}


def graph_as_json(name: str, graph: Graph) -> dict[str, Any]:
    """Return figures and edges."""
    return {
        "domain": name,
        "nodes": len(graph.nodes),
        "edges": len(graph.edges),
        "density": round(graph.density, 4),
        "kinds": graph.kinds,
        "isolated": _isolated(graph),
        "unexecuted": list(graph.unexecuted),
        "crashed": dict(graph.crashed),
        "starts": list(graph.starts),
        "tools": {node.id: node.model_dump(exclude={"id"}) for node in graph.nodes.values()},
        "links": list(graph.edges),
    }


def describe_graph(title: str, graph: Graph) -> Iterator[str]:
    """Yield figures, then a line per tool."""
    size = f"{counted(len(graph.nodes), 'tool')}, {counted(len(graph.edges), 'edge')}"
    yield f"{title}: {size}, density {graph.density:.3f}"
    yield ", ".join(f"{kind_title} {graph.kinds[kind]}" for kind, kind_title in _TITLES.items())
    yield f"isolated: {', '.join(_isolated(graph)) or 'none'}"
    if graph.unexecuted:
        yield f"never executed: {', '.join(graph.unexecuted)}"
    for name, crash in graph.crashed.items():
        yield f"crashed: {name} {crash}"
    yield ""
    yield "tools by topic: edges in, edges out, and where they lead (d data flow, p precondition, s shared state)"
    by_topic = sorted(graph.nodes.values(), key=lambda node: node.topic)
    for topic, nodes in groupby(by_topic, lambda node: node.topic):
        yield topic
        for name in (node.id for node in nodes):
            kinds: dict[str, str] = {}
            for edge in graph.out_of(name):
                kinds[edge.target] = kinds.get(edge.target, "") + edge.kind[0]
            targets = ", ".join(f"{target} {marks}" for target, marks in kinds.items())
            needs = len({edge.source for edge in graph.into(name)})
            yield f"  {name} {needs} {len(kinds)}{': ' if targets else ''}{targets}"


def describe_edges_of(tool: str, graph: Graph) -> Iterator[str]:
    """Yield one line for each edge that ends or starts at a tool."""
    for heading, edges in (("depends on", graph.into(tool)), ("leads to", graph.out_of(tool))):
        yield from ("", heading if edges else f"{heading} no tool")
        for edge in edges:
            yield f"  {edge.source if edge.target == tool else edge.target}: {_TITLES[edge.kind]}, {_gist(edge)}"


def find_edges(graph: Graph, source: str, target: str) -> list[Edge]:
    """Return the edges from one tool to another; errors: UsageError."""
    for name in (source, target):
        if name not in graph.nodes:
            raise UsageError(f"the graph has no tool {name!r}; {have(name, graph.nodes)}")
    edges = [edge for edge in graph.out_of(source) if edge.target == target]
    if not edges:
        others = ", ".join(sorted({edge.target for edge in graph.out_of(source)})) or "no tool"
        raise UsageError(f"no edge leads from {source!r} to {target!r}; it leads to: {others}")
    return edges


def describe_evidence(edges: Sequence[Edge], graph: Graph) -> Iterator[str]:
    """Yield what was executed to find some edges, under the names that graph.json gives it."""
    for edge in edges:
        start = graph.starts[edge.evidence.start]
        yield f"{edge.source} -> {edge.target}: {_TITLES[edge.kind]}"
        yield f"  start: world of seed {start.seed}, size {start.size}"
        for name, value in edge.evidence.model_dump(exclude={"start"}, exclude_none=True).items():
            yield f"  {name}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}"
        yield ""


def _gist(edge: Edge) -> str:
    """Return what the evidence of an edge shows, in a few words."""
    evidence = edge.evidence
    if edge.kind == "data_flow":
        return f"{evidence.result} -> {evidence.parameter}"
    if edge.kind == "precondition":
        return f"{str(evidence.before).partition(':')[0]} before, accepted after"
    return f"by {_columns(evidence)}"


def _columns(evidence: Evidence) -> str:
    changed = evidence.changed or {}
    return ", ".join(f"{table}.{column}" for table, columns in changed.items() for column in columns) or "no column"


def _isolated(graph: Graph) -> list[str]:
    connected = {end for edge in graph.edges for end in (edge.source, edge.target)}
    return [name for name in graph.nodes if name not in connected]
