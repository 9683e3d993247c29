"""Find the tool dependency graph of a domain: examples of every tool on every start, then the edges between them."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from generator.gates.cases.case import CaseBook, read_cases_if_any
from generator.gates.folder import ShareRequest, cut_in_shares
from generator.graph.chain_flow import ChainFlowsRequest, prove_chain_flows
from generator.graph.data_flow import DataFlow
from generator.graph.draw import drawers_of
from generator.graph.examples import arguments_of_cases, find_examples
from generator.graph.influence import CALLS, Found, Influence
from generator.graph.runner import CallRunner, TriedCall, note_crash
from generator.graph.start import Start, open_start, places_of_worlds
from generator.isolation.job import ProvingLimits, job
from generator.isolation.process import ProveAll, prove_all
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.graph import FORMAT, Edge, Graph, Node, StartOfEvidence, in_order


@job("edges")
def prove_graph(asked: ShareRequest) -> Graph:
    """The graph of a domain folder; with several shares the edges of every so-many-th tool, for `join_graphs`."""
    domain = load_domain(asked.folder)
    sources = [name for number, name in enumerate(domain.tools) if number % asked.shares == asked.share]
    return find_graph(domain, read_cases_if_any(asked.folder), sources)


def join_graphs(parts: Sequence[Graph]) -> Graph:
    """The graph of a domain from those of disjoint sources.

    A start is counted in every part in the same order, so that edges of all parts can keep their numbers.
    """
    crashed: dict[str, str] = {}
    for part in parts:
        for name, crash in part.crashed.items():
            note_crash(crashed, name, crash)
    edges = in_order(edge for part in parts for edge in part.edges)
    return replace(parts[0], crashed=dict(sorted(crashed.items())), edges=edges)


@dataclass
class _GraphSearch:
    """What has been found so far; a later start only looks for what is missing."""

    domain: Domain
    sources: frozenset[str]
    starts: list[StartOfEvidence] = field(default_factory=list)
    executed: set[str] = field(default_factory=set)
    crashes: dict[str, str] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)
    takers: dict[str, set[str]] = field(default_factory=dict)  # by source: tools that take its values
    influenced: dict[str, Found] = field(default_factory=dict)


def find_graph(domain: Domain, book: CaseBook | None = None, sources: Sequence[str] | None = None) -> Graph:
    """The graph of a domain, with the edges that start at some tools if `sources` names them.

    Every choice is drawn from a generator seeded by names, and effort is counted, not timed: so the graph is the same
    in every process, and the union of the graphs of disjoint sources is the graph. Errors: EnvironmentFault if no world
    can be built.
    """
    book = book or {}
    search = _GraphSearch(domain, frozenset(domain.tools if sources is None else sources))
    told = arguments_of_cases(book)
    for place in places_of_worlds(domain, book):
        _look(search, open_start(domain, place, book), told, {})
    for name, case in _first_successes(book).items():
        if name in domain.tools and name not in search.executed:
            start = open_start(domain, case[0], book)
            _look(search, start, told, {name: [case[1]]})
    return Graph(
        starts=tuple(search.starts),
        unexecuted=tuple(name for name in domain.tools if name not in search.executed),
        crashed=dict(sorted(search.crashes.items())),
        nodes={name: node_of(domain, name) for name in domain.tools},
        edges=in_order(search.edges),
    )


def node_of(domain: Domain, name: str) -> Node:
    """A tool as a node; its topic is the file it stands in."""
    tool = domain.tools[name]
    topic = tool.file.rpartition("/")[2].removesuffix(".py")
    return Node(id=name, topic=topic, reads=sorted(tool.reads), writes=sorted(tool.writes))


def _look(
    search: _GraphSearch, start: Start, told: dict[str, list[dict[str, object]]], given: dict[str, list[TriedCall]]
) -> None:
    number = len(search.starts)
    search.starts.append(start.place)
    drawers = drawers_of(search.domain, start, told)
    with CallRunner(start) as runner:
        examples = find_examples(runner, drawers, given)
        search.executed |= {name for name, own in examples.items() if own.succeeding}
        flow = DataFlow(runner, number, drawers, examples)
        influence = Influence(runner, number, drawers, examples)
        for name in sorted(search.sources):
            takers, influenced = search.takers.setdefault(name, set()), search.influenced.setdefault(name, set())
            for at, call in enumerate(examples[name].succeeding):
                ran, state = runner.run_and_stay(call)
                search.edges += flow.edges(call, ran, state, takers)
                if state.changes.rows and at < CALLS:
                    search.edges += influence.edges(call, state, influenced)
            if examples[name].succeeding and not drawers[name].tool.read_only:
                for target in (each for each in search.domain.tools if each != name):
                    search.edges += influence.edges_to_rejected(drawers[name], target, influenced)
        for name, crash in runner.crashes.items():
            note_crash(search.crashes, name, crash)


def _first_successes(book: CaseBook) -> dict[str, tuple[StartOfEvidence, TriedCall]]:
    """The first success case of each tool as a start with its call."""
    found: dict[str, tuple[StartOfEvidence, TriedCall]] = {}
    for topic in book.values():
        for case in topic.cases:
            if case.is_success and case.id:
                place = StartOfEvidence(case=case.id, principal=case.principal)
                found.setdefault(case.tool, (place, TriedCall(case.tool, case.arguments)))
    return found


_LIMITS = ProvingLimits(cpu_seconds=240, wall_seconds=1_800)


def find_whole_graph(folder: Path, processes: int | None = None, prove_all: ProveAll = prove_all) -> Graph:
    """The graph as a folder lies there; `prove_all` says where it is found. Errors: BrokenDomain, ProofFailed."""
    return with_chain_flows(folder, search_graph(folder, processes, prove_all), prove_all)


def search_graph(folder: Path, processes: int | None = None, prove_all: ProveAll = prove_all) -> Graph:
    """The graph that needs no scenarios; errors: BrokenDomain, ProofFailed."""
    shares = cut_in_shares(folder, processes or os.cpu_count() or 1)
    return join_graphs(prove_all(prove_graph, shares, _LIMITS, len(shares)))


def with_chain_flows(folder: Path, graph: Graph, prove_all: ProveAll = prove_all) -> Graph:
    """A graph with every data flow of the chains that the folder's scenarios come to; errors: BrokenDomain."""
    whole: Graph = prove_all(prove_chain_flows, [ChainFlowsRequest(folder, graph)], _LIMITS, 1)[0]
    return whole


def write_graph(graph: Graph) -> str:
    """The text of `graph.json`; nodes and edges stand in their order."""
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
