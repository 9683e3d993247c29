"""Draw a tool dependency graph as one SVG file: tools on a ring by topic, edges bundled through its middle.

A ring keeps every name readable however dense the graph is; a force layout of fifty tools and several hundred edges is
a ball in which names lie on edges. Edges leave a tool on its one side and arrive on its other, and bend towards the
middle of their topics, so that those between the same topics run together.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from runtime.commands.describe_graph import SAID
from runtime.graph import Edge, EdgeKind, Graph, Node
from runtime.wording import counted

_FONT = 12.5
_CHARACTER = 0.56 * _FONT  # width of one, about
_LEGEND = 250
_SPACE_PER_TOOL = 21  # on the ring
_TOPIC_GAP = 1.2  # tools
_SIDE = 0.16  # how far from a tool's middle its edges leave and arrive, in tools
_MOST_SIDE = 5
_DEPTH: dict[EdgeKind, float] = {"data_flow": 0.42, "precondition": 0.32, "shared_state": 0.52}  # of the radius
_ORDER: tuple[EdgeKind, ...] = ("shared_state", "data_flow", "precondition")  # the last one on top


@dataclass(frozen=True)
class _Ring:
    """Where everything stands; angles are clockwise from the top."""

    x: float
    y: float
    radius: float
    step: float  # angle per tool
    angles: dict[str, float]  # by tool
    topics: dict[str, tuple[float, float]]  # first and last angle

    def point(self, angle: float, radius: float) -> tuple[float, float]:
        return self.x + radius * math.sin(angle), self.y - radius * math.cos(angle)


def draw_graph(title: str, graph: Graph) -> str:
    """The text of an SVG file that needs nothing else; it follows a reader's light or dark setting."""
    longest = max([len(name) for name in graph.nodes], default=0) * _CHARACTER
    ring = _place(graph, longest)
    width, height = ring.x + ring.radius + longest + 40, 2 * ring.y
    hues = {topic: round(360 * number / len(ring.topics)) for number, topic in enumerate(ring.topics)}
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img" aria-label="{_quoted(title)}: tool dependency graph">',
        _style(hues),
        "<defs>",
        *(_arrowhead(kind) for kind in _ORDER),
        "</defs>",
        '<rect class="paper" width="100%" height="100%"/>',
        *_arcs(ring, hues),
        '<g class="graph">',
        *(line for node in graph.nodes.values() for line in _tool(node, graph, ring)),
        "</g>",
        *_legend(title, graph, ring, height),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _place(graph: Graph, longest: float) -> _Ring:
    topics = _topics_in_order(graph)
    members = {topic: [node.id for node in graph.nodes.values() if node.topic == topic] for topic in topics}
    slots = len(graph.nodes) + _TOPIC_GAP * len(topics)
    radius = max(190.0, slots * _SPACE_PER_TOOL / math.tau)
    step = math.tau / max(slots, 1)
    angles: dict[str, float] = {}
    ends: dict[str, tuple[float, float]] = {}
    angle = step * _TOPIC_GAP / 2
    for topic, tools in members.items():
        for tool in tools:
            angles[tool] = angle + step / 2
            angle += step
        ends[topic] = (angles[tools[0]], angles[tools[-1]])
        angle += step * _TOPIC_GAP
    middle = radius + longest + 40
    return _Ring(_LEGEND + middle, middle, radius, step, angles, ends)


def _topics_in_order(graph: Graph) -> list[str]:
    """Each topic beside the one that it shares most edges with, of those that are left."""
    shared: Counter[frozenset[str]] = Counter()
    for edge in graph.edges:
        shared[frozenset((graph.nodes[edge.source].topic, graph.nodes[edge.target].topic))] += 1
    left = sorted({node.topic for node in graph.nodes.values()})
    order: list[str] = []
    while left:
        last = order[-1:] or left[:1]
        nearest = max(left, key=lambda topic, last=last[0]: shared[frozenset((last, topic))])  # type: ignore[misc]
        left.remove(nearest)
        order.append(nearest)
    return order


