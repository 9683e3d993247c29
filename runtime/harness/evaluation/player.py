"""One episode of an evaluation: the world it starts from, the idle agent beside it, and another try if it was void."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from runtime.domain.changes import Changes
from runtime.domain.domain import Domain
from runtime.errors import EnvironmentFault, UsageError
from runtime.harness.evaluation.plan import EpisodeJob
from runtime.harness.evaluation.store import row_of
from runtime.harness.evaluation.writer import Finished
from runtime.harness.record import EpisodeRecord
from runtime.session.opening import WorldCache
from runtime.session.world import World
from runtime.task.judge import judge
from runtime.task.task import Task, start_world

MOST_ATTEMPTS = 3  # of an episode that is void
_BASE_WORLDS, _BASE_BYTES = 256, 192 * 1024**2  # kept of those that tasks share, so that later trials find them
_TASK_WORLDS = 1_024  # which hold no more than the rows that were added

Play = Callable[[Task, Domain, World, int], Awaitable[EpisodeRecord]]
"""Plays one trial of a task; errors: UsageError."""


class EpisodePlayer:
    """Plays jobs, any number of them at once; worlds are built on a thread of their own and shared by trials."""

    def __init__(self, domains: Mapping[str, Domain], play: Play) -> None:
        self._domains = domains
        self._play = play
        self._bases = WorldCache(_BASE_WORLDS, _BASE_BYTES)
        self._worlds = WorldCache(_TASK_WORLDS)
        self._building = ThreadPoolExecutor(1, thread_name_prefix="worlds")

    async def play(self, job: EpisodeJob) -> Finished:
        """Play an episode, and again if it is void; errors: UsageError.

        A task whose world cannot be built, or does not fit it, is a fault of ours: its episodes are void.
        """
        task, domain = job.task, self._domains[job.task.domain]
        loop = asyncio.get_running_loop()
        try:
            world = await loop.run_in_executor(self._building, self._world_of, task, domain)
            idle = await loop.run_in_executor(self._building, _judge_idle, task, domain, world, job.judge_idle)
        except (EnvironmentFault, UsageError) as error:
            return Finished(row_of(_without_world(job, error)))
        attempts = [await self._play(task, domain, world, job.trial)]
        while attempts[-1].end == "void" and len(attempts) < MOST_ATTEMPTS:
            attempts.append(await self._play(task, domain, world, job.trial))
        *void, last = map(row_of, attempts)
        return Finished(last, tuple(void), job.judge_idle, idle)

    def close(self) -> None:
        """Let the thread go."""
        self._building.shutdown(wait=False, cancel_futures=True)

    def _world_of(self, task: Task, domain: Domain) -> World:
        return self._worlds.keep(domain, task.id, lambda: start_world(task, domain, self._bases).slim())


def _judge_idle(task: Task, domain: Domain, world: World, wanted: bool) -> int | None:
    """The reward of an agent that does and says nothing: the verdict on the untouched world."""
    return judge(task, domain, world, Changes()).reward if wanted else None


def _without_world(job: EpisodeJob, error: Exception) -> EpisodeRecord:
    fields: dict[str, Any] = {"domain": job.task.domain, "task": job.task.id, "trial": job.trial}
    return EpisodeRecord(
        **fields, end="void", why=str(error), fault="environment", reason="the task's world could not be made"
    )
