"""Runs of the library's tasks for tests: real episodes on real sessions, and agents that fail where a test says."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable
from pathlib import Path
from typing import NamedTuple

from runtime.domain.domain import Domain
from runtime.harness.agents.baselines import IdleAgent
from runtime.harness.agents.reference import ReferenceAgent
from runtime.harness.evaluation.plan import EvaluationPlan, RunConfig, TaskChoice, choose_tasks
from runtime.harness.evaluation.run import Pace, Play, Watcher, evaluate
from runtime.harness.evaluation.store import Run, hold_store, prepare_store, read_run
from runtime.harness.play import Setting, play
from runtime.harness.record import EpisodeRecord
from runtime.harness.users.scripted import NoUser
from runtime.session.world import World
from runtime.task.task import Task

CONFIG = RunConfig(agent="reference", user="none")
REFERENCE = Setting(ReferenceAgent(), NoUser())
IDLE = Setting(IdleAgent(), NoUser())


async def play_reference(task: Task, domain: Domain, world: World, trial: int) -> EpisodeRecord:
    """Every episode is rewarded."""
    return await play(task, domain, world, trial, REFERENCE)


def fail_at(names: Iterable[tuple[str, int]]) -> Play:
    """Episodes of these tasks and trials are played by an agent that does nothing; the others are rewarded."""
    failing = set(names)

    def play_one(task: Task, domain: Domain, world: World, trial: int) -> Awaitable[EpisodeRecord]:
        return play(task, domain, world, trial, IDLE if (task.id, trial) in failing else REFERENCE)

    return play_one


class Sitting(NamedTuple):
    """How many episodes were played, and how many are owed because the money is spent."""

    played: int
    owed: int


def sit(
    path: Path,
    *domains: Domain,
    play: Play = play_reference,
    tasks: str | None = None,
    trials: int = 1,
    config: RunConfig = CONFIG,
    pace: Pace = Pace(concurrency=4, processes=1),  # noqa: B008  frozen
    watcher: Watcher = lambda *_: None,
) -> Sitting:
    """One sitting of an evaluation, as the command holds it; `tasks` are ids with commas between."""
    choice = TaskChoice(ids=tuple(filter(None, (tasks or "").split(","))))
    plan = EvaluationPlan(config, domains, choose_tasks(domains, choice), trials)
    finished: list[EpisodeRecord] = []

    def watch(record: EpisodeRecord, cost: float | None) -> None:
        finished.append(record)
        watcher(record, cost)

    with hold_store(path):
        kept = prepare_store(path, plan)
        owed = asyncio.run(evaluate(plan, path, kept, pace, watch, play))
    return Sitting(len(finished), owed)


def names_in(run: Run) -> list[tuple[str, str, int]]:
    """The episodes that a store holds, in its order."""
    return [(record.domain, record.task, record.trial) for record in run.records()]


def read(path: Path) -> list[tuple[str, str, int]]:
    """The episodes of a run by its file."""
    return names_in(read_run(path))
