"""Which domain or suite a name means, and which of its tasks are asked for; files are read again when they change."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from runtime.domain.domain import Domain
from runtime.domain.hybrid import is_hybrid, parts_of
from runtime.domain.load import SERVED, find_folder, find_place, load_domain
from runtime.errors import UsageError
from runtime.harness.evaluation.plan import Split, TaskChoice, fitting, named
from runtime.harness.poison import poisoned, read_poison_plan
from runtime.session.world import World, WorldCache
from runtime.suites import MemberTasks, narrow, open_members, read_suite
from runtime.task.task import Task, start_world
from runtime.task.task_file import read_tasks, task_file
from runtime.task.user import Form

_worlds = WorldCache()  # that tasks of one seed and size share

_FileState = tuple[tuple[str, int, int], ...]  # of some files: name, time of the last change, size


@dataclass(frozen=True, eq=False, repr=False)
class DomainTask:
    """A task and the domain that it belongs to: what a `Rollout` plays."""

    domain: Domain
    task: Task
    file: Path | None = None  # that it was read from, if not the domain's own
    poison: str | None = None  # the plan of poisoned rows that it was made with

    def poisoned(self, plan: str | None) -> DomainTask:
        """The task with a poisoned row: `plan` is mild, none, or a .toml file. Errors: UsageError."""
        if (made := _poison(self, plan)) is None:
            raise UsageError(f"Task {self.id!r} cannot be poisoned: its reads show no text that people write.")
        return made

    @property
    def id(self) -> str:
        """Its name within the domain."""
        return self.task.id

    @property
    def title(self) -> str:
        """What it is about."""
        return self.task.title

    @property
    def split(self) -> Split:
        """`held_out` tasks have worlds, and partly scenarios, that no `train` task has."""
        return self.task.split

    @property
    def level(self) -> int | None:
        """How hard it was made, from 1 to 5 (`complexity` in its line); None where its line states nothing."""
        return self.task.level

    @property
    def forms(self) -> frozenset[Form]:
        """What makes its wishes hard: `direct`, `withheld`, `mistaken`, ... as in docs/tasks.md."""
        return frozenset(wish.form for wish in self.task.user.wishes)

    def __repr__(self) -> str:
        return f"DomainTask({self.domain.name!r}, {self.id!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process finds it again in the same folder and file: loaded code cannot be sent."""
        return _find_again, (self.domain.path.resolve(), self.id, self.file, self.poison)


def load(domain: str | Path) -> Domain:
    """The domain of a path, or of a name: first in `./domains`, then among those that the package carries.

    An unchanged folder gives the same object again. Errors: UsageError; BrokenDomain with every fault that was found.
    """
    named = str(domain)
    place = find_place(named) if is_hybrid(named) else find_folder(named)
    files = [
        file
        for folder in parts_of(place)
        for file in (*(folder / name for name in SERVED), *sorted((folder / "tools").glob("*.py")))
    ]
    return _load(place.resolve(), _state_of(files))


def tasks(
    domain: Domain | str | Path,
    *,
    split: Split | None = None,
    level: int | Collection[int] | None = None,
    form: Form | None = None,
    ids: Collection[str] = (),
    file: str | Path | None = None,
    poison: str | None = None,
) -> tuple[DomainTask, ...]:
    """The tasks of a domain, or of a `file` or set ("expert"), in their order: all, or those of a split, level or form.

    A level is matched exactly, so a task whose line states none is chosen only where no level is asked for; a task has
    a form if one of its wishes has. With a plan of `poison`, those that have a place for it, poisoned. Errors:
    UsageError where nothing fits, and for a line that is not valid.
    """
    levels = _levels_of(level)
    domain = domain if isinstance(domain, Domain) else load(domain)
    path = None if file is None else task_file(domain.path, Path(file)).resolve()
    everything = _read_tasks(domain, path, _state_of([path or task_file(domain.path)]))
    if not everything and path is not None:
        raise UsageError(f"The task file {str(file)!r} has no task of domain {domain.name!r}.")
    if not everything:
        raise UsageError(f"Domain {domain.name!r} has no tasks; `worldsmith tasks {domain.name} -n N` makes some.")
    chosen = fitting(everything, TaskChoice(split=split, levels=levels), domain.name)
    found = named(_of_form(chosen, form), (ids,) if isinstance(ids, str) else ids)
    made = found if poison is None else [each for task in found if (each := _poison(task, poison)) is not None]
    if not made:
        raise UsageError(f"None of the {len(found)} tasks asked for can be poisoned: their reads show no such text.")
    return tuple(made)


