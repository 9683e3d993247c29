"""Expand a task's chain to the part of the domain that can be executed in its world (paper, section 4.2.2)."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from generator.graph.experiment import TriedCall
from generator.tasks.studied_world import Network, StudiedWorld

TAU = 0.25
AMPLE = 0.2  # of the domain's tools: if this share is left, more tools make no difference
LEAST_TOOLS = 20


@dataclass(frozen=True)
class Decision:
    """What the gate decided on a further chain, with its inputs: |D|, c(H), g(D) (paper, section 4.2.2)."""

    remaining: int
    complexity: float
    feasibility: float
    score: float
    goes_on: bool


@dataclass(frozen=True)
class Expansion:
    """The tools that can be executed beside those of the chain, each with calls of which the last one is its own."""

    examples: dict[str, list[TriedCall]]
    chains: int  # the task's own, the further and the auxiliary ones
    asks: Decision | None = None  # on the next chain, where somebody else decides and has not yet


def expand(studied: StudiedWorld, chain: Iterable[str], seed: int, ruled: Sequence[bool] | None = None) -> Expansion:
    """Expand the tools of a chain on a world; `ruled` is whether to go on, chain by chain, in place of the formula."""
    growing = _Growing(studied, chain)
    growing.grow(list(growing.tools))
    chains = 1
    rng = random.Random(f"chains {seed}")
    while True:
        runs = find_chains(studied, growing.remaining, rng)
        decision = decide(
            len(growing.remaining),
            len(studied.network.tools),
            studied.network.complexity(growing.tools),
            len(runs) / ATTEMPTS,
        )
        if ruled is not None and runs and chains > len(ruled):
            return Expansion({}, chains, decision)
        if not runs or not (decision.goes_on if ruled is None else ruled[chains - 1]):
            break
        chains += 1
        growing.take(runs[0])
    auxiliary = list(growing.remaining)
    rng.shuffle(auxiliary)
    for tool in auxiliary:
        if len(growing.tools) >= LEAST_TOOLS:
            break
        if tool not in growing.tools and studied.example(tool, studied.network.tools):
            chains += 1
            growing.take([tool])
    return Expansion({tool: example for tool, example in growing.tools.items() if example}, chains)


def decide(remaining: int, tools: int, complexity: float, feasibility: float) -> Decision:
    """Decide by the gate's three inputs, |D|, c(H) and g(D), and the number of the domain's tools."""
    room = 1 - complexity
    supply = min(1.0, remaining / (AMPLE * tools))
    score = feasibility * (room + supply) / 2
    return Decision(remaining, round(complexity, 4), round(feasibility, 4), round(score, 4), score >= TAU)


class _Growing:
    """A subgraph that grows: its tools, each with the example that ran; the chain's own have none."""

    def __init__(self, studied: StudiedWorld, chain: Iterable[str]) -> None:
        self._studied, self._network = studied, studied.network
        self.tools: dict[str, list[TriedCall]] = {tool: [] for tool in chain}
        self._refused: set[str] = set()

    @property
    def remaining(self) -> list[str]:
        """The tools outside."""
        return [tool for tool in self._network.tools if tool not in self.tools]

    def take(self, chain: Sequence[str]) -> None:
        """Add the tools of a chain, and what can be reached from them."""
        for tool in chain:
            self.tools.setdefault(tool, self._studied.example(tool, self._network.tools))
        self.grow(chain)

    def grow(self, front: Iterable[str]) -> None:
        """Breadth-first from some tools of the subgraph, until no more tool can be added."""
        queue = list(front)
        for tool in queue:  # grows on the way
            for target in self._network.after.get(tool, ()):
                if target in self.tools or target in self._refused:
                    continue
                if not self._network.is_satisfiable(target, self.tools):
                    continue
                example = self._studied.example(target, self.tools)
                if example:
                    self.tools[target] = example
                    queue.append(target)
                else:
                    self._refused.add(target)


ATTEMPTS = 16
_LONGEST_CHAIN = 3


def find_chains(studied: StudiedWorld, remaining: Sequence[str], rng: random.Random) -> list[list[str]]:
    """Return the sampled chains of tools of D that run."""
    found = [_draw_chain(studied, remaining, rng) for _ in range(ATTEMPTS)] if remaining else []
    return [chain for chain in found if chain]


def feeding(network: Network, tool: str, within: Iterable[str]) -> list[str]:
    """Return the tools of a subset that return an id that a tool must be given, sorted."""
    inside = set(within)
    return sorted({source for parameter in network.needs[tool] for source in network.feeding(tool, parameter, inside)})


def _draw_chain(studied: StudiedWorld, remaining: Sequence[str], rng: random.Random) -> list[str]:
    """Return a chain of these tools, each fed by those before it where one can be; empty if it does not run."""
    target = rng.choice(remaining)
    chain = [target]
    for _ in range(_LONGEST_CHAIN - 1):
        sources = feeding(studied.network, chain[0], set(remaining) - set(chain))
        if not sources:
            break
        chain.insert(0, rng.choice(sources))
    return chain if studied.runs(chain) else []
