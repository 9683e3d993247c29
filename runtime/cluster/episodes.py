"""Episodes on a Ray cluster: an actor holds the domains and the tasks, and is told which trial of which to play."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Any

import ray
from ray.exceptions import RayActorError, RayError

from runtime.cluster.carried import CarriedFolder, carry, put_down
from runtime.cluster.joined import Cluster
from runtime.domain.load import load_domain
from runtime.errors import EnvironmentFault, UsageError
from runtime.harness.evaluation.answers import answer_job, read_answer
from runtime.harness.evaluation.config import RunConfig, read_config
from runtime.harness.evaluation.notices import say_warnings
from runtime.harness.evaluation.pace import Pace
from runtime.harness.evaluation.plan import EpisodeJob, EvaluationPlan, TaskName
from runtime.harness.evaluation.player import EpisodePlayer, Play
from runtime.harness.evaluation.runners import EpisodeRunner
from runtime.harness.evaluation.setting import bind_play
from runtime.harness.evaluation.writer import Finished
from runtime.task.task_file import task_line

_TRIES = 3  # of an episode whose actor is lost meanwhile
_HERE_ONLY = ("command:", "relay:", "reader:relay:")  # need this machine's programs and folders

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class PlayingRequest:
    """What an actor is given once: the configuration, the domains with their digests, the lines of the tasks."""

    version: str
    config: Mapping[str, Any]
    domains: Sequence[tuple[CarriedFolder, str]]
    lines: Mapping[TaskName, str]


class PlayingActor:
    """Plays episodes in a process of the cluster."""

    def __init__(self, asked: PlayingRequest) -> None:
        self._lines = asked.lines
        self._said: list[str] = []
        self._saying = say_warnings(self._said.append)
        self._saying.__enter__()
        try:
            self._player: EpisodePlayer | UsageError = _make_player(asked)
        except UsageError as error:
            self._player = error

    async def play(self, name: TaskName, trial: int, judge_idle: bool) -> dict[str, Any]:
        """Play a trial of a task; what came of it, and what was warned of meanwhile."""
        played = await answer_job(self._player, self._lines[name], trial, judge_idle)
        said, self._said[:] = list(self._said), []
        return {"said": said, **played}


class RayRunner:
    """A runner in an actor. What the actor plays when it is lost is played again by the one that takes its place."""

    def __init__(self, start: Callable[[], Any]) -> None:
        self._start = start
        self._actor = start()

    async def play(self, job: EpisodeJob) -> Finished:
        """Play one episode."""
        name = job.task.domain, job.task.id
        lost: RayActorError | None = None
        for _ in range(_TRIES):
            actor = self._actor
            try:
                answer = await actor.play.remote(name, job.trial, job.judge_idle)
            except RayActorError as error:
                lost = error
                if self._actor is actor:  # the first of those that it played; the others find the new one
                    self._actor = self._start()
            except RayError as error:
                raise EnvironmentFault(f"A worker on Ray failed: {_last_line(error)}") from error
            else:
                for sentence in answer.pop("said"):
                    _log.warning("%s", sentence)
                return read_answer(answer)
        raise EnvironmentFault(
            f"A worker on Ray was lost {_TRIES} times while it played trial {job.trial} of task {job.task.id!r}, which "
            f"is owed: {_last_line(lost)}"
        ) from lost

    async def close(self) -> None:
        """End the actor, and whatever it still plays."""
        ray.kill(self._actor)


def _last_line(error: Exception | None) -> str:
    return " ".join(str(error).strip().split("\n")[-1].split())[:400]


@dataclass(frozen=True)
class OnRay:
    """The engine of a cluster: an actor on each of its processors, as far as there are episodes for them."""

    cluster: Cluster

    async def start(self, plan: EvaluationPlan, play: Play, pace: Pace, owed: int) -> AsyncIterator[EpisodeRunner]:
        """One runner after another; what they need is put into the cluster once."""
        workers = min(self.cluster.workers(pace.processes), pace.concurrency, owed)
        asked = ray.put(
            PlayingRequest(
                version("worldsmith"),
                plan.config.as_json(),
                [(carry(domain.path), domain.digest) for domain in plan.domains],
                {chosen.name: task_line(chosen.task) for chosen in plan.tasks},
            )
        )
        actor = ray.remote(num_cpus=1)(PlayingActor)
        for _ in range(workers):
            yield RayRunner(partial(actor.remote, asked))


def check_playable(config: RunConfig) -> None:
    """See that agent, user and transport can be on another machine; errors: UsageError."""
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


def _make_player(asked: PlayingRequest) -> EpisodePlayer:
    here = version("worldsmith")
    if here != asked.version:
        raise UsageError(f"A node of the Ray cluster has worldsmith {here}, not {asked.version}; install the same.")
    domains = {}
    for carried, digest in asked.domains:
        with put_down(carried) as folder:
            domain = load_domain(folder)
        if domain.digest != digest:
            raise UsageError(f"Domain {domain.name!r} was changed while the evaluation began; run it again.")
        domains[domain.name] = domain
    return EpisodePlayer(domains, bind_play(read_config(asked.config)))
