"""The whole graph of a domain folder: searched in shares of its tools side by side, then the data flow of chains."""

from __future__ import annotations

import os
from pathlib import Path

from generator.gates.request import cut_in_shares
from generator.graph.chain_flow import ChainFlowsRequest, prove_chain_flows
from generator.graph.find import join_graphs, prove_graph
from generator.isolation.job import ProvingLimits
from generator.isolation.process import ProveAll, prove_all
from runtime.graph import Graph

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
    (whole,) = prove_all(prove_chain_flows, [ChainFlowsRequest(folder, graph)], _LIMITS, 1)
    return whole
