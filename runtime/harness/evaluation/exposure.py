"""What programs of the same user can read of the process that evaluates: no secret, not where its store is, no memory.

On Linux, /proc shows the arguments and the environment that a process was started with, and who may, its memory. Root
may always; but programs that we start are without that right. What started us is not ours to close.
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

from runtime.children import is_secret, only_secrets

_FIELDS = slice(47, 51)  # of /proc/self/stat: arg_start, arg_end, env_start, env_end
_SET_DUMPABLE, _DROP_CAPABILITY, _CAP_SYS_PTRACE = 4, 24, 19  # numbers of Linux


def withhold(store: Path | None) -> None:
    """Strike the store's path from the arguments and every secret from the environment, as other processes see them.

    This process itself goes on with both: Python keeps its arguments, and the variables are set anew elsewhere.
    """
    if sys.platform != "linux":
        return
    for variable, secret in only_secrets(os.environ).items():
        os.environ[variable] = secret
    fields = Path("/proc/self/stat").read_text(errors="replace").rpartition(")")[2].split()
    arg_start, arg_end, env_start, env_end = map(int, ["", "", *fields][_FIELDS])
    for start, end in _entries(arg_start, arg_end):
        if store is not None:
            _strike_path(start, end, store)
    for start, end in _entries(env_start, env_end):
        name, _, value = ctypes.string_at(start, end - start).partition(b"=")
        if is_secret(os.fsdecode(name)):
            ctypes.memset(end - len(value), ord("*"), len(value))
    close_memory()


def close_memory() -> None:
    """Keep programs that this process starts from reading its memory, environment and descriptors, on Linux."""
    if sys.platform == "linux":
        libc = ctypes.CDLL(None)
        libc.prctl(_SET_DUMPABLE, 0, 0, 0, 0)
        libc.prctl(_DROP_CAPABILITY, _CAP_SYS_PTRACE, 0, 0, 0)  # with which a program of root's could look all the same


def _entries(start: int, end: int) -> list[tuple[int, int]]:
    """Where each of the texts between two addresses begins and ends; zero bytes stand between them."""
    found, place = [], start
    for text in ctypes.string_at(start, end - start).split(b"\0"):
        found.append((place, place + len(text)))
        place += len(text) + 1
    return found


def _strike_path(start: int, end: int, store: Path) -> None:
    text = ctypes.string_at(start, end - start)
    for named in (text, text.partition(b"=")[2]):
        if named and os.path.abspath(os.fsdecode(named)) == os.path.abspath(store):
            ctypes.memset(end - len(named), ord("*"), len(named))
