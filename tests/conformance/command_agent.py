"""Have a program that nobody here wrote play tasks as an agent: `python -m tests.conformance.command_agent`.

The program is the MCP Inspector, run once for each step of `command:...`, with the config that the episode wrote for
it. It is installed as for `tests.conformance.run`.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
from collections.abc import Iterator

from runtime.domain.load import load_domain
from runtime.harness.agents.program import CommandAgent
from runtime.harness.play import Setting, play
from runtime.harness.users.scripted import ScriptedKind
from runtime.task.task import start_world
from runtime.task.task_file import find_task, read_tasks
from tests.conformance.checks import Check, report
from tests.conformance.inspector import INSPECTOR
from tests.conformance.programs import ROOT, prepare

ERAS = ("modern", "legacy")


def main() -> int:
    """Print one line for each episode and a closing count; 1 if one of them was not rewarded."""
    return report(run_checks())


def run_checks() -> Iterator[Check]:
    """Install the Inspector and play each task of the library in each era of the protocol; errors: NotCovered."""
    os.environ["PYTHONPATH"] = str(ROOT)  # the driver of the Inspector starts in the episode's folder
    try:
        node = prepare(INSPECTOR)
    except (OSError, RuntimeError) as error:
        yield Check("install the Inspector", f"{type(error).__name__}: {error}")
        return
    domain = load_domain(ROOT / "domains" / "library")
    for era in ERAS:
        for task_id in read_tasks(domain):
            yield _play(node, era, task_id)


def _play(node: str, era: str, task_id: str) -> Check:
    """Expect the reward, and as many calls as the reference chain has."""
    domain = load_domain(ROOT / "domains" / "library")
    task = find_task(domain, task_id)
    agent = CommandAgent(
        shlex.join([sys.executable, "-m", "tests.conformance.inspector_agent", node, era, "{config}", task_id])
    )
    setting = Setting(agent, ScriptedKind(), "session")
    record = asyncio.run(play(task, domain, start_world(task, domain), 0, setting))
    found = (record.reward, record.end, record.calls)
    expected = (1, "done", len(task.chain))
    complaint = f"reward, end and calls are {found}, not {expected}; {record.why}"
    return Check(f"inspector plays {task_id}, {era} era", "" if found == expected else complaint)


if __name__ == "__main__":
    sys.exit(main())
