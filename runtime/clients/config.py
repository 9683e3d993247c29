"""Change a client's configuration file: one server added or removed, all else kept, with a backup, in one step."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from runtime.clients.client import Client
from runtime.clients.jsonc import BadConfiguration, read_json, remove_member, set_member
from runtime.clients.toml import read_toml, remove_value, set_value
from runtime.errors import UsageError

BACKUP = ".worldsmith-backup"  # of the file as it was before the first change, which stays
LATEST = f"{BACKUP}-latest"  # as it was before the last change
_MARK = "\ufeff"  # that some editors on Windows put before a text


@dataclass(frozen=True)
class ConfigChange:
    """What became of the file: `backup` is a copy of it as it was before, if it was there and changed."""

    what: Literal["added", "changed", "removed", "unchanged"]
    backup: Path | None = None


def add_server(path: Path, client: Client, name: str, entry: dict[str, Any], *, force: bool = False) -> ConfigChange:
    """Add a server to a client's file, or change the one of that name; errors: UsageError, and nothing is touched.

    What a person added to the server's own entry, such as `env`, is kept. An entry that is none of worldsmith's is
    changed only with `force`.
    """
    before = _read(path)
    text = before.removeprefix(_MARK)
    with _blaming(path):
        servers = _servers(text, client)
        known = servers.get(name)
        if known is not None and not force and not _is_own(known):
            raise UsageError(
                f"{str(path)!r} has another server named {name!r}, which worldsmith did not write; pass --name, or "
                "--force to replace it. Nothing was changed."
            )
        text = _with_server(text, client, name, entry)
    return _finish(path, before, text, "added" if known is None else "changed")


def _with_server(text: str, client: Client, name: str, entry: dict[str, Any]) -> str:
    """The text of a file with this server, keeping what its entry holds beside; an entry of another kind gives way."""
    known = _servers(text, client).get(name)
    parts: dict[tuple[str, ...], Any] = {(client.key, name): entry}
    if isinstance(known, dict) and "command" in known:
        parts = {(client.key, name, key): value for key, value in entry.items()}
    for place, value in parts.items():
        text = _set(text, place, value, client)
    return text


def _is_own(entry: Any) -> bool:
    """Whether an entry starts worldsmith, or a server that it compiled."""
    match entry:
        case {"command": str(command), "args": ["serve", *_]}:
            return command.replace("\\", "/").rpartition("/")[2].removesuffix(".exe") == "worldsmith"
        case {"command": str(), "args": ["-P", "-m", "runtime", *_]}:
            return True
        case {"command": str(), "args": ["-P", str(script), *_]}:
            return Path(script).name == "server.py"
    return False


def show_entry(client: Client, name: str, entry: dict[str, Any]) -> str:
    """The text of a file that holds this server alone."""
    return _set("" if client.toml else "{}\n", (client.key, name), entry, client)


def remove_server(path: Path, client: Client, name: str) -> ConfigChange:
    """Remove a server from a client's file; errors: UsageError, and nothing is touched."""
    before = _read(path)
    with _blaming(path):
        text = before.removeprefix(_MARK)
        own = _servers(text, client).get(name)
        first = path.resolve().with_name(path.resolve().name + BACKUP)
        if isinstance(own, dict) and first.is_file() and not first.is_symlink():
            was = _read(first).removeprefix(_MARK)
            with contextlib.suppress(BadConfiguration):
                if _is_own(own) and _with_server(was, client, name, own) == text:
                    return _finish(path, before, was, "removed")  # nothing else has changed since
        text = _remove(text, (client.key, name), client)
    return _finish(path, before, text, "removed")


@contextmanager
def _blaming(path: Path) -> Iterator[None]:
    try:
        yield
    except BadConfiguration as fault:
        raise UsageError(f"{str(path)!r} cannot be edited: {fault}; mend it first. Nothing was changed.") from None


def _servers(text: str, client: Client) -> dict[str, Any]:
    content = _content(text, client) if text.strip() else {}
    servers = content.get(client.key, {}) if isinstance(content, dict) else {}
    return servers if isinstance(servers, dict) else {}


def _content(text: str, client: Client) -> Any:
    return read_toml(text) if client.toml else read_json(text, comments=client.comments)


def _set(text: str, place: Sequence[str], value: Any, client: Client) -> str:
    return set_value(text, place, value) if client.toml else set_member(text, place, value, comments=client.comments)


def _remove(text: str, place: Sequence[str], client: Client) -> str:
    return remove_value(text, place) if client.toml else remove_member(text, place, comments=client.comments)


def _finish(path: Path, before: str, text: str, what: Literal["added", "changed", "removed"]) -> ConfigChange:
    after = _MARK + text if before.startswith(_MARK) else text
    return ConfigChange("unchanged") if after == before else ConfigChange(what, _write(path, after))


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8") if path.exists() else ""
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{str(path)!r} cannot be edited: byte {error.start} is not UTF-8; mend it first. Nothing was changed."
        ) from None
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be read: {error.strerror}.") from error


def _write(path: Path, text: str) -> Path | None:
    """Replace the file in one step, through a link if it is one; returns the backup."""
    target = path.resolve()
    first = target.with_name(target.name + BACKUP)
    is_later = first.is_file() and not first.is_symlink()
    backup = None if not target.exists() else target.with_name(target.name + LATEST) if is_later else first
    building = target.with_name(f".{target.name}.{os.getpid()}.new")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        building.unlink(missing_ok=True)
        with building.open("xb") as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        if backup is not None:
            backup.unlink(missing_ok=True)  # in a project of somebody else's it could lead anywhere
            shutil.copy2(target, backup)
            shutil.copymode(target, building)
        os.replace(building, target)
    except OSError as error:
        with contextlib.suppress(OSError):
            building.unlink(missing_ok=True)
        raise UsageError(f"{str(path)!r} cannot be written: {error.strerror}. Nothing was changed.") from error
    return backup
