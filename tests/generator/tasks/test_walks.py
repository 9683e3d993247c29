"""Claims about walking the users of a folder's tasks: every kind of wish is walked, and a fault names its task."""

from __future__ import annotations

import pytest

from generator.gates.request import FolderRequest
from generator.tasks.proofs.user import shape_of
from generator.tasks.proofs.walks import walk_users
from runtime.domain.domain import Domain
from runtime.harness.users.machine import Machine
from runtime.task.task_file import read_tasks
from tests.conftest import LIBRARY


def test_the_users_walked_have_every_kind_of_wish(library: Domain) -> None:
    tasks = read_tasks(library).values()
    told = walk_users(FolderRequest(LIBRARY))
    assert told.faults == []
    assert told.walked == told.kinds == len({kind for task in tasks for kind in shape_of(task)})
    assert 0 < told.users <= len(tasks)
    assert told.states > 20 * told.users


def test_a_fault_names_its_task(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Machine, "replied", lambda machine: None)
    faults = walk_users(FolderRequest(LIBRARY)).faults
    assert faults
    assert all(fault.startswith("task '") and "user: the user comes no further with" in fault for fault in faults)
