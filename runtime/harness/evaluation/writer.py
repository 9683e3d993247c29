"""The run store as the one evaluation that may write to it sees it: opened, checked, extended, appended to."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO

import aiosqlite

from runtime.errors import AlteredStore, EnvironmentFault, UsageError
from runtime.harness.evaluation.config import RunConfig, read_config
from runtime.harness.evaluation.content import StoreContent, read_content
from runtime.harness.evaluation.plan import EvaluationPlan, TaskName
from runtime.harness.evaluation.pricing import price_episodes
from runtime.harness.evaluation.store import (
    APPLICATION,
    COLUMNS,
    FORMAT,
    MOST_RECORD,
    SCHEMA,
    EpisodeRow,
    check_store,
    damaged,
    describe_domain,
    digest_of_task,
    read_domain,
    read_store,
    write_domain,
)
from runtime.sandbox.connect import check_database, confine
from runtime.sandbox.files import parse_json
from runtime.session.state_folder import open_lock, take_lock
from runtime.task.task_file import parse_task, task_line

_SHORT = 12  # characters of a digest that a person is shown


@dataclass(frozen=True)
class Kept:
    """What a store holds when a run goes on: finished episodes of the plan, how many of them are rewarded, the rest.

    `done` are the episodes with a verdict; void ones are owed again. `cost` is None where a price is not known.
    """

    done: frozenset[tuple[str, str, int]]
    rewarded: int
    idle_known: frozenset[TaskName]
    cost: float | None
    seconds: float
    dearest: float | None = None  # of the attempts so far; None if there is none
    content: StoreContent = field(default_factory=StoreContent, repr=False)
    priced: int = 0  # episodes that had no cost until their model was given a price now


@dataclass(frozen=True)
class Finished:
    """A finished episode on its way to the store: its row, its void attempts, the idle agent's reward if judged."""

    row: EpisodeRow
    void_attempts: tuple[EpisodeRow, ...] = ()
    judged_idle: bool = False
    idle: int | None = None

    @property
    def cost(self) -> float | None:
        """What all of its attempts cost; None if nobody knows."""
        costs = [each.cost for each in (self.row, *self.void_attempts)]
        return None if None in costs else sum(each or 0.0 for each in costs)


