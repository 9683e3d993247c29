"""Proof 14 for a whole folder: walk the user of so many tasks that every kind of wish in the file was walked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from generator.gates.request import FolderRequest
from generator.isolation.job import job
from generator.tasks.proofs.user import shape_of, walk_user
from runtime.domain.load import load_domain
from runtime.errors import EnvironmentFault, UsageError
from runtime.task.task import Task, start_world
from runtime.task.task_file import read_tasks


@dataclass(frozen=True)
class WalkedUsers:
    """How many of the kinds of wishes that the tasks have were walked, and what that came to."""

    kinds: int
    walked: int
    users: int
    states: int
    faults: list[str]


@job("users")
def walk_users(asked: FolderRequest) -> WalkedUsers:
    """Walk the users of a few tasks, which have every kind of wish between them; errors: BrokenDomain."""
    domain = load_domain(asked.folder)
    tasks = sorted(read_tasks(domain, []).values(), key=lambda task: (task.world.size, task.id))
    seen: set[object] = set()
    faults: list[str] = []
    users = states = 0
    for task in _covering(tasks):
        try:
            world = start_world(task, domain)
        except (EnvironmentFault, UsageError):
            continue  # the gate of tasks says it
        walk = walk_user(task, domain, world)
        seen.update(shape_of(task))
        users += 1
        states += walk.states
        faults += [f"task {task.id!r}: user: {complaint}" for complaint in walk.complaints]
    kinds = {kind for task in tasks for kind in shape_of(task)}
    return WalkedUsers(len(kinds), len(seen), users, states, faults)


def _covering(tasks: Iterable[Task]) -> Iterator[Task]:
    """Tasks that have a kind of wish which none before them has, those of the most kinds first."""
    seen: set[object] = set()
    for task in sorted(tasks, key=lambda task: -len(set(shape_of(task)))):
        if not seen.issuperset(shape_of(task)):
            seen.update(shape_of(task))
            yield task
