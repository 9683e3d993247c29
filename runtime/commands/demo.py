"""`worldsmith demo`: serve a domain for real, play its tasks, and judge what is left in the database."""

from __future__ import annotations

import argparse
import asyncio
import json
import sqlite3
import sys
import tempfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runtime.domain.domain import Domain
from runtime.domain.find import find_domain
from runtime.errors import EnvironmentFault, UsageError
from runtime.session.changes import scan_changes
from runtime.task.judge import judge
from runtime.task.task import Task, bind, read_tasks, start_world
from runtime.verification.verdict import Verdict

if TYPE_CHECKING:
    from mcp.client import Client


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "demo",
        help="serve a domain over stdio, play its tasks, judge the databases (no model needed)",
        description="Start the server of a domain once per task and agent, and judge each final database by rule: "
        "the reference agent plays the task's chain, the idle agent does nothing.",
    )
    parser.add_argument("domain", nargs="?", default="library", help="name or path of the domain (default library)")
    parser.add_argument("--json", action="store_true", help="print the verdicts as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Play every task twice; 0 if the reference agent earns 1 and the idle agent 0 each time."""
    domain = find_domain(arguments.domain)
    if not read_tasks(domain):
        raise UsageError(
            f"Domain {domain.name!r} has no tasks to play; write some to {str(domain.path / 'tasks.jsonl')!r}."
        )
    rows: list[dict[str, Any]] = []
    for task in read_tasks(domain).values():
        reference, idle = asyncio.run(_play_both(domain, task))
        rows.append({"task": task.id, "title": task.title, "reference": reference.as_json(), "idle": idle.as_json()})
        if not arguments.json:
            print(f"{task.title}")
            print(f"  reference agent: reward {reference.reward}, {len(task.chain)} calls over MCP")
            for difference in reference.differences:
                print(f"    {difference.sentence}")
            print(f"  idle agent: reward {idle.reward}; {idle.differences[0].sentence if idle.differences else ''}")
    fine = bool(rows) and all(row["reference"]["reward"] == 1 and row["idle"]["reward"] == 0 for row in rows)
    if arguments.json:
        json.dump({"domain": domain.name, "ok": fine, "tasks": rows}, sys.stdout, indent=2, ensure_ascii=False)
        print()
    else:
        print(f"{len(rows)} tasks of {domain.card.title!r}: {'all' if fine else 'NOT'} as they should be")
    return 0 if fine else 1


async def _play_both(domain: Domain, task: Task) -> tuple[Verdict, Verdict]:
    return await _play(domain, task, idle=False), await _play(domain, task, idle=True)


async def _play(domain: Domain, task: Task, *, idle: bool) -> Verdict:
    """Play a task on a server process of its own and judge the file that the process leaves behind."""
    from mcp.client import Client
    from mcp.client.stdio import StdioServerParameters

    world = start_world(task, domain)
    with tempfile.TemporaryDirectory() as folder:
        serve = ["-m", "generator", "serve", str(domain.path.resolve()), "--task", task.id]
        serve += ["--state", folder, "--session", "demo"]
        async with Client(StdioServerParameters(command=sys.executable, args=serve)) as client:
            await client.list_tools()
            fault = "" if idle else await _play_chain(client, task)
        if fault:
            raise EnvironmentFault(f"Task {task.id!r}, {fault}")
        with closing(world.open()) as start, closing(sqlite3.connect(Path(folder) / "demo" / "state.db")) as state:
            changes = scan_changes(start, state, domain.schema)
    told = [] if idle else [f"The {answer.name} is {answer.value}." for answer in task.answers]
    return judge(task, domain, world, changes, told)


async def _play_chain(client: Client, task: Task) -> str:
    """Call the tools of the reference chain; what went wrong, or nothing."""
    from mcp.shared.exceptions import MCPError

    results: list[Mapping[str, Any]] = []
    for number, step in enumerate(task.chain):
        try:
            result = await client.call_tool(step.tool, bind(step.arguments, results), read_timeout_seconds=30)
        except (MCPError, EnvironmentFault) as error:
            return f"step {number} ({step.tool}): {error}"
        if result.is_error or result.structured_content is None:
            said = " ".join(getattr(part, "text", "") for part in result.content)
            return f"step {number} ({step.tool}) was rejected with {said}"
        results.append(result.structured_content)
    return ""
