"""`worldsmith tasks`: hand out a domain's tasks; `--export` writes the world that one starts from."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from runtime.domain.find import find_domain
from runtime.task.task import find_task, start_world, write_world


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "tasks",
        help="write the world of a task as a database file (no model needed)",
        description="Write the world that a task starts from, to play it on any server of the domain with --world.",
    )
    parser.add_argument("domain", help="name or path of a domain")
    parser.add_argument(
        "--export", nargs=2, metavar=("ID", "FILE.db"), required=True, help="the task, and a file that is not there yet"
    )
    parser.add_argument("--json", action="store_true", help="print what was written as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the file and say so."""
    task_id, path = arguments.export
    domain = find_domain(arguments.domain)
    world = start_world(find_task(domain, task_id), domain)
    write_world(world, Path(path))
    digest = f"{world.digest:032x}"
    if arguments.json:
        print(json.dumps({"task": task_id, "file": path, "bytes": len(world.image), "digest": digest}))
    else:
        print(f"{path}: the world of task {task_id!r}, {len(world.image) / 1024:.0f} KiB, digest {digest}")
    return 0
