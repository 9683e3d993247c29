"""Where episodes are played: in this process, or in worker processes that end with it."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any, Protocol

from runtime.children import only_secrets, python_command, without_secrets
from runtime.domain.domain import Domain
from runtime.errors import EnvironmentFault
from runtime.harness.evaluation.answers import read_answer
from runtime.harness.evaluation.config import RunConfig
from runtime.harness.evaluation.plan import EpisodeJob
from runtime.harness.evaluation.player import EpisodePlayer, Play
from runtime.harness.evaluation.writer import Finished
from runtime.task.task_file import task_line

_LONGEST_ANSWER = 2**28  # bytes of one episode's line
_END_SECONDS = 10.0  # a worker that was told to end gets this long


class EpisodeRunner(Protocol):
    """A place where episodes are played, several at once."""

    async def play(self, job: EpisodeJob) -> Finished:
        """Play one episode; errors: UsageError, EnvironmentFault if the runner is gone."""

    async def close(self) -> None:
        """End it, and whatever it still plays."""


class LocalRunner:
    """A runner in this process."""

    def __init__(self, domains: Sequence[Domain], play: Play) -> None:
        self._player = EpisodePlayer({domain.name: domain for domain in domains}, play)

    async def play(self, job: EpisodeJob) -> Finished:
        """Play one episode."""
        return await self._player.play(job)

    async def close(self) -> None:
        """Let its thread go."""
        self._player.close()


class WorkerRunner:
    """A runner in a process of its own, which ends when this one does, however that ends."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        """Use `start_worker`."""
        self._process = process
        self._numbers = count()
        self._waiting: dict[int, asyncio.Future[Mapping[str, Any]]] = {}
        self._is_ending = False
        self._reading = asyncio.create_task(self._read())

    async def play(self, job: EpisodeJob) -> Finished:
        """Play one episode."""
        number = next(self._numbers)
        future = self._waiting[number] = asyncio.get_running_loop().create_future()
        line = {"number": number, "trial": job.trial, "idle": job.judge_idle, "task": task_line(job.task)}
        try:
            if self._reading.done():
                raise self._gone()
            await self._send(line)
            answer = await future
        finally:
            self._waiting.pop(number, None)
        return read_answer(answer)

    async def close(self) -> None:
        """Tell the worker to end; one that does not is killed."""
        self._is_ending = True
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), _END_SECONDS)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()
        await self._reading

    async def _send(self, line: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(line).encode() + b"\n")
            await self._process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError) as error:
            raise self._gone() from error

    async def _read(self) -> None:
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            answer = json.loads(line)
            future = self._waiting.get(answer["number"])
            if future is not None and not future.done():
                future.set_result(answer)
        if not self._is_ending:
            await self._process.wait()
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(self._gone())

    def _gone(self) -> EnvironmentFault:
        status = self._process.returncode
        how = "ended by itself" if status is None else f"was ended by signal {-status}" if status < 0 else ""
        return EnvironmentFault(f"A worker process {how or f'ended with status {status}'}; what it played is owed.")


async def start_worker(config: RunConfig, domains: Sequence[Domain]) -> WorkerRunner:
    """Start a worker process that plays episodes of some domains."""
    process = await asyncio.create_subprocess_exec(
        *python_command("runtime.harness.evaluation.worker"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        limit=_LONGEST_ANSWER,
        env=without_secrets(os.environ),  # the programs that it starts can read this of it
        start_new_session=True,  # Ctrl-C is for this process, which then ends the worker in good order
    )
    runner = WorkerRunner(process)
    places = [{"path": str(domain.path.resolve()), "digest": domain.digest} for domain in domains]
    try:
        await runner._send({"config": config.as_json(), "domains": places, "secrets": only_secrets(os.environ)})
    except BaseException:
        await runner.close()
        raise
    return runner
