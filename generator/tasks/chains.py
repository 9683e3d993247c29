"""Find executable chains among tools: g(D) is the share of attempts that find one (paper, section 4.2.2).

An attempt draws a chain and executes it, call after call; what a call needs in the rows, other calls may set up first.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from generator.tasks.network import Network
from generator.tasks.studied_world import StudiedWorld

ATTEMPTS = 16
_LONGEST_CHAIN = 3


def find_chains(studied: StudiedWorld, remaining: Sequence[str], rng: random.Random) -> list[list[str]]:
    """The chains of tools of D that run, out of so many attempts; without tools there are none."""
    found = [_draw_chain(studied, remaining, rng) for _ in range(ATTEMPTS)] if remaining else []
    return [chain for chain in found if chain]


def feeding(network: Network, tool: str, within: Iterable[str]) -> list[str]:
    """The tools of a subset that return an id that a tool must be given, sorted."""
    inside = set(within)
    return sorted({source for parameter in network.needs(tool) for source in network.feeding(tool, parameter, inside)})


def _draw_chain(studied: StudiedWorld, remaining: Sequence[str], rng: random.Random) -> list[str]:
    """A chain of these tools, each fed by those before it where one can be; empty if it does not run."""
    target = rng.choice(remaining)
    chain = [target]
    for _ in range(_LONGEST_CHAIN - 1):
        sources = feeding(studied.network, chain[0], set(remaining) - set(chain))
        if not sources:
            break
        chain.insert(0, rng.choice(sources))
    return chain if studied.runs(chain) else []
