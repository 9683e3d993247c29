"""What is read of a folder that somebody else made, and written to it: regular files of bounded size, inside of it."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from runtime.errors import UsageError

MIB = 1024**2
TEXT_BYTES = MIB  # of a program, a schema, a policy, a card
LINES_BYTES = 1024 * MIB  # of a file of lines, such as 100,000 tasks
_MOST_LINES = 1_000_000
_MOST_LINE = 8 * MIB
_MOST_DIGITS = 300  # of an integer; Python itself stops at 4,300, in another sentence
_PART = r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}"
_NAME = re.compile(rf"(?:{_PART}/){{0,3}}{_PART}")
# Control characters, and format characters that are not seen: text that reads differently from what a program reads.
_UNSEEN = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff"
    r"\U000e0000-\U000e007f]"
)


def hold_path(folder: Path, name: str) -> Path:
    """The place of a file that an artifact names, inside a folder; errors: UsageError."""
    if not _NAME.fullmatch(name):
        raise UsageError(f"{name!r:.200} names no file inside a folder; write a plain path, such as 'tools/loans.py'.")
    path = folder / name
    _check_inside(path, folder)
    return path


def is_there(path: Path, within: Path | None = None) -> bool:
    """Whether a folder has this file; errors: UsageError for what is not a regular file or lies elsewhere."""
    if not os.path.lexists(path):
        return False
    _check_inside(path, within or path.parent)
    check_regular(path)
    return True


def check_regular(path: Path, most: int | None = None) -> None:
    """Refuse what is not a regular file, which may never end or begin, or has too many bytes; errors: UsageError."""
    try:
        _check_status(path, os.stat(path), most)
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be read: {error.strerror}.") from error


def read_bytes(path: Path, most: int = TEXT_BYTES, within: Path | None = None) -> bytes:
    """The content of a file that lies in its folder, or below `within`; errors: UsageError."""
    with _opened(path, most, within) as file:
        return file.read(most)


def read_text(path: Path, most: int = TEXT_BYTES, within: Path | None = None) -> str:
    """The same as text, line ends as `\\n`; errors: UsageError."""
    try:
        text = read_bytes(path, most, within).decode()
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise UsageError(
            f"{str(path)!r}, line {line}: byte {error.start} is not UTF-8; save the file as UTF-8."
        ) from error
    found = _UNSEEN.search(text)
    if found:
        line = text.count("\n", 0, found.start()) + 1
        raise UsageError(
            f"{str(path)!r}, line {line}: holds the control character {found[0]!r} (U+{ord(found[0]):04X}); remove it."
        )
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_lines(path: Path, most: int = LINES_BYTES, within: Path | None = None) -> Iterator[tuple[int, bytes]]:
    """The lines of a file with their numbers from 1, without their ends; errors: UsageError."""
    number = 0
    with _opened(path, most, within) as file:
        while line := file.readline(_MOST_LINE + 1):
            number += 1
            if len(line) > _MOST_LINE:
                raise UsageError(f"{str(path)!r}, line {number}: has more than {_MOST_LINE:,} bytes, too many to read.")
            if number > _MOST_LINES:
                raise UsageError(f"{str(path)!r} has more than {_MOST_LINES:,} lines, too many to read.")
            found = None if line.isascii() else _UNSEEN.search(line.decode(errors="replace"))
            if found:
                raise UsageError(
                    f"{str(path)!r}, line {number}: holds U+{ord(found[0]):04X}, which is not seen; remove it."
                )
            yield number, line.removesuffix(b"\n").removesuffix(b"\r")


def parse_json(text: str | bytes) -> Any:
    """A JSON value in which no name appears twice and no number has hundreds of digits.

    Errors: ValueError with the rest of a sentence.
    """
    try:
        return json.loads(text, object_pairs_hook=_object, parse_int=_integer, parse_constant=_constant)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A new file that takes the place of `path` in one step; a link that lies there is replaced, never followed."""
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
_NO_WAIT = getattr(os, "O_NONBLOCK", 0)


@contextmanager
def _opened(path: Path, most: int, within: Path | None) -> Iterator[IO[bytes]]:
    _check_inside(path, within or path.parent)
    check_regular(path, most)  # before it is opened: to open a device may do something
    try:
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | _NO_WAIT)) as file:
            _check_status(path, os.fstat(file.fileno()), most)
            yield file
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be read: {error.strerror}.") from error


def _check_inside(path: Path, folder: Path) -> None:
    real, home = os.path.realpath(path), os.path.realpath(folder)
    if os.path.commonpath([real, home]) != home:
        raise UsageError(f"{str(path)!r} leads to {real!r}, outside of its folder; put the file itself there.")


def _check_status(path: Path, status: os.stat_result, most: int | None) -> None:
    kind = next((word for is_kind, word in _KINDS if is_kind(status.st_mode)), None)
    if kind is not None:
        raise UsageError(f"{str(path)!r} is {kind}, not a regular file.")
    if most is not None and status.st_size > most:
        raise UsageError(f"{str(path)!r} has {status.st_size:,} bytes; at most {most:,} are read.")


_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (lambda mode: not stat.S_ISREG(mode), "a device"),
)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise ValueError(f"{name!r:.80} appears twice")
            seen.add(name)
    return found


def _integer(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"a number has {len(digits):,} digits; at most {_MOST_DIGITS} are read")
    return int(digits)


def _constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")
