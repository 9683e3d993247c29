"""Decide which edges longer chains of calls show: the data flows of scenarios.

Of the calls around the two tools of a data flow, all are left out without which it still shows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from generator.gates.calls.sample import Slot
from generator.gates.calls.start import start_on
from generator.gates.cases.case import read_cases_if_any
from generator.graph.experiment import CallRunner, FlowCalls, TriedCall, make_up, try_flow
from generator.isolation.job import job
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import EnvironmentFault, Rejection
from runtime.graph import Edge, Evidence, Graph, StartOfEvidence, in_order
from runtime.sandbox.budget import Budget
from runtime.sandbox.files import is_there
from runtime.session.session import Session
from runtime.task.origin import JsonPath, find_at, is_reference, leaves_of, path_of
from runtime.task.picks import NoSuchRow
from runtime.task.story import FILE, Program, load_scenarios, tell_story
from runtime.task.task import Step, bind

WORLDS = ((1, 150), (2, 300))  # seed and size
PLACES = (*WORLDS, *((seed, size) for size in (100, 300) for seed in (1, 2, 3, 4)))
_FRUITLESS = 3  # places without a new edge, after which no further ones are looked at
_STORIES = 2  # of a scenario on each
_SEED_STEP = 1_000  # between them
_STEPS = 1_000_000
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}( .*)?")
_UNTELLABLE = (
    *(ArithmeticError, AttributeError, LookupError, NameError, TypeError, ValueError),
    *(EnvironmentFault, NoSuchRow, Rejection),
)


@dataclass(frozen=True)
class Flow:
    """A value that one step of a chain returns, and with which a later one is called."""

    source: int
    result: JsonPath
    target: int
    parameter: JsonPath


def flows_of(chain: Sequence[Step]) -> Iterator[Flow]:
    """Yield the data flows of a chain, except those from a tool to itself, which no edge can be."""
    for number, step in enumerate(chain):
        for path, leaf in leaves_of(step.arguments):
            if is_reference(leaf) and chain[leaf["$step"]].tool != step.tool:
                yield Flow(leaf["$step"], path_of(leaf), number, path)


@dataclass(frozen=True)
class ChainFlowsRequest:
    """A domain folder and its graph so far."""

    folder: Path
    graph: Graph


@job("chain flows")
def prove_chain_flows(asked: ChainFlowsRequest) -> Graph:
    """Add the data flows of all chains that the scenarios of a folder come to; errors: BrokenDomain."""
    domain = load_domain(asked.folder)
    return add_chain_flows(domain, asked.graph) if is_there(asked.folder / FILE) else asked.graph


def add_chain_flows(
    domain: Domain,
    graph: Graph,
    programs: Mapping[str, Program] | None = None,
    places: Sequence[tuple[int, int]] = PLACES,
) -> Graph:
    """Add an edge for each data flow of the scenarios' chains, told on some worlds, that execution backs."""
    programs = load_scenarios(domain.path) if programs is None else programs
    known = {(edge.source, edge.target) for edge in graph.edges if edge.kind == "data_flow"}
    fruitless = 0
    for seed, size in places:
        with CallRunner(start_on(domain, seed, size)) as runner:
            edges = list(_flows_on(runner, programs, seed, known))
        graph = with_edges(graph, StartOfEvidence(seed=seed, size=size), edges)
        fruitless = 0 if edges else fruitless + 1
        if fruitless == _FRUITLESS:
            break
    return graph


def with_edges(graph: Graph, start: StartOfEvidence, edges: Sequence[Edge]) -> Graph:
    """Add edges whose evidence is from one start."""
    if not edges:
        return graph
    starts = graph.starts if start in graph.starts else (*graph.starts, start)
    update = {"start": starts.index(start)}
    numbered = [edge.model_copy(update={"evidence": edge.evidence.model_copy(update=update)}) for edge in edges]
    return replace(graph, starts=starts, edges=in_order([*graph.edges, *numbered]))


