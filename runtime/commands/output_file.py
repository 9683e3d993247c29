"""Which file that is there already a command's output may replace: one of its own kind, or any with `--force`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runtime.errors import UsageError
from runtime.sandbox.files import check_regular, parse_json, replacing

_BEGINNING = 64 * 1024  # bytes that are read of a page or a drawing
_LONGEST_LINE = 64 * 1024**2  # bytes that are read of a first line


@dataclass(frozen=True)
class OutputKind:
    """A kind of file that a command writes: what it is called, and how its beginning is known."""

    words: str
    is_known_by: Callable[[bytes], bool]


def add_force(parser: argparse.ArgumentParser) -> None:
    """Add the option to a command."""
    parser.add_argument("--force", action="store_true", help="replace a file of any kind that is already there")


def check_output(path: Path, kind: OutputKind, *, force: bool = False) -> None:
    """Refuse to replace what is not a file of this kind, an empty file excepted; errors: UsageError."""
    if path.is_dir():
        raise UsageError(f"{str(path)!r} is a folder; give the name of a file.")
    if not path.parent.is_dir():
        raise UsageError(f"{str(path)!r} cannot be written: there is no folder {str(path.parent)!r}.")
    if path.is_symlink() or not path.exists():
        return  # a link is replaced, and what it leads to stays
    check_regular(path)
    if force:
        return
    try:
        with path.open("rb") as file:
            beginning = file.read(_BEGINNING)
            if b"\n" not in beginning and len(beginning) == _BEGINNING:
                beginning += file.readline(_LONGEST_LINE)
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be read: {error.strerror}.") from error
    if beginning and not kind.is_known_by(beginning):
        raise UsageError(
            f"{str(path)!r} is there and is not {kind.words}; give another name, or --force to replace it."
        )


def write_output(path: Path, kind: OutputKind, parts: Iterable[str], *, force: bool = False) -> None:
    """Write a file whole or not at all; errors: UsageError, see `check_output`."""
    check_output(path, kind, force=force)
    try:
        with replacing(path) as file:
            file.writelines(each.encode() for each in parts)
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be written: {error.strerror}.") from error


def _has_names(*groups: set[str]) -> Callable[[bytes], bool]:
    """Whether the first line is a JSON object that has all names of one of the groups."""

    def is_so(beginning: bytes) -> bool:
        try:
            first: Any = parse_json(beginning.partition(b"\n")[0])
        except ValueError:
            return False
        return isinstance(first, dict) and any(group <= first.keys() for group in groups)

    return is_so


PAGE = OutputKind(
    "a page that `worldsmith report` wrote",
    lambda beginning: b'<meta name="generator" content="worldsmith report">' in beginning[:1024],
)
EXPORT = OutputKind(
    "an export that `worldsmith export` wrote",
    _has_names(*({"domain", "task", "by_agent", each} for each in ("messages", "completion", "completions"))),
)
TASKS = OutputKind("a file of tasks", _has_names({"id", "domain", "world", "chain"}))
SUITE = OutputKind(
    "a suite that `worldsmith suite` wrote",
    lambda beginning: beginning.startswith(b"# A suite, written by `worldsmith"),
)
TRACE = OutputKind("a trace that `worldsmith tasks` wrote", _has_names({"id", "decisions"}))
STUDY = OutputKind(
    "a table or picture that `worldsmith study` wrote",
    lambda beginning: (
        beginning.startswith((b"domain,", b"<svg ")) and (beginning[:1] == b"d" or b" of domains" in beginning[:400])
    ),
)
DRAWING = OutputKind(
    "a drawing that `worldsmith show` wrote",
    lambda beginning: (
        beginning.startswith(b"digraph ")
        or (beginning.startswith(b"---\ntitle: ") and b"\n---\nflowchart LR\n" in beginning)
        or (beginning.startswith(b"<svg ") and b": tool dependency graph" in beginning)
    ),
)
