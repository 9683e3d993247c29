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

_MOST, _MOST_BYTES = 48, 64 * 1024**2  # of a thread: databases, and bytes of their worlds
_MOST_CHANGES = 500  # rows to be put back


class _Kept(NamedTuple):
    domain: Domain
    world: World
    limits: Limits
    workspace: Workspace

    def fits(self, domain: Domain, world: World, limits: Limits) -> bool:
        return self.world.image is world.image and self.domain is domain and self.limits == limits


class _Shelf:
    """The databases of one thread that wait, the one that was given back last at the end."""

    def __init__(self) -> None:
        self.kept: list[_Kept] = []

    def __del__(self) -> None:
        with suppress(sqlite3.Error):
            for each in self.kept:
                each.workspace.connection.close()


_local = threading.local()  # a connection belongs to the thread that opened it


def _kept() -> list[_Kept]:
    if not hasattr(_local, "shelf"):
        _local.shelf = _Shelf()
    kept: list[_Kept] = _local.shelf.kept
    return kept


def open_workspace(domain: Domain, world: World, limits: Limits) -> Workspace:
    """Return a workspace on an unchanged copy of a world: one that this thread has left, or a new one."""
    kept = _kept()
    for position in range(len(kept) - 1, -1, -1):
        if kept[position].fits(domain, world, limits):
            return kept.pop(position).workspace
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
            kept = _kept()
            kept.append(_Kept(domain, world, limits, workspace))
            while len(kept) > _MOST or sum(len(each.world.image) for each in kept) > _MOST_BYTES:
                kept.pop(0).workspace.connection.close()
            return
    connection.close()
