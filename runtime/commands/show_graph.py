"""What `worldsmith show` prints and draws of a tool dependency graph: figures, the edges of a tool, their evidence."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from math import atan2, cos, pi
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from runtime.commands.output import DRAWING, write_output
from runtime.errors import UsageError
from runtime.graph import Edge, EdgeKind, Evidence, Graph, SetUpCall, StartOfEvidence
from runtime.wording import counted, have

_TITLES: dict[EdgeKind, str] = {
    "data_flow": "data flow",
    "precondition": "precondition",
    "shared_state": "shared state",
}
_COLORS: dict[EdgeKind, str] = {"data_flow": "#2b6fd4", "precondition": "#d9480f", "shared_state": "#8b95a3"}
_ARROWS: dict[EdgeKind, str] = {"data_flow": "-->", "precondition": "==>", "shared_state": "-.->"}  # of Mermaid
_STRONGEST = 5
_RADIUS, _HALF = 400, 660  # of the ring of tools, and half the width of a picture, with room for names


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
    """Return figures, the strongest sources and sinks, then a row per tool."""
    size = f"{counted(len(graph.nodes), 'tool')}, {counted(len(graph.edges), 'edge')}"
    yield f"{title}: {size}, density {graph.density:.3f}"
    yield ", ".join(f"{kind_title} {graph.kinds[kind]}" for kind, kind_title in _TITLES.items())
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
    yield "tools by topic: edges in, edges out, and where they lead (d data flow, p precondition, s shared state)"
    for topic, names in sorted(_by_topic(graph).items()):
        yield topic
        for name in names:
            kinds: dict[str, str] = {}
            for edge in graph.out_of(name):
                kinds[edge.target] = kinds.get(edge.target, "") + edge.kind[0]
            targets = ", ".join(f"{target} {marks}" for target, marks in kinds.items())
            yield f"  {name} {needs[name]} {leads[name]}{': ' if targets else ''}{targets}"


def describe_edges_of(tool: str, graph: Graph) -> Iterator[str]:
    """Return one line for each edge that ends or starts at a tool."""
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
    """Return the calls that back some edges, and their results."""
    for edge in edges:
        evidence = edge.evidence
        source, target = _call(edge.source, evidence.source), _call(edge.target, evidence.target)
        yield f"{edge.source} -> {edge.target}: {_TITLES[edge.kind]}"
        yield f"  start: {_start(graph.starts[evidence.start])}"
        if evidence.scenario:
            yield f"  as in scenario: {evidence.scenario}"
        if evidence.reason:
            yield f"  as a model proposed: {evidence.reason}"
        yield from _set_up(evidence.lead)
        if edge.kind == "data_flow":
            column = f" ({evidence.column})" if evidence.column else ""
            yield from (f"  {source}", f"    returns {evidence.value!r} as {evidence.result}{column}")
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


def _start(start: StartOfEvidence) -> str:
    place = f"case {start.case}" if start.case else f"world of seed {start.seed}, size {start.size}"
    return f"{place}, acting as {start.principal}" if start.principal else place


def _strongest(counts: dict[str, int]) -> str:
    strongest = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_STRONGEST]
    return ", ".join(f"{name} {count}" for name, count in strongest if count) or "none"


def _isolated(graph: Graph) -> list[str]:
    connected = {end for edge in graph.edges for end in (edge.source, edge.target)}
    return [name for name in graph.nodes if name not in connected]


def write_drawing(path: Path, title: str, graph: Graph, *, force: bool) -> None:
    """Draw a graph into a file, by its ending for a browser, Graphviz or Mermaid; errors: UsageError."""
    formats = {".dot": _as_dot, ".mmd": _as_mermaid, ".svg": _as_svg}
    if path.suffix not in formats:
        raise UsageError(f"--out {str(path)!r} is not a name of a drawing; it ends in {', '.join(formats)}.")
    write_output(path, DRAWING, [formats[path.suffix](title, graph)], force=force)
    print(f"wrote {path}", file=sys.stderr)


def _by_topic(graph: Graph) -> dict[str, list[str]]:
    topics: dict[str, list[str]] = {}
    for node in graph.nodes.values():
        topics.setdefault(node.topic, []).append(node.id)
    return topics


def _as_dot(title: str, graph: Graph) -> str:
    lines = [f"digraph {json.dumps(title, ensure_ascii=False)} {{", "  rankdir=LR", "  node [shape=box, fontsize=11]"]
    for number, (topic, names) in enumerate(_by_topic(graph).items()):
        members = " ".join(f'"{name}"' for name in names)
        lines.append(f"  subgraph cluster_{number} {{ label={json.dumps(topic, ensure_ascii=False)} {members} }}")
    for edge in graph.edges:
        style = f'color="{_COLORS[edge.kind]}", tooltip="{_TITLES[edge.kind]}"'
        lines.append(f'  "{edge.source}" -> "{edge.target}" [{style}]')
    return "\n".join([*lines, "}", ""])


def _as_mermaid(title: str, graph: Graph) -> str:
    lines = ["---", f"title: {json.dumps(title, ensure_ascii=False)}", "---", "flowchart LR"]
    for topic, names in _by_topic(graph).items():
        lines += [f"  subgraph {topic}", *(f"    {name}" for name in names), "  end"]
    lines += [f"  {edge.source} {_ARROWS[edge.kind]} {edge.target}" for edge in graph.edges]
    return "\n".join([*lines, ""])


def _as_svg(title: str, graph: Graph) -> str:
    """Draw tools on a ring, topic by topic; pointing at a tool brings out its edges."""
    import networkx  # type: ignore[import-untyped]  # here, since it loads numpy

    names = [name for members in _by_topic(graph).values() for name in members]
    ring = networkx.circular_layout(networkx.empty_graph(names))
    angles = {name: atan2(y, x) for name, (x, y) in ring.items()}
    places = {name: f"{_RADIUS * x:.1f} {_RADIUS * y:.1f}" for name, (x, y) in ring.items()}
    figures = f"{counted(len(names), 'tool')}, {counted(len(graph.edges), 'edge')}, density {graph.density:.3f}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-{_HALF} -{_HALF} {2 * _HALF} {2 * _HALF}" '
        f'role="img" aria-label={quoteattr(f"{title}: tool dependency graph")}>',
        f"<style>{_STYLE}</style>",
        f'<text class="title" x="{20 - _HALF}" y="{36 - _HALF}">{escape(title)}</text>',
        f'<text x="{20 - _HALF}" y="{60 - _HALF}">{figures}</text>',
    ]
    for number, (kind, kind_title) in enumerate(_TITLES.items()):
        x, y = 20 - _HALF, 84 + 22 * number - _HALF
        lines.append(f'<path class="edge {kind}" d="M{x} {y}h34"/>')
        lines.append(f'<text x="{x + 46}" y="{y + 4}">{kind_title}: {graph.kinds[kind]}</text>')
    lines.append('<g class="graph">')
    for name, angle in angles.items():
        lines.append('<g class="tool">')
        for edge in graph.out_of(name):
            about = escape(f"{edge.source} to {edge.target}: {_TITLES[edge.kind]}")
            line = f"M{places[name]}Q0 0 {places[edge.target]}"
            lines.append(f'<path class="edge {edge.kind}" d="{line}"><title>{about}</title></path>')
        turn = f"rotate({180 * angle / pi:.2f})"
        flip, anchor = ("", "start") if cos(angle) >= 0 else (f" rotate(180 {_RADIUS + 8} 0)", "end")
        about = f"{name}: {len(graph.into(name))} edges in, {len(graph.out_of(name))} out"
        lines.append(
            f'<text x="{_RADIUS + 8}" dy="0.35em" text-anchor="{anchor}" transform="{turn}{flip}">'
            f"{escape(name)}<title>{escape(about)}</title></text></g>"
        )
    return "\n".join([*lines, "</g>", "</svg>", ""])


_STYLE = """
svg{background:#fdfdfc}text{font:13px system-ui,sans-serif;fill:#23272e}.title{font-size:22px;font-weight:650}
.edge{fill:none;stroke-opacity:.5}
.data_flow{stroke:#2b6fd4}.precondition{stroke:#d9480f}.shared_state{stroke:#8b95a3;stroke-dasharray:4 3}
.graph:hover .edge{opacity:.06}.graph .tool:hover .edge{opacity:1;stroke-width:1.8}.tool:hover text{font-weight:700}
"""
