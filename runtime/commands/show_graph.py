"""What `worldsmith show` prints and draws of a tool dependency graph: figures, the edges of a tool, their evidence."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from math import atan2, cos, degrees
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from runtime.commands.output import DRAWING, write_output
from runtime.errors import UsageError
from runtime.graph import Edge, EdgeKind, Evidence, Graph, Node, SetUpCall
from runtime.wording import counted, have

_TITLES: dict[EdgeKind, str] = {
    "data_flow": "data flow",
    "precondition": "precondition",
    "shared_state": "shared state",
}
_COLORS: dict[EdgeKind, str] = {"data_flow": "royalblue", "precondition": "orangered", "shared_state": "gray"}
_STYLE = "text{font:13px system-ui,sans-serif}path{fill:none;stroke-opacity:.5}g:hover>path{stroke-opacity:1}"


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
    for topic, nodes in groupby(_by_topic(graph), lambda node: node.topic):
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
    """Yield the calls that back some edges, and their results."""
    for edge in edges:
        evidence, start = edge.evidence, graph.starts[edge.evidence.start]
        source, target = _call(edge.source, evidence.source), _call(edge.target, evidence.target)
        yield f"{edge.source} -> {edge.target}: {_TITLES[edge.kind]}"
        yield f"  start: world of seed {start.seed}, size {start.size}"
        if evidence.scenario:
            yield f"  as in scenario: {evidence.scenario}"
        if evidence.reason:
            yield f"  as a model proposed: {evidence.reason}"
        yield from _set_up(evidence.lead)
        if edge.kind == "data_flow":
            yield from (f"  {source}", f"    returns {evidence.value!r} as {evidence.result}")
            yield from _set_up(evidence.between)
            yield from (f"  {target}", f"    {evidence.after}")
            yield from (f"  the same with {evidence.parameter} = {evidence.made_up!r}", f"    {evidence.otherwise}")
            if evidence.changed and evidence.otherwise == evidence.after:
                yield f"    stores another {_columns(evidence)}"
        else:
            yield from (f"  {target}", f"    {evidence.before}")
            yield from (f"  {source}", f"    changes {_columns(evidence)}")
            yield from (f"  {target}", f"    {evidence.after}")
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


def _call(tool: str, arguments: dict[str, Any]) -> str:
    written = ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in arguments.items())
    return f"{tool}({written})"


def _set_up(calls: Sequence[SetUpCall] | None) -> Iterator[str]:
    for call in calls or ():
        yield f"  {_call(call.tool, call.arguments)}"


def _isolated(graph: Graph) -> list[str]:
    connected = {end for edge in graph.edges for end in (edge.source, edge.target)}
    return [name for name in graph.nodes if name not in connected]


def _by_topic(graph: Graph) -> list[Node]:
    return sorted(graph.nodes.values(), key=lambda node: node.topic)


def write_drawing(path: Path, title: str, graph: Graph, *, force: bool) -> None:
    """Draw a graph for a browser: tools on a ring; pointing at one brings out its edges. Errors: UsageError."""
    import networkx  # type: ignore[import-untyped]  # here, since it loads numpy

    if path.suffix != ".svg":
        raise UsageError(f"--out is {str(path)!r}; a drawing is an .svg file.")
    ring = networkx.circular_layout([node.id for node in _by_topic(graph)], scale=400)
    legend = ", ".join(f'<tspan fill="{_COLORS[kind]}">{name}</tspan>' for kind, name in _TITLES.items())
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-660 -660 1320 1320"><style>{_STYLE}</style>',
        f'<text x="-640" y="-624">{escape(title)}: tool dependency graph; {legend}</text>',
        "<g>",
    ]
    for name, (x, y) in ring.items():
        angle, anchor = degrees(atan2(y, x)), "start"
        if cos(atan2(y, x)) < 0:
            angle, anchor = angle + 180, "end"
        lines.append("<g>")
        for edge in graph.out_of(name):
            to_x, to_y = ring[edge.target]
            line = f'd="M{x:.1f} {y:.1f}Q0 0 {to_x:.1f} {to_y:.1f}" stroke="{_COLORS[edge.kind]}"'
            lines.append(f"<path {line}><title>{edge.source} to {edge.target}: {_TITLES[edge.kind]}</title></path>")
        about = f"{len(graph.into(name))} edges in, {len(graph.out_of(name))} out"
        place = f"translate({x * 1.02:.1f} {y * 1.02:.1f}) rotate({angle:.2f})"
        lines.append(f'<text text-anchor="{anchor}" transform="{place}">{name}<title>{about}</title></text></g>')
    write_output(path, DRAWING, ["\n".join([*lines, "</g></svg>", ""])], force=force)
    print(f"wrote {path}", file=sys.stderr)
