"""Try dependencies that a model proposed: the tools that it names are called in their order until the edge shows."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from generator.gates.cases.case import read_cases_if_any
from generator.graph.chain_flow import Flow, evidence_of, set_up_calls
from generator.graph.draw import Drawer, drawers_of
from generator.graph.examples import arguments_of_cases
from generator.graph.influence import columns_changed, kind_of_change, places_changed, tables_looked_at
from generator.graph.runner import CallRunner, Ran, TriedCall
from generator.graph.slots import slot_at
from generator.graph.start import WORLDS, open_start
from generator.isolation.job import job
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.graph import Edge, Evidence, Graph, StartOfEvidence, in_order
from runtime.session.session import Snapshot
from runtime.task.paths import find_at, read_path

_ATTEMPTS = 24  # at the whole of a proposal, on each world
_DRAWS = 8  # for one call of it


@dataclass(frozen=True)
class Proposal:
    """A dependency that may be there: after the calls of `first`, what `source` returns or does is what `target` needs.

    `result` and `parameter` are of a data flow.
    """

    source: str
    target: str
    kind: Literal["data_flow", "precondition"]
    reason: str
    first: Sequence[str] = ()
    result: str = ""
    parameter: str = ""


@dataclass(frozen=True)
class ProposalsRequest:
    """A domain folder, its graph so far, and what was proposed."""

    folder: Path
    graph: Graph
    proposals: list[Proposal]


@job("proposals")
def prove_proposals(asked: ProposalsRequest) -> Graph:
    """The graph with those of the proposals that execution backs; errors: BrokenDomain."""
    domain = load_domain(asked.folder)
    told = arguments_of_cases(read_cases_if_any(asked.folder))
    return add_proposals(domain, asked.graph, asked.proposals, told)


def add_proposals(
    domain: Domain, graph: Graph, proposals: Sequence[Proposal], told: Mapping[str, list[dict[str, object]]]
) -> Graph:
    """The graph with an edge for each proposal that shows; `told` are arguments of successful cases, by tool."""
    known = {(edge.source, edge.target, edge.kind) for edge in graph.edges}
    starts, edges = list(graph.starts), list(graph.edges)
    for seed, size in WORLDS:
        start = open_start(domain, StartOfEvidence(seed=seed, size=size), {})
        with CallRunner(start) as runner:
            trial = _Trial(runner, drawers_of(domain, start, told))
            for proposal in proposals:
                name = (proposal.source, proposal.target, proposal.kind)
                evidence = None if name in known else trial.evidence(proposal)
                if evidence is None:
                    continue
                known.add(name)
                if start.place not in starts:
                    starts.append(start.place)
                update = {"start": starts.index(start.place), "reason": proposal.reason}
                evidence = evidence.model_copy(update=update)
                edges.append(
                    Edge(source=proposal.source, target=proposal.target, kind=proposal.kind, evidence=evidence)
                )
    return replace(graph, starts=tuple(starts), edges=in_order(edges))


class _Trial:
    """Tries proposals on one start."""

    def __init__(self, runner: CallRunner, drawers: Mapping[str, Drawer]) -> None:
        self._runner, self._start, self._drawers = runner, runner.start, drawers

    def evidence(self, proposal: Proposal) -> Evidence | None:
        """The evidence that one of so many attempts finds."""
        rng = random.Random(f"{proposal.first} {proposal.source} {proposal.kind} {proposal.target}")
        show = self._data_flow if proposal.kind == "data_flow" else self._precondition
        return next((found for _ in range(_ATTEMPTS) if (found := show(proposal, rng)) is not None), None)

    def _data_flow(self, proposal: Proposal, rng: random.Random) -> Evidence | None:
        made = self._made([*proposal.first, proposal.source], rng)
        drawer, path = self._drawers[proposal.target], read_path(proposal.result)
        slot = slot_at(drawer.slots, read_path(proposal.parameter))
        if made is None or slot is None:
            return None
        value = find_at(made.last.result, path)
        if value is None:
            return None
        near = [place for column in slot.keys for place in self._start.holding(column, value)]
        near = self._start.near([*near, *places_changed(made.state)])
        for _ in range(_DRAWS):
            target = TriedCall(proposal.target, drawer.draw(rng, near or drawer.anchor(rng), {slot.path: value}))
            flow = Flow(len(proposal.first), path, len(made.calls), slot.path)
            found = evidence_of(self._runner, [*made.calls, target], flow)
            if found is not None:
                return found
        return None

    def _precondition(self, proposal: Proposal, rng: random.Random) -> Evidence | None:
        made = self._made([*proposal.first, proposal.source], rng)
        if made is None:
            return None
        drawer = self._drawers[proposal.target]
        near = self._start.near(places_changed(made.state))
        for _ in range(_DRAWS):
            target = TriedCall(proposal.target, drawer.draw(rng, near))
            before, after = self._runner.run_before_and_after(target, made.before, made.state)
            if kind_of_change(before, after) == "precondition":
                looked_at = tables_looked_at(drawer.tool, self._start.domain.schema)
                return Evidence(
                    start=0,
                    lead=set_up_calls(made.calls[:-1]),
                    source=dict(made.calls[-1].arguments),
                    target=dict(target.arguments),
                    changed=columns_changed(made.state, looked_at, self._start),
                    before=before.shown,
                    after=after.shown,
                )
        return None

    def _made(self, tools: Sequence[str], rng: random.Random) -> _CallsMade | None:
        """Calls of some tools one after another, about the same rows; None if one of them does not go through."""
        state, before = self._runner.beginning, self._runner.beginning
        calls: list[TriedCall] = []
        last: Ran | None = None
        near = self._drawers[tools[0]].anchor(rng)
        for tool in tools:
            around = self._start.near([*places_changed(state), *near[:1]]) or near
            for _ in range(_DRAWS):
                call = TriedCall(tool, self._drawers[tool].draw(rng, around))
                last, after = self._runner.run_and_stay(call, state)
                if last.accepted:
                    before, state = state, after
                    calls.append(call)
                    break
            else:
                return None
        return None if last is None else _CallsMade(calls, before, state, last)


@dataclass(frozen=True)
class _CallsMade:
    """Calls that went through, the states before and after the last of them, and what that returned."""

    calls: list[TriedCall]
    before: Snapshot
    state: Snapshot
    last: Ran
