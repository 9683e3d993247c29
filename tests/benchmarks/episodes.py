"""Many episodes of the reference agent at once, in one process: `python -m tests.benchmarks.episodes [DOMAIN]`."""

from __future__ import annotations

import argparse
import asyncio
import time
from dataclasses import dataclass
from pathlib import Path

from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.harness.agents.reference import ReferenceAgent
from runtime.harness.connection import Transport
from runtime.harness.play import Setting, play
from runtime.harness.record import EpisodeRecord
from runtime.session.world import World
from runtime.task.task import Task, start_world
from runtime.task.task_file import read_tasks
from tests.conftest import LIBRARY
from tests.runtime.harness.wishes import WishfulUser

CONCURRENCY = 64
TRANSPORTS: tuple[Transport, ...] = ("memory", "session")


@dataclass(frozen=True)
class Pace:
    """What `episodes` took together, in seconds of wall time and of processor time."""

    episodes: int
    rewarded: int
    wall: float
    processor: float

    @property
    def line(self) -> str:
        """The pace as text."""
        return (
            f"{self.episodes} episodes, {self.rewarded} rewarded: {self.episodes / self.wall:.0f} a second, "
            f"{self.episodes / self.processor:.0f} a second of processor time"
        )


def measure_episodes(domain: Domain, transport: Transport, count: int) -> Pace:
    """Play a domain's tasks over and over with the reference agent and a user of wishes alone."""
    tasks = list(read_tasks(domain).values())[:count]
    worlds = {task.id: start_world(task, domain) for task in tasks}
    return asyncio.run(_measure(domain, tasks, worlds, transport, count))


async def _measure(
    domain: Domain, tasks: list[Task], worlds: dict[str, World], transport: Transport, count: int
) -> Pace:
    setting = Setting(ReferenceAgent(), WishfulUser(), transport)
    room = asyncio.Semaphore(CONCURRENCY)

    async def play_one(number: int) -> EpisodeRecord:
        task = tasks[number % len(tasks)]
        async with room:
            return await play(task, domain, worlds[task.id], number // len(tasks), setting)

    for number in range(min(count, 64)):
        await play_one(number)  # what is built once is built by now
    wall, processor = time.perf_counter(), time.process_time()
    records = await asyncio.gather(*map(play_one, range(count)))
    return Pace(
        count,
        sum(record.reward == 1 for record in records),
        time.perf_counter() - wall,
        time.process_time() - processor,
    )


def main() -> None:
    """Print the pace over each transport that needs no other process."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.episodes", description=__doc__)
    parser.add_argument("domain", nargs="?", type=Path, default=LIBRARY, help="folder of the domain")
    parser.add_argument("-n", type=int, default=512, help="how many episodes (default 512)")
    arguments = parser.parse_args()
    domain = load_domain(arguments.domain)
    for transport in TRANSPORTS:
        print(f"{transport}: {measure_episodes(domain, transport, arguments.n).line}", flush=True)


if __name__ == "__main__":
    main()
