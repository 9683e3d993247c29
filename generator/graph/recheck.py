"""Decide whether a graph still holds: the evidence of every edge is executed again and compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from generator.gates.calls.start import start_on
from generator.gates.folder import FolderRequest
from generator.graph.experiment import CallRunner, FlowCalls, TriedCall, try_flow, try_influence
from generator.graph.find import node_of
from generator.isolation.job import job
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import EnvironmentFault
from runtime.graph import Edge, Graph, SetUpCall, read_graph
from runtime.task.origin import read_path

_COMPARED = ("value", "before", "after", "otherwise", "changed")


@dataclass(frozen=True)
class EvidenceReport:
    """Figures of a graph, and a line for each edge whose evidence does not show what it says."""

    nodes: int
    edges: int
    density: float
    kinds: dict[str, int]
    flows: list[tuple[str, str]]  # the pairs of tools that data flow connects
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
        flows=[(edge.source, edge.target) for edge in graph.edges if edge.kind == "data_flow"],
        faults=recheck(domain, graph),
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
