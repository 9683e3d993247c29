"""Play what an evaluation owes: many episodes at a time, each kept in the store before it counts as done."""

from __future__ import annotations

import asyncio
import logging
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from pathlib import Path

from runtime.errors import UsageError
from runtime.harness.evaluation.plan import EvaluationPlan, Owed
from runtime.harness.evaluation.workers import EpisodeRunner, LocalRunner, Play, WorkerRunner
from runtime.harness.evaluation.writer import Kept, StoreWriter
from runtime.harness.record import EpisodeRecord
from runtime.wording import printable

_EPISODES_PER_PROCESS = 50  # fewer are over before a further process has started
_MOST_UNREACHED = 3  # programs that may end without having reached their server, before the run stops
_SAME_AGAIN = 30.0  # seconds, before a warning that differs in its numbers alone is printed again

Engine = Callable[[EvaluationPlan, "Pace", int], Sequence[EpisodeRunner]]
"""Starts the places in which so many owed episodes are played; errors: UsageError, EnvironmentFault."""
Watcher = Callable[[EpisodeRecord, float | None], None]
"""Is told of an episode once it is in the store, without its long parts, and of what all attempts at it cost."""


@dataclass(frozen=True)
class Pace:
    """How many episodes at a time, in how many processes (None: one per core where it pays), and what the run may cost.

    No episode begins that could take the run past `max_cost`, in US dollars, if it and those under way cost as much as
    the most expensive one so far; the first one, of which nothing is known, is played alone. So the run can cost more
    only by what episodes under way cost above that.
    """

    concurrency: int = 8
    processes: int | None = None
    max_cost: float | None = None
    engine: Engine | None = None  # None: this machine


@dataclass(frozen=True)
class RunOutcome:
    """What one command added to a run: episodes `played`; `owed` is what is left, `spent` whether the money stopped it.

    `dearest` is what the most expensive attempt cost; None if nobody knows.
    """

    played: int
    owed: int
    spent: bool = False
    dearest: float | None = None


async def evaluate(
    plan: EvaluationPlan, path: Path, kept: Kept, pace: Pace, watcher: Watcher, play: Play
) -> RunOutcome:
    """Play every owed episode where the pace says; `play` is used in this process.

    Episodes under way are given up when this is canceled, what is finished is kept; those under way when the money
    stops it are finished. Errors: UsageError, EnvironmentFault.
    """
    left = plan.episodes - len(kept.done)
    if not left:
        return RunOutcome(0, 0, dearest=kept.dearest)
    spending = _Spending(pace.max_cost, kept)
    played = 0
    reached = not plan.config.runs_program
    unreached: list[EpisodeRecord] = []

    async def play_owed(place: int, most: float = inf) -> None:
        nonlocal played, reached
        while most and owed.count and spending.begin():
            most -= 1
            job = owed.take(place)
            attempts = await runners[place].play(job)
            last, costs = attempts[-1].record, [each.record.cost for each in attempts]
            cost = None if None in costs else sum(each or 0.0 for each in costs)
            if last.end == "gave_up" and not last.reached and not reached:  # counts once some program works at all
                unreached.append(last)
                if len(unreached) >= _MOST_UNREACHED:
                    raise _nothing_reached(unreached)
                owed.put_back(job)
            else:
                reached = reached or (last.end != "void" and last.reached)
                writer.append(attempts)
                played += 1
                watcher(last, cost)
            spending.end(cost)

    writer = StoreWriter(path, kept)
    runners: Sequence[EpisodeRunner] = ()
    try:
        runners = pace.engine(plan, pace, left) if pace.engine else _start_here(plan, pace, left, play)
        owed = Owed(plan, kept.done, len(runners))
        if pace.max_cost is not None and kept.dearest is None:
            await play_owed(0, 1)
        async with asyncio.TaskGroup() as group:
            for number in range(min(pace.concurrency, left)):
                group.create_task(play_owed(number % len(runners)))
    except BaseExceptionGroup as errors:
        raise _first_of(errors) from None
    finally:
        await asyncio.gather(*(runner.close() for runner in runners), return_exceptions=True)
        writer.close()
    return RunOutcome(played, owed.count, bool(owed.count), spending.dearest)


def _start_here(plan: EvaluationPlan, pace: Pace, owed: int, play: Play) -> Sequence[EpisodeRunner]:
    processes = pace.processes
    if processes is None:  # models and programs are waited for, which one process does for all of them
        pays = min(os.cpu_count() or 1, owed // _EPISODES_PER_PROCESS)
        processes = pays if plan.config.is_scripted else 1
    processes = min(processes, pace.concurrency)
    if processes > 1:
        return [WorkerRunner(plan) for _ in range(processes)]
    return [LocalRunner({domain.name: domain for domain in plan.domains}, play)]


class _Spending:
    """What the run has cost so far, and whether one more episode fits into what it may cost."""

    def __init__(self, most: float | None, kept: Kept) -> None:
        self._most = most
        self._spent = kept.cost
        self.dearest = kept.dearest
        self._under_way = 0

    def begin(self) -> bool:
        """Whether a further episode begins now; never where nobody can tell what was spent."""
        if self._most is not None:
            if self._spent is None or (self.dearest is None and self._under_way):
                return False
            if self._spent >= self._most or self._spent + (self._under_way + 1) * (self.dearest or 0) > self._most:
                return False
        self._under_way += 1
        return True

    def end(self, cost: float | None) -> None:
        """Note that an episode is over, and what it cost."""
        self._under_way -= 1
        self._spent = None if cost is None or self._spent is None else self._spent + cost
        self.dearest = None if cost is None else max(cost, self.dearest or 0.0)


def _nothing_reached(ended: Sequence[EpisodeRecord]) -> UsageError:
    last = ended[-1]
    return UsageError(
        f"The agent's program ended {len(ended)} times without ever connecting to the MCP server at {{url}}, so "
        f"nothing was scored. {last.why}"[:1_000]
    )


def _first_of(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    first = errors.exceptions[0]
    return _first_of(first) if isinstance(first, BaseExceptionGroup) else first


@contextmanager
def say_warnings(say: Callable[[str], None]) -> Iterator[None]:
    """Meanwhile, print each warning of this process, such as of a model that is asked again."""
    handler = _Lines(say)
    log = logging.getLogger("runtime")
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)


class _Lines(logging.Handler):
    def __init__(self, say: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._say = say
        self._said: dict[str, float] = {}

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        kind = re.sub(r"\d+", "", text)
        if record.created - self._said.get(kind, -_SAME_AGAIN) >= _SAME_AGAIN:
            self._said[kind] = record.created
            self._say(printable(text))
