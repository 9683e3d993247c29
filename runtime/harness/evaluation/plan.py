"""What an evaluation plays: which tasks of which domains, how often, and in which order."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from runtime.domain.domain import Domain
from runtime.errors import UsageError
from runtime.harness.evaluation.config import RunConfig
from runtime.task.task import Task
from runtime.task.task_file import read_tasks
from runtime.wording import have

Split = Literal["train", "held_out"]
TaskName = tuple[str, str]  # domain and id
MOST_TRIALS = 1_000


@dataclass(frozen=True)
class ChosenTask:
    """A task that was asked for, with its position in its domain's file."""

    task: Task
    position: int

    @property
    def name(self) -> TaskName:
        """Domain and id."""
        return self.task.domain, self.task.id


@dataclass(frozen=True)
class TaskChoice:
    """Which tasks are asked for: those in `tasks.jsonl` or in another `file`; some by id, else so many of each domain.

    The default is all of them.
    """

    file: Path | None = None
    ids: tuple[str, ...] = ()
    split: Split | None = None
    levels: frozenset[int] = frozenset()
    count: int | None = None
    seed: int = 1  # of the choice of so many


@dataclass(frozen=True)
class EvaluationPlan:
    """Everything that was asked for; the episodes are `trials` of each task, played in an order of this seed."""

    config: RunConfig
    domains: tuple[Domain, ...]
    tasks: tuple[ChosenTask, ...] = field(repr=False)
    trials: int = 1
    seed: int = 1

    @property
    def episodes(self) -> int:
        """How many episodes there are in all."""
        return len(self.tasks) * self.trials


@dataclass(frozen=True)
class EpisodeJob:
    """One episode to be played."""

    task: Task = field(repr=False)
    trial: int


def choose_tasks(domains: Sequence[Domain], choice: TaskChoice = TaskChoice()) -> tuple[ChosenTask, ...]:  # noqa: B008  frozen
    """The chosen tasks of some domains, in the order of their files; errors: UsageError.

    A count takes the first tasks of an order that depends on the seed alone, so that 80 contain the 40 of the same
    seed, and tasks that are added later leave most of the choice as it is.
    """
    names = [domain.name for domain in domains]
    if len(set(names)) < len(names):
        raise UsageError(f"Two domains are named {max(names, key=names.count)!r}; one run can hold only one of them.")
    chosen: list[ChosenTask] = []
    for domain in domains:
        tasks = read_tasks(domain, file=choice.file, beside=[name for name in names if name != domain.name])
        found = [ChosenTask(task, position) for position, task in enumerate(tasks.values())]
        if not found and choice.file is None:
            raise UsageError(f"Domain {domain.name!r} has no tasks; `worldsmith tasks {domain.name} -n N` makes some.")
        if not found:
            raise UsageError(f"The task file {str(choice.file)!r} has no task of domain {domain.name!r}.")
        if not choice.ids:
            found = fitting(found, choice, domain.name)
            if choice.count is not None and not 1 <= choice.count <= len(found):
                raise UsageError(f"-n is {choice.count}; domain {domain.name!r} has {len(found)} to choose from.")
            found = found if choice.count is None else draw(found, choice.count, choice.seed)
        chosen += found
    return named(chosen, choice.ids) if choice.ids else tuple(chosen)


def fitting(found: Sequence[ChosenTask], choice: TaskChoice, domain: str) -> list[ChosenTask]:
    """Those of the chosen split and levels; errors: UsageError if there are none."""
    fitting = [each for each in found if choice.split in (None, each.task.split)]
    if not fitting:
        raise UsageError(f"Domain {domain!r} has no task in split {choice.split!r}.")
    if not choice.levels:
        return fitting
    there = sorted({each.task.level for each in fitting if each.task.level is not None})
    levels = ", ".join(map(str, there)) or "tasks that state no level"
    fitting = [each for each in fitting if each.task.level in choice.levels]
    if not fitting:
        asked, of = ", ".join(map(str, sorted(choice.levels))), f" in split {choice.split!r}" if choice.split else ""
        raise UsageError(f"Domain {domain!r} has no task of level {asked}{of}; have: {levels}.")
    return fitting


def draw(found: Sequence[ChosenTask], count: int, seed: int) -> list[ChosenTask]:
    """Sample a number of a domain's tasks by a seed, in the order of their file."""
    drawn = sorted(found, key=lambda each: place_of(seed, *each.name))
    return sorted(drawn[:count], key=lambda each: each.position)


def named(found: Sequence[ChosenTask], ids: Sequence[str]) -> tuple[ChosenTask, ...]:
    """The tasks of these ids; errors: UsageError for one that is not there."""
    there = [each.task.id for each in found]
    for name in ids:
        if name not in there:
            raise UsageError(f"Task {name!r} cannot be chosen; {have(name, there)}.")
    return tuple(each for each in found if each.task.id in ids)


class Owed:
    """The episodes that are still to be played: trial 0 of all tasks, then trial 1, in an order shuffled by a seed.

    So whatever part of a run is played, by its money or until it was stopped, is a fair sample of the tasks. Within a
    trial, tasks of one world follow each other. With several runners, all episodes of a world are meant for the same
    one, so that each world is built once; a runner that has none left takes from the one that has the most.
    """

    def __init__(self, plan: EvaluationPlan, done: Collection[tuple[str, str, int]], runners: int = 1) -> None:
        """`done` are the episodes that are kept already."""
        self._queues = [deque[EpisodeJob]() for _ in range(runners)]
        worlds = {
            each.name: place_of(plan.seed, "world", each.task.domain, each.task.world.base) for each in plan.tasks
        }
        shuffled = sorted(plan.tasks, key=lambda each: (worlds[each.name], place_of(plan.seed, "task", *each.name)))
        numbers = {world: number for number, world in enumerate(sorted(set(worlds.values())))}
        for trial in range(plan.trials):
            for chosen in shuffled:
                if (*chosen.name, trial) not in done:
                    self._queues[numbers[worlds[chosen.name]] % runners].append(EpisodeJob(chosen.task, trial))

    @property
    def count(self) -> int:
        """How many there are."""
        return sum(map(len, self._queues))

    def put_back(self, job: EpisodeJob) -> None:
        """Owe an episode again, before all others."""
        self._queues[0].appendleft(job)

    def take(self, runner: int = 0) -> EpisodeJob:
        """The next episode for a runner, while any is owed."""
        return (self._queues[runner] or max(self._queues, key=len)).popleft()


def place_of(seed: int, *words: object) -> bytes:
    """A place in an order that depends on the seed and on these words alone."""
    return hashlib.sha256(":".join(map(str, (seed, *words))).encode()).digest()
