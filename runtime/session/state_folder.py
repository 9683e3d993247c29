"""A file-backed session's folder: its state, the world it started from, what it is, and who holds it now."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import sqlite3
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

from runtime.errors import UsageError
from runtime.sandbox.files import NO_LINK, is_there, parse_json, read_bytes
from runtime.sandbox.sqlite import open_file

FORMAT = 1
STATE, START, DESCRIPTION = "state.db", "start.db", "session.json"


class StateFolder:
    """`DIR/NAME/` with state.db (open it in any SQLite browser), start.db and session.json, and `DIR/NAME.lock`.

    One process holds a session at a time. A folder appears whole or not at all, so a killed process leaves either no
    session or one that resumes at its last acknowledged call.
    """

    def __init__(self, root: Path, name: str) -> None:
        """Take the lock; errors: UsageError for a bad name or a session that is held by another process."""
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", name):
            raise UsageError(f"Session name {name!r} must be 1 to 64 letters, digits, - and _.")
        self.path = root / name
        try:
            root.mkdir(parents=True, exist_ok=True)
            self._lock = open_lock(root / f"{name}.lock")
        except OSError as error:
            raise UsageError(f"The state folder {str(root)!r} cannot be written: {error.strerror}.") from error
        if not take_lock(self._lock):
            self._lock.close()
            raise UsageError(f"Session {name!r} in {str(root)!r} is in use by another process; choose another name.")
        try:
            self.resumed = is_there(self.path / DESCRIPTION)
        except UsageError:
            self._lock.close()
            raise

    def create(self, image: bytes, description: Mapping[str, Any]) -> None:
        """Lay down a new session that starts from a database image."""
        building = self.path.with_name(f".{self.path.name}.new")
        shutil.rmtree(building, ignore_errors=True)
        try:
            building.mkdir()
            for name in (STATE, START):
                _write(building / name, image)
            _write(building / DESCRIPTION, json.dumps({"format": FORMAT, **description}, indent=2).encode())
            building.rename(self.path)
        except OSError as error:
            shutil.rmtree(building, ignore_errors=True)
            raise UsageError(f"The session cannot be written to {str(self.path)!r}: {error.strerror}.") from error

    def describe(self) -> dict[str, Any]:
        """What the session is, as it was created; errors: UsageError for a damaged folder or one of another format."""
        try:
            description: dict[str, Any] = parse_json(read_bytes(self.path / DESCRIPTION))
            if not (description["format"] == FORMAT and isinstance(description.get("origin", {}), dict)):
                raise ValueError(f"it describes no session in format {FORMAT}")
        except (ValueError, TypeError, KeyError) as error:
            raise UsageError(f"{str(self.path / DESCRIPTION)!r} cannot be read: {error}.") from error
        return description

    def connect(self) -> sqlite3.Connection:
        """Open the state so that a committed call survives a killed process, and readers may look on."""
        if not is_there(self.path / STATE):
            raise UsageError(f"The session in {str(self.path)!r} is damaged: it has no {STATE}.")
        connection = open_file(self.path / STATE, writable=True)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
        except BaseException:
            connection.close()
            raise
        return connection

    def release(self) -> None:
        self._lock.close()


def open_lock(path: Path) -> IO[str]:
    """The file that is locked, made if need be; never what a link of its name leads to."""
    return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | NO_LINK, 0o666), "a+")


def _write(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def take_lock(file: IO[Any]) -> bool:
    """Take an exclusive lock that ends with the process; False if another holds it."""
    if sys.platform == "win32":
        import msvcrt

        with contextlib.suppress(OSError):
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
            return True
        return False
    import fcntl

    with contextlib.suppress(OSError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False
