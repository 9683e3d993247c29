"""Claims about playing what is owed: nothing is lost, nothing is repeated, whatever ends a sitting."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import subprocess
import sys
import time
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
from tests.conftest import LIBRARY, until
from tests.runtime.harness.evaluation.playing import CONFIG, play_reference, read, sit

ONE = Pace(concurrency=1, processes=1)
TWO = Pace(concurrency=4, processes=2)


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
    records = list(read_run(path).records())
    assert [(record.reward, record.fault) for record in records] == [(None, "environment"), (1, None), (1, None)]
    assert ("has digest" in records[0].why, records[0].idle) == (True, None)


def test_no_episode_begins_once_the_money_is_spent(library: Domain, tmp_path: Path) -> None:
    async def play(task: Task, domain: Domain, world: World, trial: int) -> EpisodeRecord:
        return replace(await play_reference(task, domain, world, trial), cost=1.0)

    path = tmp_path / "run.db"
    assert sit(path, library, play=play, trials=2, pace=Pace(1, 1, max_cost=1.5)) == (2, 4)
    again = sit(path, library, play=play, trials=2, pace=Pace(1, 1, max_cost=1.5))
    assert again == (0, 4)  # what earlier sittings cost counts
    assert sit(path, library, play=play, trials=2, pace=Pace(1, 1, max_cost=10)) == (4, 0)


def interrupt(path: Path, library: Domain) -> None:
    """Press Ctrl-C after the first episode."""
    presses = iter([signal.SIGINT])

    def press(*_: object) -> None:
        for each in presses:
            os.kill(os.getpid(), each)

    with pytest.raises(KeyboardInterrupt):
        sit(path, library, trials=4, watcher=press)


def kill_worker(path: Path, library: Domain) -> None:
    """Kill the worker processes after the first episode."""

    def kill(*_: object) -> None:
        for each in multiprocessing.active_children():
            each.kill()  # also where it is already gone

    with pytest.raises(EnvironmentFault, match="A worker process was killed .* run the same command to resume"):
        sit(path, library, trials=4, watcher=kill, pace=TWO)


def kill_command(path: Path, library: Domain) -> None:
    """Kill the command itself once it stored something; its workers end, too."""
    words = f"eval {LIBRARY} --agent reference --user none --trials 400"
    command = [sys.executable, "-m", "generator", *words.split(), "--store", str(path)]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=quiet, stderr=quiet, start_new_session=True) as process:
        while process.poll() is None and not (path.is_file() and path.with_name("run.db-wal").is_file() and read(path)):
            time.sleep(0.02)
        process.kill()
    until(lambda: not runs_in_group(process.pid), 15)


def runs_in_group(group: int) -> list[str]:
    """The processes of a group that still run."""
    stats = [path.read_text().rpartition(")")[2].split() for path in Path("/proc").glob("[0-9]*/stat") if path.exists()]
    return [stat[1] for stat in stats if stat[2] == str(group) and stat[0] != "Z"]


@pytest.mark.parametrize("end", [interrupt, kill_worker, kill_command])
def test_whatever_ends_a_sitting_the_next_plays_the_rest_as_if_nothing_had(
    library: Domain, tmp_path: Path, end: object
) -> None:
    path, whole = tmp_path / "run.db", tmp_path / "whole.db"
    end(path, library)  # type: ignore[operator]
    kept = [name for name in read(path) if name[2] < 4]
    assert 0 < len(read(path)) < (1200 if end is kill_command else 12)
    assert sit(path, library, trials=4, pace=TWO).played == 12 - len(kept)
    assert not list(tmp_path.glob("*-wal"))
    sit(whole, library, trials=4, pace=ONE)
    again, once = (
        [replace(record, seconds=0.0) for record in read_run(each).records() if record.trial < 4]
        for each in (path, whole)
    )
    assert again == once
    assert {record.idle for record in again} == {0}
