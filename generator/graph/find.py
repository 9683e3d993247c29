"""Find the tool dependency graph of a domain (paper, section 4.1.3), write it, and execute its evidence again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from generator.gates.calls.start import start_on
from generator.gates.folder import FolderRequest
from generator.graph.chains import (
    WORLDS,
    ChainFlowsRequest,
    add_chain_flows,
    arguments_of_cases,
    prove_chain_flows,
    with_edges,
)
from generator.graph.edges import EdgeSearch, Known
from generator.graph.experiment import CallRunner, FlowCalls, TriedCall, try_flow, try_influence
from generator.isolation.job import ProvingLimits, job
from generator.isolation.process import run_job
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import EnvironmentFault
from runtime.graph import FORMAT, Edge, Graph, Node, SetUpCall, StartOfEvidence, read_graph
from runtime.sandbox.files import is_there
from runtime.task.origin import read_path
from runtime.task.story import FILE

_LIMITS = ProvingLimits(cpu_seconds=240, wall_seconds=1_800)


def find_whole_graph(folder: Path) -> Graph:
    """Return the graph of a domain folder in its present state; errors: BrokenDomain, ProofFailed."""
    return with_chain_flows(folder, search_graph(folder))


def search_graph(folder: Path) -> Graph:
    """Return the graph that needs no scenarios; errors: BrokenDomain, ProofFailed."""
    return run_job(prove_graph, FolderRequest(folder), _LIMITS)


def with_chain_flows(folder: Path, graph: Graph) -> Graph:
    """Add every data flow of the chains that the folder's scenarios come to; errors: BrokenDomain, ProofFailed."""
    return run_job(prove_chain_flows, ChainFlowsRequest(folder, graph), _LIMITS)


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


_COMPARED = ("value", "before", "after", "otherwise", "changed")


@dataclass(frozen=True)
class EvidenceReport:
    """Figures of a graph, and a line for each edge whose evidence does not show what it says."""

    nodes: int
    edges: int
    density: float
    kinds: dict[str, int]
    faults: list[str]


@job("graph")
def recheck_graph(asked: FolderRequest) -> EvidenceReport:
    """Execute the evidence in `graph.json`; errors: BrokenDomain, UsageError."""
    domain = load_domain(asked.folder)
    graph = read_graph(asked.folder)
    return EvidenceReport(
        nodes=len(graph.nodes),
        edges=len(graph.edges),
        density=round(graph.density, 4),
        kinds=graph.kinds,
        faults=[*recheck(domain, graph), *_missing(domain, graph)],
    )


def _missing(domain: Domain, graph: Graph) -> Iterator[str]:
    """Yield a line for each data flow of a scenario's chain that `worldsmith check --write-graph` would add."""
    if not is_there(domain.path / FILE) or graph.nodes.keys() != domain.tools.keys():
        return
    for edge in add_chain_flows(domain, graph).edges:
        if edge not in graph.edges and edge.evidence.scenario:
            yield (
                f"{edge.source} -> {edge.target} (data_flow): not there, but a chain of scenario "
                f"{edge.evidence.scenario!r} uses it; `worldsmith check {domain.name} --write-graph` finds it"
            )


def recheck(domain: Domain, graph: Graph) -> list[str]:
    """List nodes that are not the domain's tools, and edges whose evidence shows something else."""
    faults = [f"tool {name!r} is not a node" for name in sorted(domain.tools.keys() - graph.nodes.keys())]
    for name, node in graph.nodes.items():
        if name not in domain.tools:
            faults.append(f"node {name!r} is not a tool")
        elif node != node_of(domain, name):
            faults.append(f"node {name!r} has another topic or other tables than its tool")
    seen = set()
    runners: dict[int, CallRunner] = {}
    with ExitStack() as stack:
        for edge in graph.edges:
            where = f"{edge.source} -> {edge.target} ({edge.kind})"
            if (edge.source, edge.target, edge.kind) in seen or edge.source == edge.target:
                faults.append(f"{where}: is a second one, or a loop")
                continue
            seen.add((edge.source, edge.target, edge.kind))
            number = edge.evidence.start
            try:
                if number not in runners:
                    start = graph.starts[number]
                    runners[number] = stack.enter_context(CallRunner(start_on(domain, start.seed, start.size)))
            except EnvironmentFault as error:
                faults.append(f"{where}: its world cannot be built: {error}")
                continue
            faults += [f"{where}: {fault}" for fault in _faults_of(runners[number], edge)]
    return faults


def _faults_of(runner: CallRunner, edge: Edge) -> Iterator[str]:
    evidence = edge.evidence
    lead, between = _calls(evidence.lead), _calls(evidence.between)
    source, target = TriedCall(edge.source, evidence.source), TriedCall(edge.target, evidence.target)
    unknown = [each.tool for each in (*lead, source, *between, target) if each.tool not in runner.start.domain.tools]
    if unknown:
        yield f"{unknown[0]} is not a tool"
        return
    if edge.kind == "data_flow":
        places = read_path(evidence.result or ""), read_path(evidence.parameter or "")
        shown = try_flow(runner, FlowCalls(lead, source, between, target, *places), evidence.made_up)
    else:
        found = try_influence(runner, lead, source, target)
        shown = found if isinstance(found, str) else found[1]
        if not isinstance(found, str) and found[0] != edge.kind:
            shown = f"{edge.source} makes no such difference to {edge.target}"
    if isinstance(shown, str):
        yield shown
        return
    for name in _COMPARED:
        now, then = getattr(shown, name), getattr(evidence, name)
        if now != then or type(now) is not type(then):
            yield f"{name} is {now!r}, not {then!r}"


def _calls(set_up: Sequence[SetUpCall] | None) -> tuple[TriedCall, ...]:
    return tuple(TriedCall(call.tool, call.arguments) for call in set_up or ())
