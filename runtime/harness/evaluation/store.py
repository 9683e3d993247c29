"""The run store as it is read: one SQLite file with what was asked for and every attempt at an episode."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError

from runtime.domain.domain import Domain
from runtime.errors import UsageError
from runtime.harness.evaluation.config import RunConfig
from runtime.harness.evaluation.plan import TaskName
from runtime.harness.record import EpisodeRecord, read_record
from runtime.sandbox.sqlite import open_file
from runtime.server.listing import list_domain
from runtime.task.task import Task
from runtime.task.task_file import parse_task

FORMAT = 5  # the file's user_version
APPLICATION = 0x57534D52  # the file's application_id: "WSMR"

SCHEMA = (
    "CREATE TABLE run (header TEXT NOT NULL, seconds REAL NOT NULL, ended TEXT NOT NULL) STRICT",
    # The last attempt at an episode counts; earlier ones were void, but what they cost was spent.
    "CREATE TABLE episode (domain TEXT NOT NULL, task TEXT NOT NULL, trial INTEGER NOT NULL, attempt INTEGER NOT NULL,"
    " reward INTEGER, cost REAL, record TEXT NOT NULL, PRIMARY KEY (domain, task, trial, attempt)) STRICT",
)
_LAST = "SELECT *, max(attempt) FROM episode GROUP BY domain, task, trial"
MOST_RECORD = 256 * 1024**2  # bytes of one episode


@dataclass(frozen=True)
class DomainInRun:
    """A domain as it was when the run began. `tools` are as MCP lists them, `tables` have `columns` and `key`."""

    name: str
    title: str
    summary: str
    now: str
    tools: list[dict[str, Any]] = field(repr=False)
    tables: dict[str, dict[str, list[str]]] = field(repr=False)
    digest: str
    path: str
    rules: list[str] = field(default_factory=list)  # codes, of duties too


class TaskInRun(NamedTuple):
    """A task as its line, with its position in its domain's file and how many trials were asked for."""

    domain: str
    id: str
    position: int
    trials: int
    line: str


@dataclass(frozen=True)
class Header:
    """What a store says of its run."""

    config: RunConfig
    made_by: str
    began: datetime
    domains: dict[str, DomainInRun]
    tasks: list[TaskInRun]


HEADER = TypeAdapter(Header)


