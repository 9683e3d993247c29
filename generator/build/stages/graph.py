"""The stage that finds dependencies between tools, and those that a model proposes and execution backs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from pydantic import Field

from generator.build.ask import Asker, Question, ask
from generator.build.design import DesignPart, Name, Sentence
from generator.build.draft import Draft
from generator.build.writing.designs import describe_fields, describe_wants, prompt
from generator.graph.chains import Proposal, ProposalsRequest, prove_proposals
from generator.graph.find import search_graph, with_chain_flows
from generator.isolation.job import ProvingLimits
from generator.isolation.process import prove
from runtime.errors import StageFailed
from runtime.graph import KINDS, Graph
from runtime.task.paths import read_path
from runtime.wording import counted


async def find_dependencies(asker: Asker, draft: Draft) -> Draft:
    """The draft with its graph; every edge carries the calls that show it."""
    graph = await asyncio.to_thread(_search, draft)
    return replace(draft, graph=await propose_dependencies(asker, draft, graph) if draft.order.proposes else graph)


def _search(draft: Draft) -> Graph:
    with draft.laid_out() as folder:
        return search_graph(folder)


def add_chain_flows(draft: Draft, graph: Graph) -> Graph:
    """The graph with every data flow of the chains that the draft's scenarios come to."""
    with draft.laid_out() as folder:
        return with_chain_flows(folder, graph)


MOST = 40  # proposals of a domain
_LIMITS = ProvingLimits(cpu_seconds=240, wall_seconds=1_200)


class ProposedEdge(DesignPart):
    """One dependency that a model takes to be there."""

    source: Name
    target: Name
    kind: Literal["data_flow", "precondition"]
    first: list[Name] = Field(default=[], max_length=3, description="tools to call before the source, in order")
    result: str = Field(default="", max_length=200, description="of a data flow: the path in the source's result")
    parameter: str = Field(default="", max_length=200, description="of a data flow: what takes it in the target")
    reason: Sentence


class ProposedEdges(DesignPart):
    """What a model answers."""

    edges: list[ProposedEdge] = Field(max_length=MOST)


async def propose_dependencies(asker: Asker, draft: Draft, graph: Graph) -> Graph:
    """The graph with those dependencies that a model proposes and execution backs; as it was if no answer is usable."""
    question = Question(
        stage="graph",
        key="proposals",
        prompt=prompt(
            "graph",
            title=draft.catalogue.title,
            summary=draft.catalogue.summary,
            designs=describe_wants(draft.catalogue.tools),
            records=describe_fields(draft.catalogue.records),
            edges="\n".join(_known_edges(graph)) or "- none",
            most=MOST,
        ),
        max_tokens=8_000,
    )
    try:
        asked = await ask(asker, question, ProposedEdges, lambda own: list(faults_of_proposals(own, draft, graph)))
        own = asked.insist("The proposals of dependencies")
    except StageFailed as failed:
        asker.watcher.said(str(failed))
        return graph
    whole = await asyncio.to_thread(_try, draft, graph, own)
    shown, proposed = len(whole.edges) - len(graph.edges), counted(len(own.edges), "proposal")
    asker.watcher.said(f"{shown} of {proposed} of dependencies showed when executed")
    return whole


def faults_of_proposals(own: ProposedEdges, draft: Draft, graph: Graph) -> Iterator[str]:
    """What is wrong with proposals before they are tried, one sentence each."""
    tools = {tool.name: tool for tool in draft.catalogue.tools}
    known = {(edge.source, edge.target, edge.kind) for edge in graph.edges}
    for each in own.edges:
        where = f"{each.source} -> {each.target} ({each.kind})"
        unknown = [name for name in (each.source, each.target, *each.first) if name not in tools]
        if unknown:
            yield f"{where}: there is no tool {unknown[0]!r}"
        elif each.source == each.target:
            yield f"{where}: a dependency is between two tools"
        elif (each.source, each.target, each.kind) in known:
            yield f"{where}: it is known already; propose what is missing"
        elif each.kind == "data_flow":
            parameters = [parameter.name for parameter in tools[each.target].parameters]
            if str(read_path(each.parameter)[0]) not in parameters:
                yield f"{where}: {each.target} has no parameter {each.parameter!r}; have: {', '.join(parameters)}"
            if not each.result:
                yield f"{where}: give the path of the value in the result of {each.source} as `result`"


def _try(draft: Draft, graph: Graph, own: ProposedEdges) -> Graph:
    proposals = [Proposal(**each.model_dump()) for each in own.edges]
    with draft.laid_out() as folder:
        return prove(prove_proposals, ProposalsRequest(folder, graph, proposals), _LIMITS)


def _known_edges(graph: Graph) -> Iterator[str]:
    """A line for each tool and kind: what it leads to as far as is known."""
    for name in graph.nodes:
        for kind in KINDS[:2]:
            targets = [edge.target for edge in graph.out_of(name) if edge.kind == kind]
            if targets:
                yield f"- {name} ({kind}): {', '.join(targets)}"
