"""Open sessions: from a seed and a size, from a person's own database file, in memory or in a state folder."""

from __future__ import annotations

import math
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from runtime.domain.domain import Domain
from runtime.errors import UsageError
from runtime.sandbox.files import read_bytes
from runtime.sandbox.sqlite import MOST_BYTES, open_memory
from runtime.session.session import Session
from runtime.session.state_folder import START, StateFolder
from runtime.session.workspace import Limits
from runtime.session.world import World, build_world

DEFAULT_SEED, DEFAULT_SIZE = 1, 300


class WorldCache:
    """The worlds that were built last, so that sessions which start alike share one image.

    Keeps at most `most` of them and at most `most_bytes` of images; the last one is kept whatever its size.
    """

    def __init__(self, most: int = 16, most_bytes: float = math.inf) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._worlds: OrderedDict[tuple[str, Any], World] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, domain: Domain, seed: int = DEFAULT_SEED, size: int = DEFAULT_SIZE) -> World:
        return self.keep(
            domain,
            (seed, size),
            lambda: build_world(domain.populate, domain.schema, domain.policies, domain.now, seed, size),
        )

    def keep(self, domain: Domain, key: Any, build: Callable[[], World]) -> World:
        with self._lock:
            world = self._worlds.pop((domain.name, key), None) or build()
            self._worlds[domain.name, key] = world
            size = sum(len(each.image) for each in self._worlds.values())
            while len(self._worlds) > 1 and (len(self._worlds) > self._most or size > self._most_bytes):
                size -= len(self._worlds.popitem(last=False)[1].image)
            return world


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
        stored = folder.describe()
        stored |= stored.get("origin", {})
        for what, value in {"domain": domain.name, "principal": principal, **asked}.items():
            if stored.get(what) != value and (what, value) != ("principal", None):
                raise UsageError(
                    f"Session {name!r} was started with {what} {stored.get(what)!r}, not {value!r}; "
                    "choose another name."
                )
        image = read_bytes(folder.path / START, MOST_BYTES)
        with closing(open_memory(image)) as start:
            (counter,) = start.execute("PRAGMA user_version").fetchone()
        first = World(image, counter, domain.schema, domain.policies, stored.get("origin", {}))
        return Session(domain, first, principal=stored.get("principal"), limits=limits, folder=folder, strict=strict)
    except (sqlite3.Error, MemoryError) as error:  # the latter for an empty image
        folder.release()
        raise UsageError(f"The session in {str(folder.path)!r} is damaged: {error or 'start.db is empty'}.") from error
    except BaseException:
        folder.release()
        raise
