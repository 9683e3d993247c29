"""Measure what the gate turns on while scenarios are written: |D|, c(H) and g(D) (paper, section 4.2.2).

H are the tools that scenarios call, D the others. The figures are those that decide on the expansion of a task, too.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from generator.tasks.chains import ATTEMPTS, find_chains
from generator.tasks.ground import Ground, told_in_cases
from generator.tasks.network import Network
from runtime.domain.load import load_domain
from runtime.graph import parse_graph

TAU = 0.5  # from this score on, one more chain is written
SEED, SIZE = 1, 300  # of the world on which chains are tried


def measure_gate(folder: str, graph: Mapping[str, Any], called: Sequence[str], number: int) -> dict[str, Any]:
    """The tools of D, c(H) and g(D) when the gate is asked for the n-th time; in a child process."""
    domain = load_domain(Path(folder))
    network = Network(domain, parse_graph(graph), told_in_cases(domain))
    inside = set(called)
    remaining = [tool for tool in network.tools if tool not in inside]
    ground = Ground(domain, network, SEED, SIZE)
    try:
        runs = find_chains(ground, remaining, random.Random(f"chains of gate {number}"))
    finally:
        ground.close()
    return {
        "remaining": remaining,
        "complexity": round(network.complexity(inside), 4),
        "feasibility": round(len(runs) / ATTEMPTS, 4),
    }
