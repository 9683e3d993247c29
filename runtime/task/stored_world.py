"""Worlds that outlive their process: built once for all tasks of a set, then read as an image from the user's cache."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from runtime.domain.domain import Domain
from runtime.environment import ROOT
from runtime.errors import UsageError
from runtime.sandbox.files import read_bytes, replacing
from runtime.session.world import IdNumbers, World, make_world

MOST_FILES, MOST_BYTES = 200, 512 * 1024**2  # of the cache; the files that were used least recently go first
_MOST_IMAGE = 32 * 1024**2  # larger worlds are built each time
_MAKERS = ("sandbox", "domain", "session")  # whose code decides what a world program makes


def stored_world(domain: Domain, size: int, seed: int, ids: IdNumbers) -> World:
    """Return a world of a domain, built now or earlier; errors: EnvironmentFault, UsageError.

    A file is taken only if it was made from the same world program, schema, clock and policies, by the same code of
    ours, Python and SQLite, and if its content is what was written. Where no file can be kept, the world is built.
    """
    folder = _folder()
    if folder is None:
        return make_world(domain, seed, size, ids)
    card = domain.card.model_dump_json(include={"clock", "columns", "logs"})
    key = _hash(json.dumps([domain.world_digest, card, size, seed, ids, _makers()]).encode())
    file = folder / f"{key}.world"
    with suppress(OSError, UsageError, ValueError, KeyError):
        head, _, image = read_bytes(file, 2 * _MOST_IMAGE).partition(b"\n")
        said = json.loads(head)
        if said["image"] == _hash(key.encode() + image):
            file.touch()
            return World(
                image, said["counter"], domain.schema, domain.policies, said["origin"], int(said["digest"], 16)
            )
    world = make_world(domain, seed, size, ids)
    if len(world.image) <= _MOST_IMAGE:
        with suppress(OSError):
            _write(file, key, world)
    return world


def _write(file: Path, key: str, world: World) -> None:
    said: dict[str, Any] = {"counter": world.counter, "origin": dict(world.origin), "digest": f"{world.digest:032x}"}
    said["image"] = _hash(key.encode() + world.image)
    with replacing(file) as new:
        new.write(json.dumps(said).encode() + b"\n" + world.image)
    kept = 0
    newest_first = sorted(
        ((each.stat(), each) for each in file.parent.glob("*.world")), key=lambda pair: -pair[0].st_mtime
    )
    for position, (status, each) in enumerate(newest_first):
        kept += status.st_size
        if position >= MOST_FILES or kept > MOST_BYTES:
            each.unlink(missing_ok=True)


@cache
def _folder() -> Path | None:
    """Return the user's own cache folder for worlds, or None where there is none that only this user can write to."""
    named = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    with suppress(OSError, RuntimeError):
        folder = (Path(named) if named else Path.home() / ".cache") / "worldsmith" / "worlds"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.stat()
        is_ours = not hasattr(os, "getuid") or (status.st_uid == os.getuid() and not status.st_mode & 0o022)
        return folder if is_ours else None
    return None


@cache
def _makers() -> str:
    files = [path for room in _MAKERS for path in sorted((ROOT / "runtime" / room).glob("*.py"))]
    return _hash(b"\0".join([sys.version.encode(), sqlite3.sqlite_version.encode(), *map(Path.read_bytes, files)]))


def _hash(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=20).hexdigest()
