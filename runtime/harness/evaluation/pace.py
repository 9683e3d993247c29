"""How an evaluation is played: how many episodes at a time, in which places, and what they may cost."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol

from runtime.harness.evaluation.plan import EvaluationPlan
from runtime.harness.evaluation.player import Play
from runtime.harness.evaluation.runners import EpisodeRunner, LocalRunner, start_worker

_EPISODES_PER_PROCESS = 50  # fewer are over before a further process has started


class Engine(Protocol):
    """What starts the places in which the episodes of an evaluation are played."""

    def start(self, plan: EvaluationPlan, play: Play, pace: Pace, owed: int) -> AsyncIterator[EpisodeRunner]:
        """One runner after another; whoever asks closes those that it got. Errors: UsageError, EnvironmentFault."""


class ThisMachine:
    """Episodes are played in this process, or in worker processes where they are many."""

    async def start(self, plan: EvaluationPlan, play: Play, pace: Pace, owed: int) -> AsyncIterator[EpisodeRunner]:
        """One runner for each process; `play` is used in this one, workers make their own of the configuration."""
        processes = _processes(pace, owed)
        if processes == 1 and not pace.in_workers:
            yield LocalRunner(plan.domains, play)
            return
        for _ in range(processes):
            yield await start_worker(plan.config, plan.domains)


@dataclass(frozen=True)
class Pace:
    """How many episodes at a time, in how many processes (None: as many as pay), and what the run may cost.

    No episode begins that could take the run past `max_cost`, in US dollars, if it and those under way cost as much as
    the dearest one so far; the first one, of which nothing is known, is played alone. So the run can cost more only by
    what episodes under way cost above the dearest before them.

    With `in_workers` this process plays none itself, not even where one process is enough.
    """

    concurrency: int = 8
    processes: int | None = None
    max_cost: float | None = None
    in_workers: bool = False
    engine: Engine = ThisMachine()  # it holds nothing


def _processes(pace: Pace, owed: int) -> int:
    if pace.processes is not None:
        return min(pace.processes, pace.concurrency)
    return max(1, min(os.cpu_count() or 1, pace.concurrency, owed // _EPISODES_PER_PROCESS))
