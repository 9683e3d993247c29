"""Play what an evaluation owes, in this process or in worker processes; each episode is stored before it counts."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Protocol

from runtime.domain.changes import Changes
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import EnvironmentFault, UsageError
from runtime.harness.choose import choose_agent, choose_user
from runtime.harness.evaluation.plan import EpisodeJob, EvaluationPlan, Remaining, RunConfig, TaskName
from runtime.harness.evaluation.store import Attempt, Kept, StoreWriter, attempt_of
from runtime.harness.play import Setting, play
from runtime.harness.record import EpisodeRecord
from runtime.model.model import Price
from runtime.session.faults import read_fault_plan
from runtime.session.world import World, WorldCache
from runtime.task.judge import judge
from runtime.task.task import Task, start_world
from runtime.task.task_file import parse_task, task_line

TRIES = 3  # of an episode that is void
_BATCH = 16  # episodes without a model that a worker process is handed at once
_EPISODES_PER_PROCESS = 50  # fewer are over before another process has started
_MOST_WORLDS, _MOST_BYTES = 1_024, 192 * 1024**2  # cached for later trials

Play = Callable[[Task, Domain, World, int], Awaitable[EpisodeRecord]]
"""Plays one trial of a task; errors: UsageError."""
Watcher = Callable[[EpisodeRecord, float | None], None]
"""Is told of an episode once it is stored, without its long parts, and of what all attempts at it cost."""


class EpisodeRunner(Protocol):
    """A place where episodes are played, several at once; it is given up to `batch` of them together."""

    batch: int

    async def play(self, jobs: Sequence[EpisodeJob]) -> list[list[Attempt]]:
        """Play episodes, those that are void again; errors: UsageError, EnvironmentFault if the runner is gone."""

    async def close(self) -> None:
        """Stop it, and whatever it still plays."""


class PlayableSet(Protocol):
    """A task set of others, opened: its tasks and tools in our terms, and what plays them with its own judge."""

    @property
    def domain(self) -> Domain: ...

    @property
    def tasks(self) -> Mapping[str, Task]: ...

    def start(self, config: RunConfig) -> Sequence[EpisodeRunner]:
        """Return what plays its episodes; errors: UsageError for an agent or user that cannot play it."""


Played = list[list[Attempt]]
Engine = Callable[[EvaluationPlan, "Pace", int], Sequence[EpisodeRunner]]
"""Starts the runners for a number of owed episodes; errors: UsageError, EnvironmentFault."""


@dataclass(frozen=True)
class Pace:
    """How many episodes at a time, in how many processes (None: one per core where it pays), on which engine.

    No episode begins once the run has cost `max_cost` US dollars; those under way are finished.
    """

    concurrency: int = 8
    processes: int | None = None
    max_cost: float | None = None
    engine: Engine | None = None  # None: this machine


async def evaluate(plan: EvaluationPlan, path: Path, kept: Kept, pace: Pace, watcher: Watcher, play: Play) -> int:
    """Play the owed episodes and return how many are still owed because `max_cost` is spent.

    `play` is used in this process. Errors: UsageError, EnvironmentFault; what is finished by then is stored.
    """
    left = plan.episodes - len(kept.done)
    if not left:
        return 0
    cost = kept.cost

    async def play_owed(runner: int) -> None:
        nonlocal cost
        while owed.count and (pace.max_cost is None or (cost is not None and cost < pace.max_cost)):
            most = runners[runner].batch if pace.max_cost is None else 1
            played = await runners[runner].play(owed.take(runner, most))
            writer.append([each for attempts in played for each in attempts])
            for attempts in played:
                costs = [each.record.cost for each in attempts]
                spent = None if None in costs else sum(each or 0.0 for each in costs)
                cost = None if cost is None or spent is None else cost + spent
                watcher(attempts[-1].record, spent)

    writer = StoreWriter(path, kept)
    runners: Sequence[EpisodeRunner] = ()
    try:
        runners = pace.engine(plan, pace, left) if pace.engine else _start_here(plan, pace, left, play)
        owed = Remaining(plan, kept.done, len(runners))
        async with asyncio.TaskGroup() as group:
            for number in range(min(pace.concurrency, left)):
                group.create_task(play_owed(number % len(runners)))
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None
    finally:
        await asyncio.gather(*(runner.close() for runner in runners), return_exceptions=True)
        writer.close()
    return owed.count


def _start_here(plan: EvaluationPlan, pace: Pace, owed: int, play: Play) -> Sequence[EpisodeRunner]:
    processes = pace.processes
    if processes is None:  # models and programs are waited for, which one process does for all of them
        processes = min(os.cpu_count() or 1, owed // _EPISODES_PER_PROCESS) if plan.config.is_scripted else 1
    processes = min(processes, pace.concurrency)
    if processes > 1:
        return [_WorkerRunner(plan) for _ in range(processes)]
    return [LocalRunner({domain.name: domain for domain in plan.domains}, play)]


def bind_play(config: RunConfig) -> Play:
    """Return what plays an episode of this configuration; errors: UsageError for an unknown agent or user."""
    prices = {name: Price.plain(prompt, completion) for name, prompt, completion in config.prices}
    setting = Setting(
        agent=choose_agent(config.agent, prices, config.pass_env),
        user=choose_user(config.user, prices),
        limits=config.limits,
        with_policy=config.with_policy,
        handbook=config.handbook,
        faults=read_fault_plan(config.faults or None),
        budget=config.budget,
        finds_tools=config.finds_tools,
    )

    def play_one(task: Task, domain: Domain, world: World, trial: int) -> Awaitable[EpisodeRecord]:
        return play(task, domain, world, trial, setting)

    return play_one


class LocalRunner:
    """Plays in this process, any number of episodes at once; the trials of a task share its world."""

    batch = 1

    def __init__(self, domains: Mapping[str, Domain], play: Play) -> None:
        self._domains = domains
        self._play = play
        self._bases = WorldCache(_MOST_WORLDS, _MOST_BYTES)
        self._worlds = WorldCache(_MOST_WORLDS, _MOST_BYTES)
        self._idle: dict[TaskName, int] = {}

    async def play(self, jobs: Sequence[EpisodeJob]) -> list[list[Attempt]]:
        """Play episodes one by one, those that are void again; one whose world cannot be built is void."""
        return [await self._play_one(job) for job in jobs]

    async def _play_one(self, job: EpisodeJob) -> list[Attempt]:
        task, domain = job.task, self._domains[job.task.domain]
        name = task.domain, task.id
        try:
            world = self._worlds.keep(domain, task.id, lambda: start_world(task, domain, self._bases))
            if name not in self._idle:
                self._idle[name] = judge(task, domain, world, Changes()).reward
        except (EnvironmentFault, UsageError) as error:
            void = EpisodeRecord(*name, job.trial, "void", str(error), fault="environment")
            return [attempt_of(replace(void, reason="the task's world could not be built"))]
        attempts: list[Attempt] = []
        while len(attempts) < TRIES and (not attempts or attempts[-1].record.end == "void"):
            record = await self._play(task, domain, world, job.trial)
            attempts.append(attempt_of(replace(record, idle=self._idle[name])))
        return attempts

    async def close(self) -> None:
        """Do nothing: no resource is held."""


class _WorkerRunner:
    """Plays in a worker process of its own, one episode at a time.

    Nobody else holds the worker's end of the pipe, so a worker that is killed in the middle of an answer ends it.
    """

    def __init__(self, plan: EvaluationPlan) -> None:
        self.batch = _BATCH if plan.config.is_scripted else 1
        self._lines = {each.name: task_line(each.task) for each in plan.tasks}
        folders = tuple(str(domain.path.resolve()) for domain in plan.domains)
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_work, args=(theirs, plan.config, folders), daemon=True)
        self._process.start()
        theirs.close()
        self._thread = ThreadPoolExecutor(1)

    async def play(self, jobs: Sequence[EpisodeJob]) -> list[list[Attempt]]:
        """Play episodes in the worker."""
        played = await asyncio.get_running_loop().run_in_executor(self._thread, self._ask, jobs)
        if isinstance(played, Exception):
            raise played
        return played

    def _ask(self, jobs: Sequence[EpisodeJob]) -> Played | Exception:
        """Wait for the worker; an error is returned, since the call that waits for it may be canceled."""
        asked = [(self._lines[job.task.domain, job.task.id], job.trial) for job in jobs]
        try:
            self._pipe.send_bytes(pickle.dumps(asked))  # `send` holds a buffer that a broken pipe leaves behind
            answer: Played | Exception = self._pipe.recv()
            return answer
        except (EOFError, OSError):
            return EnvironmentFault(
                f"A worker process was killed while it played task {jobs[0].task.id!r}; run the same command to resume."
            )

    async def close(self) -> None:
        """Kill the worker, and whatever it still plays."""
        self._process.terminate()
        self._thread.shutdown(cancel_futures=True)
        self._process.join()
        self._pipe.close()


def _work(pipe: Connection, config: RunConfig, folders: Sequence[str]) -> None:
    """Play what is asked for until the process that asks is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    threading.Thread(target=_end_with_parent, daemon=True).start()
    parse = lru_cache(maxsize=1_024)(parse_task)  # what judging read of a task's world is cached with the task
    runner: LocalRunner | None = None
    with asyncio.Runner() as loop:
        while True:
            asked = pipe.recv()
            try:
                if runner is None:
                    domains = [load_domain(Path(folder)) for folder in folders]
                    runner = LocalRunner({domain.name: domain for domain in domains}, bind_play(config))
                pipe.send(loop.run(runner.play([EpisodeJob(parse(line), trial) for line, trial in asked])))
            except Exception as error:  # the process that asks raises it
                pipe.send(error)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