def _tool(node: Node, graph: Graph, ring: _Ring) -> Iterator[str]:
    """A tool's edges to others and its name; pointing at the name brings out the edges."""
    angle = ring.angles[node.id]
    x, y = ring.point(angle, ring.radius + 20)
    turn = math.degrees(angle) - 90
    flipped = angle > math.pi
    anchor = "end" if flipped else "start"
    turned = f"rotate({turn + 180 if flipped else turn:.1f} {x:.1f} {y:.1f})"
    topic = _class_of(node.topic, ring)
    incoming, outgoing = graph.into(node.id), graph.out_of(node.id)
    yield '<g class="tool">'
    for kind in _ORDER:
        for edge in outgoing:
            if edge.kind == kind:
                yield _edge(edge, graph, ring)
    dot_x, dot_y = ring.point(angle, ring.radius + 9)
    size = 2.5 + min(5.0, 0.22 * (len(incoming) + len(outgoing)))
    yield f'<circle class="{topic}" cx="{dot_x:.1f}" cy="{dot_y:.1f}" r="{size:.1f}"/>'
    about = f"{node.id}: {counted(len(incoming), 'edge')} in, {len(outgoing)} out"
    yield (
        f'<text class="name {topic}" x="{x:.1f}" y="{y:.1f}" dy="0.35em" text-anchor="{anchor}" '
        f'transform="{turned}">{escape(node.id)}<title>{escape(about)}</title></text>'
    )
    yield "</g>"


def _edge(edge: Edge, graph: Graph, ring: _Ring) -> str:
    start, end = ring.angles[edge.source], ring.angles[edge.target]
    side = min(ring.step * _SIDE, _MOST_SIDE / ring.radius)
    depth = ring.radius * _DEPTH[edge.kind]
    from_topic, to_topic = (_middle(graph.nodes[name].topic, ring) for name in (edge.source, edge.target))
    if from_topic == to_topic:
        # Within a topic, the further apart the deeper: a flat arc for neighbours.
        apart = min(abs(start - end) / math.pi, 1.0)
        depth = ring.radius * (0.86 - 0.5 * apart - 0.1 * _ORDER.index(edge.kind))
        from_topic = to_topic = (start + end) / 2
    points = (
        ring.point(start + side, ring.radius),
        ring.point((start + 2 * from_topic) / 3, depth),
        ring.point((end + 2 * to_topic) / 3, depth),
        ring.point(end - side, ring.radius),
    )
    (x1, y1), (x2, y2), (x3, y3), (x4, y4) = points
    about = f"{edge.source} to {edge.target}: {SAID[edge.kind]}"
    return (
        f'<path class="edge {edge.kind}" marker-end="url(#{edge.kind})" '
        f'd="M{x1:.1f} {y1:.1f}C{x2:.1f} {y2:.1f} {x3:.1f} {y3:.1f} {x4:.1f} {y4:.1f}">'
        f"<title>{escape(about)}</title></path>"
    )


def _middle(topic: str, ring: _Ring) -> float:
    first, last = ring.topics[topic]
    return (first + last) / 2


def _arcs(ring: _Ring, hues: dict[str, int]) -> Iterator[str]:
    """A band along the tools of each topic."""
    for topic in hues:
        first, last = ring.topics[topic]
        first, last = first - ring.step * 0.45, last + ring.step * 0.45
        (x1, y1), (x2, y2) = ring.point(first, ring.radius + 9), ring.point(last, ring.radius + 9)
        large = 1 if last - first > math.pi else 0
        arc = f"M{x1:.1f} {y1:.1f}A{ring.radius + 9:.1f} {ring.radius + 9:.1f} 0 {large} 1 {x2:.1f} {y2:.1f}"
        yield f'<path class="band {_class_of(topic, ring)}" d="{arc}"/>'


