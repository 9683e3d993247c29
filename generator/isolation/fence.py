"""What code under proof may ask of the interpreter: everything else ends the process at once."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable, Sequence
from types import CodeType
from typing import Any, NoReturn

_HARMLESS = frozenset(
    {
        *("builtins.id", "compile", "exec", "marshal.loads", "sqlite3.connect/handle", "sys._getframe"),
        *("object.__delattr__", "object.__getattr__", "object.__setattr__", "sys._getframemodulename"),
        *("glob.glob", "glob.glob/2", "pathlib.Path.glob", "pathlib.Path.rglob", "os.walk"),
        *("sys.excepthook", "sys.unraisablehook", "time.sleep"),
    }
)
_READING = frozenset({"os.listdir", "os.scandir"})
_IN_MEMORY = frozenset({":memory:", "file::memory:"})
_MODULES = frozenset(
    {"_ctypes", "_multiprocessing", "_posixsubprocess", "_socket", "asyncio", "cffi", "ctypes", "http", "mmap"}
    | {"multiprocessing", "pty", "resource", "socket", "socketserver", "ssl", "subprocess", "tempfile", "urllib"}
)
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def put_up_fence(folders: Sequence[str], end: Callable[[str], NoReturn]) -> None:
    """From here on, anything but computing, reading below `folders` and databases in memory is the process's end.

    `end` is told what was done, as the rest of a sentence, and must not return: an exception could be caught.
    """
    readable = tuple(os.path.realpath(folder) for folder in folders)
    sys.dont_write_bytecode = True
    confined = _confine_connections()

    def judge(event: str, details: tuple[Any, ...]) -> None:
        if event in _HARMLESS:
            return
        wrong = _wrong(event, details, readable)
        if event == "sqlite3.connect" and sys._getframe(1).f_code is not confined:
            wrong = wrong or "tried to make a connection past sqlite3.connect."
        if wrong:
            end(wrong)

    sys.addaudithook(judge)


def _confine_connections() -> CodeType:
    """Keep every connection to its database, since ATTACH and VACUUM INTO raise no event; the code that does so."""
    connect = sqlite3.connect

    def connect_confined(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **options)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        return connection

    for module in (sqlite3, sqlite3.dbapi2):
        vars(module)["connect"] = connect_confined
    return connect_confined.__code__


def _wrong(event: str, details: tuple[Any, ...], readable: tuple[str, ...]) -> str | None:
    if event == "open":
        path, mode, flags = details
        if (flags or 0) & _WRITING or set(mode or "") & set("wax+"):
            return f"tried to write {_shown(path)}; it may write nothing."
        return _wrong_path(path, readable)
    if event in _READING:
        return _wrong_path("." if details[0] is None else details[0], readable)
    if event == "sqlite3.connect":
        return None if details[0] in _IN_MEMORY else f"tried to open the database {_shown(details[0])}; have: :memory:."
    if event == "import":
        return f"tried to import {details[0]!r}." if details[0].partition(".")[0] in _MODULES else None
    return f"tried {event}{f' of {_shown(details[0])}' if details else ''}."


def _wrong_path(path: Any, readable: tuple[str, ...]) -> str | None:
    if isinstance(path, str | bytes):
        real = os.path.realpath(os.fsdecode(path))
        for folder in readable:
            if real == folder or real.startswith(folder + os.sep):
                within = real[len(folder) :].split(os.sep)
                if not any(part.startswith(".") for part in within):  # where people keep their keys
                    return None
    return f"tried to read {_shown(path)}; it may read its domain and the installation."


def _shown(value: Any) -> str:
    return f"{value!r:.120}"
