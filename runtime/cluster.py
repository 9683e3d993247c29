"""Work on a Ray cluster: which one is joined, how a domain gets to its nodes, and episodes played there by actors.

Nothing imports this before `--engine ray` is given.
"""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from runtime.errors import EnvironmentFault, UsageError

if find_spec("ray") is None:
    raise UsageError("--engine ray needs Ray, which is not installed; run: pip install 'worldsmith[ray]'")

import ray
from ray.exceptions import RayError

from runtime.compiling import domain_files, write_place
from runtime.domain.load import load_domain
from runtime.harness.evaluation.plan import EpisodeJob, EvaluationPlan, RunConfig, TaskName
from runtime.harness.evaluation.run import EpisodeRunner, LocalRunner, Pace, bind_play
from runtime.harness.evaluation.store import Attempt
from runtime.task.task import Task

_SECONDS = 5.0  # to reach the head of a cluster; Ray itself would try for minutes
_HERE_ONLY = ("command:", "relay:", "reader:relay:")  # need this machine's programs and folders
_RESTARTS = 2  # of an actor that is lost, and of what it played


@contextmanager
def joined(address: str) -> Iterator[int]:
    """Join a cluster and yield how many processors it has.

    It is at `HOST:PORT`, or the one that runs here (`auto`), or for "" that one or else a new one. A new one has this
    machine's processors and ends with the block. Errors: UsageError.
    """
    address = address or os.environ.get("RAY_ADDRESS", "")
    if address and address != "auto":
        _check_reachable(address)
    try:
        ray.init(address=address or None, logging_level="ERROR", log_to_driver=False, include_dashboard=False)
    except (ConnectionError, RuntimeError, ValueError) as error:  # the latter: another version of Ray or of Python
        where = f"the Ray cluster {address!r}" if address else "a Ray cluster"
        why = (str(error).strip() or type(error).__name__).splitlines()[0][:300].rstrip(".")
        raise UsageError(f"--engine ray: {where} cannot be joined: {why}.") from error
    try:
        processors = int(ray.cluster_resources().get("CPU", 0))
        if not processors:
            raise UsageError(f"--engine ray: the Ray cluster {address!r} has no processors; add a worker node.")
        yield processors
    finally:
        ray.shutdown()


def _check_reachable(address: str) -> None:
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise UsageError(f"--engine ray: {address!r} is not an address of a Ray cluster; give HOST:PORT or auto.")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _SECONDS).close()
    except (OSError, OverflowError) as error:
        raise UsageError(
            f"--engine ray: there is no Ray cluster at {address!r} ({error}); "
            "`ray start --head` starts one and prints its address."
        ) from error


@dataclass(frozen=True)
class PlayingRequest:
    """What an actor is given once: the configuration, the domains, the tasks."""

    version: str
    config: RunConfig
    domains: Mapping[str, Mapping[str, bytes]] = field(repr=False)  # the files of each, as they are served
    tasks: Mapping[TaskName, Task]


class PlayingActor:
    """Plays episodes in a process of the cluster."""

    def __init__(self, asked: PlayingRequest) -> None:
        self._asked = asked
        self._runner: LocalRunner | None = None

    async def play(self, asked: Sequence[tuple[TaskName, int]]) -> list[list[Attempt]] | str:
        """Play trials of tasks: the attempts at each, or why none can be made."""
        try:
            self._runner = self._runner or _make_runner(self._asked)
            return await self._runner.play([EpisodeJob(self._asked.tasks[name], trial) for name, trial in asked])
        except UsageError as error:
            return str(error)


def _make_runner(asked: PlayingRequest) -> LocalRunner:
    here = version("worldsmith")
    if here != asked.version:
        raise UsageError(f"A node of the Ray cluster has worldsmith {here}, not {asked.version}; install the same.")
    domains = {}
    for name, files in asked.domains.items():
        with tempfile.TemporaryDirectory(prefix="worldsmith-", ignore_cleanup_errors=True) as above:
            write_place(Path(above) / name, files)
            domains[name] = load_domain(Path(above) / name)
    return LocalRunner(domains, bind_play(asked.config))


class RayRunner:
    """A runner in an actor, which Ray starts again, with what it played, if its node or process is lost."""

    batch = 1

    def __init__(self, actor: Any, asked: Any) -> None:
        self._actor = actor
        self._asked = asked  # Ray drops what nobody refers to, and the actor that is started again needs it

    async def play(self, jobs: Sequence[EpisodeJob]) -> list[list[Attempt]]:
        """Play episodes, one at a time."""
        asked = [((job.task.domain, job.task.id), job.trial) for job in jobs]
        try:
            played: list[list[Attempt]] | str = await self._actor.play.remote(asked)
        except RayError as error:
            why = " ".join(str(error).strip().splitlines()[-1:])[:400]
            raise EnvironmentFault(f"A worker on Ray failed; the same command plays what is owed: {why}") from error
        if isinstance(played, str):
            raise UsageError(played)
        return played

    async def close(self) -> None:
        """Kill the actor, and whatever it still plays."""
        ray.kill(self._actor)


def start_on(processors: int, plan: EvaluationPlan, pace: Pace, owed: int) -> list[EpisodeRunner]:
    """Start an actor on each of a cluster's processors, as far as there are episodes for them."""
    workers = min(processors, pace.concurrency, owed)
    asked = ray.put(  # once for all of them
        PlayingRequest(
            version("worldsmith"),
            plan.config,
            {domain.name: domain_files(domain) for domain in plan.domains},
            {chosen.name: chosen.task for chosen in plan.tasks},
        )
    )
    actor = ray.remote(num_cpus=1, max_restarts=_RESTARTS, max_task_retries=_RESTARTS)(PlayingActor)
    return [RayRunner(actor.remote(asked), asked) for _ in range(workers)]


def check_playable(config: RunConfig) -> None:
    """Refuse an agent or user that cannot be on another machine; errors: UsageError."""
    for option, name in (("--agent", config.agent), ("--user", config.user)):
        if name.startswith(_HERE_ONLY):
            raise UsageError(
                f"--engine ray plays no {option} {name.partition(':')[0]}:..., which needs programs or folders of this "
                "machine; leave --engine out."
            )