def _flows_on(
    runner: CallRunner, programs: Mapping[str, Program], seed: int, known: set[tuple[str, str]]
) -> Iterator[Edge]:
    """Yield the edges that chains show on one start, for pairs of tools that have none yet; `known` is added to."""
    for name, program in programs.items():
        for story in range(_STORIES):
            chain = _tell(program, runner, seed + _SEED_STEP * story)
            calls: list[TriedCall] = []
            for flow in flows_of(chain):
                pair = (chain[flow.source].tool, chain[flow.target].tool)
                if pair in known:
                    continue
                calls = calls or _calls_of(runner, chain)
                evidence = _shortest(runner, calls, flow)
                if evidence is not None:
                    known.add(pair)
                    evidence = evidence.model_copy(update={"scenario": name})
                    yield Edge(source=pair[0], target=pair[1], kind="data_flow", evidence=evidence)


def _tell(program: Program, runner: CallRunner, seed: int) -> list[Step]:
    """Return the chain of a scenario on a start; empty if it cannot be told, which its own gate reports."""
    try:
        with Session(runner.start.domain, runner.start.world) as session, Budget(_STEPS):
            return tell_story(program, session, seed).chain
    except _UNTELLABLE:
        return []


def _calls_of(runner: CallRunner, chain: Sequence[Step]) -> list[TriedCall]:
    """Return the calls of a chain with the values of its references."""
    calls: list[TriedCall] = []
    results: list[Any] = []
    state = runner.beginning
    for step in chain:
        calls.append(TriedCall(step.tool, bind(step.arguments, results)))
        ran = runner.run(calls[-1], state)
        state = ran.left
        results.append(ran.result if ran.accepted else {})
    return calls


def _shortest(runner: CallRunner, calls: Sequence[TriedCall], flow: Flow) -> Evidence | None:
    """Return the evidence of the fewest calls of a chain that show a flow; None if the value does not matter."""
    target = calls[flow.target]
    slot = runner.slot(target.tool, flow.parameter)
    value = find_at(target.arguments, flow.parameter)
    if slot is None or value is None or value == "" or isinstance(value, dict | list):
        return None

    def shown(others: Sequence[int], made_up: Any) -> Evidence | None:
        lead = tuple(calls[number] for number in others if number < flow.source)
        between = tuple(calls[number] for number in others if number > flow.source)
        each = FlowCalls(lead, calls[flow.source], between, target, flow.result, flow.parameter)
        found = try_flow(runner, each, made_up)
        return None if isinstance(found, str) else found

    needed = [number for number in range(flow.target) if number != flow.source]
    for made_up in _others(value, slot, runner):
        found = shown(needed, made_up)
        if found is None:
            continue
        for number in tuple(needed):
            fewer = [each for each in needed if each != number]
            less = shown(fewer, made_up)
            needed, found = (needed, found) if less is None else (fewer, less)
        return found
    return None


def _others(value: Any, slot: Slot, runner: CallRunner) -> Iterator[Any]:
    """Yield values to put in the place of one: other choices, near ones, then one that no row holds."""
    if isinstance(value, bool):
        yield not value
        return
    yield from (each for each in slot.schema.get("enum", ()) if each != value)
    if isinstance(value, int | float):
        yield from (value + 1, value - 1)
    elif _DATE.fullmatch(value) is not None:
        with suppress(ValueError, OverflowError):  # such as 2026-02-30
            yield from (f"{date.fromisoformat(value[:10]) + timedelta(days)}{value[10:]}" for days in (-1, 1))
    yield make_up(value, runner.start, runner.beginning)


def arguments_of_cases(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the arguments of each tool's success cases in a domain folder; errors: UsageError."""
    found: dict[str, list[dict[str, Any]]] = {}
    for topic in read_cases_if_any(folder).values():
        for case in topic.cases:
            if case.is_success:
                found.setdefault(case.tool, []).append(case.arguments)
    return found
