"""Which folders a suite's domains are, and which of their tasks are in it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from runtime.domain.domain import Domain
from runtime.domain.find import find_domain, find_named
from runtime.errors import UsageError
from runtime.harness.evaluation.plan import ChosenTask, Split, TaskChoice, choose_tasks, draw, fitting
from runtime.suites.suite import SuiteFile, SuiteMember
from runtime.task.task import Task
from runtime.task.user import Form
from runtime.wording import counted


@dataclass(frozen=True)
class MemberTasks:
    """A domain of a suite, and its tasks that are in it."""

    domain: Domain
    tasks: tuple[ChosenTask, ...] = field(repr=False)
    file: Path | None = None  # that they were read from, if not the domain's own


def open_members(suite: SuiteFile, load: Callable[[str | Path], Domain] | None = None) -> tuple[MemberTasks, ...]:
    """The domains of a suite with their tasks, in the order of its file; errors: UsageError, BrokenDomain.

    `load` is how a folder is loaded, if not anew.
    """
    found = []
    for name, member in suite.members.items():
        domain = find_member(suite, name, load)
        file = suite.path.parent / member.file if member.file else None
        found.append(MemberTasks(domain, _choose(suite, domain, member, file), file))
    return tuple(found)


def find_member(suite: SuiteFile, name: str, load: Callable[[str | Path], Domain] | None = None) -> Domain:
    """One domain of a suite; errors: UsageError, BrokenDomain."""
    path = suite.members[name].path
    if not path:
        domain = find_named(name) if load is None else load(name)
    else:
        place = f"{suite.path.parent / path}/"  # which is a path, never a name
        domain = find_domain(place) if load is None else load(place)
    if domain.name != name:
        raise UsageError(f"The suite {str(suite.path)!r} has {name!r}, but {path!r} is the domain {domain.name!r}.")
    return domain


def narrow(
    members: Iterable[MemberTasks],
    suite: str,
    split: Split | None = None,
    levels: Collection[int] = (),
    form: Form | None = None,
) -> tuple[MemberTasks, ...]:
    """Of the tasks of a suite of this name those of a split, some levels and a form, without domains that have none.

    Errors: UsageError if none is left.
    """

    def fits(task: Task) -> bool:
        return (
            split in (None, task.split)
            and (not levels or task.level in levels)
            and (form is None or form in {wish.form for wish in task.user.wishes})
        )

    narrowed = [
        MemberTasks(each.domain, tuple(chosen for chosen in each.tasks if fits(chosen.task)), each.file)
        for each in members
    ]
    left = tuple(each for each in narrowed if each.tasks)
    if not left:
        of = f" of level {', '.join(map(str, sorted(levels)))}" if levels else ""
        of += f" of form {form!r}" if form else ""
        raise UsageError(f"The suite {suite!r} has no task{of}{f' in split {split!r}' if split else ''}.")
    return left


def _choose(suite: SuiteFile, domain: Domain, member: SuiteMember, file: Path | None) -> tuple[ChosenTask, ...]:
    where = f"The suite {str(suite.path)!r}, domain {domain.name!r}"
    levels = frozenset(member.levels)
    try:
        if member.tasks:
            return choose_tasks([domain], TaskChoice(file, tuple(member.tasks)))
        found = choose_tasks([domain], TaskChoice(file, split=member.split, levels=levels))
        if member.counts:
            drawn = [
                each
                for level, count in sorted(member.counts.items())
                for each in _draw(fitting(found, TaskChoice(levels=frozenset({level})), domain.name), count, suite)
            ]
            return tuple(sorted(drawn, key=lambda each: each.position))
        return tuple(found if member.count is None else _draw(found, member.count, suite))
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from None


def _draw(found: Collection[ChosenTask], count: int, suite: SuiteFile) -> list[ChosenTask]:
    if count > len(found):
        levels = {each.task.level for each in found}
        of = f" of level {levels.pop()}" if len(levels) == 1 and None not in levels else ""
        raise UsageError(f"{counted(count, 'task')}{of} cannot be drawn; there are {len(found):,}.")
    return draw(list(found), count, suite.seed)
