"""The run store as the one evaluation that may write to it sees it: held, checked, extended, appended to."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import IO, NamedTuple

from runtime.errors import EnvironmentFault, UsageError
from runtime.harness.evaluation.config import RunConfig
from runtime.harness.evaluation.plan import EvaluationPlan
from runtime.harness.evaluation.store import (
    HEADER,
    MOST_RECORD,
    DomainInRun,
    Header,
    TaskInRun,
    describe_domain,
    make_plain,
    opened,
    read_header,
)
from runtime.harness.record import EpisodeRecord, write_record
from runtime.sandbox.sqlite import open_file
from runtime.session.state_folder import open_lock, take_lock
from runtime.task.task_file import task_line

_MARK_SECONDS = 1.0  # between two notes of how long the run took
_SHORT = 12  # characters of a digest that a person is shown


class Attempt(NamedTuple):
    """An attempt at an episode on its way to the store: its record without the long parts, and its whole line."""

    record: EpisodeRecord
    line: str


def attempt_of(record: EpisodeRecord) -> Attempt:
    """An attempt with this record."""
    return Attempt(record.brief, write_record(record))


@dataclass(frozen=True)
class Kept:
    """What a store holds of the plan when a run goes on: the episodes `done`, how many of them are rewarded, the cost.

    Void episodes are owed again. `cost` is None where a price is unknown; `dearest` is the most that one attempt cost.
    """

    done: frozenset[tuple[str, str, int]]
    rewarded: int
    cost: float | None
    seconds: float
    dearest: float | None = None


def usual_store(played: str, agent: str) -> Path:
    """`runs/PLAYED-AGENT.db`, with a hash of the exact name where that has characters which a file name should not."""
    exact = f"{played}-{agent.replace(':', '-', 1)}"
    name = re.sub(r"[^A-Za-z0-9_.+-]+", "-", exact)[:100]
    if name != exact:
        name = f"{name.strip('-')}-{hashlib.sha256(exact.encode()).hexdigest()[:8]}"
    return Path("runs") / f"{name}.db"


@contextmanager
def hold_store(path: Path) -> Iterator[None]:
    """Keep every other evaluation from writing to a store; errors: UsageError."""
    if path.is_dir():
        raise UsageError(f"{str(path)!r} is a folder, not a run store.")
    place = path.with_name(f".{path.name}.lock")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock: IO[str] = open_lock(place)
    except OSError as error:
        raise UsageError(f"The store {str(path)!r} cannot be written: {error.strerror}.") from error
    with lock:
        if not take_lock(lock) or not place.exists() or not os.path.samestat(os.fstat(lock.fileno()), place.stat()):
            raise UsageError(f"Another evaluation writes to {str(path)!r}; wait for it, or give another --store.")
        try:
            yield
        finally:
            with contextlib.suppress(OSError):  # Windows keeps a file that is open
                place.unlink()


def set_aside(path: Path) -> Path | None:
    """Move a held store that has episodes to a free name beside it, and return that. Errors: UsageError."""
    if not path.is_file() or not path.stat().st_size:
        return None
    with opened(path, writable=True) as connection:
        if connection.execute("SELECT 1 FROM episode").fetchone() is None:
            return None
    names = (path.with_name(f"{path.stem}.{number}{path.suffix}") for number in count(1))
    return path.rename(next(each for each in names if not each.exists()))


def prepare_store(path: Path, plan: EvaluationPlan) -> Kept:
    """Create the store, or check that it belongs to the same run, and note what is asked for; errors: UsageError.

    More tasks, trials and domains extend a run. What is there of other tasks and trials stays.
    """
    with opened(path, writable=True) as connection:
        connection.execute("BEGIN IMMEDIATE")
        if connection.execute("SELECT 1 FROM episode").fetchone() is None:  # nothing was played: it starts anew
            connection.execute("DELETE FROM run")
            header, seconds = Header(plan.config, version("worldsmith"), _now(), {}, []), 0.0
        else:
            header, seconds, _ = read_header(connection, path)
            header = replace(header, config=_continued(header.config, plan.config, path))
        domains = _with_domains(header.domains, plan, path)
        header = replace(header, domains=domains, tasks=_with_tasks(header.tasks, plan, path))
        text, now = HEADER.dump_json(header).decode(), _now().isoformat()
        if connection.execute("UPDATE run SET header = ?", (text,)).rowcount == 0:
            connection.execute("INSERT INTO run VALUES (?, 0.0, ?)", (text, now))
        kept = replace(_read_kept(connection, plan), seconds=seconds)
        connection.execute("COMMIT")
        return kept


class StoreWriter:
    """Appends attempts to a prepared store; what `append` returned for survives a killed process."""

    def __init__(self, path: Path, kept: Kept) -> None:
        """Open the store; errors: EnvironmentFault if it cannot be written."""
        self._path = path
        self._marked = time.monotonic()
        self._seconds = kept.seconds - self._marked
        with self._or_fault():
            self._connection = open_file(path, writable=True, most_value=MOST_RECORD)
            self._connection.execute("PRAGMA journal_mode = WAL")  # so that others may read meanwhile
            self._connection.execute("PRAGMA synchronous = NORMAL")

    def append(self, attempts: Sequence[Attempt]) -> None:
        """Keep the attempts at one episode, the last of which counts; errors: EnvironmentFault."""
        number = "(SELECT count(*) + 1 FROM episode WHERE (domain, task, trial) = (?1, ?2, ?3))"
        with self._or_fault():
            for record, line in attempts:
                values = record.domain, record.task, record.trial, record.reward, record.cost, line
                self._connection.execute(f"INSERT INTO episode VALUES (?1, ?2, ?3, {number}, ?4, ?5, ?6)", values)
            if time.monotonic() > self._marked + _MARK_SECONDS:
                self._mark_time()

    def _mark_time(self) -> None:
        self._marked = time.monotonic()
        times = self._seconds + self._marked, _now().isoformat()
        self._connection.execute("UPDATE run SET seconds = ?, ended = ?", times)

    def close(self) -> None:
        """Note how long it took, and leave one plain file."""
        with closing(self._connection), contextlib.suppress(sqlite3.Error):
            self._mark_time()
            make_plain(self._connection)

    @contextmanager
    def _or_fault(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise EnvironmentFault(f"The store {str(self._path)!r} cannot be written: {error}.") from error


def _continued(stored: RunConfig, asked: RunConfig, path: Path) -> RunConfig:
    """The configuration of a run that goes on; errors: UsageError for one that plays something else."""
    differing = [each for each in stored.differences(asked) if each[0] != "reward"]
    if differing:
        shown = ", ".join(f"{what} {there!r}, not {here!r}" for what, there, here in differing)
        raise UsageError(f"The run in {str(path)!r} has {shown}; give another --store, or --fresh to begin anew.")
    prices = tuple({each[0]: each for each in (*stored.prices, *asked.prices)}.values())
    return replace(asked, name=asked.name or stored.name, prices=prices, program=asked.program or stored.program)


def _with_domains(stored: dict[str, DomainInRun], plan: EvaluationPlan, path: Path) -> dict[str, DomainInRun]:
    for domain in plan.domains:
        there = stored.get(domain.name)
        if there is not None and there.digest != domain.digest:
            raise UsageError(
                f"The run in {str(path)!r} has domain {domain.name!r} with digest {there.digest[:_SHORT]!r}, not "
                f"{domain.digest[:_SHORT]!r}: its schema.sql, tools, rules.py, world.py, policy.md or domain.json "
                "changed since; give another --store, or --fresh to begin anew."
            )
    return {**{domain.name: describe_domain(domain) for domain in plan.domains if domain.name not in stored}, **stored}


def _with_tasks(stored: list[TaskInRun], plan: EvaluationPlan, path: Path) -> list[TaskInRun]:
    tasks = {(each.domain, each.id): each for each in stored}
    for chosen in plan.tasks:
        new = TaskInRun(*chosen.name, chosen.position, plan.trials, task_line(chosen.task))
        there = tasks.get(chosen.name, new)
        if there.line != new.line:
            digests = [hashlib.sha256(each.line.encode()).hexdigest()[:_SHORT] for each in (there, new)]
            raise UsageError(
                f"The run in {str(path)!r} has task {new.id!r} with digest {digests[0]!r}, not {digests[1]!r}: its "
                "line in tasks.jsonl changed since; give another --store, or --fresh to begin anew."
            )
        tasks[chosen.name] = there._replace(trials=max(there.trials, new.trials))
    return list(tasks.values())


def _read_kept(connection: sqlite3.Connection, plan: EvaluationPlan) -> Kept:
    names = {chosen.name for chosen in plan.tasks}
    judged = connection.execute("SELECT domain, task, trial, reward FROM episode WHERE reward IS NOT NULL")
    done = {
        (domain, task, trial): reward
        for domain, task, trial, reward in judged
        if (domain, task) in names and trial < plan.trials
    }
    unpriced, cost, dearest = connection.execute(
        "SELECT count(*) - count(cost), total(cost), max(cost) FROM episode"
    ).fetchone()
    return Kept(frozenset(done), sum(done.values()), None if unpriced else cost, 0.0, dearest)


def _now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)
