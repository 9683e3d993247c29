"""Claims about playing what is owed: nothing is lost, nothing is repeated, whatever ends a sitting."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from runtime.domain.domain import Domain
from runtime.errors import EnvironmentFault
from runtime.harness.evaluation.plan import EvaluationPlan, choose_tasks
from runtime.harness.evaluation.run import Pace, evaluate
from runtime.harness.evaluation.store import hold_store, prepare_store, read_outcomes, read_run
from runtime.harness.record import EpisodeRecord
from runtime.session.world import World
from runtime.task.task import Task
from tests.runtime.harness.evaluation.playing import CONFIG, play_reference, read, sit

ONE = Pace(concurrency=1, processes=1)


class Void:
    """Plays a void episode so many times for each trial, then a rewarded one; counts what was played."""

    def __init__(self, times: int) -> None:
        self.times = times
        self.played: list[tuple[str, int]] = []

    async def __call__(self, task: Task, domain: Domain, world: World, trial: int) -> EpisodeRecord:
        self.played.append((task.id, trial))
        record = await play_reference(task, domain, world, trial)
        if self.played.count((task.id, trial)) > self.times:
            return replace(record, cost=1.0)
        return replace(record, end="void", reward=None, fault="environment", reason="a crash", cost=0.25)


class Priced:
    """Plays rewarded episodes that cost a dollar each."""

    async def __call__(self, task: Task, domain: Domain, world: World, trial: int) -> EpisodeRecord:
        return replace(await play_reference(task, domain, world, trial), cost=1.0)


def test_an_episode_that_stays_void_is_kept_as_void_and_tried_again_by_the_next_sitting(
    library: Domain, tmp_path: Path
) -> None:
    path, play = tmp_path / "run.db", Void(4)
    assert sit(path, library, play=play, tasks="keep-a-book").played == 1
    assert [(record.end, record.reward) for record in read_run(path).records()] == [("void", None)]
    assert sit(path, library, play=play, tasks="keep-a-book").played == 1
    assert len(play.played) == 5
    run = read_run(path)
    assert [(record.end, record.reward) for record in run.records()] == [("done", 1)]
    assert [row.cost for row in read_outcomes(run).void] == [0.25] * 4


def test_a_task_whose_world_no_longer_fits_is_void_and_the_others_are_played(library: Domain, tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    first, *others = choose_tasks([library])
    spoilt = Task.model_validate(
        {**first.task.model_dump(), "world": {**first.task.world.model_dump(), "digest": "0" * 32}}
    )
    plan = EvaluationPlan(CONFIG, (library,), (replace(first, task=spoilt), *others))
    with hold_store(path):
        asyncio.run(evaluate(plan, path, prepare_store(path, plan), ONE, lambda *_: None, play_reference))
    run = read_run(path)
    assert [(record.task, record.reward, record.fault) for record in run.records()] == [
        ("keep-a-book", None, "environment"),
        ("card-and-queue", 1, None),
        ("late-and-next", 1, None),
    ]
    assert "has digest" in next(run.records()).why
    assert next(run.records()).idle is None


def test_a_cancelled_sitting_keeps_what_was_finished_and_owes_the_rest(library: Domain, tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    finished: list[EpisodeRecord] = []

    def stop(record: EpisodeRecord, _: float | None) -> None:
        finished.append(record)
        if len(finished) == 2:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        sit(path, library, trials=2, watcher=stop, pace=Pace(concurrency=2, processes=1))
    kept = read(path)
    assert 2 <= len(kept) < 6
    assert sit(path, library, trials=2).played == 6 - len(kept)
    assert len(read(path)) == len(set(read(path))) == 6
    assert not list(tmp_path.glob("*-wal"))


def test_no_episode_begins_once_the_money_is_spent(library: Domain, tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    assert sit(path, library, play=Priced(), trials=2, pace=Pace(1, 1, max_cost=1.5)) == (2, 4)
    again = sit(path, library, play=Priced(), trials=2, pace=Pace(1, 1, max_cost=1.5))
    assert again == (0, 4)  # what earlier sittings cost counts
    assert sit(path, library, play=Priced(), trials=2, pace=Pace(1, 1, max_cost=10)) == (4, 0)


def test_a_killed_worker_ends_the_run_and_the_same_command_resumes_it(library: Domain, tmp_path: Path) -> None:
    path = tmp_path / "run.db"

    def kill(*_: object) -> None:
        for each in multiprocessing.active_children():
            each.kill()  # also where it is already gone

    with pytest.raises(EnvironmentFault, match="A worker process was killed .* run the same command to resume"):
        sit(path, library, trials=4, watcher=kill, pace=Pace(concurrency=4, processes=2))
    kept = len(read(path))
    assert 0 < kept < 12
    assert sit(path, library, trials=4).played == 12 - kept


def test_worker_processes_play_the_same_episodes_as_one_process(library: Domain, tmp_path: Path) -> None:
    one, two = tmp_path / "one.db", tmp_path / "two.db"
    sit(one, library, trials=3)
    sit(two, library, trials=3, pace=Pace(concurrency=4, processes=2))

    def played(path: Path) -> list[EpisodeRecord]:
        return [replace(record, seconds=0.0) for record in read_run(path).records()]

    assert played(one) == played(two)
    assert {record.idle for record in read_run(two).records()} == {0}