@dataclass(frozen=True)
class Run:
    """One run as its store holds it. `trials` is how many were asked for, by task.

    `seconds` is the wall time in which episodes were played; `began` and `ended`, in UTC, are when the store was made
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
        """Read every episode, void ones included, in order of domain, task (as in its file), trial; one at a time.

        Where tasks are given, theirs, in that order. Errors: UsageError for a record that cannot be read.
        """
        with opened(self.path) as connection:
            for name in self.tasks if tasks is None else tasks:
                chosen = f"SELECT record FROM ({_LAST}) WHERE domain = ? AND task = ? ORDER BY trial"
                for (line,) in connection.execute(chosen, name):
                    yield self._read(line, name)

    def outcomes(self) -> list[EpisodeRecord]:
        """Read every episode without its long parts, in the same order, with the reward that the run's options ask for.

        Where only that reward is lost, the first violation is why.
        """
        found = []
        for record in self.records():
            reward = record.reward_by(self.config.reward)
            if reward != record.reward:
                reason = f"violation of {record.violations[0].rule}"
                record = replace(record, reward=reward, fault="agent", reason=reason)
            found.append(record.brief)
        return found

    def void_attempts(self) -> list[EpisodeRecord]:
        """Read the attempts that were void and made again, without their long parts."""
        with opened(self.path) as connection:
            last = "SELECT max(attempt) FROM episode WHERE (domain, task, trial) = (made.domain, made.task, made.trial)"
            earlier = f"SELECT record, domain, task FROM episode AS made WHERE attempt < ({last})"
            rows = connection.execute(earlier).fetchall()
            return [self._read(line, name).brief for line, *name in rows]

    def _read(self, line: str, name: Sequence[str]) -> EpisodeRecord:
        try:
            return read_record(line)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            how = f"an episode of task {name[1]!r} cannot be read: {_first_fault(error)}"
            raise _damaged(self.path, how) from error


def read_run(path: Path) -> Run:
    """Read a run from its store; errors: UsageError for no store, one of another version, a damaged one."""
    with opened(path) as connection:
        header, seconds, ended = read_header(connection, path)
        places = {name: place for place, name in enumerate(header.domains)}
        tasks = sorted(header.tasks, key=lambda each: (places[each.domain], each.position, each.id))
        try:
            parsed = {(each.domain, each.id): parse_task(each.line) for each in tasks}
        except ValueError as error:
            raise _damaged(path, _first_fault(error)) from error
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
def opened(path: Path, *, writable: bool = False) -> Iterator[sqlite3.Connection]:
    """Open a store, also while a run writes to it; one to write is created where there is none. Errors: UsageError."""
    if path.is_dir():
        raise UsageError(f"{str(path)!r} is a folder, not a run store.")
    if not writable and not path.is_file():
        raise UsageError(f"There is no run store {str(path)!r}; `worldsmith eval` writes one.")
    try:
        if writable:
            path.touch()
        with closing(open_file(path, writable=writable, most_value=MOST_RECORD)) as connection:
            if writable and connection.execute("SELECT 1 FROM sqlite_schema").fetchone() is None:
                connection.execute(f"PRAGMA application_id = {APPLICATION}")
                connection.execute(f"PRAGMA user_version = {FORMAT}")
                for statement in SCHEMA:
                    connection.execute(statement)
            _check_store(connection, path)
            yield connection
            if writable:
                make_plain(connection)
    except OSError as error:
        raise UsageError(f"The store {str(path)!r} cannot be written: {error.strerror}.") from error
    except sqlite3.Error as error:
        if "not a database" in str(error):
            raise UsageError(f"{str(path)!r} is not a run store, nor any other database.") from error
        if writable and isinstance(error, sqlite3.OperationalError):
            raise UsageError(f"The store {str(path)!r} cannot be written: {error}.") from error
        raise _damaged(path, str(error)) from error


def _check_store(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse what is not a run store of this format; errors: UsageError, sqlite3.Error."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version_,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION:
        raise UsageError(f"{str(path)!r} is a database, but not a run store.")
    if version_ != FORMAT:
        raise UsageError(
            f"{str(path)!r} is a run store of format {version_}; this version reads and writes format {FORMAT}. "
            "Name another file."
        )
    # A trigger or a view of somebody else's would run with what is read and written.
    if {sql for (sql,) in connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")} != set(SCHEMA):
        raise _damaged(path, "its tables are not those that worldsmith creates")


def make_plain(connection: sqlite3.Connection) -> None:
    """Leave one file, which can be read in a folder that cannot be written, unless somebody reads it now."""
    with contextlib.suppress(sqlite3.Error):
        connection.execute("PRAGMA journal_mode = DELETE")


def read_header(connection: sqlite3.Connection, path: Path) -> tuple[Header, float, str]:
    """Read what a store says of its run, the seconds that it took and when it ended; errors: UsageError."""
    try:
        text, seconds, ended = connection.execute("SELECT header, seconds, ended FROM run").fetchone()
        datetime.fromisoformat(ended)
        return HEADER.validate_json(text), seconds, ended
    except (ValueError, TypeError) as error:
        raise _damaged(path, _first_fault(error)) from error


def describe_domain(domain: Domain) -> DomainInRun:
    """What a run keeps of a domain."""
    listing = list_domain(domain)
    return DomainInRun(
        name=domain.name,
        title=listing.title,
        summary=listing.summary,
        now=domain.now,
        tools=[dict(tool) for tool in listing.tools],
        tables={
            name: {"columns": list(table.column_names), "key": list(table.primary_key)}
            for name, table in domain.schema.tables.items()
        },
        digest=domain.digest,
        path=str(domain.path.resolve()),
        rules=domain.rules.codes,
    )


def _damaged(path: Path, how: str) -> UsageError:
    return UsageError(f"The run store {str(path)!r} is damaged: {how.rstrip('.')}.")


def _first_fault(error: Exception) -> str:
    """The first thing that is wrong in one line: the name of the value, the value, what is right."""
    if not isinstance(error, ValidationError):
        return " ".join(str(error).split()) or type(error).__name__
    first = error.errors(include_url=False)[0]
    return f"{'.'.join(map(str, first['loc']))} is {first['input']!r:.80}: {first['msg']}"
