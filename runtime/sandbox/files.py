"""Read and write only regular files of bounded size, and follow no link out of their folder."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from runtime.errors import UsageError

MIB = 1024**2
TEXT_BYTES = MIB  # of a program, a schema, a policy, a card
LINES_BYTES = 1024 * MIB  # of a file of lines, such as 100,000 tasks


def is_there(path: Path) -> bool:
    """Return whether a folder has this file; errors: UsageError for what is not a regular file."""
    if not os.path.lexists(path):
        return False
    check_regular(path)
    return True


def check_regular(path: Path, most: int | None = None) -> None:
    """Refuse a link out of its folder, and what is not regular or has too many bytes; errors: UsageError."""
    _check_link(path)
    try:
        status = os.stat(path)
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be read: {error.strerror}.") from error
    if not stat.S_ISREG(status.st_mode):
        kind = "a folder" if stat.S_ISDIR(status.st_mode) else "a pipe, a socket or a device"
        raise UsageError(f"{str(path)!r} is {kind}, not a regular file.")
    if most is not None and status.st_size > most:
        raise UsageError(f"{str(path)!r} has {status.st_size:,} bytes; at most {most:,} are read.")


def files_in(folder: Path, ending: str) -> list[Path]:
    """Return the files of a folder with an ending such as `.py`, in order; errors: UsageError if it is a link out."""
    _check_link(folder)
    return sorted(folder.glob(f"*{ending}"))


def _check_link(path: Path) -> None:
    try:
        target = path.resolve()
        if path.is_symlink() and not target.is_relative_to(path.parent.resolve()):
            raise UsageError(f"{str(path)!r} leads to {str(target)!r}, outside of its folder; put the file there.")
    except (OSError, RuntimeError) as error:  # the second: a loop, before Python 3.13
        raise UsageError(f"{str(path)!r} cannot be read: it is a link that leads back to itself.") from error


def read_bytes(path: Path, most: int = TEXT_BYTES) -> bytes:
    """Return the content of a file; errors: UsageError."""
    with _opened(path, most) as file:
        return file.read(most)


def read_text(path: Path, most: int = TEXT_BYTES) -> str:
    """Return the same as text, line ends as `\\n`; errors: UsageError."""
    try:
        text = read_bytes(path, most).decode()
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise UsageError(
            f"{str(path)!r}, line {line}: byte {error.start} is not UTF-8; save the file as UTF-8."
        ) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_lines(path: Path, most: int = LINES_BYTES) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file with their numbers from 1, without their ends; errors: UsageError."""
    with _opened(path, most) as file:
        for number, line in enumerate(file, 1):
            yield number, line.removesuffix(b"\n").removesuffix(b"\r")


def parse_json(text: str | bytes) -> Any:
    """Return a JSON value; errors: ValueError with the rest of a sentence."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Open a new file that takes the place of `path` in one step; a link there is replaced, never followed."""
    new = path.with_name(f".{path.name}.new")
    new.unlink(missing_ok=True)
    try:
        with new.open("xb") as file:  # which follows no link
            yield file
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


NO_LINK = getattr(os, "O_NOFOLLOW", 0)  # which Windows does not have


@contextmanager
def _opened(path: Path, most: int) -> Iterator[IO[bytes]]:
    check_regular(path, most)  # before it is opened: to open a device may do something
    try:
        with path.open("rb") as file:
            yield file
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be read: {error.strerror}.") from error
