"""The run store: one SQLite file with what was asked for and every attempt at an episode; one evaluation writes it."""

from __future__ import annotations

import contextlib
import hashlib
import re
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import TypeAdapter

from runtime.domain.domain import Domain
from runtime.domain.handbook import SearchedDomain, with_handbook
from runtime.domain.locale import AMERICAN, Locale
from runtime.errors import EnvironmentFault, UsageError
from runtime.harness.evaluation.plan import EvaluationPlan, RunConfig, TaskName
from runtime.harness.record import EpisodeRecord, read_record, write_record
from runtime.sandbox.sqlite import open_file
from runtime.server.listing import list_tools
from runtime.session.faults import read_fault_plan
from runtime.session.state_folder import open_lock, take_lock
from runtime.task.task import Task
from runtime.task.task_file import parse_task, task_line

FORMAT = 5  # the file's user_version
_APPLICATION = 0x57534D52  # the file's application_id: "WSMR"
_SCHEMA = (
    "CREATE TABLE run (header TEXT NOT NULL, seconds REAL NOT NULL, ended TEXT NOT NULL) STRICT",
    # The last attempt at an episode counts; earlier ones were void, but what they cost was spent.
    "CREATE TABLE episode (domain TEXT NOT NULL, task TEXT NOT NULL, trial INTEGER NOT NULL, attempt INTEGER NOT NULL,"
    " reward INTEGER, cost REAL, record TEXT NOT NULL, PRIMARY KEY (domain, task, trial, attempt)) STRICT",
)
_LAST = "SELECT *, max(attempt) FROM episode GROUP BY domain, task, trial"
_LAST_REWARDS = "SELECT domain, task, reward, max(attempt) FROM episode GROUP BY domain, task, trial"
# Without its long parts, unless it is damaged, which reading it then says.
_SHORT_RECORD = "iif(json_valid(record), json_remove(record, '$.pairs', '$.messages', '$.final'), record)"
_MOST_RECORD = 256 * 1024**2  # bytes of one episode
_SHORT = 12  # characters of a digest in a message


@dataclass(frozen=True)
class DomainInRun:
    """A domain as it was when the run began. `tools` are as MCP lists them, `tables` have `columns` and `key`."""

    name: str
    title: str
    tools: list[dict[str, Any]] = field(repr=False)
    tables: dict[str, dict[str, list[str]]] = field(repr=False)
    digest: str
    rules: list[str] = field(default_factory=list)  # codes of rules and duties
    real_rows: bool = False
    handbook: str = ""  # digest of its articles, where agents search them
    unverified: str = ""  # what a study broke in it
    locale: Locale = AMERICAN


class _TaskInRun(NamedTuple):
    domain: str
    id: str
    position: int  # in its domain's file
    trials: int  # asked for
    line: str


@dataclass(frozen=True)
class _Header:
    config: RunConfig
    made_by: str
    began: datetime
    domains: dict[str, DomainInRun]
    tasks: list[_TaskInRun]


_HEADER = TypeAdapter(_Header)


class Attempt(NamedTuple):
    """An attempt at an episode on its way to the store: its record without the long parts, and its whole line."""

    record: EpisodeRecord
    line: str


def attempt_of(record: EpisodeRecord) -> Attempt:
    """Return an attempt with this record."""
    return Attempt(record.brief, write_record(record))