@dataclass(frozen=True, eq=False)
class Suite:
    """Domains with fixed lists of tasks, read from a file by `Suite.read`."""

    name: str
    title: str
    _members: tuple[MemberTasks, ...] = field(repr=False)

    @classmethod
    def read(cls, suite: str | Path) -> Suite:
        """The suite of a file in TOML, or of a name: in `./domains`, then among those that the package carries.

        Errors: UsageError; BrokenDomain for a domain that cannot be loaded.
        """
        file = read_suite(suite)
        return cls(file.name, file.title, open_members(file, load))

    @property
    def domains(self) -> tuple[Domain, ...]:
        """Its domains, in the order of the file."""
        return tuple(each.domain for each in self._members)

    def tasks(
        self,
        *,
        split: Split | None = None,
        level: int | Collection[int] | None = None,
        form: Form | None = None,
    ) -> tuple[DomainTask, ...]:
        """Its tasks, domain by domain in the order of the file: all, or those of a split, level or form.

        Errors: UsageError where nothing fits.
        """
        levels = _levels_of(level)
        chosen: list[DomainTask] = []
        for each in narrow(self._members, self.name, split, levels, form):
            everything = tasks(each.domain, file=each.file)
            chosen += [everything[task.position] for task in each.tasks]
        return tuple(chosen)

    def __len__(self) -> int:
        return sum(len(each.tasks) for each in self._members)


@lru_cache(maxsize=256)
def world_of(task: DomainTask) -> World:
    """Return the world that a task starts from, the same one each time; errors: UsageError, EnvironmentFault."""
    return start_world(task.task, task.domain, _worlds)


@lru_cache(maxsize=2_048)
def _poison(task: DomainTask, given: str | None) -> DomainTask | None:
    if given == task.poison or (plan := read_poison_plan(given)) is None:
        return task
    made = poisoned(task.task, task.domain, plan, _worlds)
    return None if made is None else replace(task, task=made, poison=given)


@lru_cache(maxsize=16)
def _load(folder: Path, state: _FileState) -> Domain:
    return load_domain(folder)


@lru_cache(maxsize=16)
def _read_tasks(domain: Domain, file: Path | None, state: _FileState) -> tuple[DomainTask, ...]:
    return tuple(DomainTask(domain, task, file) for task in read_tasks(domain, file=file).values())


def _levels_of(asked: int | Collection[int] | None) -> frozenset[int]:
    """Return the levels asked for, none for all; errors: UsageError."""
    if asked is None:
        return frozenset()
    levels = frozenset(asked) if isinstance(asked, Collection) else frozenset({asked})
    if not levels or not all(isinstance(level, int) for level in levels):
        raise UsageError(f"level is {asked!r}; it must be an integer from 1 to 5, or a list of some.")
    return levels


def _of_form(chosen: list[DomainTask], form: Form | None) -> list[DomainTask]:
    fitting = [each for each in chosen if form is None or form in each.forms]
    if not fitting:
        there = ", ".join(sorted({form for each in chosen for form in each.forms}))
        raise UsageError(f"None of the {len(chosen)} tasks asked for has form {form!r}; they have: {there}.")
    return fitting


def _state_of(files: Iterable[Path]) -> _FileState:
    states = [(file.name, file.stat()) for file in files if file.is_file()]
    return tuple((name, state.st_mtime_ns, state.st_size) for name, state in states)


def _find_again(folder: Path, task_id: str, file: Path | None, poison: str | None) -> DomainTask:
    for each in tasks(folder, file=file):
        if each.id == task_id:
            return each.poisoned(poison)
    raise UsageError(f"{str(file or folder)!r} has no task {task_id!r} any more.")
