"""The gate that decides whether more scenarios are written (paper, section 4.2.2), and its rulings."""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pydantic import Field

from generator.author.design import DesignPart, Sentence
from generator.graph.chains import arguments_of_cases
from generator.isolation.job import job
from generator.tasks.expand import ATTEMPTS, Decision, find_chains
from generator.tasks.studied_world import Network, StudiedWorld
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
    network = Network(domain, asked.graph, arguments_of_cases(domain.path))
    inside = set(asked.called)
    remaining = [tool for tool in network.tools if tool not in inside]
    studied = StudiedWorld(domain, network, SEED, SIZE)
    try:
        runs = find_chains(studied, remaining, random.Random(f"chains of gate {asked.number}"))
    finally:
        studied.close()
    return GateFigures(remaining, round(network.complexity(inside), 4), round(len(runs) / ATTEMPTS, 4))


class Opinion(DesignPart):
    """What a model answers at the gate: the paper's compatibility score, and why."""

    probability: float = Field(ge=0, le=1, description="how much one more chain is worth it")
    reason: Sentence


@dataclass(frozen=True)
class GateRuling:
    """A decision of the gate and the reason that the model gave."""

    decision: Decision
    reason: str

    @property
    def as_json(self) -> dict[str, Any]:
        """As it stands in `domain.json`."""
        return {**asdict(self.decision), "reason": self.reason}

    @property
    def as_sentence(self) -> str:
        """As a person reads it."""
        own = self.decision
        inputs = f"|D| {own.remaining}, c(H) {own.complexity}, g(D) {own.feasibility}"
        return f"{'go on' if own.goes_on else 'stop'} at {own.score} ({inputs}): {self.reason}"
