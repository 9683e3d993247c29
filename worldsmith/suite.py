"""Many domains as one: the tasks of a suite's file, for a trainer or an evaluation."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_args

from runtime.domain.domain import Domain
from runtime.errors import UsageError
from runtime.harness.evaluation.plan import Split
from runtime.suites import MemberTasks, narrow, open_members, read_suite
from runtime.task.user import Form
from worldsmith.catalog import SPLITS, DomainTask, levels_of, load, tasks


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
        if split is not None and split not in SPLITS:
            raise UsageError(f"There is no split {split!r}; have: {', '.join(SPLITS)}.")
        if form is not None and form not in get_args(Form):
            raise UsageError(f"There is no form {form!r}; have: {', '.join(get_args(Form))}.")
        chosen: list[DomainTask] = []
        for each in narrow(self._members, self.name, split, levels_of(level), form):
            everything = tasks(each.domain, file=each.file)
            chosen += [everything[task.position] for task in each.tasks]
        return tuple(chosen)

    def __len__(self) -> int:
        return sum(len(each.tasks) for each in self._members)
