"""Hand the open database of a session on to the next one of its thread that starts from the same world.

To open a copy of a world, and to prepare all statements for it anew, takes as long as the calls of a whole episode.
What is handed on reads exactly as a fresh copy: the rows are put back, and every table is kept in the order of its key.
"""

from __future__ import annotations

import sqlite3
import threading
from contextlib import suppress
from typing import NamedTuple

from runtime.domain.changes import Changes, apply_in_order
from runtime.domain.domain import Domain
from runtime.session.workspace import Limits, Workspace, confined
from runtime.session.world import World

_MOST = 48  # databases of a thread
_MOST_BYTES = 256 * 1024**2  # of worlds, in all threads
_MOST_CHANGES = 500  # rows to be put back


class _Kept(NamedTuple):
    domain: Domain
    world: World
    limits: Limits
    workspace: Workspace

    def fits(self, domain: Domain, world: World, limits: Limits) -> bool:
        return self.world.image is world.image and self.domain is domain and self.limits == limits


class _Waiting(list[_Kept]):
    """The databases of one thread that wait, the one that was given back last at the end."""

    bytes_of_all = 0
    lock = threading.Lock()

    def take(self, position: int) -> Workspace:
        kept = self.pop(position)
        self._count(-len(kept.world.image))
        return kept.workspace

    def put(self, kept: _Kept) -> None:
        size = len(kept.world.image)
        while self and (len(self) >= _MOST or _Waiting.bytes_of_all + size > _MOST_BYTES):
            self.take(0).connection.close()
        if _Waiting.bytes_of_all + size > _MOST_BYTES:  # other threads keep as much
            kept.workspace.connection.close()
            return
        self.append(kept)
        self._count(size)

    def clear(self) -> None:
        while self:
            self.take(-1).connection.close()

    def __del__(self) -> None:  # with its thread, or with the process
        with self.quietly(self.error):
            self.clear()

    quietly, error = suppress, sqlite3.Error  # which are gone from the module by the end of a process

    def _count(self, size: int) -> None:
        kind = type(self)
        with kind.lock:
            kind.bytes_of_all += size


_local = threading.local()  # a connection belongs to the thread that opened it


def _waiting() -> _Waiting:
    if not hasattr(_local, "waiting"):
        _local.waiting = _Waiting()
    waiting: _Waiting = _local.waiting
    return waiting


def open_workspace(domain: Domain, world: World, limits: Limits) -> Workspace:
    """Return a workspace on an unchanged copy of a world: one that this thread has left, or a new one."""
    waiting = _waiting()
    for position in range(len(waiting) - 1, -1, -1):
        if waiting[position].fits(domain, world, limits):
            return waiting.take(position)
    return confine(world.open(), domain, world, limits)


def confine(connection: sqlite3.Connection, domain: Domain, world: World, limits: Limits) -> Workspace:
    """Return the workspace of a new connection; one that cannot be had is closed."""
    try:
        most_bytes = len(world.image) + limits.growth_bytes
        return confined(connection, domain.schema, domain.policies, domain.now, limits, most_bytes)
    except BaseException:
        connection.close()
        raise


def give_back(workspace: Workspace, domain: Domain, world: World, limits: Limits, changes: Changes) -> None:
    """Put the changes of a session back and keep its database for the next one, or close it."""
    connection = workspace.connection
    if len(changes.rows) <= _MOST_CHANGES:
        try:
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                apply_in_order(connection, domain.schema, list(changes.steps_to(Changes())))
                workspace.set_counter(world.counter)
        except sqlite3.Error:  # such as rows that swap unique values
            pass
        else:
            workspace.now = domain.now
            _waiting().put(_Kept(domain, world, limits, workspace))
            return
    connection.close()
