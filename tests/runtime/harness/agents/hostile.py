"""Evaluations of hostile programs by the real command, in a process of its own with secrets in its environment."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

from runtime.harness.evaluation.store import read_run
from tests.conftest import LIBRARY

PROGRAMS = Path(__file__).parent / "programs"
PYTHON = str(Path(getattr(sys, "_base_executable", sys.executable)).resolve())  # the programs need nothing else
SECRETS = {"WORLDSMITH_ADMIN_TOKEN": "the-admin-token", "ANTHROPIC_API_KEY": "the-api-key", "OTHER_TOKEN": "the-other"}


def command(name: str, *words: object) -> str:
    """The agent that one of the hostile programs is."""
    return f"command:{shlex.join([PYTHON, '-I', '-S', str(PROGRAMS / name), *map(str, words)])}"


def evaluate(
    store: Path, agent: str, *words: str, task: str = "keep-a-book", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Play tasks of the library with an agent, in the folder of the store."""
    options = ["--agent", agent, "--user", "none", "--task", task, "--concurrency", "1", "--store", str(store)]
    return subprocess.run(
        [sys.executable, "-P", "-m", "generator", "eval", str(LIBRARY), *options, *words],
        cwd=store.parent,
        env={**os.environ, **SECRETS, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def told(store: Path) -> Any:
    """What the program of the first episode told."""
    record = next(read_run(store).records())
    (message,) = [each.text for each in record.messages if each.by_agent]
    return json.loads(message)
