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

BACKUP = ".worldsmith-backup"
_MARK = "\ufeff"  # that some editors on Windows put before a text


@dataclass(frozen=True)
class ConfigChange:
    """What became of the file: `backup` is a copy of it as it was before, if it was there and changed."""

    what: Literal["added", "changed", "removed", "unchanged"]
    backup: Path | None = None


def add_server(path: Path, client: Client, name: str, entry: dict[str, Any]) -> ConfigChange:
    """Add a server to a client's file, or change the one of that name; errors: UsageError, and nothing is touched.

    What a person added to the server's own entry, such as `env`, is kept.
    """
    before = _read(path)
    text = before.removeprefix(_MARK)
    with _blaming(path):
        servers = _servers(text, client)
        known = servers.get(name)
        if known is not None and not (isinstance(known, dict) and "command" in known):
            raise UsageError(
                f"{str(path)!r} has another kind of server named {name!r}; pass --name. Nothing was changed."
            )
        parts: dict[tuple[str, ...], Any] = {(client.key, name): entry}
        if known is not None:
            parts = {(client.key, name, key): value for key, value in entry.items()}
        for place, value in parts.items():
            text = _set(text, place, value, client)
    return _finish(path, before, text, "added" if known is None else "changed")


def show_entry(client: Client, name: str, entry: dict[str, Any]) -> str:
    """The text of a file that holds this server alone."""
    return _set("" if client.toml else "{}\n", (client.key, name), entry, client)


def remove_server(path: Path, client: Client, name: str) -> ConfigChange:
    """Remove a server from a client's file; errors: UsageError, and nothing is touched."""
    before = _read(path)
    with _blaming(path):
        text = _remove(before.removeprefix(_MARK), (client.key, name), client)
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
    backup = target.with_name(target.name + BACKUP) if target.exists() else None
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
