"""What a program leaves when it has killed its watcher: on Linux this process is given it, and ends it."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import time
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager

from runtime.harness.agents.watcher import ADOPT_ORPHANS, children_by_parent, end_children, prctl

_log = logging.getLogger(__name__)
_SECONDS = 5.0  # of killing what is left


class _Adopting:
    """The children of this process that it started itself, or had before; every other one is an orphan."""

    def __init__(self) -> None:
        self.own = set(children_by_parent().get(os.getpid(), ()))
        self.looking = asyncio.Lock()  # a child is known as our own before anybody looks for orphans


_adopting: _Adopting | None = None


@contextmanager
def adopting_orphans() -> Iterator[None]:
    """Be given whatever loses its parent below this process, for which every new child must come by `start_child`.

    On other systems than Linux, nothing is given to anybody but to init.
    """
    global _adopting
    if sys.platform != "linux":
        yield
        return
    _adopting = _Adopting()
    prctl(ADOPT_ORPHANS, 1)
    try:
        yield
    finally:
        prctl(ADOPT_ORPHANS, 0)
        _adopting = None


async def start_child(starting: Awaitable[asyncio.subprocess.Process]) -> asyncio.subprocess.Process:
    """Start a process that is not an orphan; `forget_child` once it has ended."""
    if _adopting is None:
        return await starting
    async with _adopting.looking:
        process = await starting
        _adopting.own.add(process.pid)
        return process


def forget_child(process: asyncio.subprocess.Process) -> None:
    """A child has ended: its number may be that of an orphan from now on."""
    if _adopting is not None:
        _adopting.own.discard(process.pid)


async def end_orphans() -> None:
    """Kill what was given to this process, with all that is below it, until nothing is left."""
    if _adopting is None:
        return
    async with _adopting.looking:
        latest = time.monotonic() + _SECONDS
        while not end_children(_adopting.own, time.monotonic()):
            if time.monotonic() > latest:
                _log.warning(
                    "Processes that an agent's program started still run, as they are replaced faster than they are "
                    "killed; with --isolate the kernel ends them."
                )
                return
            await asyncio.sleep(0)
