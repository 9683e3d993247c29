"""A domain's folder on its way to another machine: its files as bytes, and a folder of the same name that has them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from runtime.domain.load import SERVED
from runtime.sandbox.files import MIB, is_there, read_bytes

_FOR_TASKS = ("scenarios.py", "graph.json", "cases.jsonl")  # beside what serving needs
_MOST_BYTES = 64 * MIB  # of one file


@dataclass(frozen=True)
class CarriedFolder:
    """The files of a domain's folder by path, without its tasks."""

    name: str
    files: Mapping[str, bytes] = field(repr=False)


def carry(folder: Path) -> CarriedFolder:
    """Read what is carried of a domain's folder; errors: UsageError."""
    folder = folder.resolve()
    paths = [folder / name for name in (*SERVED, *_FOR_TASKS)] + sorted((folder / "tools").glob("*.py"))
    there = [path for path in paths if is_there(path, within=folder)]
    return CarriedFolder(
        folder.name, {path.relative_to(folder).as_posix(): read_bytes(path, _MOST_BYTES, folder) for path in there}
    )


@contextmanager
def put_down(carried: CarriedFolder) -> Iterator[Path]:
    """The folder on this machine, for as long as it is needed."""
    with tempfile.TemporaryDirectory(prefix="worldsmith-", ignore_cleanup_errors=True) as above:
        folder = Path(above) / carried.name
        for name, content in carried.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        yield folder
