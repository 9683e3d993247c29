"""Find the interlocking scenarios of a domain in child processes, and write `interlocks.json`."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from generator.graph.chains import arguments_of_cases
from generator.isolation.job import ProvingLimits, job
from generator.isolation.process import run_jobs
from generator.tasks.compose import composable_scenarios
from generator.tasks.interlocks import FILE, Interlocks, Pair, digest_for_interlocks, find_pairs, write_interlocks
from generator.tasks.plan import INTERLOCKED
from generator.tasks.studied_world import Network, StudiedWorld
from runtime.domain.load import load_domain
from runtime.errors import UsageError
from runtime.graph import read_graph
from runtime.sandbox.files import replacing

_WORLDS, _ROWS = 4, 300  # in which the scenarios are told
_SEEDS = 2  # callers of each scenario in each world
_LIMITS = ProvingLimits(1_200, wall_seconds=24_000.0)


@dataclass(frozen=True)
class InterlocksRequest:
    """A domain folder, and the seed of a world."""

    folder: Path
    world_seed: int


@dataclass(frozen=True)
class PairsFound:
    """The pairs that were found in one world, and the digest of what they were found in."""

    pairs: list[Pair]
    of: str


@job("interlocks")
def find_in_world(asked: InterlocksRequest) -> PairsFound:
    """Find the interlocking scenarios in one world; errors: BrokenDomain, UsageError."""
    domain = load_domain(asked.folder)
    programs = {
        name: program
        for name, program in composable_scenarios(domain).items()
        if getattr(program, "form", "direct") in INTERLOCKED
    }
    network = Network(domain, read_graph(asked.folder), arguments_of_cases(asked.folder))
    with StudiedWorld(domain, network, asked.world_seed, _ROWS) as studied:
        found = set(find_pairs(studied, programs, range(_SEEDS)))
    return PairsFound(sorted(found), digest_for_interlocks(domain))


def find_interlocks(
    folder: Path, processes: int | None = None, say: Callable[[str], None] = lambda _: None
) -> Interlocks:
    """Find the interlocking scenarios of a domain and write them beside it; errors: UsageError, BrokenDomain."""
    ended: list[int] = []

    def tell(at: int) -> None:
        ended.append(at)
        say(f"finding requests that decide each other: {len(ended)} of {_WORLDS} worlds")

    say("finding requests that decide each other")
    asked = [InterlocksRequest(folder, seed) for seed in range(_WORLDS)]
    reports = run_jobs(find_in_world, asked, _LIMITS, processes or os.cpu_count() or 1, proven=tell)
    found = Interlocks(tuple(sorted({pair for each in reports for pair in each.pairs})), reports[0].of)
    try:
        with replacing(folder / FILE) as file:
            file.write(f"{write_interlocks(found)}\n".encode())
    except OSError as error:
        raise UsageError(f"{str(folder / FILE)!r} cannot be written: {error.strerror}.") from error
    return found
