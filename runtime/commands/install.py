"""`worldsmith install`: tell a desktop client to start a domain's server."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from runtime.clients.client import CLIENTS, Client, config_file
from runtime.clients.config import add_server, remove_server, show_entry
from runtime.commands.serve import check_start
from runtime.commands.task_file import add_tasks_file
from runtime.domain.find import find_domain
from runtime.errors import UsageError
from runtime.sandbox.files import MIB, parse_json, read_bytes
from runtime.server import launch
from runtime.server.standalone import CARD
from runtime.session.world import read_world
from runtime.task.task_file import find_task


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "install",
        help="add a domain's server to a desktop client, or remove it (no model needed)",
        description="Add the server of a domain, or a compiled one, to a client's configuration. Every other entry, "
        "comments and order stay; a copy of the file as it was is kept beside it. The rest are options of serve.",
    )
    parser.add_argument("domain", help="name or path of a domain, or the directory of a compiled server")
    parser.add_argument("--client", choices=CLIENTS, required=True, help="which client")
    parser.add_argument("--name", help="what the client calls the server (default: the domain's name)")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--print", action="store_true", dest="show", help="print the configuration and touch nothing")
    what.add_argument("--remove", action="store_true", help="remove the server from the client")
    parser.add_argument("--force", action="store_true", help="replace a server of that name that is not worldsmith's")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--config", type=Path, metavar="FILE", help="the client's configuration file")
    where.add_argument("--project", type=Path, metavar="DIR", help="the client's file in this project's folder")
    world = launch.add_world_options(parser)
    world.add_argument("--task", metavar="ID", help="the world of a task")
    add_tasks_file(world)
    launch.add_state_options(parser, default_session=" (default: the client's name)")
    launch.add_rules_options(parser)
    parser.add_argument("--debug", action="store_true", help="add the tools for people")
    parser.add_argument("--json", action="store_true", help="print what changed as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Change the client's configuration and say what changed."""
    client = CLIENTS[arguments.client]
    if arguments.remove:
        name, path = _name_to_remove(arguments), _config_of(arguments, client)
        edit = remove_server(path, client, name)
        unchanged = f"unchanged: {path} has no server {name!r}"
    else:
        name, command = _server_of(arguments)
        entry = client.entry(command)
        if arguments.show:
            print(show_entry(client, name, entry), end="")
            return 0
        path = _config_of(arguments, client)
        edit = add_server(path, client, name, entry, force=arguments.force)
        unchanged = f"unchanged: {path} has server {name!r} just so"
    if arguments.json:
        backup = None if edit.backup is None else str(edit.backup)
        print(
            json.dumps({"what": edit.what, "server": name, "config": str(path), "backup": backup}, ensure_ascii=False)
        )
        return 0
    if edit.what == "unchanged":
        print(unchanged)
        return 0
    print(f"{edit.what}: server {name!r} in {path}; restart {client.title} to see it")
    if edit.backup is not None:
        print(f"backup: {edit.backup}")
    return 0


def _config_of(arguments: argparse.Namespace, client: Client) -> Path:
    if arguments.config is None:
        return config_file(client, arguments.project, sys.platform, Path.home(), os.environ).absolute()
    path: Path = arguments.config.absolute()
    if not path.parent.is_dir():
        raise UsageError(f"There is no folder {str(path.parent)!r} for the configuration file {path.name!r}.")
    return path


def _name_to_remove(arguments: argparse.Namespace) -> str:
    """What the client calls the server, also where the domain is gone."""
    if arguments.name is None:
        with contextlib.suppress(UsageError):
            return _server_of(arguments)[0]
    return str(arguments.name or Path(arguments.domain).name)


def _server_of(arguments: argparse.Namespace) -> tuple[str, list[str]]:
    """What the server is called, and the command that starts it from any folder; errors: UsageError."""
    check_start(arguments, default_session=True)
    folder = Path(arguments.domain)
    options = list(_options(arguments))
    if (folder / CARD).is_file() and (folder / "server.py").is_file():
        if arguments.task is not None:
            raise UsageError(f"{str(folder)!r} is a compiled server; it has no task {arguments.task!r}.")
        name = _compiled_name(folder / CARD)
        return arguments.name or name, [sys.executable, "-P", str((folder / "server.py").resolve()), *options]
    domain = find_domain(arguments.domain)
    launch.check_strict(arguments, domain)
    if arguments.task is not None:
        find_task(domain, arguments.task, arguments.tasks)
    if arguments.world is not None:
        read_world(arguments.world, domain.schema, domain.policies)  # an error here is better than one in the client
    return arguments.name or domain.name, [*_worldsmith(), "serve", str(domain.path.resolve()), *options]


def _compiled_name(card: Path) -> str:
    try:
        return str(parse_json(read_bytes(card, 64 * MIB))["domain"])
    except (UsageError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{str(card)!r} cannot be read: {error}; compile the domain again.") from None


def _options(arguments: argparse.Namespace) -> Iterator[str]:
    for option in ("seed", "size", "task", "principal"):
        if getattr(arguments, option) is not None:
            yield from (f"--{option}", str(getattr(arguments, option)))
    for option in ("world", "tasks", "state"):
        if getattr(arguments, option) is not None:
            yield from (f"--{option}", str(getattr(arguments, option).resolve()))
    if arguments.state is not None:
        yield from ("--session", arguments.session or arguments.client)
    if not arguments.policy:
        yield "--no-policy"
    for option in ("strict", "debug"):
        if getattr(arguments, option):
            yield f"--{option}"


def _worldsmith() -> list[str]:
    """The command that is running, by a path that works without this shell."""
    script = Path(sys.executable).with_name("worldsmith.exe" if sys.platform == "win32" else "worldsmith")
    return [str(script)] if script.is_file() else [sys.executable, "-P", "-m", "runtime"]
