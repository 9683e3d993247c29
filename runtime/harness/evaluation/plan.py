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
from runtime.task.task import Task, read_tasks
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

    Where nothing is said, all of them.
    """

    file: Path | None = None
    ids: tuple[str, ...] = ()
    split: Split | None = None
    levels: frozenset[int] = frozenset()
    count: int | None = None
    seed: int = 1  # of the choice of so many


@dataclass(frozen=True)
class EvaluationPlan:
    """Everything that was asked for; the episodes are `trials` of each task."""

    config: RunConfig
    domains: tuple[Domain, ...]
    tasks: tuple[ChosenTask, ...] = field(repr=False)
    trials: int = 1

    @property
    def episodes(self) -> int:
        """How many episodes there are in all."""
        return len(self.tasks) * self.trials


@dataclass(frozen=True)
class EpisodeJob:
    """One episode to be played; with `judge_idle` the untouched world is judged, too."""

    task: Task = field(repr=False)
    trial: int
    judge_idle: bool = False


def choose_tasks(domains: Sequence[Domain], choice: TaskChoice = TaskChoice()) -> tuple[ChosenTask, ...]:  # noqa: B008  frozen
    """The chosen tasks of some domains, in the order of their files; errors: UsageError.

    So many are the first ones in an order that depends on the seed alone, so that 80 contain the 40 of the same seed,
    and tasks that are added later leave most of the choice as it is.
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
            found = _so_many(fitting(found, choice, domain.name), choice, domain.name)
        chosen += found
    return _named(chosen, choice.ids) if choice.ids else tuple(chosen)


def fitting(found: Sequence[ChosenTask], choice: TaskChoice, domain: str) -> list[ChosenTask]:
    """Those of the chosen split and levels; errors: UsageError if there are none."""
    fitting = [each for each in found if choice.split in (None, each.task.split)]
    if not fitting:
        raise UsageError(f"Domain {domain!r} has no task in split {choice.split!r}.")
    if not choice.levels:
        return fitting
    there = sorted({each.task.level for each in fitting if each.task.level is not None})
    fitting = [each for each in fitting if each.task.level in choice.levels]
    if not fitting:
        asked, of = ", ".join(map(str, sorted(choice.levels))), f" in split {choice.split!r}" if choice.split else ""
        raise UsageError(f"Domain {domain!r} has no task of level {asked}{of}; have: {_listed(there)}.")
    return fitting


def _listed(levels: Sequence[int]) -> str:
    return ", ".join(map(str, levels)) or "tasks that state no level"


def _so_many(found: list[ChosenTask], choice: TaskChoice, domain: str) -> list[ChosenTask]:
    if choice.count is None:
        return found
    if not 1 <= choice.count <= len(found):
        raise UsageError(f"-n is {choice.count}; domain {domain!r} has {len(found)} to choose from.")

    def draw(chosen: ChosenTask) -> bytes:
        return hashlib.sha256(f"{choice.seed}:{domain}:{chosen.task.id}".encode()).digest()

    return sorted(sorted(found, key=draw)[: choice.count], key=lambda each: each.position)


def _named(found: Sequence[ChosenTask], ids: Sequence[str]) -> tuple[ChosenTask, ...]:
    there = [each.task.id for each in found]
    for name in ids:
        if name not in there:
            raise UsageError(f"There is no task {name!r} to choose; {have(name, there)}.")
    return tuple(each for each in found if each.task.id in ids)


class Owed:
    """The episodes that are still to be played, handed out so that those of one world meet in one seat.

    Episodes of a task follow each other, so do tasks of one seed and size; the largest worlds come first, since what
    is long at the end keeps one runner busy and leaves the others idle.
    """

    def __init__(
        self, plan: EvaluationPlan, done: Collection[tuple[str, str, int]], idle_known: Collection[TaskName]
    ) -> None:
        """`done` are the episodes that are kept already, `idle_known` the tasks whose idle agent was judged."""
        groups: dict[tuple[str, int, int], deque[EpisodeJob]] = {}
        for chosen in plan.tasks:
            task, judge_idle = chosen.task, chosen.name not in idle_known
            for trial in range(plan.trials):
                if (*chosen.name, trial) not in done:
                    group = groups.setdefault((task.domain, task.world.seed, task.world.size), deque())
                    group.append(EpisodeJob(task, trial, judge_idle))
                    judge_idle = False
        self.count = sum(map(len, groups.values()))
        self._free = deque(sorted(groups.values(), key=lambda group: -group[0].task.world.size))
        self._taken: dict[int, deque[EpisodeJob]] = {}

    def take(self, runner: int) -> EpisodeJob | None:
        """The next episode for a runner; None if nothing is owed any more."""
        group = self._taken.get(runner)
        if not group:
            group = self._free.popleft() if self._free else max(self._taken.values(), key=len, default=None)
            if not group:
                return None
            self._taken[runner] = group  # the second runner of one group helps to finish it
        self.count -= 1
        return group.popleft()
