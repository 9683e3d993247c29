"""How a folder is removed with whatever a program left in it, however deep: without recursion, following no link."""

from __future__ import annotations

import os
from pathlib import Path

_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)


def remove_folder(path: Path) -> None:
    """Remove a folder and all in it; errors: OSError for the first thing that cannot be removed."""
    if not path.is_symlink():
        path.chmod(0o700)
    top = os.open(path, _FOLDER)
    try:
        waiting = _Waiting(top)
        waiting.take_from(top)
        while name := waiting.next():
            inner = os.open(name, _FOLDER, dir_fd=top)
            try:
                waiting.take_from(inner)
            finally:
                os.close(inner)
            os.rmdir(name, dir_fd=top)
    finally:
        os.close(top)
    path.rmdir()


class _Waiting:
    """The folders that are still to be emptied, each of which was moved to the top under a name of ours."""

    def __init__(self, top: int) -> None:
        self._top = top
        self._names: list[str] = []
        self._made = 0
        self._taken = set(os.listdir(top))

    def next(self) -> str | None:
        return self._names.pop() if self._names else None

    def take_from(self, folder: int) -> None:
        """Empty a folder: what it has of files is removed, what it has of folders waits."""
        with os.scandir(folder) as found:
            entries = [(each.name, each.is_dir(follow_symlinks=False)) for each in found]
        for name, is_folder in entries:
            if not is_folder:
                os.unlink(name, dir_fd=folder)
                continue
            os.chmod(name, 0o700, dir_fd=folder)  # to move a folder, one must be able to write to it
            os.rename(name, new := self._new_name(), src_dir_fd=folder, dst_dir_fd=self._top)
            self._names.append(new)

    def _new_name(self) -> str:
        while (name := f"{self._made}") in self._taken:
            self._made += 1
        self._made += 1
        return name