@dataclass(frozen=True)
class Run:
    """One run as its store holds it; `trials` is how many were asked for, by task.

    `seconds` is the wall time in which episodes were played. `began` and `ended` are in UTC: when the store was made
    and when its last episode came. `made_by` is the version of worldsmith that made it.
    """

    path: Path
    config: RunConfig
    domains: Mapping[str, DomainInRun]
    tasks: Mapping[TaskName, Task] = field(repr=False)
    trials: Mapping[TaskName, int] = field(repr=False)
    seconds: float = 0.0
    made_by: str = ""
    began: str = ""
    ended: str = ""

    def records(self, tasks: Iterable[TaskName] | None = None) -> Iterator[EpisodeRecord]:
        """Read the episodes, void ones included, of all tasks or these, trial by trial; one is held at a time.

        Errors: UsageError for a record that cannot be read.
        """
        with _opened(self.path) as connection:
            for name in self.tasks if tasks is None else tasks:
                chosen = f"SELECT record FROM ({_LAST}) WHERE domain = ? AND task = ? ORDER BY trial"
                for (line,) in connection.execute(chosen, name):
                    yield self._read(line, name)

    def outcomes(self) -> list[EpisodeRecord]:
        """Read every episode without its long parts, with the reward that the run's options ask for."""
        return [record for _, record in read_outcomes(self).numbered(self)]

    def _outcome(self, record: EpisodeRecord) -> EpisodeRecord:
        reward = record.reward_by(self.config.reward)
        if reward != record.reward:  # the first violation is why
            reason = f"violation of {record.violations[0].rule}"
            record = replace(record, reward=reward, fault="agent", reason=reason)
        return record.brief

    def progress(self) -> tuple[int, int, float | None]:
        """Count the episodes and the void ones, without reading them; the mean reward over tasks, if it is stored."""
        with _opened(self.path) as connection:
            counted = f"SELECT count(*), count(*) - count(reward) FROM ({_LAST_REWARDS})"
            episodes, void = connection.execute(counted).fetchone()
            means = f"SELECT avg(mean) FROM (SELECT avg(reward) AS mean FROM ({_LAST_REWARDS}) GROUP BY domain, task)"
            (mean,) = connection.execute(means).fetchone()
            return episodes, void, mean if self.config.reward == "final_state_and_rules" else None

    def attempt(self, number: int) -> EpisodeRecord:
        """Read one attempt by its number, see `Outcomes`; errors: UsageError if there is none."""
        with _opened(self.path) as connection:
            found = connection.execute("SELECT record, domain, task FROM episode WHERE rowid = ?", (number,)).fetchone()
        if found is None:
            raise UsageError(f"The run store {str(self.path)!r} has no attempt {number}.")
        line, *name = found
        return self._read(line, name)

    def _read(self, line: str, name: Sequence[str]) -> EpisodeRecord:
        try:
            return read_record(line)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise _damaged(self.path, error, f"an episode of task {name[1]!r} cannot be read: ") from error


class Outcomes:
    """The outcomes of a run without their long parts, as far as they were read; a run that goes on is read on.

    `last` has the attempt that counts of each episode, by domain, task and trial, with the attempt's number: attempts
    are numbered from 1 in the order in which they were stored. `void` are those that were void and made again.
    """

    def __init__(self) -> None:
        self.last: dict[tuple[str, str, int], tuple[int, EpisodeRecord]] = {}
        self.void: list[EpisodeRecord] = []
        self._read = 0

    def read_on(self, run: Run) -> bool:
        """Read the attempts that were stored since; False if there were none. Errors: UsageError."""
        before = self._read
        with _opened(run.path) as connection:
            stored = f"SELECT rowid, {_SHORT_RECORD}, domain, task FROM episode WHERE rowid > ? ORDER BY rowid"
            for number, line, *name in connection.execute(stored, (before,)):
                record = run._outcome(run._read(line, name))
                episode = (record.domain, record.task, record.trial)
                if episode in self.last:
                    self.void.append(self.last[episode][1])
                self.last[episode] = number, record
                self._read = number
        return self._read > before

    def numbered(self, run: Run) -> list[tuple[int, EpisodeRecord]]:
        """Return the episodes with the numbers of their attempts, in the order of the run's tasks, trial by trial."""
        places = {name: place for place, name in enumerate(run.tasks)}
        known = [each for (*name, _), each in self.last.items() if tuple(name) in places]
        return sorted(known, key=lambda each: (places[each[1].domain, each[1].task], each[1].trial))


def read_outcomes(run: Run) -> Outcomes:
    """Read all outcomes of a run; errors: UsageError."""
    outcomes = Outcomes()
    outcomes.read_on(run)
    return outcomes


def read_run(path: Path) -> Run:
    """Read a run from its store; errors: UsageError if there is none, or one of another version, or a damaged one."""
    with _opened(path) as connection:
        header, seconds, ended = _read_header(connection, path)
        places = {name: place for place, name in enumerate(header.domains)}
        tasks = sorted(header.tasks, key=lambda each: (places[each.domain], each.position, each.id))
        try:
            parsed = {(each.domain, each.id): parse_task(each.line) for each in tasks}
        except ValueError as error:
            raise _damaged(path, error) from error
        return Run(
            path=path,
            config=header.config,
            domains=header.domains,
            tasks=parsed,
            trials={(each.domain, each.id): each.trials for each in tasks},
            seconds=seconds,
            made_by=header.made_by,
            began=header.began.isoformat(),
            ended=ended,
        )


