"""`worldsmith install`: what it writes starts the server, the rest of the file stays, a refusal is one line."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from mcp import StdioServerParameters
from mcp.client import Client

from generator.main import main
from runtime.commands.install import CLIENTS

Capture = pytest.CaptureFixture[str]
BACKUP = ".worldsmith-backup"
OWN = """{
  "theme": "dark",
  "mcpServers": {
    "mail": {
      "command": "mail",
      "args": "ü"
    }
  }
}
"""


def install(capsys: Capture, *words: str, status: int = 0) -> str:
    """What `install` prints, on the stream that belongs to the status."""
    assert main(["install", *words]) == status
    printed = capsys.readouterr()
    assert (printed.out if status else printed.err) == ""
    return printed.err if status else printed.out


def entry_in(path: Path, name: str = "library") -> dict[str, Any]:
    """The entry of a server in a client's file."""
    (servers,) = [value for key, value in json.loads(path.read_text()).items() if key in ("mcpServers", "servers")]
    entry: dict[str, Any] = servers[name]
    return entry


async def tools_of(entry: dict[str, Any], folder: Path) -> list[str]:
    """Start a server as an entry says, in a folder, and list its tools."""
    parameters = StdioServerParameters(command=entry["command"], args=entry["args"], cwd=folder)
    async with Client(parameters) as client:
        return [tool.name for tool in (await client.list_tools()).tools]


@pytest.mark.parametrize("client", CLIENTS)
def test_what_is_installed_is_what_is_printed_and_starts_from_any_folder(
    client: str, tmp_path: Path, capsys: Capture
) -> None:
    words = ["library", "--client", client, "--size", "50", "--debug"]
    path = tmp_path / "config.json"
    restart = f"restart {CLIENTS[client][0]} to see it"
    assert install(capsys, *words, "--config", str(path)) == f"added: server 'library' in {path}; {restart}\n"
    assert json.loads(install(capsys, *words, "--print")) == json.loads(path.read_text())
    entry = entry_in(path)
    assert Path(entry["command"]).is_absolute()
    assert entry["args"][-3:] == ["--size", "50", "--debug"]
    assert "debug_verify" in asyncio.run(tools_of(entry, tmp_path))
    assert install(capsys, *words, "--config", str(path)) == f"unchanged: server 'library' in {path}\n"
    removed = install(capsys, "library", "--client", client, "--config", str(path), "--remove")
    assert removed.splitlines() == [f"removed: server 'library' in {path}; {restart}", f"backup: {path}{BACKUP}"]
    assert "library" not in path.read_text()


def test_the_rest_of_a_file_stays_with_its_mode_and_a_copy(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "config.json"
    path.write_text(OWN, encoding="utf-8")
    path.chmod(0o600)
    words = ["library", "--client", "claude-desktop", "--config", str(path)]
    install(capsys, *words)
    assert (tmp_path / f"config.json{BACKUP}").read_text(encoding="utf-8") == OWN
    assert list(json.loads(path.read_bytes())["mcpServers"]) == ["mail", "library"]
    assert path.stat().st_mode & 0o777 == 0o600
    install(capsys, *words, "--remove")
    assert path.read_text(encoding="utf-8") == OWN


def test_an_entry_of_somebody_else_stays(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "config.json"
    path.write_text('{"mcpServers": {"library": {"command": "mine"}}}')
    words = ["library", "--client", "cursor", "--config", str(path)]
    assert "another server named 'library'; pass --name, or remove it first" in install(capsys, *words, status=2)
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        pytest.param(b'{\n// mine\n"mcpServers": {}}', "line 2", id="comment"),
        pytest.param(b'{"mcpServers": {', "line 1", id="broken"),
        pytest.param(b'{"mcpServers": ["x"]}', "it has no object 'mcpServers'", id="shape"),
        pytest.param(b'{"a": "\xff"}', "can't decode byte", id="bytes"),
    ],
)
def test_a_file_that_is_not_plain_json_is_not_touched_and_the_entry_is_printed(
    content: bytes, why: str, tmp_path: Path, capsys: Capture
) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(content)
    assert main(["install", "library", "--client", "cursor", "--config", str(path)]) == 1
    printed = capsys.readouterr()
    assert printed.err.startswith(f"{str(path)!r} is not plain JSON (")
    assert why in printed.err
    assert printed.err.count("\n") == 1
    assert "library" in json.loads(printed.out)["mcpServers"]
    assert "is not plain JSON" in install(
        capsys, "library", "--client", "cursor", "--config", str(path), "--remove", status=2
    )
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("client", "system", "expected"),
    [
        ("claude-desktop", "linux", ".config/Claude/claude_desktop_config.json"),
        ("claude-desktop", "darwin", "Library/Application Support/Claude/claude_desktop_config.json"),
        ("claude-desktop", "win32", "AppData/Roaming/Claude/claude_desktop_config.json"),
        ("cursor", "darwin", ".cursor/mcp.json"),
        ("vscode", "linux", ".config/Code/User/mcp.json"),
    ],
)
def test_the_file_is_the_clients_own(
    client: str, system: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(tmp_path))
    for variable in ("XDG_CONFIG_HOME", "APPDATA"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr("sys.platform", system)
    refused = install(capsys, "library", "--client", client, status=2)
    assert f"{CLIENTS[client][0]} has no configuration there: there is no folder" in refused
    (tmp_path / expected).parent.mkdir(parents=True)
    install(capsys, "library", "--client", client)
    assert "serve" in entry_in(tmp_path / expected)["args"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        pytest.param(["libary", "--client", "cursor"], "no domain 'libary'; have: library", id="typo"),
        pytest.param(
            ["library", "--client", "cursor", "--session", "x"], "--session names a session in a folder", id="session"
        ),
        pytest.param(["library", "--client", "cursor", "--config", "no/x.json"], "there is no folder", id="config"),
    ],
)
def test_what_cannot_be_installed_is_one_line_and_exit_status_2(
    words: list[str], sentence: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    refused = install(capsys, *words, status=2)
    assert refused.startswith("error: ")
    assert sentence in refused
    assert refused.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_compiled_server_is_installed_by_its_directory(tmp_path: Path, capsys: Capture) -> None:
    assert main(["compile", "library", "--out", str(tmp_path / "out")]) == 0
    capsys.readouterr()
    compiled, path = str(tmp_path / "out" / "library"), tmp_path / "config.json"
    words = [compiled, "--client", "cursor", "--config", str(path)]
    install(capsys, *words, "--size", "50")
    assert entry_in(path)["args"] == ["-P", str(tmp_path / "out" / "library" / "server.py"), "--size", "50"]
    assert "renew_loan" in asyncio.run(tools_of(entry_in(path), tmp_path))
    assert "is a compiled server; it has no task 'x'" in install(capsys, *words, "--task", "x", status=2)
    assert install(capsys, *words, "--remove").startswith("removed:")
