"""Execute the evidence of every edge again: one line per edge that does not show what it says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from generator.gates.cases.case import CaseBook, read_cases_if_any
from generator.gates.folder import FolderRequest
from generator.graph.chain_flow import FlowCalls, needs_value, run_flow
from generator.graph.data_flow import keys_in, matters
from generator.graph.find import node_of
from generator.graph.influence import columns_changed, kind_of_change, tables_looked_at
from generator.graph.runner import CallRunner, TriedCall
from generator.graph.slots import slot_at, slots_of
from generator.graph.start import open_start
from generator.isolation.job import job
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import WorldsmithError
from runtime.graph import Edge, Evidence, Graph, SetUpCall, read_graph
from runtime.task.paths import find_at, read_path


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
        faults=recheck(domain, graph, read_cases_if_any(asked.folder)),
    )


def recheck(domain: Domain, graph: Graph, book: CaseBook | None = None) -> list[str]:
    """What is wrong with a graph: nodes that are not the domain's tools, edges whose evidence shows something else."""
    faults = []
    for name in sorted({*domain.tools, *graph.nodes}):
        if name not in graph.nodes:
            faults.append(f"tool {name!r} is not a node")
        elif name not in domain.tools:
            faults.append(f"node {name!r} is not a tool")
        elif graph.nodes[name] != node_of(domain, name):
            faults.append(f"node {name!r} has another topic or other tables than its tool")
    seen = set()
    with ExitStack() as stack:
        benches: dict[int, CallRunner] = {}
        for edge in graph.edges:
            where = f"{edge.source} -> {edge.target} ({edge.kind})"
            if (edge.source, edge.target, edge.kind) in seen or edge.source == edge.target:
                faults.append(f"{where}: is a second one, or a loop")
                continue
            seen.add((edge.source, edge.target, edge.kind))
            if edge.source not in domain.tools or edge.target not in domain.tools:
                continue
            number = edge.evidence.start
            try:
                if number not in benches:
                    benches[number] = stack.enter_context(
                        CallRunner(open_start(domain, graph.starts[number], book or {}))
                    )
            except WorldsmithError as error:
                faults.append(f"{where}: its start cannot be opened: {error}")
                continue
            shows = _data_flow_faults if edge.kind == "data_flow" else _influence_faults
            faults += [f"{where}: {fault}" for fault in shows(benches[number], edge)]
    return faults


def _data_flow_faults(runner: CallRunner, edge: Edge) -> Iterator[str]:
    evidence = edge.evidence
    start, tool = runner.start, runner.start.domain.tools[edge.target]
    parameter = read_path(evidence.parameter or "")
    calls = FlowCalls(
        lead=_calls(evidence.lead),
        source=TriedCall(edge.source, evidence.source),
        between=_calls(evidence.between),
        target=TriedCall(edge.target, evidence.target),
    )
    unknown = [call.tool for call in (*calls.lead, *calls.between) if call.tool not in start.domain.tools]
    if unknown:
        yield f"{unknown[0]} is not a tool"
        return
    seen = run_flow(runner, calls, read_path(evidence.result or ""), parameter, evidence.made_up)
    if isinstance(seen, str):
        yield seen
        return
    value = seen.value
    if value is None or value != evidence.value or type(value) is not type(evidence.value):
        yield f"{edge.source} returns {value!r} at {evidence.result}, not {evidence.value!r}"
        return
    slot = slot_at(slots_of(tool, start.domain.schema), parameter)
    if slot is None or find_at(evidence.target, parameter) != value:
        yield f"{edge.target} is not called with it as {evidence.parameter!r}"
        return
    shown: dict[str, Any] = {"after": seen.after.shown, "otherwise": seen.otherwise.shown}
    if evidence.scenario is not None or evidence.reason is not None:
        needed = needs_value(seen, slot, evidence.made_up)
        shown |= {"changed": seen.stored or None}
    else:
        is_key = any(value in keys_in(start, seen.state, column) for column in start.keys)
        may_differ = tool.read_only or (is_key and bool(slot.keys))
        needed = matters(seen.after, seen.otherwise, value, evidence.made_up, may_differ=may_differ)
    yield from _differences(evidence, shown)
    if not needed:
        yield f"the value does not matter to {edge.target}"


def _calls(set_up: Sequence[SetUpCall] | None) -> tuple[TriedCall, ...]:
    return tuple(TriedCall(call.tool, call.arguments) for call in set_up or ())


def _influence_faults(runner: CallRunner, edge: Edge) -> Iterator[str]:
    evidence = edge.evidence
    state = earlier = runner.beginning
    for made in (*_calls(evidence.lead), TriedCall(edge.source, evidence.source)):
        if made.tool not in runner.start.domain.tools:
            yield f"{made.tool} is not a tool"
            return
        earlier = state
        ran, state = runner.run_and_stay(made, earlier)
        if not ran.accepted:
            yield f"{made.tool} is rejected: {ran.text}"
            return
    call = TriedCall(edge.target, evidence.target)
    before, after = runner.run_before_and_after(call, earlier, state)
    if kind_of_change(before, after) != edge.kind:
        yield f"{edge.source} makes no such difference to {edge.target}"
    schema, tool = runner.start.domain.schema, runner.start.domain.tools[edge.target]
    changed = columns_changed(state, tables_looked_at(tool, schema), runner.start)
    yield from _differences(evidence, {"before": before.shown, "after": after.shown, "changed": changed})


def _differences(evidence: Evidence, seen: Mapping[str, Any]) -> Iterator[str]:
    """Say which parts of the evidence come out differently when it is executed."""
    for name, value in seen.items():
        if value != getattr(evidence, name):
            yield f"{name} is {value!r}, not {getattr(evidence, name)!r}"
