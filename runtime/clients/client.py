"""The desktop clients: where each keeps its list of servers on each system, and what an entry in it looks like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from runtime.errors import UsageError

System = Literal["linux", "darwin", "win32"]


@dataclass(frozen=True)
class Client:
    """A program that starts MCP servers.

    `folder` is where it keeps its own files, below the user's folder for settings or, with `in_home`, below the home;
    it is there if the client is. `project` is its file in a project's folder.
    """

    name: str
    title: str
    key: str  # of the object that holds the servers
    file: str
    folder: str
    in_home: bool = False
    project: str = ""
    comments: bool = False
    typed: bool = False

    def entry(self, command: Sequence[str]) -> dict[str, Any]:
        """The configuration of a server that a command starts."""
        entry: dict[str, Any] = {"type": "stdio"} if self.typed else {}
        return {**entry, "command": command[0], "args": list(command[1:])}


CLIENTS = {
    client.name: client
    for client in (
        Client("claude-desktop", "Claude Desktop", "mcpServers", "claude_desktop_config.json", "Claude"),
        Client("claude-code", "Claude Code", "mcpServers", "", "", project=".mcp.json"),
        Client(
            "cursor",
            "Cursor",
            "mcpServers",
            "mcp.json",
            ".cursor",
            in_home=True,
            project=".cursor/mcp.json",
            comments=True,
        ),
        Client(
            "vscode",
            "VS Code",
            "servers",
            "User/mcp.json",
            "Code",
            project=".vscode/mcp.json",
            comments=True,
            typed=True,
        ),
    )
}


def config_file(client: Client, project: Path | None, system: str, home: Path, environment: Mapping[str, str]) -> Path:
    """The file that lists a client's servers: the user's own, or a project's; errors: UsageError if it has none."""
    if project is not None or not client.file:
        folder = project or Path()
        if not client.project:
            raise UsageError(f"{client.title} has no servers of a project; leave out --project.")
        if not folder.is_dir():
            raise UsageError(f"There is no project folder {str(folder)!r}.")
        return folder / client.project
    folder = (home if client.in_home else _settings_folder(system, home, environment)) / client.folder
    if not folder.is_dir():
        raise UsageError(
            f"{client.title} is not there for this user: there is no folder {str(folder)!r}; "
            "start it once, or say --config FILE."
        )
    return folder / client.file


def _settings_folder(system: str, home: Path, environment: Mapping[str, str]) -> Path:
    """Where the programs of a user keep their settings."""
    if system == "darwin":
        return home / "Library" / "Application Support"
    if system == "win32":
        return Path(environment.get("APPDATA") or home / "AppData" / "Roaming")
    return Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
