"""`worldsmith export-env`: write a domain and its tasks as an environment of another framework."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from runtime.commands.options import add_tasks_file
from runtime.compiling.directory import write_directory
from runtime.domain.find import find_domain, known_domains
from runtime.errors import UsageError
from runtime.wording import counted, have
from worldsmith.openenv_folder import dependencies, export_openenv

_FORMATS = ("openenv",)
_USERS = ("scripted", "none")


def add_export_env(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "export-env",
        description="Write a folder that is an OpenEnv environment: openenv.yaml, a server, an oracle, the domain with "
        "its tasks, and the part of worldsmith that plays and judges them. It needs the packages that its "
        "pyproject.toml names, not worldsmith. Whoever has the folder can read how every task is done.",
    )
    parser.add_argument("format", metavar="FORMAT", help=f"of which framework: {', '.join(_FORMATS)}")
    parser.add_argument("folder", type=Path, metavar="DIR", help="folder to write to, new or empty")
    parser.add_argument("--domain", metavar="NAME", help="name or path of the domain")
    add_tasks_file(parser)
    parser.add_argument("--user", default="scripted", metavar="U", help="whom the agent talks to: scripted or none")
    parser.add_argument(
        "--policy", action=argparse.BooleanOptionalAction, default=True, help="give the agent the domain's policy"
    )
    parser.add_argument("--json", action="store_true", help="print what was written as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the folder, whole or not at all."""
    if arguments.format not in _FORMATS:
        raise UsageError(f"no framework {arguments.format!r}; {have(arguments.format, _FORMATS)}")
    if arguments.domain is None:
        raise UsageError(f"No domain was named; give --domain NAME, {have('', known_domains())}.")
    if arguments.user not in _USERS:
        raise UsageError(f"no user {arguments.user!r} for an environment; {have(arguments.user, _USERS)}")
    folder: Path = arguments.folder
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{str(folder)!r} is not an empty folder; move it away, or name another DIR.")
    from runtime.harness.evaluation.plan import TaskChoice, choose_tasks

    domain = find_domain(arguments.domain)
    tasks = [chosen.task for chosen in choose_tasks([domain], TaskChoice(file=arguments.tasks))]
    files = export_openenv(domain, tasks, user=arguments.user, policy=arguments.policy)
    write_directory(folder, files)
    size = sum(map(len, files.values()))
    if arguments.json:
        about = {"domain": domain.name, "digest": domain.digest, "tasks": len(tasks), "dependencies": dependencies()}
        print(json.dumps({"folder": str(folder), "files": len(files), "bytes": size, **about}, ensure_ascii=False))
    else:
        print(f"{folder}: {domain.name} with {counted(len(tasks), 'task')}, {len(files)} files, {size / 1024:.0f} KiB")
        print(f"  needs {', '.join(dependencies())}")
        print(f"  to serve it: cd {folder} && uvicorn server.app:app --port 8000")
    return 0
