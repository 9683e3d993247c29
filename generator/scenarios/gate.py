"""Measure what the gate turns on while scenarios are written: |D|, c(H) and g(D) (paper, section 4.2.2).

H are the tools that scenarios call, D the others. The figures are those that decide on the expansion of a task, too.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from generator.isolation.job import job
from generator.tasks.expand import ATTEMPTS, find_chains
from generator.tasks.network import Network
from generator.tasks.studied_world import StudiedWorld, told_in_cases
from runtime.domain.load import load_domain
from runtime.graph import Graph

TAU = 0.5  # from this score on, one more chain is written
SEED, SIZE = 1, 300  # of the world on which chains are tried


@dataclass(frozen=True)
class GateRequest:
    """The gate of a draft with this graph, asked for the n-th time, when scenarios call these tools."""

    folder: Path
    graph: Graph
    called: list[str]
    number: int


@dataclass(frozen=True)
class GateFigures:
    """The tools of D, c(H) and g(D)."""

    remaining: list[str]
    complexity: float
    feasibility: float


@job("gate")
def measure_gate(asked: GateRequest) -> GateFigures:
    """Try chains of the tools that are left on a world; errors: BrokenDomain, EnvironmentFault."""
    domain = load_domain(asked.folder)
    network = Network(domain, asked.graph, told_in_cases(domain))
    inside = set(asked.called)
    remaining = [tool for tool in network.tools if tool not in inside]
    studied = StudiedWorld(domain, network, SEED, SIZE)
    try:
        runs = find_chains(studied, remaining, random.Random(f"chains of gate {asked.number}"))
    finally:
        studied.close()
    return GateFigures(remaining, round(network.complexity(inside), 4), round(len(runs) / ATTEMPTS, 4))
