"""Find the data flow of chains: a value that a scenario hands from one call to another is an edge, if it shows.

A chain is run again on a start. Of the calls before the two tools and between them, all are left out without which
the later one is still accepted with the value, and needs it: with another value it is refused, says another thing, or
stores another one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from generator.graph.data_flow import make_up, without_echo
from generator.graph.runner import CallRunner, Ran, TriedCall
from generator.graph.slots import Slot, slot_at, slots_of
from generator.graph.start import WORLDS, Start, open_start
from generator.isolation.job import job
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.domain.schema import Schema
from runtime.errors import EnvironmentFault, Rejection
from runtime.graph import Edge, Evidence, Graph, SetUpCall, StartOfEvidence, in_order
from runtime.sandbox.budget import Budget
from runtime.sandbox.files import is_there
from runtime.session.session import Session, Snapshot
from runtime.task.paths import JsonPath, dotted, find_at, is_reference, leaves_of, path_of, put_at
from runtime.task.picks import NoSuchRow
from runtime.task.story import FILE, Program, load_scenarios, tell_story
from runtime.task.task import Step, bind

PLACES = (*WORLDS, *((seed, size) for size in (100, 300) for seed in (1, 2, 3, 4)))  # seed and size of a world
_STORIES = 2  # of a scenario on each
_SEED_STEP = 1_000  # between them
_STEPS = 1_000_000
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


@dataclass(frozen=True)
class FlowCalls:
    """The calls that show a flow: some before A, A, some between the two, and B."""

    lead: tuple[TriedCall, ...]
    source: TriedCall
    between: tuple[TriedCall, ...]
    target: TriedCall


@dataclass(frozen=True)
class FlowSeen:
    """What A returned, what came of B with it and with another value, and the columns these two leave different."""

    value: Any
    state: Snapshot
    after: Ran
    otherwise: Ran
    stored: dict[str, list[str]]


@dataclass(frozen=True)
class ChainFlowsRequest:
    """A domain folder and its graph so far."""

    folder: Path
    graph: Graph


@job("chain flows")
def prove_chain_flows(asked: ChainFlowsRequest) -> Graph:
    """The graph with the data flow of all chains that the scenarios of a folder come to; errors: BrokenDomain."""
    domain = load_domain(asked.folder)
    if not is_there(asked.folder / FILE):
        return asked.graph
    return add_chain_flows(domain, asked.graph, load_scenarios(asked.folder))


def add_chain_flows(
    domain: Domain, graph: Graph, programs: Mapping[str, Program], places: Sequence[tuple[int, int]] = PLACES
) -> Graph:
    """The graph with an edge for each data flow of the scenarios' chains that execution backs.

    The scenarios are told on worlds of these seeds and sizes.
    """
    known = {(edge.source, edge.target) for edge in graph.edges if edge.kind == "data_flow"}
    starts, edges = list(graph.starts), list(graph.edges)
    for seed, size in places:
        start = open_start(domain, StartOfEvidence(seed=seed, size=size), {})
        with CallRunner(start) as runner:
            for edge in _edges_on(runner, programs, known):
                if start.place not in starts:
                    starts.append(start.place)
                evidence = edge.evidence.model_copy(update={"start": starts.index(start.place)})
                edges.append(edge.model_copy(update={"evidence": evidence}))
    return replace(graph, starts=tuple(starts), edges=in_order(edges))


def flows_of(chain: Sequence[Step]) -> Iterator[Flow]:
    """The data flows of a chain, but for those from a tool to itself, which no edge can be."""
    for number, step in enumerate(chain):
        for path, leaf in leaves_of(step.arguments):
            if is_reference(leaf) and chain[leaf["$step"]].tool != step.tool:
                yield Flow(leaf["$step"], path_of(leaf), number, path)


def pairs_of(chain: Sequence[Step]) -> set[tuple[str, str]]:
    """The tools between which a chain has a data flow."""
    return {(chain[flow.source].tool, chain[flow.target].tool) for flow in flows_of(chain)}


def run_flow(
    runner: CallRunner, calls: FlowCalls, result: JsonPath, parameter: JsonPath, made_up: Any
) -> FlowSeen | str:
    """What calls show, with a made-up value as well; a sentence if one of those before B is rejected."""
    state, value = runner.beginning, None
    for call in (*calls.lead, calls.source, *calls.between):
        ran, state = runner.run_and_stay(call, state)
        if not ran.accepted:
            return f"{call.tool} is rejected: {ran.text}"
        if call is calls.source:
            value = find_at(ran.result, result)
    after, left = runner.run_and_stay(calls.target, state)
    other = TriedCall(calls.target.tool, put_at(calls.target.arguments, parameter, made_up))
    otherwise, left_otherwise = runner.run_and_stay(other, state)
    return FlowSeen(value, state, after, otherwise, _columns_apart(left, left_otherwise, runner.start.domain.schema))


def needs_value(seen: FlowSeen, slot: Slot, made_up: Any) -> bool:
    """Whether B was accepted with the value and needs it: with another one it is refused, or says or stores another."""
    if not seen.after.accepted or seen.otherwise.crashed:
        return False
    if seen.otherwise.rejection == "INVALID_ARGUMENT":
        return bool(slot.keys)
    if seen.otherwise.rejection:
        return seen.otherwise.rejection != "RESOURCE_EXHAUSTED"
    said, said_otherwise = (ran.result for ran in (seen.after, seen.otherwise))
    return bool(seen.stored) or without_echo(said, seen.value) != without_echo(said_otherwise, made_up)


def _edges_on(runner: CallRunner, programs: Mapping[str, Program], known: set[tuple[str, str]]) -> Iterator[Edge]:
    """The edges that chains show on one start, for pairs of tools that have none yet; `known` is added to."""
    start = runner.start
    for name, program in programs.items():
        for story in range(_STORIES):
            chain = _tell(program, start, int(start.place.seed or 0) + _SEED_STEP * story)
            calls: list[TriedCall] = []
            for flow in flows_of(chain):
                pair = (chain[flow.source].tool, chain[flow.target].tool)
                if pair in known:
                    continue
                calls = calls or _calls_of(runner, chain)
                evidence = evidence_of(runner, calls, flow)
                if evidence is not None:
                    known.add(pair)
                    evidence = evidence.model_copy(update={"scenario": name})
                    yield Edge(source=pair[0], target=pair[1], kind="data_flow", evidence=evidence)


def _tell(program: Program, start: Start, seed: int) -> list[Step]:
    """The chain of a scenario on a start; empty where it cannot be told, which is for its own gate to say."""
    try:
        with Session(start.domain, start.world) as session, Budget(_STEPS):
            return tell_story(program, session, seed).chain
    except _UNTELLABLE:
        return []


def _calls_of(runner: CallRunner, chain: Sequence[Step]) -> list[TriedCall]:
    """The calls of a chain with the values that stand for its references."""
    calls: list[TriedCall] = []
    results: list[Any] = []
    state = runner.beginning
    for step in chain:
        calls.append(TriedCall(step.tool, bind(step.arguments, results)))
        ran, state = runner.run_and_stay(calls[-1], state)
        results.append(ran.result if ran.accepted else {})
    return calls


def evidence_of(runner: CallRunner, calls: Sequence[TriedCall], flow: Flow) -> Evidence | None:
    """The fewest calls of a chain that show a flow, with what came of them; None if the value does not matter."""
    start = runner.start
    slot = slot_at(slots_of(start.domain.tools[calls[flow.target].tool], start.domain.schema), flow.parameter)
    value = find_at(calls[flow.target].arguments, flow.parameter)
    if slot is None or value is None or value == "" or isinstance(value, dict | list):
        return None
    needed = [number for number in range(flow.target) if number != flow.source]
    for made_up in _others(value, slot, start, runner.beginning):
        shown = _shown(runner, calls, flow, slot, needed, made_up)
        if shown is not None:
            for number in tuple(needed):
                fewer = [each for each in needed if each != number]
                less = _shown(runner, calls, flow, slot, fewer, made_up)
                needed, shown = (needed, shown) if less is None else (fewer, less)
            return shown
    return None


def _shown(
    runner: CallRunner, calls: Sequence[TriedCall], flow: Flow, slot: Slot, others: Sequence[int], made_up: Any
) -> Evidence | None:
    """The evidence that a flow gives with some of the other calls of its chain; None if it does not show."""
    lead = tuple(calls[number] for number in others if number < flow.source)
    between = tuple(calls[number] for number in others if number > flow.source)
    source, target = calls[flow.source], calls[flow.target]
    seen = run_flow(runner, FlowCalls(lead, source, between, target), flow.result, flow.parameter, made_up)
    value = find_at(target.arguments, flow.parameter)
    if isinstance(seen, str) or seen.value != value or not needs_value(seen, slot, made_up):
        return None
    return Evidence(
        start=0,
        lead=set_up_calls(lead),
        between=set_up_calls(between),
        source=dict(source.arguments),
        result=dotted(flow.result),
        target=dict(target.arguments),
        parameter=dotted(flow.parameter),
        value=value,
        after=seen.after.shown,
        made_up=made_up,
        otherwise=seen.otherwise.shown,
        changed=seen.stored or None,
    )


def set_up_calls(calls: Sequence[TriedCall]) -> list[SetUpCall] | None:
    """Calls as evidence has them."""
    return [SetUpCall(tool=call.tool, arguments=dict(call.arguments)) for call in calls] or None


def _others(value: Any, slot: Slot, start: Start, state: Snapshot) -> Iterator[Any]:
    """Values that could stand in the place of one: of the choices there are, near ones, then one that no row holds."""
    if isinstance(value, bool):
        yield not value
        return
    yield from (each for each in slot.schema.get("enum", ()) if each != value)
    if isinstance(value, int | float):
        yield from (value + 1, value - 1)
    yield make_up(value, start, state)


def _columns_apart(one: Snapshot, other: Snapshot, schema: Schema) -> dict[str, list[str]]:
    """The columns in which two states differ; of a row that only one of them changed, its key."""
    apart: dict[str, set[str]] = {}
    for name in {*one.changes.rows, *other.changes.rows}:
        table = schema.tables[name[0]]
        rows = [state.changes.rows[name].after if name in state.changes.rows else None for state in (one, other)]
        if rows[0] == rows[1]:
            continue
        columns = set(table.primary_key)
        if rows[0] is not None and rows[1] is not None:
            pairs = zip(table.column_names, rows[0], rows[1], strict=True)
            columns = {column for column, here, there in pairs if here != there}
        apart.setdefault(table.name, set()).update(columns)
    return {table: sorted(columns) for table, columns in sorted(apart.items())}
