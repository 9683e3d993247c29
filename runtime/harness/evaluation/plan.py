"""What an evaluation plays: the configuration of a run, and which tasks, how often, in which order."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar

from runtime.domain.domain import Domain
from runtime.errors import UsageError
from runtime.harness.episode import EpisodeLimits
from runtime.harness.poison import read_poison_plan
from runtime.session.faults import read_fault_plan
from runtime.task.task import Task
from runtime.task.task_file import read_tasks
from runtime.verification.verdict import RewardKind
from runtime.wording import have

Split = Literal["train", "held_out"]
TaskName = tuple[str, str]  # domain and id

_SHARES = 8  # of what is left in a queue, one is taken at once, so that runners end together
_FREE = ("prices", "name", "suite")  # of a configuration: they do not change what is played


@dataclass(frozen=True)
class RunConfig:
    """What all episodes of a run share, except prices, name and suite, which may differ when it is resumed."""

    agent: str
    user: str = "scripted"
    limits: EpisodeLimits = field(default_factory=EpisodeLimits)
    with_policy: bool = True
    handbook: bool = False  # the policy is to be searched
    prices: tuple[tuple[str, float, float], ...] = ()  # model, dollars per million tokens in and out
    pass_env: tuple[str, ...] = ()  # secret variables that an agent's program is given
    name: str = ""  # of the agent, for scores and reports
    reward: RewardKind = "final_state_and_rules"  # the store keeps what either kind needs
    suite: str = ""  # that the tasks belong to
    faults: str = ""  # that calls meet: the name of a plan, or the plan as JSON
    budget: float = 0.0  # of calls, as a multiple of those of the reference; 0 if there is none
    finds_tools: bool = False  # tools are not listed, but found by a search
    poison: str = ""  # in the rows of the tasks' worlds: the name of a plan, or the plan as JSON

    @property
    def shown(self) -> str:
        """The agent's name, with every condition under which its scores mean something else than usual."""
        notes = [] if self.with_policy else ["without the policy"]
        notes += ["policy in a handbook"] if self.handbook else []
        notes += ["tools searched"] if self.finds_tools else []
        plan = read_fault_plan(self.faults or None)
        notes += [] if plan is None else [f"faults {plan.name}"]
        texts = read_poison_plan(self.poison or None)
        notes += [] if texts is None else [f"poison {texts.name}"]
        notes += [f"budget {self.budget:g}"] if self.budget else []
        notes += [] if self.reward == "final_state_and_rules" else [f"reward {self.reward}"]
        return (self.name or self.agent) + (f" ({', '.join(notes)})" if notes else "")

    @property
    def is_scripted(self) -> bool:
        """True if an episode waits for neither a model nor a program."""
        return not any(":" in name for name in (self.agent, self.user))

    def differences(self, other: RunConfig) -> Iterator[tuple[str, Any, Any]]:
        """Yield what plays differently: its name, the value here, the value there."""
        mine, theirs = _flat(self), _flat(other)
        yield from ((name, mine[name], theirs[name]) for name in mine if mine[name] != theirs[name])


def _flat(config: RunConfig) -> dict[str, Any]:
    values = {name: value for name, value in asdict(config).items() if name not in _FREE}
    limits = {f"limit of {name}": most for name, most in values.pop("limits").items()}
    return {_SHOWN.get(name, name): value for name, value in values.items()} | limits


_SHOWN = {
    "with_policy": "policy given to the agent",
    "handbook": "policy in a handbook",
    "finds_tools": "tools searched",
}


@dataclass(frozen=True)
class ChosenTask:
    """A task to play, with its position in its domain's file."""

    task: Task
    position: int

    @property
    def name(self) -> TaskName:
        """Domain and id."""
        return self.task.domain, self.task.id


