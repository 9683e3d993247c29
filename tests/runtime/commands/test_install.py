"""`worldsmith install`: what it writes starts the server, what it prints is that, and what it refuses is one line."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from mcp import StdioServerParameters
from mcp.client import Client

from generator.main import main
from tests.conftest import LIBRARY

CLIENTS = ["claude-desktop", "claude-code", "cursor", "vscode"]


def install(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> str:
    """What `install` says, on the stream that belongs to the status."""
    assert main(["install", *words]) == status
    said = capsys.readouterr()
    assert (said.out if status else said.err) == ""
    return said.err if status else said.out


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
    client: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["library", "--client", client, "--size", "50", "--debug"]
    path = tmp_path / "config.json"
    assert install(capsys, *words, "--config", str(path)) == (
        f"added: server 'library' in {path}; restart {client_title(client)} to see it\n"
    )
    assert json.loads(install(capsys, *words, "--print")) == json.loads(path.read_text())
    entry = entry_in(path)
    assert Path(entry["command"]).is_absolute()
    assert entry["args"][-3:] == ["--size", "50", "--debug"]
    assert "debug_verify" in asyncio.run(tools_of(entry, tmp_path))
    assert install(capsys, *words, "--config", str(path)) == f"unchanged: {path} has server 'library' just so\n"
    said = install(capsys, "library", "--client", client, "--config", str(path), "--remove")
    assert said.splitlines() == [
        f"removed: server 'library' in {path}; restart {client_title(client)} to see it",
        f"backup: {path}.worldsmith-backup",
    ]
    assert "library" not in path.read_text()


def test_the_policy_is_left_out_only_where_that_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    for words, written in (([], []), (["--policy"], []), (["--no-policy", "--strict"], ["--no-policy", "--strict"])):
        printed = json.loads(install(capsys, "library", "--client", "cursor", *words, "--print"))
        _, folder, *options = printed["mcpServers"]["library"]["args"]
        assert (Path(folder).name, options) == ("library", written)


def test_what_changed_is_said_as_json_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "config.json"
    words = ["library", "--client", "cursor", "--config", str(path), "--json"]
    said = [json.loads(install(capsys, *words, *more)) for more in ([], [], ["--size", "5"], ["--remove"])]
    assert [one["what"] for one in said] == ["added", "unchanged", "changed", "removed"]
    assert [one["backup"] is None for one in said] == [True, True, False, False]
    assert {(one["server"], one["config"]) for one in said} == {("library", str(path))}


def client_title(name: str) -> str:
    """What a person calls the client."""
    return {
        "claude-desktop": "Claude Desktop",
        "claude-code": "Claude Code",
        "cursor": "Cursor",
        "vscode": "VS Code",
    }[name]


def test_the_file_is_the_clients_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(tmp_path))
    monkeypatch.setattr("sys.platform", "darwin")
    said = install(capsys, "library", "--client", "claude-desktop", status=2)
    assert said.count("\n") == 1
    assert "Claude Desktop is not installed for this user: there is no folder" in said
    folder = tmp_path / "Library" / "Application Support" / "Claude"
    folder.mkdir(parents=True)
    install(capsys, "library", "--client", "claude-desktop")
    assert "serve" in entry_in(folder / "claude_desktop_config.json")["args"]


def test_each_client_has_a_session_of_its_own_in_a_state_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for client in CLIENTS:
        printed = json.loads(install(capsys, "library", "--client", client, "--state", "kept", "--print"))
        (servers,) = printed.values()
        assert servers["library"]["args"][-4:] == ["--state", str(tmp_path / "kept"), "--session", client]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        pytest.param(["libary", "--client", "cursor"], "no domain 'libary'; have: library", id="typo"),
        pytest.param(["./nothing", "--client", "cursor"], "is not a domain folder", id="no_domain"),
        pytest.param(["library", "--client", "cursor", "--task", "x"], "has no task 'x'", id="no_task"),
        pytest.param(["library", "--client", "cursor", "--size", "0"], "World size 0 is out of range", id="size"),
        pytest.param(
            ["library", "--client", "cursor", "--session", "x"], "--state and --session go together", id="session"
        ),
        pytest.param(["library", "--client", "cursor", "--config", "no/x.json"], "There is no folder", id="config"),
        pytest.param(["library", "--client", "claude-desktop", "--project", "."], "no servers of a project", id="none"),
    ],
)
def test_what_cannot_be_installed_is_one_line_and_exit_status_2(
    words: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = install(capsys, *words, status=2)
    assert said.startswith("error: ")
    assert sentence in said
    assert said.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", [["library"], ["library", "--client", "emacs"]])
def test_a_client_must_be_one_of_those_that_are_known(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["install", *words])
    assert ended.value.code == 2
    assert "--client" in capsys.readouterr().err


def test_a_broken_configuration_is_one_line_and_stays_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "config.json"
    path.write_text('{"mcpServers": {"mail": {}')
    for action in ([], ["--remove"]):
        said = install(capsys, "library", "--client", "claude-desktop", "--config", str(path), *action, status=2)
        assert said == (
            f"error: {str(path)!r} cannot be edited: line 1: it ends before its '}}'; mend it first. "
            "Nothing was changed.\n"
        )
    assert path.read_text() == '{"mcpServers": {"mail": {}'
    assert list(tmp_path.iterdir()) == [path]


def test_a_server_is_removed_also_where_its_domain_is_gone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    domain, path = tmp_path / "library", tmp_path / "config.json"
    shutil.copytree(LIBRARY, domain, ignore=shutil.ignore_patterns("__pycache__"))
    words = [str(domain), "--client", "cursor", "--config", str(path)]
    install(capsys, *words)
    shutil.rmtree(domain)
    assert install(capsys, *words, "--remove").startswith("removed: server 'library'")


def test_a_compiled_server_is_installed_by_its_directory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", "library", "--out", str(tmp_path / "out")]) == 0
    capsys.readouterr()
    compiled, path = str(tmp_path / "out" / "library"), tmp_path / "config.json"
    install(capsys, compiled, "--client", "cursor", "--config", str(path), "--size", "50")
    assert entry_in(path)["args"] == ["-P", str(tmp_path / "out" / "library" / "server.py"), "--size", "50"]
    assert "renew_loan" in asyncio.run(tools_of(entry_in(path), tmp_path))
    said = install(capsys, compiled, "--client", "cursor", "--config", str(path), "--task", "x", status=2)
    assert "is a compiled server; it has no task 'x'" in said
