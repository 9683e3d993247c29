"""`worldsmith install`: write a domain's server into a desktop client's configuration, or print the entry to paste."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from runtime.commands.options import JSON, command, flag, one_of, option, path_option, text_option
from runtime.commands.output import Result, print_json
from runtime.commands.serve import SESSION
from runtime.domain.load import find_domain
from runtime.errors import UsageError
from runtime.sandbox.files import MIB, parse_json, read_bytes, replacing
from runtime.server import launch
from runtime.server.standalone import CARD
from runtime.task.task_file import find_task

CLIENTS = {  # by --client: title, the key of its servers, its file
    "claude-desktop": ("Claude Desktop", "mcpServers", "Claude/claude_desktop_config.json"),
    "cursor": ("Cursor", "mcpServers", "~/.cursor/mcp.json"),
    "vscode": ("VS Code", "servers", "Code/User/mcp.json"),
}


@command(
    "install",
    "Add the server of a domain, or a compiled one, to the configuration of Claude Desktop, Cursor or VS Code, keeping "
    "a copy of the file beside it. For a file with comments, the entry to paste is printed. The remaining options are "
    "those of serve.",
    option("domain", help="name or path of a domain, or the directory of a compiled server"),
    option("--client", choices=CLIENTS, required=True, help="which client"),
    text_option("--server-name", "NAME", "what the client calls the server (default: the domain's name)"),
    one_of(
        flag("--print", "print the entry and change nothing"), flag("--remove", "remove the server from the client")
    ),
    path_option("--config", "FILE", "the client's configuration file"),
    *SESSION,
    flag("--debug", "add the tools for people"),
    JSON,
)
def install(arguments: argparse.Namespace) -> int | Result:
    """Change the client's configuration and say what changed; 1 if the entry has to be pasted by hand."""
    title, key, file = CLIENTS[arguments.client]
    name, entry = arguments.server_name or Path(arguments.domain).name, dict[str, Any]()
    if not arguments.remove:
        name, entry = _entry_of(arguments)
    if arguments.print:
        print_json({key: {name: entry}})
        return 0
    path = _config_of(arguments, title, file)
    try:
        content = _read(path, key)
    except ValueError as fault:
        if arguments.remove:
            raise UsageError(f"{str(path)!r} is not plain JSON ({fault}); remove {name!r} by hand.") from None
        print(f"{str(path)!r} is not plain JSON ({fault}), so it was not changed; add this to it:", file=sys.stderr)
        print_json({key: {name: entry}})
        return 1
    servers = content[key]
    known = servers.pop(name, None)
    if not arguments.remove:
        starts = known.get("args") or [] if isinstance(known, dict) else []
        if known is not None and starts[:1] not in (["serve"], ["-P"]):
            raise UsageError(
                f"{str(path)!r} has another server named {name!r}; pass --server-name, or remove it first."
            )
        servers[name] = entry
    if servers.get(name) == known:
        what, backup, lines = "unchanged", None, [f"unchanged: server {name!r} in {path}"]
    else:
        what = "removed" if arguments.remove else "added" if known is None else "changed"
        backup = _write(path.resolve(), content)  # a link stays a link
        lines = [f"{what}: server {name!r} in {path}; restart {title} to see it"]
        lines += [f"backup: {backup}"] if backup else []
    return Result({"what": what, "server": name, "config": path, "backup": backup}, lines)


def _entry_of(arguments: argparse.Namespace) -> tuple[str, dict[str, Any]]:
    """Return the server's name and its entry, which starts it from any folder; errors: UsageError."""
    arguments.http = False
    launch.check_options(arguments, arguments.task)
    folder = Path(arguments.domain)
    if (folder / CARD).is_file():
        if arguments.task is not None:
            raise UsageError(f"{str(folder)!r} is a compiled server; it has no task {arguments.task!r}.")
        name, command = folder.resolve().name, [sys.executable, "-P", str((folder / "server.py").resolve())]
    else:
        domain = find_domain(arguments.domain)
        launch.check_strict(arguments, domain)
        if arguments.task is not None:
            find_task(domain, arguments.task, arguments.tasks)
        program = Path(sys.executable).with_name("worldsmith.exe" if sys.platform == "win32" else "worldsmith")
        start = [str(program)] if program.is_file() else [sys.executable, "-P", "-m", "runtime"]
        name, command = domain.name, [*start, "serve", str(domain.path.resolve())]
    kind = {"type": "stdio"} if arguments.client == "vscode" else {}
    return arguments.server_name or name, {**kind, "command": command[0], "args": [*command[1:], *_options(arguments)]}


def _options(arguments: argparse.Namespace) -> Iterator[str]:
    for name in ("seed", "size", "task", "world", "tasks", "state", "session"):
        value = getattr(arguments, name)
        if value is not None:
            yield from (f"--{name}", str(value.resolve() if isinstance(value, Path) else value))
    if arguments.policy != "prompt":
        yield from ("--policy", arguments.policy) if arguments.policy else ("--no-policy",)
    yield from (f"--{name}" for name in ("strict", "debug") if getattr(arguments, name))


def _config_of(arguments: argparse.Namespace, title: str, file: str) -> Path:
    """Return the client's file of servers: the named one, or the user's own; errors: UsageError."""
    if sys.platform == "darwin":
        settings = Path.home() / "Library" / "Application Support"
    elif sys.platform == "win32":
        settings = Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming")
    else:
        settings = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    path = settings / Path(file).expanduser() if arguments.config is None else arguments.config.absolute()
    if not path.parent.is_dir():
        raise UsageError(
            f"{title} has no configuration there: there is no folder {str(path.parent)!r}; start it once, or "
            "pass --config FILE."
        )
    return path


def _read(path: Path, key: str) -> dict[str, Any]:
    """Read a configuration, with an object for its servers; errors: ValueError, UsageError."""
    text = read_bytes(path.resolve(), 16 * MIB).decode("utf-8-sig") if path.exists() else ""
    content = parse_json(text) if text.strip() else {}
    if not isinstance(content, dict) or not isinstance(content.setdefault(key, {}), dict):
        raise ValueError(f"it has no object {key!r}")
    return content


def _write(path: Path, content: dict[str, Any]) -> Path | None:
    """Replace the file in one step and return a copy of it as it was; errors: UsageError."""
    backup = path.with_name(f"{path.name}.worldsmith-backup") if path.exists() else None
    try:
        with replacing(path) as file:
            if backup is not None:
                shutil.copy2(path, backup)
                shutil.copymode(path, file.name)
            file.write(f"{json.dumps(content, ensure_ascii=False, indent=2)}\n".encode(errors="backslashreplace"))
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be written: {error.strerror}. Nothing was changed.") from error
    return backup
