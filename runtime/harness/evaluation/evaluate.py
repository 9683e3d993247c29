"""Play what an evaluation owes: many episodes at a time, each kept in the store before it counts as done."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from runtime.harness.evaluation.first_programs import FirstPrograms
from runtime.harness.evaluation.pace import Pace
from runtime.harness.evaluation.plan import EvaluationPlan, Owed
from runtime.harness.evaluation.player import Play
from runtime.harness.evaluation.runners import EpisodeRunner
from runtime.harness.evaluation.writer import Finished, Kept, StoreWriter, open_writer


class EvaluationWatcher(Protocol):
    """Is told how it goes."""

    def finished(self, finished: Finished) -> None:
        """An episode is in the store."""


@dataclass(frozen=True)
class RunOutcome:
    """What one command added to a run: episodes `played`; `owed` is what is left, `spent` whether the money stopped it.

    `dearest` is what the dearest episode cost; None if nobody knows.
    """

    played: int
    owed: int
    spent: bool = False
    dearest: float | None = None


async def evaluate(
    plan: EvaluationPlan, path: Path, kept: Kept, pace: Pace, watcher: EvaluationWatcher, play: Play
) -> RunOutcome:
    """Play every owed episode in the places that the engine starts; `play` is used in this process.

    Episodes under way are given up when this is cancelled, what is finished is kept; those under way when the money
    stops it are finished. Errors: UsageError, EnvironmentFault.
    """
    owed = Owed(plan, kept.done, kept.idle_known)
    spending = _Spending(pace.max_cost, kept.cost, kept.dearest)
    if not owed.count or not spending.allows_one:
        return RunOutcome(0, owed.count, bool(owed.count), kept.dearest)
    played = 0
    first = FirstPrograms(plan.config.runs_program)

    async def play_owed(runner: EpisodeRunner, writer: StoreWriter) -> None:
        nonlocal played
        while owed.count and await spending.begin():
            if (job := owed.take()) is None:  # another place took the last one while this one waited
                await spending.end(0.0)
                return
            finished = await runner.play(job)
            for each in first.pass_on(finished):
                await writer.append(each)
                played += 1
                watcher.finished(each)
            await spending.end(finished.cost)

    writer = await open_writer(path, kept)
    runners: list[EpisodeRunner] = []
    try:
        async for runner in pace.engine.start(plan, play, pace, owed.count):
            runners.append(runner)
        async with asyncio.TaskGroup() as group:
            for place in range(min(pace.concurrency, owed.count)):
                group.create_task(play_owed(runners[place % len(runners)], writer))
        first.check()
    except BaseExceptionGroup as errors:
        raise _first_of(errors) from None
    finally:
        await _close(runners, writer)
    return RunOutcome(played, owed.count, bool(owed.count), spending.dearest)


class _Spending:
    """What the run has cost so far, and whether one more episode fits into what it may cost."""

    def __init__(self, most: float | None, spent: float | None, dearest: float | None) -> None:
        self._most = most
        self._spent = spent
        self.dearest = dearest
        self._under_way = 0
        self._changed = asyncio.Condition()

    @property
    def allows_one(self) -> bool:
        """Whether a further episode may begin now; it may not, too, where nobody can tell what was spent."""
        if self._most is None:
            return True
        if self._spent is None:
            return False
        if self.dearest is None:
            return self._under_way == 0
        return self._spent < self._most and self._spent + (self._under_way + 1) * self.dearest <= self._most

    async def begin(self) -> bool:
        """Wait until an episode may begin; False if none may any more."""
        async with self._changed:
            await self._changed.wait_for(lambda: self.allows_one or not self._under_way)
            if not self.allows_one:
                return False
            self._under_way += 1
            return True

    async def end(self, cost: float | None) -> None:
        """Note that an episode is over, and what it cost."""
        async with self._changed:
            self._under_way -= 1
            self._spent = None if cost is None or self._spent is None else self._spent + cost
            self.dearest = None if cost is None else max(cost, self.dearest or 0.0)
            self._changed.notify_all()


async def _close(runners: Sequence[EpisodeRunner], writer: StoreWriter) -> None:
    await asyncio.gather(*(runner.close() for runner in runners), return_exceptions=True)
    await writer.close()


def _first_of(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    first = errors.exceptions[0]
    return _first_of(first) if isinstance(first, BaseExceptionGroup) else first
