"""Write `graph.json`: node-link JSON by networkx, one line per node and edge."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from generator.graph.bench import note_crash
from runtime.graph import FORMAT, KINDS, Graph, StartOfEvidence


def graph_as_json(graph: Graph) -> dict[str, Any]:
    """The content of `graph.json`."""
    import networkx as nx  # type: ignore[import-untyped]  # a tenth of a second that other commands need not wait for

    network = nx.MultiDiGraph(
        starts=[_short(start) for start in graph.starts],
        unexecuted=list(graph.unexecuted),
        crashed=dict(graph.crashed),
    )
    for node in graph.nodes.values():
        network.add_node(node.id, **node.model_dump(exclude={"id"}))
    for edge in graph.edges:
        network.add_edge(edge.source, edge.target, edge.kind, evidence=_short(edge.evidence))
    content = nx.node_link_data(network, edges="edges", key="kind")
    ends = ("source", "target", "kind")
    edges = [{**{name: edge[name] for name in ends}, "evidence": edge["evidence"]} for edge in content["edges"]]
    nodes = [{"id": node["id"], **node} for node in content["nodes"]]
    return {"format": FORMAT, **content, "nodes": nodes, "edges": edges}


def write_graph(content: Mapping[str, Any]) -> str:
    """The text of `graph.json`; nodes and edges come sorted."""
    parts = [f'  "{name}": {_lines(content[name])}' for name in content]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def join_graphs(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The graph of a domain from those of disjoint sources, as `prove_graph` returns them.

    A start is counted in every part in the same order, so that edges of all parts can keep their numbers.
    """
    crashed: dict[str, str] = {}
    for part in parts:
        for name, crash in part["graph"]["crashed"].items():
            note_crash(crashed, name, crash)
    edges = [edge for part in parts for edge in part["edges"]]
    edges.sort(key=lambda edge: (edge["source"], edge["target"], KINDS.index(edge["kind"])))
    graph = {**parts[0]["graph"], "crashed": dict(sorted(crashed.items()))}
    return {**parts[0], "graph": graph, "edges": edges}


def _short(part: Any) -> dict[str, Any]:
    content: dict[str, Any] = part.model_dump(mode="json", exclude_none=True)
    return content if isinstance(part, StartOfEvidence) else dict(content)


def _lines(value: Any) -> str:
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join(f"    {_line(item)}" for item in value) + "\n  ]"
    return _line(value)


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
