"""Read `graph.json`: the tool dependency graph of a domain, each edge with evidence that can be executed again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from runtime.errors import UsageError
from runtime.sandbox.files import MIB, is_there, parse_json, read_text

FORMAT = 1
_MOST_BYTES = 64 * MIB
_MOST_NODES, _MOST_EDGES = 1_000, 100_000
_LONGEST_NAME = 100  # characters: every line of a table is as wide

EdgeKind = Literal["data_flow", "precondition", "shared_state"]
KINDS: tuple[EdgeKind, ...] = get_args(EdgeKind)


class _GraphPart(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class StartOfEvidence(_GraphPart):
    """The world that evidence starts from."""

    seed: int
    size: int


class SetUpCall(_GraphPart):
    """A call without which an edge does not show."""

    tool: str
    arguments: dict[str, Any]


class Evidence(_GraphPart):
    """What was observed of an edge A -> B: two calls on a start (a number in the graph's list of them).

    A `data_flow` calls A, then B with `value`, which A returned at `result`, as its `parameter`; `otherwise` is what
    came of the same call of B with `made_up` in its place. The other kinds call B `before` A and `after` it, both with
    the id counter where A leaves it, so that other new ids do not count: a `precondition` is rejected before and
    accepted after, a `shared_state` is accepted before and says another thing, or is rejected, after. `changed` are the
    columns that A changed in tables that B reads. Long texts are cut and carry a digest of the whole.

    What the chain of a `scenario` has may need calls before A (`lead`) or, as a
    data flow, between A and B; its value may matter by what B stores: then `changed` are the columns that differ with
    the made-up value.
    """

    start: int
    scenario: str | None = None
    lead: list[SetUpCall] | None = None
    between: list[SetUpCall] | None = None
    source: dict[str, Any]  # arguments of A
    target: dict[str, Any]  # arguments of B
    result: str | None = None
    parameter: str | None = None
    value: Any = None
    made_up: Any = None
    otherwise: str | None = None
    changed: dict[str, list[str]] | None = None
    before: str | None = None
    after: str


class Node(_GraphPart):
    """A tool, its topic (the file it stands in), and the tables it reads and writes."""

    id: str = Field(max_length=_LONGEST_NAME)
    topic: str = Field(max_length=_LONGEST_NAME)
    reads: list[str]
    writes: list[str]


class Edge(_GraphPart):
    """B depends on A in one way; there is at most one edge of a kind between two tools."""

    source: str
    target: str
    kind: EdgeKind
    evidence: Evidence


class _About(_GraphPart):
    """What the graph as a whole carries."""

    starts: list[StartOfEvidence] = []
    unexecuted: list[str] = []  # tools for which no succeeding call was found
    crashed: dict[str, str] = {}  # tools that crashed on the way: the call and what came of it


class _File(BaseModel):
    """`graph.json`: node-link, as networkx reads it with edges="edges" and key="kind"."""

    model_config = ConfigDict(extra="forbid")

    format: Literal[1]
    directed: Literal[True]
    multigraph: Literal[True]
    graph: _About
    nodes: list[Node] = Field(max_length=_MOST_NODES)
    edges: list[Edge] = Field(default=[], max_length=_MOST_EDGES)


@dataclass(frozen=True)
class Graph:
    """The tools of a domain and the edges between them."""

    starts: tuple[StartOfEvidence, ...]
    unexecuted: tuple[str, ...]
    crashed: Mapping[str, str]
    nodes: Mapping[str, Node]
    edges: tuple[Edge, ...]

    @property
    def density(self) -> float:
        """Ordered pairs of tools that an edge of any kind connects, over n(n - 1) (paper, figure 5)."""
        possible = len(self.nodes) * (len(self.nodes) - 1)
        return len({(edge.source, edge.target) for edge in self.edges}) / possible if possible else 0.0

    @property
    def kinds(self) -> dict[str, int]:
        """How many edges there are of each kind."""
        counted = Counter(edge.kind for edge in self.edges)
        return {kind: counted[kind] for kind in KINDS}

    def into(self, tool: str) -> list[Edge]:
        """The edges that end at a tool."""
        return self._ends[1].get(tool, [])

    def out_of(self, tool: str) -> list[Edge]:
        """The edges that start at a tool."""
        return self._ends[0].get(tool, [])

    @cached_property
    def _ends(self) -> tuple[dict[str, list[Edge]], dict[str, list[Edge]]]:
        """The edges by source and by target."""
        sources: dict[str, list[Edge]] = {}
        targets: dict[str, list[Edge]] = {}
        for edge in self.edges:
            sources.setdefault(edge.source, []).append(edge)
            targets.setdefault(edge.target, []).append(edge)
        return sources, targets


def read_graph(folder: Path) -> Graph:
    """Read `graph.json` of a domain folder; errors: UsageError."""
    path = folder / "graph.json"
    if not is_there(path):
        raise UsageError(
            f"Domain {folder.name!r} has no graph.json; `worldsmith check {folder.name} --write-graph` finds it."
        )
    try:
        return parse_graph(read_text(path, _MOST_BYTES))
    except ValueError as error:
        raise UsageError(f"{str(path)!r} is not a graph: {error}") from error


def in_order(edges: Iterable[Edge]) -> tuple[Edge, ...]:
    """Edges as a graph has them: by source, target and kind."""
    return tuple(sorted(edges, key=lambda edge: (edge.source, edge.target, KINDS.index(edge.kind))))


def parse_graph(content: str | Mapping[str, Any]) -> Graph:
    """A graph from the text of `graph.json` or its content; errors: ValueError with one sentence."""
    try:
        file = _File.model_validate(parse_json(content) if isinstance(content, str) else content)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "it"
        raise ValueError(f"{where!r}: {first['msg']}.") from None
    nodes = {node.id: node for node in file.nodes}
    for edge in file.edges:
        for end in (edge.source, edge.target):
            if end not in nodes:
                raise ValueError(f"an edge names tool {end!r}, which is not a node.")
        if not 0 <= edge.evidence.start < len(file.graph.starts):
            raise ValueError(f"an edge starts from {edge.evidence.start}, which is not a start.")
    about = file.graph
    return Graph(tuple(about.starts), tuple(about.unexecuted), about.crashed, nodes, tuple(file.edges))
