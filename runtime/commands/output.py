"""What a command puts out: its result as JSON or as lines, and a file that replaces only one of its own kind."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from runtime.errors import UsageError
from runtime.sandbox.files import check_regular, replacing
from runtime.wording import print_lines

_BEGINNING = 4 * 1024**2  # bytes of an existing file that are searched for the mark of its kind


def print_result(arguments: argparse.Namespace, content: Any, lines: Iterable[str]) -> None:
    """Print a result as JSON with `--json`, as lines for a person without."""
    if arguments.json:
        print_json(content)
    else:
        print_lines(lines)


def print_json(content: Any) -> None:
    """Print plain values, and results that are models, dataclasses or have `as_json`."""
    json.dump(content, sys.stdout, ensure_ascii=False, indent=2, default=_plain)
    print()


def _plain(value: Any) -> Any:
    if hasattr(value, "as_json"):
        return value.as_json()
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_none=True)
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    return str(value) if isinstance(value, Path) else repr(value)


@dataclass(frozen=True)
class OutputKind:
    """A kind of text file that a command writes, recognized by a mark near its beginning."""

    title: str
    marks: tuple[bytes, ...]


PAGE = OutputKind("a page that `worldsmith report` wrote", (b'name="generator" content="worldsmith report"',))
EXPORT = OutputKind("an export that `worldsmith export` wrote", (b'"by_agent":',))
TASKS = OutputKind("a file of tasks", (b'"chain":',))
SUITE = OutputKind("a suite that `worldsmith suite` wrote", (b"# A suite, written by `worldsmith",))
STUDY = OutputKind("a file that `worldsmith study` wrote", (b"domain,", b" of domains"))
DRAWING = OutputKind("a drawing that `worldsmith show` wrote", (b"tool dependency graph",))


def check_output(path: Path, kind: OutputKind, *, force: bool = False) -> None:
    """Refuse to replace a file of another kind unless it is empty; errors: UsageError."""
    if path.is_dir():
        raise UsageError(f"{str(path)!r} is a folder; give the name of a file.")
    if not path.parent.is_dir():
        raise UsageError(f"{str(path)!r} cannot be written: there is no folder {str(path.parent)!r}.")
    if path.is_symlink() or not path.exists():
        return  # a link is replaced, its target stays
    check_regular(path)
    if force:
        return
    with path.open("rb") as file:
        beginning = file.read(_BEGINNING)
    if beginning and (b"\0" in beginning or not any(mark in beginning for mark in kind.marks)):
        raise UsageError(f"{str(path)!r} exists and is not {kind.title}; give another name, or --force to replace it.")


def write_output(path: Path, kind: OutputKind, parts: Iterable[str], *, force: bool = False) -> None:
    """Write a file whole or not at all; errors: UsageError, see `check_output`."""
    check_output(path, kind, force=force)
    try:
        with replacing(path) as file:
            file.writelines(each.encode() for each in parts)
    except OSError as error:
        raise UsageError(f"{str(path)!r} cannot be written: {error.strerror}.") from error


def make_folder(path: Path) -> None:
    """Make the folder that `--out` names; errors: UsageError."""
    try:
        path.mkdir(exist_ok=True)
    except OSError as error:
        raise UsageError(f"--out {str(path)!r} cannot be a folder: {error.strerror}.") from error
