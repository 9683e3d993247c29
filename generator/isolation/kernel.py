"""The fence of the kernel around a child, where there is one (Landlock, Linux 5.13): files are written in one folder.

Audit hooks see what Python does. What a library does by itself, as SQLite with files that it opens, the kernel sees.
"""

from __future__ import annotations

import os
import struct
import sys

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # system calls, of one number on every architecture
_VERSION_ONLY, _BENEATH = 1, 1
_NO_NEW_PRIVILEGES = 38
_WRITE_FILE, _REMOVE, _MAKE, _REFER, _TRUNCATE = 1 << 1, 0b11 << 4, 0b1111111 << 6, 1 << 13, 1 << 14


def deny_writing_but_in(folder: str) -> bool:
    """From here on, this thread and those it starts write files only there; False where no kernel sees to it.

    Files that are open stay open.
    """
    version = landlock_version()
    if version < 1:
        return False
    import ctypes  # which the child forgets again, so not at the top

    libc = ctypes.CDLL(None)
    writing = _WRITE_FILE | _REMOVE | _MAKE | (_REFER if version >= 2 else 0) | (_TRUNCATE if version >= 3 else 0)
    handled = struct.pack("=Q", writing)
    ruleset = libc.syscall(_CREATE_RULESET, handled, ctypes.c_size_t(len(handled)), 0)
    if ruleset < 0:
        return False
    place = os.open(folder, os.O_PATH | os.O_DIRECTORY)
    try:
        allowed = struct.pack("=Qi", writing, place)
        return not (
            libc.syscall(_ADD_RULE, ruleset, _BENEATH, allowed, 0)
            or libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
            or libc.syscall(_RESTRICT_SELF, ruleset, 0)
        )
    finally:
        os.close(place)
        os.close(ruleset)


def landlock_version() -> int:
    """What the kernel can deny a process that asks for it; below 1 for nothing."""
    if sys.platform != "linux":
        return 0
    import ctypes

    return int(ctypes.CDLL(None).syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION_ONLY))
