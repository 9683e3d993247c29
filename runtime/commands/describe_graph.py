"""What `worldsmith show` prints of a tool dependency graph: a summary, the edges of a tool, the evidence of an edge."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from runtime.errors import UsageError
from runtime.graph import Edge, EdgeKind, Evidence, Graph, SetUpCall, StartOfEvidence
from runtime.wording import counted, have

SAID: dict[EdgeKind, str] = {
    "data_flow": "data flow",
    "precondition": "precondition",
    "shared_state": "shared state",
}
_MARKS: dict[EdgeKind, str] = {"data_flow": "d", "precondition": "p", "shared_state": "s"}
_NARROW = 70  # columns
_STRONGEST = 5


def graph_as_json(name: str, graph: Graph) -> dict[str, Any]:
    """Figures and edges."""
    return {
        "domain": name,
        "nodes": len(graph.nodes),
        "edges": len(graph.edges),
        "density": round(graph.density, 4),
        "kinds": graph.kinds,
        "isolated": _isolated(graph),
        "unexecuted": list(graph.unexecuted),
        "crashed": dict(graph.crashed),
        "starts": [start.model_dump(exclude_none=True) for start in graph.starts],
        "tools": {node.id: node.model_dump(exclude={"id"}) for node in graph.nodes.values()},
        "links": [edge.model_dump(exclude_none=True) for edge in graph.edges],
    }


def describe_graph(title: str, graph: Graph, width: int) -> Iterator[str]:
    """Figures, the strongest sources and sinks, then a line per tool that fits the width."""
    size = f"{counted(len(graph.nodes), 'tool')}, {counted(len(graph.edges), 'edge')}"
    yield f"{title}: {size}, density {graph.density:.3f}"
    yield ", ".join(f"{said} {graph.kinds[kind]}" for kind, said in SAID.items())
    yield ""
    leads = {name: len({edge.target for edge in graph.out_of(name)}) for name in graph.nodes}
    needs = {name: len({edge.source for edge in graph.into(name)}) for name in graph.nodes}
    yield f"leads to most: {_strongest(leads)}"
    yield f"depends on most: {_strongest(needs)}"
    yield f"isolated: {', '.join(_isolated(graph)) or 'none'}"
    if graph.unexecuted:
        yield f"never executed: {', '.join(graph.unexecuted)}"
    for name, crash in graph.crashed.items():
        yield f"crashed: {name} {crash}"
    yield ""
    name_width = max([len(name) for name in graph.nodes], default=4) + 2
    wide = width >= _NARROW
    heading = f"{'tool':{name_width}} in out"
    yield heading + ("  leads to (d data flow, p precondition, s shared state)" if wide else "")
    for topic in sorted({node.topic for node in graph.nodes.values()}):
        yield topic
        for node in graph.nodes.values():
            if node.topic == topic:
                line = f"  {node.id:{name_width - 2}} {needs[node.id]:>2} {leads[node.id]:>3}"
                yield line + (f"  {_targets(graph.out_of(node.id), width - len(line) - 2)}" if wide else "")


def describe_edges_of(tool: str, graph: Graph) -> Iterator[str]:
    """One line for each edge that ends or starts at a tool."""
    for heading, edges in (("depends on", graph.into(tool)), ("leads to", graph.out_of(tool))):
        yield ""
        yield heading if edges else f"{heading} no tool"
        for edge in edges:
            yield f"  {edge.source if edge.target == tool else edge.target}: {SAID[edge.kind]}, {_gist(edge)}"


def find_edges(graph: Graph, source: str, target: str) -> list[Edge]:
    """The edges from one tool to another; errors: UsageError."""
    for name in (source, target):
        if name not in graph.nodes:
            raise UsageError(f"the graph has no tool {name!r}; {have(name, graph.nodes)}")
    edges = [edge for edge in graph.out_of(source) if edge.target == target]
    if not edges:
        others = ", ".join(sorted({edge.target for edge in graph.out_of(source)})) or "no tool"
        raise UsageError(f"no edge leads from {source!r} to {target!r}; it leads to: {others}")
    return edges


def describe_evidence(edges: Sequence[Edge], graph: Graph) -> Iterator[str]:
    """The calls that back some edges, and what came of them."""
    for edge in edges:
        yield f"{edge.source} -> {edge.target}: {SAID[edge.kind]}"
        evidence = edge.evidence
        source, target = _call(edge.source, evidence.source), _call(edge.target, evidence.target)
        yield f"  start: {_start(graph.starts[evidence.start])}"
        if evidence.scenario:
            yield f"  as in scenario: {evidence.scenario}"
        if evidence.reason:
            yield f"  as a model proposed: {evidence.reason}"
        if edge.kind == "data_flow":
            column = f" ({evidence.column})" if evidence.column else ""
            yield from _set_up(evidence.lead)
            yield f"  {source}"
            yield f"    returns {evidence.value!r} as {evidence.result}{column}"
            yield from _set_up(evidence.between)
            yield f"  {target}"
            yield f"    {evidence.after}"
            yield f"  the same with {evidence.parameter} = {evidence.made_up!r}"
            yield f"    {evidence.otherwise}"
            if evidence.changed and evidence.otherwise == evidence.after:
                yield f"    stores another {_columns(evidence)}"
        else:
            yield from _set_up(evidence.lead)
            yield f"  {target}"
            yield f"    {evidence.before}"
            yield f"  {source}"
            yield f"    changes {_columns(evidence)}"
            yield f"  {target}"
            yield f"    {evidence.after}"
        yield ""


def _targets(edges: Sequence[Edge], width: int) -> str:
    """As many targets as fit, each with the marks of its kinds."""
    marks: dict[str, str] = {}
    for edge in edges:
        marks[edge.target] = marks.get(edge.target, "") + _MARKS[edge.kind]
    words = [f"{target} {kinds}" for target, kinds in marks.items()]
    for shown in range(len(words), -1, -1):
        more = f"and {len(words) - shown} more" if shown < len(words) else ""
        line = ", ".join([*words[:shown], *([more] if more else [])])
        if len(line) <= width:
            return line
    return ""


def _gist(edge: Edge) -> str:
    """What the evidence of an edge shows, in a few words."""
    evidence = edge.evidence
    if edge.kind == "data_flow":
        return f"{evidence.result} -> {evidence.parameter}"
    if edge.kind == "precondition":
        return f"{str(evidence.before).partition(':')[0]} before, accepted after"
    return f"by {_columns(evidence)}"


def _columns(evidence: Evidence) -> str:
    changed = evidence.changed or {}
    return ", ".join(f"{table}.{column}" for table, columns in changed.items() for column in columns) or "no column"


def _call(tool: str, arguments: dict[str, Any]) -> str:
    said = ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())
    return f"{tool}({said})"


def _set_up(calls: Sequence[SetUpCall] | None) -> Iterator[str]:
    """The calls without which the others do not show it."""
    for call in calls or ():
        yield f"  {_call(call.tool, call.arguments)}"


def _start(start: StartOfEvidence) -> str:
    place = f"case {start.case}" if start.case else f"world of seed {start.seed}, size {start.size}"
    return f"{place}, acting as {start.principal}" if start.principal else place


def _strongest(counts: dict[str, int]) -> str:
    strongest = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_STRONGEST]
    return ", ".join(f"{name} {count}" for name, count in strongest if count) or "none"


def _isolated(graph: Graph) -> list[str]:
    connected = {end for edge in graph.edges for end in (edge.source, edge.target)}
    return [name for name in graph.nodes if name not in connected]
