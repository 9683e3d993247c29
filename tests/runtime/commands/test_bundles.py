"""`compile` writes whole servers and replaces only its own; `install` writes what starts one and leaves the rest."""

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
from tests.conftest import LIBRARY, Cli
from tests.making import write_domain

BACKUP = ".worldsmith-backup"
OWN = json.dumps(
    {"theme": "dark", "mcpServers": {"mail": {"command": "mail", "args": "ü"}}}, indent=2, ensure_ascii=False
)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its path."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_domains_are_compiled_side_by_side_and_what_compile_did_not_write_stays(tmp_path: Path, cli: Cli) -> None:
    out, small = tmp_path / "new" / "out", write_domain(tmp_path)
    words = ("compile", LIBRARY, small, "--out", out)
    compiled = json.loads(cli(*words, "--json"))["compiled"]
    assert [row["domain"] for row in compiled] == ["library", "small"]
    assert sorted(path.name for path in out.iterdir()) == ["library", "library.mcpb", "small", "small.mcpb"]
    for row in compiled:
        found = contents(Path(row["directory"]))
        assert (row["files"], row["bytes"]) == (len(found), sum(map(len, found.values())))
        assert row["bundle_bytes"] == Path(row["bundle"]).stat().st_size
    (out / "small" / "compiled.json").unlink()
    before = contents(out)
    assert "small' is not what compile wrote; move it away, or pass another --out" in cli(*words, status=2)
    (out / "library.mcpb").write_bytes(b"PK mine")
    assert "library.mcpb' is not a bundle; move it away, or pass another --out" in cli(*words, status=2)
    assert contents(out) == before | {"library.mcpb": b"PK mine"}


def test_a_draft_is_not_compiled_until_a_person_has_filled_it_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    monkeypatch.chdir(tmp_path)
    cli("new", "shop", "--draft")
    said = cli("compile", "library", "domains/shop", "--out", "out", status=2)
    assert "is a draft: line" in said
    assert "says 'FILL IN'; write what it asks for first" in said
    assert not Path("out").exists()


def entry_in(path: Path) -> dict[str, Any]:
    """The entry of the library in a client's file."""
    (servers,) = [value for key, value in json.loads(path.read_text()).items() if key in ("mcpServers", "servers")]
    entry: dict[str, Any] = servers["library"]
    return entry


def tools_of(entry: dict[str, Any], folder: Path) -> list[str]:
    """Start a server as an entry says, in a folder, and list its tools."""

    async def look() -> list[str]:
        parameters = StdioServerParameters(command=entry["command"], args=entry["args"], cwd=folder)
        async with Client(parameters) as client:
            return [tool.name for tool in (await client.list_tools()).tools]

    return asyncio.run(look())


@pytest.mark.parametrize("client", CLIENTS)
def test_what_is_installed_is_what_is_printed_and_can_be_removed(client: str, tmp_path: Path, cli: Cli) -> None:
    path = tmp_path / "config.json"
    words = ("install", "library", "--client", client, "--size", 50, "--debug")
    restart = f"restart {CLIENTS[client][0]} to see it"
    assert cli(*words, "--config", path) == f"added: server 'library' in {path}; {restart}\n"
    assert json.loads(cli(*words, "--print")) == json.loads(path.read_text())
    entry = entry_in(path)
    assert Path(entry["command"]).is_absolute()
    assert entry["args"][-3:] == ["--size", "50", "--debug"]
    assert cli(*words, "--config", path) == f"unchanged: server 'library' in {path}\n"
    removed = cli("install", "library", "--client", client, "--config", path, "--remove")
    assert removed.splitlines() == [f"removed: server 'library' in {path}; {restart}", f"backup: {path}{BACKUP}"]
    assert "library" not in path.read_text()


def test_what_is_installed_starts_from_any_folder_a_domain_or_a_compiled_server(tmp_path: Path, cli: Cli) -> None:
    cli("compile", LIBRARY, "--out", tmp_path / "out")
    compiled, path = tmp_path / "out" / "library", tmp_path / "config.json"
    words = ("--client", "cursor", "--config", path)
    for installed in ("library", compiled):
        path.unlink(missing_ok=True)
        cli("install", installed, *words, "--size", 50)
        assert entry_in(path)["args"][-2:] == ["--size", "50"]
        assert "renew_loan" in tools_of(entry_in(path), tmp_path)
    assert "is a compiled server; it has no task 'x'" in cli("install", compiled, *words, "--task", "x", status=2)
    assert cli("install", compiled, *words, "--remove").startswith("removed:")


def test_the_rest_of_a_file_stays_with_its_mode_and_a_copy(tmp_path: Path, cli: Cli) -> None:
    path = tmp_path / "config.json"
    path.write_text(f"{OWN}\n", encoding="utf-8")
    path.chmod(0o600)
    words = ("install", "library", "--client", "claude-desktop", "--config", path)
    cli(*words)
    assert (tmp_path / f"config.json{BACKUP}").read_text(encoding="utf-8") == f"{OWN}\n"
    assert list(json.loads(path.read_bytes())["mcpServers"]) == ["mail", "library"]
    assert path.stat().st_mode & 0o777 == 0o600
    cli(*words, "--remove")
    assert path.read_text(encoding="utf-8") == f"{OWN}\n"
    other = tmp_path / "other.json"
    other.write_text('{"mcpServers": {"library": {"command": "mine"}}}')
    said = cli("install", "library", "--client", "cursor", "--config", other, status=2)
    assert "another server named 'library'; pass --server-name, or remove it first" in said


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b'{\n// mine\n"mcpServers": {}}', "line 2"),
        (b'{"mcpServers": ["x"]}', "it has no object 'mcpServers'"),
        (b'{"a": "\xff"}', "can't decode byte"),
    ],
)
def test_a_file_that_is_not_plain_json_is_not_touched_and_the_entry_is_printed(
    content: bytes, why: str, tmp_path: Path, cli: Cli, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(content)
    words = ["install", "library", "--client", "cursor", "--config", str(path)]
    assert main(words) == 1
    printed = capsys.readouterr()
    assert printed.err.startswith(f"{str(path)!r} is not plain JSON (")
    assert (why in printed.err, printed.err.count("\n")) == (True, 1)
    assert "library" in json.loads(printed.out)["mcpServers"]
    assert "is not plain JSON" in cli(*words, "--remove", status=2)
    assert (path.read_bytes(), list(tmp_path.iterdir())) == (content, [path])


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
    client: str, system: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(tmp_path))
    for variable in ("XDG_CONFIG_HOME", "APPDATA"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr("sys.platform", system)
    refused = cli("install", "library", "--client", client, status=2)
    assert f"{CLIENTS[client][0]} has no configuration there: there is no folder" in refused
    (tmp_path / expected).parent.mkdir(parents=True)
    cli("install", "library", "--client", client)
    assert "serve" in entry_in(tmp_path / expected)["args"]
