"""Play what an evaluation owes: many episodes at a time, each kept in the store before it counts as done."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from runtime.harness.evaluation.plan import Owed, Plan
from runtime.harness.evaluation.player import Play
from runtime.harness.evaluation.seats import LocalSeat, Seat, start_worker
from runtime.harness.evaluation.writer import Finished, Kept, StoreWriter, open_writer

_EPISODES_PER_PROCESS = 50  # fewer are over before a further process has started


@dataclass(frozen=True)
class Pace:
    """How many episodes at a time, in how many processes (None: as many as pay), and when the money is spent."""

    concurrency: int = 8
    processes: int | None = None
    max_cost: float | None = None  # US dollars, of the whole run


class Watcher(Protocol):
    """Is told how it goes."""

    def finished(self, finished: Finished) -> None:
        """An episode is in the store."""


@dataclass(frozen=True)
class Sitting:
    """What one sitting of a run came to; `owed` is what is left, and `spent` whether the money stopped it."""

    played: int
    owed: int
    spent: bool = False


async def evaluate(plan: Plan, path: Path, kept: Kept, pace: Pace, watcher: Watcher, play: Play) -> Sitting:
    """Play every owed episode; `play` is used in this process, workers make their own of the configuration.

    Episodes under way are given up when this is cancelled, what is finished is kept. No more are handed out once the
    run has cost `max_cost`; those under way are finished. Errors: UsageError, EnvironmentFault.
    """
    owed = Owed(plan, kept.done, kept.idle_known)
    purse = _Purse(pace.max_cost, kept.cost)
    if not owed.count or purse.is_empty:
        return Sitting(0, owed.count, purse.is_empty)
    played = 0

    async def occupy(number: int, seat: Seat, writer: StoreWriter) -> None:
        nonlocal played
        while not purse.is_empty and (job := owed.take(number)) is not None:
            finished = await seat.play(job)
            await writer.append(finished)
            played += 1
            purse.pay(finished.cost)
            watcher.finished(finished)

    writer = await open_writer(path, kept)
    seats: list[Seat] = []
    try:
        processes = _processes(pace, owed.count)
        if processes == 1:
            seats.append(LocalSeat(plan.domains, play))
        else:
            for _ in range(processes):
                seats.append(await start_worker(plan.config, plan.domains))
        async with asyncio.TaskGroup() as group:
            for place in range(min(pace.concurrency, owed.count)):
                number = place % len(seats)
                group.create_task(occupy(number, seats[number], writer))
    except BaseExceptionGroup as errors:
        raise _first_of(errors) from None
    finally:
        await _close(seats, writer)
    return Sitting(played, owed.count, purse.is_empty)


class _Purse:
    def __init__(self, most: float | None, spent: float | None) -> None:
        self._most = most
        self._spent = spent

    @property
    def is_empty(self) -> bool:
        """Whether no further episode may begin; so it is, too, when nobody can tell what was spent."""
        return self._most is not None and (self._spent is None or self._spent >= self._most)

    def pay(self, cost: float | None) -> None:
        """Note what an episode cost."""
        self._spent = None if cost is None or self._spent is None else self._spent + cost


def _processes(pace: Pace, owed: int) -> int:
    if pace.processes is not None:
        return min(pace.processes, pace.concurrency)
    return max(1, min(os.cpu_count() or 1, pace.concurrency, owed // _EPISODES_PER_PROCESS))


async def _close(seats: Sequence[Seat], writer: StoreWriter) -> None:
    await asyncio.gather(*(seat.close() for seat in seats), return_exceptions=True)
    await writer.close()


def _first_of(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    first = errors.exceptions[0]
    return _first_of(first) if isinstance(first, BaseExceptionGroup) else first
