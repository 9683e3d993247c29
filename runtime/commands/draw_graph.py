"""Draw a tool dependency graph: as a picture on a ring, or as text for Graphviz and Mermaid."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from xml.sax.saxutils import escape, quoteattr

from runtime.commands.describe_graph import SAID
from runtime.graph import EdgeKind, Graph, Node
from runtime.wording import counted

_COLOURS: dict[EdgeKind, str] = {"data_flow": "#2b6fd4", "precondition": "#d9480f", "shared_state": "#8b95a3"}
_DASHES: dict[EdgeKind, str] = {"data_flow": "solid", "precondition": "solid", "shared_state": "dashed"}
_ARROWS: dict[EdgeKind, str] = {"data_flow": "-->", "precondition": "==>", "shared_state": "-.->"}
_RADIUS = 400
_MARGIN = 260  # beside the ring, for names


def as_dot(title: str, graph: Graph) -> str:
    """The graph for Graphviz, tools in a cluster for each topic."""
    lines = [f"digraph {json.dumps(title, ensure_ascii=False)} {{", "  rankdir=LR", "  node [shape=box, fontsize=11]"]
    for number, (topic, nodes) in enumerate(_by_topic(graph).items()):
        lines += [f"  subgraph cluster_{number} {{", f"    label={json.dumps(topic, ensure_ascii=False)}"]
        lines += [f'    "{node.id}"' for node in nodes]
        lines.append("  }")
    for edge in graph.edges:
        style = f'color="{_COLOURS[edge.kind]}", style={_DASHES[edge.kind]}, tooltip="{SAID[edge.kind]}"'
        lines.append(f'  "{edge.source}" -> "{edge.target}" [{style}]')
    return "\n".join([*lines, "}", ""])


def as_mermaid(title: str, graph: Graph) -> str:
    """The graph for Mermaid, as Markdown pages show it: thick arrows are preconditions, dotted ones shared state."""
    lines = ["---", f"title: {json.dumps(title, ensure_ascii=False)}", "---", "flowchart LR"]
    for topic, nodes in _by_topic(graph).items():
        lines += [f"  subgraph {topic}", *(f"    {node.id}" for node in nodes), "  end"]
    lines += [f"  {edge.source} {_ARROWS[edge.kind]} {edge.target}" for edge in graph.edges]
    return "\n".join([*lines, ""])


def as_svg(title: str, graph: Graph) -> str:
    """A picture that needs nothing else: tools on a ring, topic by topic; pointing at a tool brings out its edges."""
    places = _places(graph)
    size = 2 * (_RADIUS + _MARGIN)
    figures = f"{counted(len(graph.nodes), 'tool')}, {counted(len(graph.edges), 'edge')}, density {graph.density:.3f}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{-size / 2:.0f} {-size / 2:.0f} {size} {size}" '
        f'role="img" aria-label={quoteattr(f"{title}: tool dependency graph")}>',
        f"<style>{_STYLE}</style>",
        f'<text class="title" x="{20 - size / 2:.0f}" y="{36 - size / 2:.0f}">{escape(title)}</text>',
        f'<text class="words" x="{20 - size / 2:.0f}" y="{60 - size / 2:.0f}">{escape(figures)}</text>',
        *_legend(graph, 20 - size / 2, 84 - size / 2),
        '<g class="graph">',
        *(line for node in graph.nodes.values() for line in _tool(node, graph, places)),
        "</g>",
        "</svg>",
    ]
    return "\n".join([*lines, ""])


FORMATS: Mapping[str, Callable[[str, Graph], str]] = {".dot": as_dot, ".mmd": as_mermaid, ".svg": as_svg}


def _by_topic(graph: Graph) -> dict[str, list[Node]]:
    topics: dict[str, list[Node]] = {}
    for node in graph.nodes.values():
        topics.setdefault(node.topic, []).append(node)
    return topics


def _places(graph: Graph) -> dict[str, tuple[float, float]]:
    """Where each tool stands, from -1 to 1 both ways: beside those of its topic."""
    import networkx  # type: ignore[import-untyped]  # here, since it loads numpy

    names = [node.id for nodes in _by_topic(graph).values() for node in nodes]
    ring = networkx.circular_layout(networkx.empty_graph(names))
    return {name: (float(x), float(y)) for name, (x, y) in ring.items()}


def _tool(node: Node, graph: Graph, places: Mapping[str, tuple[float, float]]) -> Iterator[str]:
    x, y = places[node.id]
    yield '<g class="tool">'
    for edge in graph.out_of(node.id):
        to_x, to_y = places[edge.target]
        line = f"M{_RADIUS * x:.1f} {_RADIUS * y:.1f}Q0 0 {_RADIUS * to_x:.1f} {_RADIUS * to_y:.1f}"
        about = f"{edge.source} to {edge.target}: {SAID[edge.kind]}"
        yield f'<path class="edge {edge.kind}" d="{line}"><title>{escape(about)}</title></path>'
    turn, anchor = ("", "start") if x >= 0 else (" scale(-1 -1)", "end")
    about = f"{node.id} ({node.topic}): {len(graph.into(node.id))} edges in, {len(graph.out_of(node.id))} out"
    yield (
        f'<text class="name" text-anchor="{anchor}" dy="0.35em" transform="'
        f"matrix({x:.4f} {y:.4f} {-y:.4f} {x:.4f} {_RADIUS * x * 1.02:.1f} {_RADIUS * y * 1.02:.1f})"
        f'{turn}">{escape(node.id)}<title>{escape(about)}</title></text>'
    )
    yield "</g>"


def _legend(graph: Graph, x: float, y: float) -> Iterator[str]:
    for number, kind in enumerate(SAID):
        below = y + 22 * number
        yield f'<path class="edge {kind} sample" d="M{x:.0f} {below:.0f}h34"/>'
        yield f'<text class="words" x="{x + 46:.0f}" y="{below + 4:.0f}">{SAID[kind]}: {graph.kinds[kind]}</text>'


_STYLE = """
svg{background:#fdfdfc}text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;fill:#23272e}
.title{font-size:22px;font-weight:650}.words{font-size:14px}.name{font-size:12px;cursor:default}
.edge{fill:none;stroke-opacity:.45}.sample{stroke-opacity:1;stroke-width:2}
.data_flow{stroke:#2b6fd4}.precondition{stroke:#d9480f}.shared_state{stroke:#8b95a3;stroke-dasharray:4 3}
.graph:hover .edge{opacity:.06}.graph .tool:hover .edge{opacity:1;stroke-opacity:1;stroke-width:1.8}
.graph .tool:hover .name{font-weight:700}
@media (prefers-color-scheme:dark){
svg{background:#15181d}text{fill:#e6e8eb}
.data_flow{stroke:#6ea8ff}.precondition{stroke:#ff9057}.shared_state{stroke:#7f8a99}
}
"""