def _legend(title: str, graph: Graph, ring: _Ring, height: float) -> Iterator[str]:
    yield f'<text class="title" x="28" y="46">{escape(title)}</text>'
    for number, line in enumerate(_figures(graph)):
        yield f'<text class="words" x="28" y="{70 + 18 * number}">{escape(line)}</text>'
    for number, kind in enumerate(SAID):
        y = 136 + 22 * number
        yield f'<path class="edge {kind} sample" marker-end="url(#{kind})" d="M28 {y}H62"/>'
        yield f'<text class="words" x="76" y="{y + 4}">{SAID[kind]}: {graph.kinds[kind]}</text>'
    top = max(226.0, height - 30 - 20 * len(ring.topics))
    yield f'<text class="words faint" x="28" y="{top - 22:.0f}">topics, clockwise from the top</text>'
    for number, topic in enumerate(ring.topics):
        below = top + 20 * number
        yield f'<circle class="{_class_of(topic, ring)}" cx="34" cy="{below:.0f}" r="6"/>'
        yield f'<text class="words" x="50" y="{below + 4:.0f}">{escape(topic.replace("_", " "))}</text>'


def _figures(graph: Graph) -> Sequence[str]:
    return f"{counted(len(graph.nodes), 'tool')}, {counted(len(graph.edges), 'edge')}", f"density {graph.density:.3f}"


def _class_of(topic: str, ring: _Ring) -> str:
    return f"t{list(ring.topics).index(topic)}"


def _arrowhead(kind: EdgeKind) -> str:
    return (
        f'<marker id="{kind}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        f'markerUnits="userSpaceOnUse" orient="auto"><path class="head {kind}" d="M0 1L8 4L0 7z"/></marker>'
    )


def _quoted(text: str) -> str:
    return escape(text, {'"': "&quot;"})


def _style(hues: dict[str, int]) -> str:
    names = dict(enumerate(hues.values()))
    light = "".join(f".t{n}{{--own:hsl({hue} 62% {_lightness(hue)}%)}}" for n, hue in names.items())
    dark = "".join(f".t{n}{{--own:hsl({hue} 62% 70%)}}" for n, hue in names.items())
    return f"""<style>
svg{{--paper:#fdfdfc;--ink:#23272e;--faint:#7a828e;--data_flow:#2b6fd4;--precondition:#d9480f;--shared_state:#8b95a3}}
{light}
.paper{{fill:var(--paper)}}
text{{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;fill:var(--ink)}}
.title{{font-size:21px;font-weight:650}}.words{{font-size:13.5px}}.faint{{fill:var(--faint);font-size:12px}}
.name{{font-size:{_FONT}px;fill:var(--own);cursor:default}}
circle{{fill:var(--own)}}
.band{{fill:none;stroke:var(--own);stroke-width:3;opacity:.45}}
.edge{{fill:none;stroke-width:1.1;stroke-opacity:.5}}
.data_flow{{stroke:var(--data_flow)}}.precondition{{stroke:var(--precondition)}}
.shared_state{{stroke:var(--shared_state)}}
.head{{stroke:none}}.head.data_flow{{fill:var(--data_flow)}}.head.precondition{{fill:var(--precondition)}}
.head.shared_state{{fill:var(--shared_state)}}
.sample{{stroke-opacity:1;stroke-width:1.8}}
.graph:hover .edge{{opacity:.06}}
.graph .tool:hover .edge{{opacity:1;stroke-opacity:1;stroke-width:1.8}}
.graph .tool:hover .name{{font-weight:700}}
@media (prefers-color-scheme:dark){{
svg{{--paper:#15181d;--ink:#e6e8eb;--faint:#99a1ad;--data_flow:#6ea8ff;--precondition:#ff9057;--shared_state:#7f8a99}}
{dark}
}}
</style>"""


def _lightness(hue: int) -> int:
    """Yellow and green look lighter than blue at the same lightness."""
    return 33 if 40 <= hue <= 190 else 43
