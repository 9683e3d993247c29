"""Episodes on a Ray cluster: an actor holds the domains and the tasks, and is told which trial of which to play."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Any

import ray
from ray.exceptions import RayActorError, RayError

from runtime.cluster.joined import CarriedFolder, Cluster, carry, put_down
from runtime.domain.load import load_domain
from runtime.errors import EnvironmentFault, UsageError
from runtime.harness.evaluation.config import RunConfig
from runtime.harness.evaluation.plan import EpisodeJob, EvaluationPlan, TaskName
from runtime.harness.evaluation.run import Pace
from runtime.harness.evaluation.workers import TRIES, EpisodeRunner, LocalRunner, bind_play, check_digest
from runtime.harness.evaluation.writer import Attempt
from runtime.task.task import Task

_HERE_ONLY = ("command:", "relay:", "reader:relay:")  # need this machine's programs and folders


@dataclass(frozen=True)
class PlayingRequest:
    """What an actor is given once: the configuration, the domains with their digests, the tasks."""

    version: str
    config: RunConfig
    domains: Sequence[tuple[CarriedFolder, str]]
    tasks: Mapping[TaskName, Task]


class PlayingActor:
    """Plays episodes in a process of the cluster."""

    def __init__(self, asked: PlayingRequest) -> None:
        self._tasks = asked.tasks
        try:
            self._runner: LocalRunner | UsageError = _make_runner(asked)
        except UsageError as error:
            self._runner = error

    async def play(self, name: TaskName, trial: int) -> list[Attempt] | str:
        """Play a trial of a task: its attempts, or why none can be made."""
        try:
            if isinstance(self._runner, UsageError):
                raise self._runner
            return await self._runner.play(EpisodeJob(self._tasks[name], trial))
        except UsageError as error:
            return str(error)


class RayRunner:
    """A runner in an actor. What the actor plays when it is lost is played again by the one that takes its place."""

    def __init__(self, start: Callable[[], Any]) -> None:
        self._start = start
        self._actor = start()

    async def play(self, job: EpisodeJob) -> list[Attempt]:
        """Play one episode."""
        lost: RayActorError | None = None
        for _ in range(TRIES):
            actor = self._actor
            try:
                played: list[Attempt] | str = await actor.play.remote((job.task.domain, job.task.id), job.trial)
            except RayActorError as error:
                lost = error
                if self._actor is actor:  # the first of those that it played; the others find the new one
                    self._actor = self._start()
            except RayError as error:
                raise EnvironmentFault(f"A worker on Ray failed: {_last_line(error)}") from error
            else:
                if isinstance(played, str):
                    raise UsageError(played)
                return played
        raise EnvironmentFault(
            f"A worker on Ray was lost {TRIES} times while it played trial {job.trial} of task {job.task.id!r}; the "
            f"same command plays what is owed: {_last_line(lost)}"
        ) from lost

    async def close(self) -> None:
        """End the actor, and whatever it still plays."""
        ray.kill(self._actor)


def _last_line(error: Exception | None) -> str:
    return " ".join(str(error).strip().split("\n")[-1].split())[:400]


def start_on(cluster: Cluster, plan: EvaluationPlan, pace: Pace, owed: int) -> list[EpisodeRunner]:
    """Start an actor on each processor of a cluster, as far as there are episodes for them."""
    workers = min(cluster.workers(pace.processes), pace.concurrency, owed)
    asked = ray.put(  # once for all of them
        PlayingRequest(
            version("worldsmith"),
            plan.config,
            [(carry(domain.path), domain.digest) for domain in plan.domains],
            {chosen.name: chosen.task for chosen in plan.tasks},
        )
    )
    actor = ray.remote(num_cpus=1)(PlayingActor)
    return [RayRunner(partial(actor.remote, asked)) for _ in range(workers)]


def check_playable(config: RunConfig) -> None:
    """Refuse an agent, user or transport that cannot be on another machine; errors: UsageError."""
    for option, name in (("--agent", config.agent), ("--user", config.user)):
        if name.startswith(_HERE_ONLY):
            raise UsageError(
                f"--engine ray plays no {option} {name.partition(':')[0]}:..., which needs programs or folders of this "
                "machine; leave --engine out."
            )
    if config.transport == "stdio":
        raise UsageError(
            "--engine ray plays over no --transport stdio, which needs the domain's folder; leave one out."
        )


def _make_runner(asked: PlayingRequest) -> LocalRunner:
    here = version("worldsmith")
    if here != asked.version:
        raise UsageError(f"A node of the Ray cluster has worldsmith {here}, not {asked.version}; install the same.")
    domains = {}
    for carried, digest in asked.domains:
        with put_down(carried) as folder:
            domain = load_domain(folder)
        check_digest(domain, digest)
        domains[domain.name] = domain
    return LocalRunner(domains, bind_play(asked.config))