@contextmanager
def _opened(path: Path, *, writable: bool = False) -> Iterator[sqlite3.Connection]:
    """Open a store, also while a run writes to it; one to write is created where there is none. Errors: UsageError."""
    if not writable and not path.is_file():
        raise UsageError(f"There is no run store {str(path)!r}; `worldsmith eval` writes one.")
    try:
        if writable:
            path.touch()
        with closing(open_file(path, writable=writable, most_value=_MOST_RECORD)) as connection:
            if writable and connection.execute("SELECT 1 FROM sqlite_schema").fetchone() is None:
                for statement in (
                    f"PRAGMA application_id = {_APPLICATION}",
                    f"PRAGMA user_version = {FORMAT}",
                    *_SCHEMA,
                ):
                    connection.execute(statement)
            (application,) = connection.execute("PRAGMA application_id").fetchone()
            (format_,) = connection.execute("PRAGMA user_version").fetchone()
            if (application, format_) != (_APPLICATION, FORMAT):
                raise UsageError(f"{str(path)!r} is not a run store of format {FORMAT}; name another file.")
            yield connection
    except (OSError, sqlite3.Error) as error:
        raise UsageError(f"{str(path)!r} cannot be used as a run store: {error}.") from error


def _read_header(connection: sqlite3.Connection, path: Path) -> tuple[_Header, float, str]:
    try:
        text, seconds, ended = connection.execute("SELECT header, seconds, ended FROM run").fetchone()
        return _HEADER.validate_json(text), seconds, ended
    except (ValueError, TypeError) as error:
        raise _damaged(path, error) from error


def _damaged(path: Path, error: Exception, what: str = "") -> UsageError:
    return UsageError(f"The run store {str(path)!r} is damaged: {what}{' '.join(str(error).split())}.")


@dataclass(frozen=True)
class Kept:
    """What a store holds of a plan when a run is resumed; void episodes are owed again.

    `rewarded` counts the episodes in `done` with reward 1; `cost` is None where a price is unknown.
    """

    done: frozenset[tuple[str, str, int]]
    rewarded: int
    cost: float | None
    seconds: float


def default_store(played: str, agent: str) -> Path:
    """Return `runs/PLAYED-AGENT.db`, with a hash of the exact name where that has characters unfit for a file name."""
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
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = open_lock(path.with_name(f".{path.name}.lock"))
    except OSError as error:
        raise UsageError(f"The store {str(path)!r} cannot be written: {error.strerror}.") from error
    with lock:
        if not take_lock(lock):
            raise UsageError(f"Another evaluation writes to {str(path)!r}; wait for it, or give another --store.")
        yield


def set_aside(path: Path) -> Path | None:
    """Move a held store to a free name beside it and return that; None if there is no store. Errors: UsageError."""
    if not path.is_file() or not path.stat().st_size:
        return None
    with _opened(path):  # refuse to move what is not a run store
        names = (path.with_name(f"{path.stem}.{number}{path.suffix}") for number in count(1))
    return path.rename(next(each for each in names if not each.exists()))


def prepare_store(path: Path, plan: EvaluationPlan) -> Kept:
    """Create a held store, or check that it belongs to the same run, and record what is asked for; errors: UsageError.

    More tasks, trials and domains extend a run. Other tasks and trials in the store stay.
    """
    with _opened(path, writable=True) as connection:
        connection.execute("BEGIN IMMEDIATE")
        if connection.execute("SELECT 1 FROM episode").fetchone() is None:  # nothing was played: it starts anew
            connection.execute("DELETE FROM run")
            header, seconds = _Header(plan.config, version("worldsmith"), _now(), {}, []), 0.0
        else:
            header, seconds, _ = _read_header(connection, path)
        text, now = _HEADER.dump_json(_extended(header, plan, path)).decode(), _now().isoformat()
        if connection.execute("UPDATE run SET header = ?", (text,)).rowcount == 0:
            connection.execute("INSERT INTO run VALUES (?, 0.0, ?)", (text, now))
        kept = _read_kept(connection, plan, seconds)
        connection.execute("COMMIT")
        return kept


def tasks_to_resume(path: Path, config: RunConfig) -> frozenset[TaskName]:
    """Return the tasks of the run that a store holds; errors: UsageError if that is another run than this one."""
    if not path.is_file() or not path.stat().st_size:
        return frozenset()
    with _opened(path) as connection:
        if connection.execute("SELECT 1 FROM episode").fetchone() is None:
            return frozenset()
        header, _, _ = _read_header(connection, path)
    _expect_same(header.config, config, path)
    return frozenset((each.domain, each.id) for each in header.tasks)


def _expect_same(there: RunConfig, here: RunConfig, path: Path) -> None:
    for what, one, other in there.differences(here):
        if what != "reward":
            raise _other_run(path, f"{what} {one!r}, not {other!r}")


