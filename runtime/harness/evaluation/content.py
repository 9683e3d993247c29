"""What a store holds as the running evaluation remembers it, so that a change by anybody else is noticed."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import starmap
from pathlib import Path
from typing import NamedTuple

from runtime.errors import AlteredStore
from runtime.harness.evaluation.plan import TaskName
from runtime.harness.evaluation.store import ROW, EpisodeRow, checked_record

_SETTLED = (
    "SELECT config, made_by, began FROM run",
    "SELECT name, position, content FROM domain ORDER BY name",
    "SELECT domain, id, position, trials, line FROM task ORDER BY domain, id",
)


class _Kept(NamedTuple):
    """An episode in short."""

    reward: int | None
    digest: str


@dataclass
class StoreContent:
    """All that counts of a store: the episodes by name, how often each void attempt is there, the rest."""

    episodes: dict[tuple[str, str, int], _Kept] = field(default_factory=dict)
    void: Counter[str] = field(default_factory=Counter)
    idle: dict[TaskName, int | None] = field(default_factory=dict)
    settled: str = ""  # a digest of the configuration, the domains and the tasks

    def note(self, row: EpisodeRow, void_attempts: Iterable[EpisodeRow] = ()) -> None:
        """An episode is in the store, in place of a void one if there was one of its name."""
        before = self.episodes.get(row[:3])
        if before is not None:
            self.void[before.digest] += 1
        self.episodes[row[:3]] = _Kept(row.reward, _digest(row))
        self.void.update(map(_digest, void_attempts))

    def compare(self, found: StoreContent, path: Path) -> None:
        """Errors: AlteredStore with the first thing that is otherwise in the store than it is remembered."""
        for name in sorted(self.episodes.keys() | found.episodes.keys()):
            kept, there = self.episodes.get(name), found.episodes.get(name)
            if kept == there:
                continue
            domain, task, trial = name
            raise AlteredStore(
                f"Episode {trial} of task {task!r} of domain {domain!r} in {str(path)!r} was altered while the "
                f"evaluation ran: it kept {_describe(kept, there)}, the store has {_describe(there, kept)}."
            )
        for what, one, other in (
            ("void attempts", self.void, found.void),
            ("rewards of doing nothing", self.idle, found.idle),
            ("configuration, domains or tasks", self.settled, found.settled),
        ):
            if one != other:
                raise AlteredStore(f"The {what} in {str(path)!r} were altered while the evaluation ran.")


def read_content(connection: sqlite3.Connection, path: Path, known: StoreContent | None = None) -> StoreContent:
    """What a store holds; episodes that are there as they are `known` are not read again.

    Errors: AlteredStore where an episode contradicts itself, UsageError for a damaged store.
    """
    content = StoreContent()
    sound = {*(each.digest for each in known.episodes.values()), *known.void} if known is not None else set()

    def checked(table: str) -> Iterator[tuple[EpisodeRow, str]]:
        for row in starmap(EpisodeRow, connection.execute(f"SELECT {ROW} FROM {table}")):
            digest = _digest(row)
            if digest not in sound:
                checked_record(row, path)
            yield row, digest

    content.episodes = {row[:3]: _Kept(row.reward, digest) for row, digest in checked("episode")}
    content.void.update(digest for _, digest in checked("void_attempt"))
    content.idle = {
        (domain, task): idle for domain, task, idle in connection.execute("SELECT domain, id, idle FROM task")
    }
    settled = [connection.execute(sql).fetchall() for sql in _SETTLED]
    content.settled = hashlib.sha256(json.dumps(settled).encode()).hexdigest()
    return content


def _digest(row: EpisodeRow) -> str:
    """A digest of a row, whether its numbers have been through a column of SQLite or not."""
    parts = [float(part) if isinstance(part, int | float) else part for part in row]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _describe(kept: _Kept | None, beside: _Kept | None) -> str:
    if kept is None:
        return "none of that name"
    same = beside is not None and kept.reward == beside.reward
    return f"reward {kept.reward}" + (f" with record {kept.digest[:12]!r}" if same else "")
