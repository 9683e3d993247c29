"""Which Ray cluster takes part (at an address, on this machine, or a new one), and how a domain gets to its nodes."""

from __future__ import annotations

import os
import socket
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import ray

from runtime.domain.load import SERVED
from runtime.errors import UsageError
from runtime.sandbox.files import MIB, is_there, read_bytes

_SECONDS = 5.0  # to reach the head of a cluster; Ray itself would try for minutes
_FOR_TASKS = ("scenarios.py", "graph.json", "cases.jsonl")  # beside what serving needs
_MOST_BYTES = 64 * MIB  # of one file


@dataclass(frozen=True)
class Cluster:
    """A cluster that was joined, with how many processors it has now."""

    processors: int

    def workers(self, wanted: int | None) -> int:
        """How many workers to start, each on a processor of its own; errors: UsageError if there are too few."""
        if wanted is not None and wanted > self.processors:
            raise UsageError(f"--processes is {wanted}; the Ray cluster has {self.processors} processors.")
        return wanted or self.processors


@contextmanager
def joined(address: str) -> Iterator[Cluster]:
    """Take part in a cluster: `HOST:PORT`, `auto` for one that runs here, or "" for that or, without one, a new one.

    A new one has this machine's processors, and ends with the block. Errors: UsageError.
    """
    address = address or os.environ.get("RAY_ADDRESS", "")
    if address and address != "auto":
        _check_reachable(address)
    try:
        ray.init(address=address or None, logging_level="ERROR", log_to_driver=False, include_dashboard=False)
    except (ConnectionError, RuntimeError, ValueError) as error:  # the latter: another version of Ray or of Python
        where = f"the Ray cluster {address!r}" if address else "a Ray cluster"
        raise UsageError(f"--engine ray: {where} cannot be joined: {_first_line(error)}.") from error
    try:
        processors = int(ray.cluster_resources().get("CPU", 0))
        if not processors:
            raise UsageError(f"--engine ray: the Ray cluster {address!r} has no processors; add a worker node.")
        yield Cluster(processors)
    finally:
        ray.shutdown()


def _check_reachable(address: str) -> None:
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise UsageError(f"--engine ray: {address!r} is not an address of a Ray cluster; give HOST:PORT or auto.")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _SECONDS).close()
    except (OSError, OverflowError) as error:
        raise UsageError(
            f"--engine ray: there is no Ray cluster at {address!r} ({error}); "
            "`ray start --head` starts one and prints its address."
        ) from error


def _first_line(error: Exception) -> str:
    return " ".join((str(error).strip() or type(error).__name__).split("\n")[0].split()).rstrip(".")[:300]


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
