"""How a farm goes, in a file that others may read while it runs, and whether one runs."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from runtime.errors import UsageError
from runtime.sandbox.files import MIB, parse_json, read_text, replacing
from runtime.session.state_folder import open_lock, take_lock

FOLDERS = ".*.farm"  # beside the list that a farm builds
STATE = "state.json"
_LOCK = "lock"
_PATIENCE = 2.0  # seconds: who looks whether a farm runs holds its lock for a moment


def folder_of(file: Path) -> Path:
    """Return the hidden folder beside a farm's list where its state is."""
    return file.with_name(f".{file.stem}.farm")


class FarmState:
    """The state of the farm that this process runs."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._noted: Mapping[str, Any] = {}

    def note(self, content: Mapping[str, Any]) -> None:
        """Write down how it goes, if that is new."""
        if content != self._noted:
            with replacing(self._folder / STATE) as file:
                file.write(json.dumps(content, ensure_ascii=False).encode())
            self._noted = content


@contextmanager
def running_farm(file: Path) -> Iterator[FarmState]:
    """Be the one process that runs a farm; errors: UsageError if another one does."""
    folder = folder_of(file)
    folder.mkdir(exist_ok=True)
    until = time.monotonic() + _PATIENCE
    with open_lock(folder / _LOCK) as lock:
        while not take_lock(lock):
            if time.monotonic() > until:
                raise UsageError(f"The farm of {str(file)!r} runs already, in another process.")
            time.sleep(0.05)
        yield FarmState(folder)


def is_running(folder: Path) -> bool:
    """True while a process runs the farm of this folder."""
    with open_lock(folder / _LOCK) as lock:
        return not take_lock(lock)


def read_farm(folder: Path) -> dict[str, Any]:
    """Return the state of a farm, whether it `runs`, and `at`, when it was noted, in seconds since 1970.

    Errors: UsageError.
    """
    path = folder / STATE
    runs = is_running(folder)
    return {**parse_json(read_text(path, 64 * MIB)), "runs": runs, "at": path.stat().st_mtime}