@contextmanager
def hold_store(path: Path) -> Iterator[None]:
    """Keep every other evaluation from writing to a store; errors: UsageError."""
    if path.is_dir():
        raise UsageError(f"{str(path)!r} is a folder, not a run store.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        place = path.with_name(f".{path.name}.lock")
        lock: IO[str] = open_lock(place)
    except OSError as error:
        raise UsageError(f"The store {str(path)!r} cannot be written: {error.strerror}.") from error
    with lock:
        if not take_lock(lock) or not _is_there(lock, place):
            raise UsageError(f"Another evaluation writes to {str(path)!r}; wait for it, or give another --store.")
        try:
            yield
        finally:
            with contextlib.suppress(OSError):  # Windows keeps a file that is open
                place.unlink()


def _is_there(lock: IO[str], place: Path) -> bool:
    """Whether a lock's file still has its name: whoever held it before removed it."""
    try:
        return os.path.samestat(os.fstat(lock.fileno()), place.stat())
    except OSError:
        return False


def prepare_store(path: Path, plan: EvaluationPlan) -> Kept:
    """Make the store, or see that it was made for the same run, and note what is asked for; errors: UsageError.

    More tasks, trials and domains extend a run. What is there of other tasks and trials stays.
    """
    try:
        if path.exists():
            check_database(path)
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            confine(connection, MOST_RECORD)
            is_new = connection.execute("SELECT 1 FROM sqlite_master").fetchone() is None
            if not is_new:
                check_store(connection, path)
            connection.execute("BEGIN IMMEDIATE")
            if is_new:
                _create(connection, plan.config)
            elif connection.execute("SELECT 1 FROM episode").fetchone() is None:  # nothing was played: it starts anew
                for table in ("domain", "task", "void_attempt"):
                    connection.execute(f"DELETE FROM {table}")
                connection.execute("DELETE FROM run")
                _begin(connection, plan.config)
            else:
                _check_config(connection, path, plan.config)
            _note_domains(connection, path, plan)
            _note_tasks(connection, path, plan)
            priced = price_episodes(connection, path, plan.config)
            kept = replace(_read_kept(connection, path, plan), priced=priced)
            connection.execute("COMMIT")
            _tidy(connection)
            return kept
    except sqlite3.DatabaseError as error:
        if "not a database" in str(error):
            raise UsageError(f"{str(path)!r} is not a run store, nor any other database.") from error
        if isinstance(error, sqlite3.OperationalError) and "no such" not in str(error):
            raise UsageError(f"The store {str(path)!r} cannot be written: {error}.") from error
        raise damaged(path, str(error)) from error
    except (ValueError, TypeError, KeyError) as error:
        raise damaged(path, " ".join(str(error).split())) from error


class StoreWriter:
    """Appends episodes to a store; what `append` has returned for survives a killed process and a power cut."""

    def __init__(self, path: Path, connection: aiosqlite.Connection, seconds: float, content: StoreContent) -> None:
        """Use `open_writer`."""
        self._path = path
        self._content = content
        self._connection = connection
        self._waiting: list[tuple[Finished, asyncio.Future[None]]] = []
        self._came = asyncio.Event()
        self._has_failed = False
        self._seconds, self._started = seconds, time.monotonic()
        self._writing = asyncio.create_task(self._write())

    async def append(self, finished: Finished) -> None:
        """Keep an episode; returns when it is on disk. Errors: EnvironmentFault if the store cannot be written."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((finished, future))
        self._came.set()
        await asyncio.shield(future)

    async def close(self) -> None:
        """Write what is waiting and leave one plain file behind.

        Errors: AlteredStore if it holds something else than what was in it and was written here.
        """
        self._writing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._writing
        try:
            if self._waiting:
                await self._write_batch()
        finally:
            await self._connection.close()
            if self._path.is_file():
                with contextlib.suppress(sqlite3.Error), closing(sqlite3.connect(self._path)) as connection:
                    _tidy(connection)
        try:
            with read_store(self._path) as connection:
                self._content.compare(read_content(connection, self._path, self._content), self._path)
        except UsageError as error:  # it was a store when this began
            if self._has_failed:
                return  # whoever waited for an episode was told
            raise AlteredStore(f"The store was altered while the evaluation ran: {error}") from error

    async def _write(self) -> None:
        while True:
            await self._came.wait()
            self._came.clear()
            # What comes while a batch is written makes up the next one. A cancelled wait would leave the batch
            # half-known, so it is always seen through.
            batch = asyncio.ensure_future(self._write_batch())
            try:
                await asyncio.shield(batch)
            except asyncio.CancelledError:
                await batch
                raise

    async def _write_batch(self) -> None:
        batch, self._waiting = self._waiting, []
        error: Exception | None = None
        try:
            await self._insert([finished for finished, _ in batch])
        except (sqlite3.Error, ValueError, TypeError, OverflowError) as raised:  # the latter: no value for SQLite
            error = raised
            self._has_failed = True
            with contextlib.suppress(sqlite3.Error):
                await self._connection.rollback()
        for _, future in batch:
            if future.done():
                continue
            if error is None:
                future.set_result(None)
            else:
                future.set_exception(EnvironmentFault(f"The store {str(self._path)!r} cannot be written: {error}."))
                future.exception()  # whoever waited may be gone

    async def _insert(self, batch: list[Finished]) -> None:
        execute, execute_many = self._connection.execute, self._connection.executemany
        marks = ", ".join("?" * len(COLUMNS))
        rows = [finished.row[: len(COLUMNS)] for finished in batch]
        await execute("BEGIN IMMEDIATE")
        # A void episode that was owed again gives way, but what it cost was spent.
        void = "FROM episode WHERE domain = ? AND task = ? AND trial = ? AND reward IS NULL"
        names = [row[:3] for row in rows]
        await execute_many(f"INSERT INTO void_attempt SELECT * {void}", names)
        await execute_many(f"DELETE {void}", names)
        await execute_many(f"INSERT INTO episode VALUES ({marks})", rows)
        attempts = [attempt[: len(COLUMNS)] for finished in batch for attempt in finished.void_attempts]
        await execute_many(f"INSERT INTO void_attempt VALUES ({marks})", attempts)
        idle = [(finished.idle, *finished.row[:2]) for finished in batch if finished.judged_idle]
        await execute_many("UPDATE task SET idle = ? WHERE domain = ? AND id = ?", idle)
        await execute(
            "UPDATE run SET seconds = ?, ended = ?", (self._seconds + time.monotonic() - self._started, _now())
        )
        await self._connection.commit()
        for finished in batch:
            self._content.note(finished.row, finished.void_attempts)
            if finished.judged_idle:
                self._content.idle[finished.row[:2]] = finished.idle


async def open_writer(path: Path, kept: Kept) -> StoreWriter:
    """Open a prepared store for appending."""
    connection = await aiosqlite.connect(path, isolation_level=None)
    try:
        await connection.execute("PRAGMA journal_mode = WAL")  # so that others may read meanwhile
        await connection.execute("PRAGMA synchronous = FULL")  # a batch costs one flush, so durability is cheap
    except sqlite3.Error as error:
        await connection.close()
        raise EnvironmentFault(f"The store {str(path)!r} cannot be written: {error}.") from error
    return StoreWriter(path, connection, kept.seconds, kept.content)


def _tidy(connection: sqlite3.Connection) -> None:
    """Leave one plain file, which can be read in a folder that cannot be written, unless somebody reads it now."""
    with contextlib.suppress(sqlite3.OperationalError):
        connection.execute("PRAGMA journal_mode = DELETE")


def _create(connection: sqlite3.Connection, config: RunConfig) -> None:
    connection.execute(f"PRAGMA application_id = {APPLICATION}")
    connection.execute(f"PRAGMA user_version = {FORMAT}")
    for statement in SCHEMA:
        connection.execute(statement)
    _begin(connection, config)


def _begin(connection: sqlite3.Connection, config: RunConfig) -> None:
    try:
        made_by = version("worldsmith")
    except PackageNotFoundError:
        made_by = "unknown"
    began = _now()
    connection.execute(
        "INSERT INTO run VALUES (?, ?, ?, ?, 0.0)", (json.dumps(config.as_json()), made_by, began, began)
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _check_config(connection: sqlite3.Connection, path: Path, config: RunConfig) -> None:
    (stored,) = connection.execute("SELECT config FROM run").fetchone()
    kept = read_config(parse_json(stored))
    differing = [each for each in kept.differences(config) if each[0] != "reward"]
    if differing:
        shown = ", ".join(f"{what} {there!r}, not {here!r}" for what, there, here in differing)
        raise UsageError(f"The run in {str(path)!r} has {shown}; give another --store, or --fresh to begin anew.")
    name = config.name or kept.name
    prices = tuple({each[0]: each for each in (*kept.prices, *config.prices)}.values())
    now = replace(config, name=name, prices=prices, program=config.program or kept.program)
    connection.execute("UPDATE run SET config = ?", (json.dumps(now.as_json()),))


def _note_domains(connection: sqlite3.Connection, path: Path, plan: EvaluationPlan) -> None:
    for domain in plan.domains:
        here = describe_domain(domain)
        row = connection.execute("SELECT content FROM domain WHERE name = ?", (domain.name,)).fetchone()
        if row is None:
            connection.execute(
                "INSERT INTO domain VALUES (?, (SELECT count(*) FROM domain), ?)", (domain.name, write_domain(here))
            )
            continue
        there = read_domain(row[0]).digest
        if there != here.digest:
            raise UsageError(
                f"The run in {str(path)!r} has domain {domain.name!r} with digest {there[:_SHORT]!r}, not "
                f"{here.digest[:_SHORT]!r}: its schema.sql, tools, rules.py, world.py, policy.md or domain.json "
                "changed since; give another --store, or --fresh to begin anew."
            )


def _note_tasks(connection: sqlite3.Connection, path: Path, plan: EvaluationPlan) -> None:
    for chosen in plan.tasks:
        row = connection.execute("SELECT line FROM task WHERE domain = ? AND id = ?", chosen.name).fetchone()
        here = task_line(chosen.task)
        if row is not None and row[0] != here:
            there = digest_of_task(parse_task(row[0]))
            raise UsageError(
                f"The run in {str(path)!r} has task {chosen.task.id!r} with digest {there[:_SHORT]!r}, not "
                f"{digest_of_task(chosen.task)[:_SHORT]!r}: its line in tasks.jsonl changed since; "
                "give another --store, or --fresh to begin anew."
            )
        connection.execute(
            "INSERT INTO task VALUES (?, ?, ?, ?, NULL, ?)"
            " ON CONFLICT DO UPDATE SET trials = max(trials, excluded.trials)",
            (*chosen.name, chosen.position, plan.trials, here),
        )


def _read_kept(connection: sqlite3.Connection, path: Path, plan: EvaluationPlan) -> Kept:
    content = read_content(connection, path)
    names = {chosen.name for chosen in plan.tasks}
    rows = connection.execute("SELECT domain, task, trial, reward FROM episode WHERE reward IS NOT NULL")
    done = {
        (domain, task, trial): reward
        for domain, task, trial, reward in rows
        if (domain, task) in names and trial < plan.trials
    }
    idle = connection.execute("SELECT domain, id FROM task WHERE idle IS NOT NULL")
    unpriced, cost, dearest = connection.execute(
        "SELECT count(*) - count(cost), total(cost), max(cost) FROM"
        " (SELECT cost FROM episode UNION ALL SELECT cost FROM void_attempt)"
    ).fetchone()
    (seconds,) = connection.execute("SELECT seconds FROM run").fetchone()
    return Kept(
        done=frozenset(done),
        rewarded=sum(done.values()),
        idle_known=frozenset((domain, task) for domain, task in idle),
        cost=None if unpriced else cost,
        seconds=seconds,
        dearest=dearest,
        content=content,
    )
