"""Open sessions: from a seed and a size, from a person's own database file, in memory or in a state folder."""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from runtime.domain.domain import Domain
from runtime.domain.schema import Schema, objects_in
from runtime.errors import UsageError
from runtime.sandbox.connect import damage_in, open_memory
from runtime.session.limits import Limits
from runtime.session.session import Session
from runtime.session.state_folder import StateFolder
from runtime.session.world import World, build_world

DEFAULT_SEED, DEFAULT_SIZE = 1, 300


class WorldCache:
    """The worlds that were built last, so that sessions which start alike share one image.

    At most so many are kept, and no more than fit into so many bytes; the last one is kept whatever its size.
    """

    def __init__(self, most: int = 16, most_bytes: int | None = None) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._worlds: OrderedDict[tuple[str, Any], World] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, domain: Domain, seed: int = DEFAULT_SEED, size: int = DEFAULT_SIZE) -> World:
        """The world of a seed and a size; errors: UsageError, EnvironmentFault."""
        return self.keep(
            domain,
            (seed, size),
            lambda: build_world(domain.populate, domain.schema, domain.policies, domain.now, seed, size),
        )

    def keep(self, domain: Domain, key: Any, build: Callable[[], World]) -> World:
        """The world under a key, built if it is not kept."""
        with self._lock:
            world = self._worlds.pop((domain.name, key), None) or build()
            self._worlds[domain.name, key] = world
            while len(self._worlds) > self._most or (len(self._worlds) > 1 and self._is_too_large()):
                self._worlds.popitem(last=False)
            return world

    def _is_too_large(self) -> bool:
        return self._most_bytes is not None and sum(len(each.base) for each in self._worlds.values()) > self._most_bytes


def open_stored_session(
    domain: Domain,
    root: Path,
    name: str,
    world: Callable[[], World],
    asked: Mapping[str, Any],
    *,
    principal: str | None = None,
    limits: Limits | None = None,
    strict: bool = False,
) -> Session:
    """Resume the session of this name in a state folder, or start it from a world.

    `asked` is what the caller wants of the session, such as its seed or task; where the stored one is another, that is
    an error. Errors: UsageError.
    """
    folder = StateFolder(root, name)
    try:
        if not folder.resumed:
            fresh = world()
            origin = {**fresh.origin, **asked}
            folder.create(fresh.image, {"domain": domain.name, "principal": principal, "origin": origin})
        else:
            _check_description(folder, domain, name, asked)
            _check_schema(folder, domain.schema)
            stored = folder.describe().get("principal")
            if principal not in (None, stored):
                raise UsageError(
                    f"Session {name!r} was started for {stored!r}, not {principal!r}; choose another name."
                )
            principal = stored
        return Session(
            domain, _stored_world(folder, domain), principal=principal, limits=limits, folder=folder, strict=strict
        )
    except (sqlite3.Error, MemoryError) as error:  # the latter for an empty image
        folder.release()
        raise UsageError(f"The session in {str(folder.path)!r} is damaged: {error or 'start.db is empty'}.") from error
    except BaseException:
        folder.release()
        raise


def _stored_world(folder: StateFolder, domain: Domain) -> World:
    image = folder.start_image()
    world = World(image, 0, domain.schema, domain.policies, folder.describe().get("origin", {}))
    with closing(world.open()) as connection:
        (counter,) = connection.execute("PRAGMA user_version").fetchone()
    return World(image, counter, domain.schema, domain.policies, world.origin)


def _check_schema(folder: StateFolder, schema: Schema) -> None:
    """Refuse databases that are not made by the schema and nothing else: a trigger of somebody's would run with ours.

    Errors: UsageError, sqlite3.Error, MemoryError.
    """
    with closing(open_memory(folder.start_image())) as start:
        _check_copy(start, folder, schema)
    with closing(folder.connect()) as state:
        _check_copy(state, folder, schema)


def _check_copy(connection: sqlite3.Connection, folder: StateFolder, schema: Schema) -> None:
    if objects_in(connection) != schema.objects:
        raise UsageError(f"The session in {str(folder.path)!r} was made for another schema; choose another name.")
    damage = damage_in(connection, schema.tables)
    if damage is not None:
        raise UsageError(f"The session in {str(folder.path)!r} is damaged: {damage}.")


def _check_description(folder: StateFolder, domain: Domain, name: str, asked: Mapping[str, Any]) -> None:
    description = folder.describe()
    stored = {"domain": description.get("domain"), **description.get("origin", {})}
    for what, value in {"domain": domain.name, **asked}.items():
        if stored.get(what) != value:
            raise UsageError(
                f"Session {name!r} was started with {what} {stored.get(what)!r}, not {value!r}; choose another name."
            )
