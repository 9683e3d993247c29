"""Stage `graph`: which tool makes which other one possible, found and backed by execution (paper, section 4.1.3)."""

from __future__ import annotations

from generator.build.draft import Draft
from generator.graph.whole import search_graph, with_chain_flows
from runtime.graph import Graph


def find_dependencies(draft: Draft) -> Graph:
    """The graph of a draft without scenarios; every edge carries the calls that show it."""
    with draft.laid_out() as folder:
        return search_graph(folder)


def add_chain_flows(draft: Draft, graph: Graph) -> Graph:
    """The graph with every data flow of the chains that the draft's scenarios come to."""
    with draft.laid_out() as folder:
        return with_chain_flows(folder, graph)
