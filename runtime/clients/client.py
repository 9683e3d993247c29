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
    it is there if the client is. `on_unix` is the folder below the home on Linux and macOS, where that is another one.
    `project` is its file in a project's folder.
    """

    name: str
    title: str
    key: str  # of the object that holds the servers
    file: str
    folder: str
    in_home: bool = False
    on_unix: str = ""
    project: str = ""
    comments: bool = False
    toml: bool = False
    typed: bool = False
    source: bool = False

    def entry(self, command: Sequence[str]) -> dict[str, Any]:
        """The configuration of a server that a command starts."""
        entry: dict[str, Any] = {"type": "stdio"} if self.typed else {"source": "custom"} if self.source else {}
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
        Client(
            "codex",
            "Codex",
            "mcp_servers",
            "config.toml",
            ".codex",
            in_home=True,
            project=".codex/config.toml",
            toml=True,
        ),
        Client(
            "gemini-cli",
            "Gemini CLI",
            "mcpServers",
            "settings.json",
            ".gemini",
            in_home=True,
            project=".gemini/settings.json",
            comments=True,
        ),
        Client("windsurf", "Windsurf", "mcpServers", "mcp_config.json", ".codeium/windsurf", in_home=True),
        Client(
            "zed",
            "Zed",
            "context_servers",
            "settings.json",
            "Zed",
            on_unix=".config/zed",
            project=".zed/settings.json",
            comments=True,
            source=True,
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
    if client.on_unix and system != "win32":
        folder = home / client.on_unix
    else:
        folder = (home if client.in_home else _settings_folder(system, home, environment)) / client.folder
    if not folder.is_dir():
        raise UsageError(
            f"{client.title} is not installed for this user: there is no folder {str(folder)!r}; "
            "start it once, or pass --config FILE."
        )
    return folder / client.file


def _settings_folder(system: str, home: Path, environment: Mapping[str, str]) -> Path:
    """Where the programs of a user keep their settings."""
    if system == "darwin":
        return home / "Library" / "Application Support"
    if system == "win32":
        return Path(environment.get("APPDATA") or home / "AppData" / "Roaming")
    return Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
