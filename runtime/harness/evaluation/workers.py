"""Where episodes are played: many at once in this process, or one at a time in each of several worker processes."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from runtime.domain.changes import Changes
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import EnvironmentFault, UsageError
from runtime.harness.agents.choose import choose_agent
from runtime.harness.evaluation.config import RunConfig
from runtime.harness.evaluation.matching import choose_matcher
from runtime.harness.evaluation.plan import EpisodeJob, EvaluationPlan, TaskName
from runtime.harness.evaluation.writer import Attempt, attempt_of
from runtime.harness.play import Setting, play
from runtime.harness.record import EpisodeRecord
from runtime.harness.users.choose import choose_user
from runtime.model.prices import Price
from runtime.session.opening import WorldCache
from runtime.session.world import World
from runtime.task.judge import judge
from runtime.task.task import Task, start_world
from runtime.task.task_file import parse_task, task_line

TRIES = 3  # of an episode that is void, or whose worker is lost
_MOST_WORLDS, _MOST_BYTES = 1_024, 192 * 1024**2  # kept for later trials: of those that tasks share, and of tasks

Play = Callable[[Task, Domain, World, int], Awaitable[EpisodeRecord]]
"""Plays one trial of a task; errors: UsageError."""


class EpisodeRunner(Protocol):
    """A place where episodes are played, several at once."""

    async def play(self, job: EpisodeJob) -> list[Attempt]:
        """Play one episode, again if it is void; errors: UsageError, EnvironmentFault if the runner is gone."""

    async def close(self) -> None:
        """End it, and whatever it still plays."""


def bind_play(config: RunConfig) -> Play:
    """What plays an episode of this configuration; errors: UsageError for an unknown agent or user."""
    prices = {name: Price.plain(prompt, completion) for name, prompt, completion in config.prices}
    setting = Setting(
        agent=choose_agent(config.agent, prices, config.pass_env),
        user=choose_user(config.user, prices),
        transport=config.transport,
        limits=config.limits,
        with_policy=config.with_policy,
        matcher=choose_matcher(config.matcher),
    )

    def play_one(task: Task, domain: Domain, world: World, trial: int) -> Awaitable[EpisodeRecord]:
        return play(task, domain, world, trial, setting)

    return play_one


class LocalRunner:
    """Plays in this process, any number of episodes at once; the trials of a task share its world."""

    def __init__(self, domains: Mapping[str, Domain], play: Play) -> None:
        self._domains = domains
        self._play = play
        self._bases = WorldCache(_MOST_WORLDS, _MOST_BYTES)
        self._worlds = WorldCache(_MOST_WORLDS, _MOST_BYTES)
        self._idle: dict[TaskName, int] = {}

    async def play(self, job: EpisodeJob) -> list[Attempt]:
        """Play an episode, and again if it is void; a task whose world cannot be made is a fault of ours, and void."""
        task, domain = job.task, self._domains[job.task.domain]
        name = task.domain, task.id
        try:
            world = self._worlds.keep(domain, task.id, lambda: start_world(task, domain, self._bases))
            if name not in self._idle:
                self._idle[name] = judge(task, domain, world, Changes()).reward
        except (EnvironmentFault, UsageError) as error:
            void = EpisodeRecord(*name, job.trial, "void", str(error), fault="environment")
            return [attempt_of(replace(void, reason="the task's world could not be made"))]
        attempts: list[Attempt] = []
        while len(attempts) < TRIES and (not attempts or attempts[-1].record.end == "void"):
            record = await self._play(task, domain, world, job.trial)
            attempts.append(attempt_of(replace(record, idle=self._idle[name])))
        return attempts

    async def close(self) -> None:
        """Nothing is held."""


class WorkerRunner:
    """Plays in a worker process, one episode at a time; a new one takes the place of one that is killed."""

    def __init__(self, plan: EvaluationPlan) -> None:
        self._config = plan.config
        self._places = tuple((str(domain.path.resolve()), domain.digest) for domain in plan.domains)
        self._pool = _start_worker()

    async def play(self, job: EpisodeJob) -> list[Attempt]:
        """Play one episode in the worker."""
        for _ in range(TRIES):
            pool = self._pool
            try:
                asked = self._config, self._places, task_line(job.task), job.trial
                played: Future[list[Attempt]] = pool.submit(play_in_worker, *asked)
                return await asyncio.wrap_future(played)
            except BrokenProcessPool:
                if self._pool is pool:  # the first of those that waited for it; the others find the new one
                    self._pool = _start_worker()
        raise EnvironmentFault(
            f"Worker processes were killed {TRIES} times while trial {job.trial} of task {job.task.id!r} was played; "
            "the same command plays what is owed."
        )

    async def close(self) -> None:
        """End the worker."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        for worker in multiprocessing.active_children():
            worker.terminate()


def _start_worker() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), initializer=_begin_worker)


def play_in_worker(config: RunConfig, places: tuple[tuple[str, str], ...], line: str, trial: int) -> list[Attempt]:
    """Play a trial of the task in a line; errors: UsageError."""
    return _loop().run(_runner(config, places).play(EpisodeJob(_parsed(line), trial)))


def _begin_worker() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    if sys.platform != "win32":
        os.setsid()  # Linux shares processors between sessions first: a worker gets a share of its own
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


@lru_cache(maxsize=1)
def _loop() -> asyncio.Runner:
    return asyncio.Runner()


@lru_cache(maxsize=1)
def _runner(config: RunConfig, places: tuple[tuple[str, str], ...]) -> LocalRunner:
    domains = {}
    for path, digest in places:
        domain = load_domain(Path(path))
        check_digest(domain, digest)
        domains[domain.name] = domain
    return LocalRunner(domains, bind_play(config))


_parsed = lru_cache(maxsize=1_024)(parse_task)  # what was read of its world to judge a task is kept with it


def check_digest(domain: Domain, digest: str) -> None:
    """Refuse a domain that changed since the evaluation began; errors: UsageError."""
    if domain.digest != digest:
        raise UsageError(f"Domain {domain.name!r} was changed while the evaluation began; run it again.")
