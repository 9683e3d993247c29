"""Episodes of a plain loop over `worldsmith.Rollout` beside the same chains replayed on bare sessions.

Both wait for nothing, so processor time is what they take on a core of their own.
"""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass

from runtime.session.session import Session
from runtime.session.world import World, WorldCache
from runtime.task.task import replay, start_world
from tests.worldsmith.playing import play
from worldsmith import DomainTask, tasks

ROUNDS = 3


@dataclass(frozen=True)
class Pace:
    """Seconds for an episode in the first round, which builds the worlds, and in later ones; for a chain on its own."""

    first: float
    later: float
    bare: float


def measure_rollouts(domain: str) -> Pace:
    """Play every task of a domain with the reference agent and the scripted user, in turn with bare replays."""
    chosen = tasks(domain)
    first = _play_all(chosen)
    worlds = WorldCache(64)
    worlds = {task: start_world(task.task, task.domain, worlds) for task in chosen}
    later, bare = zip(*[(_play_all(chosen), _replay_all(chosen, worlds)) for _ in range(ROUNDS)], strict=True)
    return Pace(*(seconds / len(chosen) for seconds in (first, statistics.median(later), statistics.median(bare))))


def _play_all(chosen: tuple[DomainTask, ...]) -> float:
    started = time.process_time()
    rewards = [play(task)[0] for task in chosen]
    seconds = time.process_time() - started
    assert sum(rewards) == len(chosen)
    return seconds


def _replay_all(chosen: tuple[DomainTask, ...], worlds: dict[DomainTask, World]) -> float:
    started = time.process_time()
    for task in chosen:
        with Session(task.domain, worlds[task]) as session:
            replay(session, task.task.chain)
    return time.process_time() - started
