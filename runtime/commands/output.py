"""What a command puts out: its result as JSON or as lines, or a file that is written whole or not at all."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from runtime.errors import UsageError
from runtime.sandbox.files import check_regular, replacing


@dataclass(frozen=True)
class Result:
    """What a command found: printed as JSON with `--json`, as lines for a person without; and its exit status."""

    content: Any
    lines: Iterable[str]
    status: int = 0


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


def check_output(path: Path) -> None:
    """Refuse a place that cannot hold a text file, or holds a database; errors: UsageError."""
    if path.is_dir():
        raise UsageError(f"{str(path)!r} is a folder; give the name of a file.")
    if not path.parent.is_dir():
        raise UsageError(f"{str(path)!r} cannot be written: there is no folder {str(path.parent)!r}.")
    if path.exists():
        check_regular(path)
        with path.open("rb") as file:
            if b"\0" in file.read(100):
                raise UsageError(f"{str(path)!r} is not a text file, such as a run store; give another name.")


def write_output(path: Path, parts: Iterable[str]) -> None:
    """Write a text file whole or not at all, instead of an earlier one; errors: UsageError."""
    check_output(path)
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
