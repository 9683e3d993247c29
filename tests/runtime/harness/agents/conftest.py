"""A library task, and programs that play it: a script of calls over MCP, and scripts of the shell."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runtime.domain.domain import Domain
from runtime.harness.agents.program import CommandAgent
from runtime.harness.conversation import UserReply
from runtime.harness.record import EpisodeRecord
from runtime.session.world import World
from runtime.task.task import Task
from runtime.task.task_file import find_task
from tests.runtime.harness.acting import Saying, play_one


@pytest.fixture
def task(library: Domain) -> Task:
    """A new card, and a place in a queue."""
    return find_task(library, "card-and-queue")


@pytest.fixture
def run(library: Domain, world: World, task: Task) -> Callable[..., EpisodeRecord]:
    """Play an episode with a program; the user asks one thing and thanks."""

    def run_one(command: str, *more: str, **setting: Any) -> EpisodeRecord:
        user = Saying(UserReply("What is due?"), *map(UserReply, more))
        return play_one(library, world, CommandAgent(command), task, **{"user": user, **setting})

    return run_one


@pytest.fixture
def scripted(tmp_path: Path) -> Callable[..., str]:
    """The command of a program that says and calls the steps of a script."""

    def make(*steps: Any) -> str:
        script = tmp_path / "script.json"
        script.write_text(json.dumps(steps))
        return shlex.join([sys.executable, str(Path(__file__).with_name("program.py")), "{config}", str(script)])

    return make


@pytest.fixture
def shell(tmp_path: Path) -> Callable[[str], str]:
    """The command of a shell script, which finds its own test's folder in `$1` and then what it is given."""

    def make(text: str) -> str:
        script = tmp_path / "program.sh"
        script.write_text(text)
        return shlex.join(["sh", str(script), str(tmp_path)])

    return make
