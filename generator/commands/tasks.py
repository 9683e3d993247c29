"""`worldsmith tasks`: make tasks from a domain's scenarios; `--export` writes the world that one starts from."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from runtime.commands.engine import add_engine
from runtime.commands.output_file import add_force
from runtime.commands.task_file import add_tasks_file
from runtime.domain.find import find_domain
from runtime.errors import UsageError
from runtime.task.task import start_world, write_world
from runtime.task.task_file import find_task


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "tasks",
        help="make proven tasks from a domain's scenarios, or export a task's world (no model needed)",
        description="Make tasks from the scenarios of a domain, prove them by execution, and add them to its "
        "tasks.jsonl, or to tasks/NAME.jsonl here if the domain belongs to the installed package; the same seed makes "
        "the same tasks. With --export, write the world that a task starts from, to play it on any server of the "
        "domain with --world.",
    )
    parser.add_argument("domain", help="name or path of a domain")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("-n", "--count", type=int, metavar="N", help="make so many tasks")
    what.add_argument(
        "--export", nargs=2, metavar=("ID", "FILE.db"), help="write a task's world to a file that is not there yet"
    )
    add_tasks_file(parser)
    parser.add_argument("--seed", type=int, default=1, help="of the tasks and their worlds (default 1)")
    parser.add_argument(
        "--level", type=int, metavar="1..5", help="what makes them hard, and how many distractors (default: a mix)"
    )
    parser.add_argument("--rows", type=int, metavar="R", help="rows of each world (default 300 to 3,000, by level)")
    parser.add_argument("--unverified", action="store_true", help="keep every task without proving it, marked so")
    parser.add_argument("--out", type=Path, metavar="FILE", help="add the tasks to this file instead")
    parser.add_argument("--replace", action="store_true", help="write the file anew, without the tasks that it holds")
    add_force(parser)
    parser.add_argument("--trace", metavar="FILE", help="write the decisions of the expansion gate, a line per task")
    parser.add_argument("--processes", type=int, metavar="P", help="child processes at a time (default: all cores)")
    add_engine(parser)
    parser.add_argument("--json", action="store_true", help="print what was written as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Make tasks, or write a world; say so."""
    if arguments.export is None:
        if arguments.tasks is not None:
            raise UsageError("--tasks goes with --export, which takes a task from it; --out names a file for new tasks")
        from generator.commands import make_tasks  # which an export need not wait for

        return make_tasks.run(arguments)
    asked = arguments.level is not None or arguments.rows is not None
    if asked or arguments.out or arguments.trace or arguments.unverified or arguments.replace:
        raise UsageError(
            "--export writes the world of one task; --out, --replace, --trace, --unverified, --level, --rows go with -n"
        )
    if arguments.engine != "local":
        raise UsageError("--export writes the world of one task; --engine goes with -n")
    return _export(arguments)


def _export(arguments: argparse.Namespace) -> int:
    task_id, path = arguments.export
    domain = find_domain(arguments.domain)
    world = start_world(find_task(domain, task_id, arguments.tasks), domain)
    write_world(world, Path(path))
    digest = f"{world.digest:032x}"
    if arguments.json:
        print(json.dumps({"task": task_id, "file": path, "bytes": len(world.image), "digest": digest}))
    else:
        print(f"{path}: the world of task {task_id!r}, {len(world.image) / 1024:.0f} KiB, digest {digest}")
    return 0
