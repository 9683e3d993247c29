"""The stage that finds dependencies between tools by execution, and adds what the chains of scenarios show."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from generator.build.ask import Asker
from generator.build.draft import Draft
from generator.graph.find import search_graph, with_chain_flows
from runtime.graph import Graph


async def find_dependencies(asker: Asker, draft: Draft) -> Draft:
    """Return the draft with its graph; every edge carries the calls that show it."""
    return replace(draft, graph=await asyncio.to_thread(_search, draft))


def _search(draft: Draft) -> Graph:
    with draft.laid_out() as folder:
        return search_graph(folder)


def add_chain_flows(draft: Draft, graph: Graph) -> Graph:
    """Return the graph with every data flow of the chains that the draft's scenarios come to."""
    with draft.laid_out() as folder:
        return with_chain_flows(folder, graph)
