"""A folder is built beside its place and takes it in one step; what a killed command left there goes first."""

from __future__ import annotations

import ctypes
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from runtime.session.state_folder import open_lock, take_lock

_EXCHANGE = (-100, 2)  # AT_FDCWD and RENAME_EXCHANGE of renameat2


@contextmanager
def building_beside(folder: Path) -> Iterator[Path]:
    """Yield an empty folder beside a folder's place, for what takes it; gone afterwards."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    clear_beside(folder)
    building = Path(tempfile.mkdtemp(prefix=f".{folder.name}.building-", dir=folder.parent)).resolve()
    lock = open_lock(building / "lock")
    take_lock(lock)
    try:
        yield building
    finally:
        lock.close()
        shutil.rmtree(building, ignore_errors=True)


def clear_beside(folder: Path) -> None:
    """Remove what killed commands built beside a folder; one that was moved aside last is put back."""
    for building in folder.parent.glob(f".{folder.name}.building-*"):
        if (building / "lock").is_file():
            with open_lock(building / "lock") as lock:
                is_left = take_lock(lock)
            aside = next(building.rglob(f"{folder.name}.old"), None) if is_left and not folder.exists() else None
            if aside is not None:
                aside.rename(folder)
            if is_left:
                shutil.rmtree(building, ignore_errors=True)


def exchange(new: Path, old: Path) -> None:
    """Let two folders change places, in one step where the system can; else `clear_beside` mends what a kill leaves."""
    rename = getattr(ctypes.CDLL(None), "renameat2", None) if os.name == "posix" else None
    here, how = _EXCHANGE
    if rename is None or rename(here, os.fsencode(new), here, os.fsencode(old), how) != 0:
        aside = old.rename(new.with_name(f"{new.name}.old"))
        new.rename(old)
        aside.rename(new)