def _extended(header: _Header, plan: EvaluationPlan, path: Path) -> _Header:
    """Return the header of a run that is resumed with a plan; errors: UsageError if the plan plays something else."""
    _expect_same(header.config, plan.config, path)
    domains, faults = dict(header.domains), read_fault_plan(plan.config.faults or None)
    for domain in plan.domains:
        played: Domain = with_handbook(domain) if plan.config.handbook else domain
        timed = any(each.task.clock for each in plan.tasks if each.task.domain == domain.name)
        described = describe_domain(played, throttles=faults is not None and faults.throttles, timed=timed)
        known = domains.setdefault(domain.name, described)
        now = describe_domain(played)
        for one, other, what in ((known.digest, now.digest, "digest"), (known.handbook, now.handbook, "handbook")):
            if one != other:
                digests = f"{what} {one[:_SHORT]!r}, not {other[:_SHORT]!r}"
                raise _other_run(path, f"domain {domain.name!r} with {digests}: its files changed since")
    tasks = {(each.domain, each.id): each for each in header.tasks}
    for chosen in plan.tasks:
        asked = _TaskInRun(*chosen.name, chosen.position, plan.trials, task_line(chosen.task))
        there = tasks.get(chosen.name, asked)
        if there.line != asked.line:
            raise _other_run(path, f"task {asked.id!r} with another line in tasks.jsonl")
        tasks[chosen.name] = there._replace(trials=max(there.trials, asked.trials))
    prices = tuple({each[0]: each for each in (*header.config.prices, *plan.config.prices)}.values())
    config = replace(plan.config, name=plan.config.name or header.config.name, prices=prices)
    return replace(header, config=config, domains=domains, tasks=list(tasks.values()))


def _other_run(path: Path, what: str) -> UsageError:
    return UsageError(f"The run in {str(path)!r} has {what}; give another --store, or --fresh to start a new one.")


def describe_domain(domain: Domain, *, throttles: bool = False, timed: bool = False) -> DomainInRun:
    """Return what a run keeps of a domain, with `wait` where its service `throttles` or a task's clock moves."""
    return DomainInRun(
        name=domain.name,
        title=domain.card.title,
        tools=[dict(tool) for tool in list_tools(domain, throttles, timed)],
        tables={
            name: {"columns": list(table.column_names), "key": list(table.primary_key)}
            for name, table in domain.schema.tables.items()
        },
        digest=domain.digest,
        rules=domain.rules.codes,
        real_rows=domain.card.real_rows,
        handbook=domain.handbook.digest if isinstance(domain, SearchedDomain) else "",
        unverified=domain.card.unverified,
        locale=domain.locale,
    )


def _read_kept(connection: sqlite3.Connection, plan: EvaluationPlan, seconds: float) -> Kept:
    names = {chosen.name for chosen in plan.tasks}
    judged = connection.execute("SELECT domain, task, trial, reward FROM episode WHERE reward IS NOT NULL")
    done = {
        (domain, task, trial): reward
        for domain, task, trial, reward in judged
        if (domain, task) in names and trial < plan.trials
    }
    unpriced, cost = connection.execute("SELECT count(*) - count(cost), total(cost) FROM episode").fetchone()
    return Kept(frozenset(done), sum(done.values()), None if unpriced else cost, seconds)


class StoreWriter:
    """Appends attempts to a prepared store; what `append` returned for survives a killed process."""

    def __init__(self, path: Path, kept: Kept) -> None:
        """Open the store; errors: EnvironmentFault if it cannot be written."""
        self._path = path
        self._started = time.monotonic() - kept.seconds
        with self._or_fault():
            self._connection = open_file(path, writable=True, most_value=_MOST_RECORD)
            self._connection.execute("PRAGMA journal_mode = WAL")  # so that others can read meanwhile
            self._connection.execute("PRAGMA synchronous = NORMAL")

    def append(self, attempts: Sequence[Attempt]) -> None:
        """Commit attempts, of which the last at an episode counts; errors: EnvironmentFault."""
        number = "(SELECT count(*) + 1 FROM episode WHERE (domain, task, trial) = (?1, ?2, ?3))"
        with self._or_fault():
            self._connection.execute("BEGIN")
            for record, line in attempts:
                values = record.domain, record.task, record.trial, record.reward, record.cost, line
                self._connection.execute(f"INSERT INTO episode VALUES (?1, ?2, ?3, {number}, ?4, ?5, ?6)", values)
            times = time.monotonic() - self._started, _now().isoformat()
            self._connection.execute("UPDATE run SET seconds = ?, ended = ?", times)
            self._connection.execute("COMMIT")

    def close(self) -> None:
        """Leave one plain file, which can be read in a folder that cannot be written."""
        with closing(self._connection), contextlib.suppress(sqlite3.Error):
            self._connection.execute("PRAGMA journal_mode = DELETE")

    @contextmanager
    def _or_fault(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise EnvironmentFault(f"The store {str(self._path)!r} cannot be written: {error}.") from error


def _now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)