@dataclass(frozen=True)
class TaskChoice:
    """Which tasks are asked for: some by id, or those of a split and levels, `count` of each domain; else all."""

    file: Path | None = None  # instead of the domain's tasks.jsonl
    ids: tuple[str, ...] = ()
    split: Split | None = None
    levels: frozenset[int] = frozenset()
    count: int | None = None
    seed: int = 1  # which `count` tasks


@dataclass(frozen=True)
class EvaluationPlan:
    """`trials` episodes of each task, in an order that the seed decides."""

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
    """One episode to play."""

    task: Task = field(repr=False)
    trial: int


def choose_tasks(
    domains: Sequence[Domain],
    choice: TaskChoice = TaskChoice(),  # noqa: B008  frozen
    given: Mapping[str, Task] | None = None,
) -> tuple[ChosenTask, ...]:
    """Return the chosen tasks of some domains, in the order of their files; errors: UsageError.

    They are chosen among those `given`, if there are any, instead of those of files.

    A count takes the first tasks of an order that depends on the seed alone, so 80 tasks include the 40 of the same
    seed, and tasks that are added later leave most of the choice unchanged.
    """
    names = [domain.name for domain in domains]
    if len(set(names)) < len(names):
        raise UsageError(f"Two domains are named {max(names, key=names.count)!r}; one run can hold only one of them.")
    chosen: list[ChosenTask] = []
    for domain in domains:
        tasks = given or read_tasks(domain, file=choice.file, beside=[name for name in names if name != domain.name])
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
    return tuple(named(chosen, choice.ids))


class _OfTask(Protocol):
    @property
    def task(self) -> Task: ...


Each = TypeVar("Each", bound=_OfTask)


def named(chosen: Sequence[Each], ids: Collection[str]) -> list[Each]:
    """Return those of some ids, or all where there are none; errors: UsageError for an id that is not among them."""
    there = [each.task.id for each in chosen]
    for name in ids:
        if name not in there:
            raise UsageError(f"Task {name!r} cannot be chosen; {have(name, there)}.")
    return [each for each in chosen if not ids or each.task.id in ids]


def fitting(found: Sequence[Each], choice: TaskChoice, domain: str) -> list[Each]:
    """Return those of the chosen split and levels; errors: UsageError if there are none."""
    fits = [each for each in found if choice.split in (None, each.task.split)]
    fits = [each for each in fits if not choice.levels or each.task.level in choice.levels]
    if not fits:
        of = f" in split {choice.split!r}" if choice.split else ""
        of += f" of level {', '.join(map(str, sorted(choice.levels)))}" if choice.levels else ""
        there = sorted({f"{each.task.split} of level {each.task.level or 'unknown'}" for each in found})
        raise UsageError(f"Domain {domain!r} has no task{of}; have: {', '.join(there)}.")
    return fits


def draw(found: Sequence[ChosenTask], count: int, seed: int) -> list[ChosenTask]:
    """Sample a number of a domain's tasks by a seed, in the order of their file."""
    drawn = sorted(found, key=lambda each: place_of(seed, *each.name))
    return sorted(drawn[:count], key=lambda each: each.position)


class Remaining:
    """The episodes still to be played: trial 0 of all tasks, then trial 1, in an order shuffled by a seed.

    So whatever part of a run is played before it stops is a fair sample of the tasks. With several runners, all
    episodes of a world are meant for the same one, so each world is built once; a runner without episodes takes from
    the one that has the most.
    """

    def __init__(self, plan: EvaluationPlan, done: Collection[tuple[str, str, int]], runners: int = 1) -> None:
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

    def take(self, runner: int = 0, most: int = 1) -> list[EpisodeJob]:
        """Return the next episodes for a runner, fewer towards the end; call only while some are owed."""
        queue = self._queues[runner] or max(self._queues, key=len)
        return [queue.popleft() for _ in range(max(1, min(most, len(queue) // _SHARES)))]


def place_of(seed: int, *words: object) -> bytes:
    """Return a sort key for an order that depends on the seed and these words alone."""
    return hashlib.sha256(":".join(map(str, (seed, *words))).encode()).digest()
