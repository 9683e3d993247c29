"""A client's file: every other entry stays, a copy is kept, and a file that cannot be read is not touched."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path

import pytest

from runtime.clients.client import CLIENTS, config_file
from runtime.clients.config import BACKUP, add_server, remove_server
from runtime.errors import UsageError

DESKTOP, VSCODE = CLIENTS["claude-desktop"], CLIENTS["vscode"]
ENTRY = DESKTOP.entry(["/bin/worldsmith", "serve", "library"])
OWN = '{\n\t"theme": "dark",\n\t"mcpServers": {\n\t\t"mail": {"command": "mail", "env": {"KEY": "ü"}}\n\t}\n}\n'


@pytest.mark.parametrize(
    ("client", "system", "expected"),
    [
        ("claude-desktop", "linux", ".config/Claude/claude_desktop_config.json"),
        ("claude-desktop", "darwin", "Library/Application Support/Claude/claude_desktop_config.json"),
        ("claude-desktop", "win32", "AppData/Roaming/Claude/claude_desktop_config.json"),
        ("cursor", "linux", ".cursor/mcp.json"),
        ("cursor", "darwin", ".cursor/mcp.json"),
        ("cursor", "win32", ".cursor/mcp.json"),
        ("vscode", "linux", ".config/Code/User/mcp.json"),
        ("vscode", "darwin", "Library/Application Support/Code/User/mcp.json"),
        ("vscode", "win32", "AppData/Roaming/Code/User/mcp.json"),
        ("codex", "linux", ".codex/config.toml"),
        ("codex", "win32", ".codex/config.toml"),
        ("gemini-cli", "darwin", ".gemini/settings.json"),
        ("windsurf", "linux", ".codeium/windsurf/mcp_config.json"),
        ("zed", "linux", ".config/zed/settings.json"),
        ("zed", "darwin", ".config/zed/settings.json"),
        ("zed", "win32", "AppData/Roaming/Zed/settings.json"),
    ],
)
def test_each_client_keeps_its_file_where_its_system_keeps_settings(
    client: str, system: str, expected: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="is not installed for this user: there is no folder .*pass --config FILE"):
        config_file(CLIENTS[client], None, system, tmp_path, {})
    (tmp_path / expected).parent.mkdir(parents=True)
    assert config_file(CLIENTS[client], None, system, tmp_path, {}) == tmp_path / expected


def test_the_environment_may_move_the_settings(tmp_path: Path) -> None:
    (tmp_path / "Claude").mkdir()
    expected = tmp_path / "Claude" / "claude_desktop_config.json"
    for system, name in (("linux", "XDG_CONFIG_HOME"), ("win32", "APPDATA")):
        assert config_file(DESKTOP, None, system, Path("/nowhere"), {name: str(tmp_path)}) == expected


def test_a_project_has_a_file_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, file in (("claude-code", ".mcp.json"), ("cursor", ".cursor/mcp.json"), ("vscode", ".vscode/mcp.json")):
        assert config_file(CLIENTS[name], tmp_path, "linux", tmp_path, {}) == tmp_path / file
    monkeypatch.chdir(tmp_path)
    assert config_file(CLIENTS["claude-code"], None, "linux", Path("/nowhere"), {}).resolve() == tmp_path / ".mcp.json"
    with pytest.raises(UsageError, match="Claude Desktop has no servers of a project"):
        config_file(DESKTOP, tmp_path, "linux", tmp_path, {})
    with pytest.raises(UsageError, match="There is no project folder"):
        config_file(VSCODE, tmp_path / "x", "linux", tmp_path, {})


def test_adding_keeps_the_rest_and_a_copy_and_removing_gives_it_back(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(OWN.encode())
    path.chmod(0o600)
    added = add_server(path, DESKTOP, "library", ENTRY)
    assert added.what == "added"
    assert added.backup == tmp_path / f"config.json{BACKUP}"
    assert added.backup.read_bytes() == OWN.encode()
    content = json.loads(path.read_bytes())
    assert list(content["mcpServers"]) == ["mail", "library"]
    assert content["mcpServers"]["library"] == ENTRY
    assert path.read_bytes().startswith(OWN.encode().removesuffix(b"\n\t}\n}\n"))
    assert path.stat().st_mode & 0o777 == 0o600
    assert add_server(path, DESKTOP, "library", ENTRY).what == "unchanged"
    assert remove_server(path, DESKTOP, "library").what == "removed"
    assert path.read_bytes() == OWN.encode()
    assert remove_server(path, DESKTOP, "library").what == "unchanged"
    assert add_server(path, DESKTOP, "library", ENTRY).what == "added"
    path.write_text(path.read_text().replace("dark", "light"))
    assert remove_server(path, DESKTOP, "library").what == "removed"
    assert path.read_text() == OWN.replace("dark", "light")
    assert added.backup.read_bytes() == OWN.encode()  # the first copy stays


@pytest.mark.parametrize("own", [b"{}", b'{"mcpServers": {}}\n', b'{ "a": 1 }', b"\xef\xbb\xbf{ }"])
def test_removing_gives_back_the_bytes_that_were_there(own: bytes, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(own)
    add_server(path, DESKTOP, "library", ENTRY)
    assert remove_server(path, DESKTOP, "library").what == "removed"
    assert path.read_bytes() == own


def test_an_entry_of_somebody_else_is_replaced_only_by_force(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    own = b'{"mcpServers": {"library": {"command": "mine"}}}'
    path.write_bytes(own)
    with pytest.raises(UsageError, match="another server named 'library', which worldsmith did not write; pass --name"):
        add_server(path, DESKTOP, "library", ENTRY)
    assert list(tmp_path.iterdir()) == [path]
    assert add_server(path, DESKTOP, "library", ENTRY, force=True).what == "changed"
    assert json.loads(path.read_bytes())["mcpServers"]["library"] == ENTRY
    assert remove_server(path, DESKTOP, "library").what == "removed"
    assert path.read_bytes() == own


def test_a_toml_file_keeps_its_comments_and_tables(tmp_path: Path) -> None:
    codex = CLIENTS["codex"]
    own = '# mine\nmodel = "big"\n\n[mcp_servers.mail]\ncommand = "mail" # not the other one\n\n[profiles.x]\na = 1\n'
    path = tmp_path / "config.toml"
    path.write_text(own, encoding="utf-8")
    assert add_server(path, codex, "library", codex.entry(["/bin/worldsmith", "serve", "library"])).what == "added"
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    assert content["mcp_servers"]["library"] == {"command": "/bin/worldsmith", "args": ["serve", "library"]}
    assert content["mcp_servers"]["mail"] == {"command": "mail"}
    assert content["profiles"] == {"x": {"a": 1}}
    assert "# not the other one" in path.read_text(encoding="utf-8")
    assert add_server(path, codex, "library", codex.entry(["/bin/worldsmith", "serve", "library"])).what == "unchanged"
    assert remove_server(path, codex, "library").what == "removed"
    assert path.read_text(encoding="utf-8").split() == own.split()
    path.write_text("[mcp_servers\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"cannot be edited: .* at line 1 .*; mend it first\. Nothing was changed\."):
        add_server(path, codex, "library", codex.entry(["x"]))
    fresh = tmp_path / "fresh" / "config.toml"
    add_server(fresh, codex, "library", codex.entry(["x", "y"]))
    assert fresh.read_text(encoding="utf-8") == '[mcp_servers.library]\ncommand = "x"\nargs = ["y"]\n'


def test_zed_is_told_that_the_server_is_a_persons_own(tmp_path: Path) -> None:
    zed = CLIENTS["zed"]
    path = tmp_path / "settings.json"
    path.write_text('{\n  // dark\n  "theme": "One",\n}\n', encoding="utf-8")
    add_server(path, zed, "library", zed.entry(["x"]))
    text = path.read_text(encoding="utf-8")
    assert "// dark" in text
    assert '"source": "custom"' in text


def test_a_file_that_is_not_there_is_made(tmp_path: Path) -> None:
    path = tmp_path / ".vscode" / "mcp.json"
    assert remove_server(path, VSCODE, "library").what == "unchanged"
    assert not path.parent.exists()
    added = add_server(path, VSCODE, "library", VSCODE.entry(["worldsmith"]))
    assert (added.what, added.backup) == ("added", None)
    assert json.loads(path.read_text()) == {
        "servers": {"library": {"type": "stdio", "command": "worldsmith", "args": []}}
    }


def test_a_changed_entry_keeps_what_a_person_added_to_it(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text(
        '{"servers": {"library": {"command": "/old/worldsmith", "args": ["serve", "x"], '
        '"env": {"A": "1"} /* mine */}}} // end'
    )
    assert add_server(path, VSCODE, "library", VSCODE.entry(["new", "serve"])).what == "changed"
    assert path.read_text() == (
        '{"servers": {"library": {"command": "new", "args": ["serve"], "env": {"A": "1"}, "type": "stdio" '
        "/* mine */}}} // end"
    )


@pytest.mark.parametrize("fail", ["replace", "fsync"])
def test_a_write_that_fails_leaves_the_file_as_it_was(
    fail: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "config.json"
    path.write_text(OWN, encoding="utf-8")

    def no_room(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, fail, no_room)
    with pytest.raises(UsageError, match=r"cannot be written: No space left on device\. Nothing was changed\."):
        add_server(path, DESKTOP, "library", ENTRY)
    assert path.read_text(encoding="utf-8") == OWN
    assert {each.name for each in tmp_path.iterdir()} <= {"config.json", f"config.json{BACKUP}"}


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    real, link = tmp_path / "dotfiles" / "config.json", tmp_path / "config.json"
    real.write_text("{}")
    link.symlink_to(real)
    add_server(link, DESKTOP, "library", ENTRY)
    assert link.is_symlink()
    assert "library" in real.read_text()


@pytest.mark.parametrize(
    ("content", "wrong"),
    [
        pytest.param(b'{"mcpServers": {', "line 1: it ends before its '}'; mend it first. Nothing was", id="broken"),
        pytest.param(b'{\n// x\n"mcpServers": {}}', "line 2: comments are not allowed in this file", id="comment"),
        pytest.param(b'{"mcpServers": ["x"]}', "'mcpServers' is not an object in braces", id="shape"),
        pytest.param(
            b'{"mcpServers": {"library": {"url": "http://x"}}}', "which worldsmith did not write", id="other_kind"
        ),
        pytest.param(b'{"mcpServers": {"library": "x"}}', "another server named 'library'", id="t"),
        pytest.param(b'"x"', "the whole is not an object", id="text"),
        pytest.param(b'{"a": "\xff"}', "byte 7 is not UTF-8", id="bytes"),
    ],
)
def test_a_file_that_cannot_be_edited_is_not_touched(content: bytes, wrong: str, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(content)
    with pytest.raises(UsageError) as refused:
        add_server(path, DESKTOP, "library", ENTRY)
    assert wrong in str(refused.value)
    assert "\n" not in str(refused.value)
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_with_a_byte_order_mark_keeps_it(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(b"\xef\xbb\xbf{}")
    add_server(path, DESKTOP, "library", ENTRY)
    assert path.read_bytes().startswith(b"\xef\xbb\xbf{")
    remove_server(path, DESKTOP, "library")
    assert path.read_bytes() == b"\xef\xbb\xbf{}"


def test_a_backup_goes_through_no_link_that_lies_in_its_place(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text(OWN)
    (tmp_path / "precious").write_text("precious")
    (tmp_path / f"mcp.json{BACKUP}").symlink_to("precious")
    (tmp_path / f".mcp.json.{os.getpid()}.new").symlink_to("precious")
    assert add_server(path, DESKTOP, "library", ENTRY).what == "added"
    assert (tmp_path / "precious").read_text() == "precious"
    assert (tmp_path / f"mcp.json{BACKUP}").read_text() == OWN
