"""The run store as others read it: one SQLite file with the configuration, the domains, the tasks and every episode."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError

from runtime.domain.domain import Domain
from runtime.errors import AlteredStore, UsageError
from runtime.harness.evaluation.config import RunConfig, read_config
from runtime.harness.evaluation.plan import MOST_TRIALS
from runtime.harness.record import EpisodeRecord, read_record, write_record
from runtime.harness.record_form import first_fault
from runtime.sandbox.connect import damage_in, open_file
from runtime.sandbox.files import parse_json
from runtime.server.listing import list_domain
from runtime.task.task import Task
from runtime.task.task_file import task_line
from runtime.verification.verdict import RewardKind, reward_by
from runtime.wording import counted

FORMAT = 4  # the file's user_version
APPLICATION = 0x57534D52  # the file's application_id: "WSMR"

_EPISODE_COLUMNS = """
    domain TEXT NOT NULL, task TEXT NOT NULL, trial INTEGER NOT NULL, reward INTEGER, ended TEXT NOT NULL,
    fault TEXT, reason TEXT NOT NULL, cost REAL, prompt INTEGER NOT NULL, completion INTEGER NOT NULL,
    cached INTEGER NOT NULL, estimated INTEGER NOT NULL, seconds REAL NOT NULL, record TEXT NOT NULL"""

SCHEMA = (
    "CREATE TABLE run (config TEXT NOT NULL, made_by TEXT NOT NULL, began TEXT NOT NULL, ended TEXT NOT NULL,"
    " seconds REAL NOT NULL) STRICT",
    "CREATE TABLE domain (name TEXT PRIMARY KEY, position INTEGER NOT NULL, content TEXT NOT NULL) STRICT",
    "CREATE TABLE task (domain TEXT NOT NULL, id TEXT NOT NULL, position INTEGER NOT NULL, trials INTEGER NOT NULL,"
    " idle INTEGER, line TEXT NOT NULL, PRIMARY KEY (domain, id)) STRICT",
    f"CREATE TABLE episode ({_EPISODE_COLUMNS}, PRIMARY KEY (domain, task, trial)) STRICT",
    # attempts that came to nothing by a fault of ours and were made again: what they cost was spent all the same
    f"CREATE TABLE void_attempt ({_EPISODE_COLUMNS}) STRICT",
)


_TABLES = ("run", "domain", "task", "episode", "void_attempt")
MOST_RECORD = 256 * 1024**2  # bytes of one episode


class EpisodeRow(NamedTuple):
    """One episode as a row; `record` is its whole record as JSON, left empty where only the rest is read.

    `violations`, how many there are, is no column: the record says it, and only where a run is scored is it counted.
    """

    domain: str
    task: str
    trial: int
    reward: int | None
    ended: str
    fault: str | None
    reason: str
    cost: float | None
    prompt: int
    completion: int
    cached: int
    estimated: int
    seconds: float
    record: str = ""
    violations: int = 0


COLUMNS = EpisodeRow._fields[:-1]
ROW = ", ".join(COLUMNS)  # the columns of an episode, as SQL names them


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


@dataclass(frozen=True)
class Run:
    """One run as its store holds it. `trials` is how many were asked for, `idle` the reward of doing nothing, by task.

    `seconds` is the time in which episodes were played, by the clock on the wall; `began` and `ended`, in UTC, are when
    the store was made and when its last episode came. `made_by` is the version of worldsmith that made it.
    """

    path: Path
    config: RunConfig
    domains: Mapping[str, DomainInRun]
    tasks: Mapping[tuple[str, str], Task] = field(repr=False)
    trials: Mapping[tuple[str, str], int] = field(repr=False)
    idle: Mapping[tuple[str, str], int | None] = field(repr=False)
    seconds: float = 0.0
    made_by: str = ""
    began: str = ""
    ended: str = ""

    def records(self, tasks: Iterable[tuple[str, str]] | None = None) -> Iterator[EpisodeRecord]:
        """Every episode, void ones included, in order of domain, task (as in its file), trial; one at a time.

        Where tasks are given, theirs, in that order. Errors: AlteredStore, see `checked_record`.
        """
        with read_store(self.path) as connection:
            for domain, task in self.tasks if tasks is None else tasks:
                for row in connection.execute(
                    f"SELECT {ROW} FROM episode WHERE domain = ? AND task = ? ORDER BY trial", (domain, task)
                ):
                    record = checked_record(EpisodeRow(*row), self.path)
                    fault = _misfit_of(record, self.domains[domain])
                    if fault is not None:
                        raise AlteredStore(
                            f"{describe_episode(EpisodeRow(*row))} in {str(self.path)!r} was altered: {fault}."
                        )
                    yield record

    def rows(self) -> list[EpisodeRow]:
        """What scores are made of, in the same order: the records' own figures, without the records.

        Their rewards are of the kind that the run's configuration names.
        """
        return [_rewarded(record, self.config.reward) for record in self.records()]

    def void_attempts(self) -> list[EpisodeRow]:
        """The attempts that were void and made again."""
        with read_store(self.path) as connection:
            rows = connection.execute(f"SELECT {ROW} FROM void_attempt ORDER BY rowid")
            return [figures_of(checked_record(EpisodeRow(*row), self.path)) for row in rows]


def read_run(path: Path) -> Run:
    """A run from its store; errors: UsageError for no store, one of another version, a damaged one."""
    with read_store(path) as connection:
        try:
            config, *marks = connection.execute("SELECT config, seconds, made_by, began, ended FROM run").fetchone()
            domains = connection.execute("SELECT name, content FROM domain ORDER BY position").fetchall()
            tasks = connection.execute(
                "SELECT task.domain, id, trials, idle, line FROM task JOIN domain ON domain.name = task.domain"
                " ORDER BY domain.position, task.position, id"
            ).fetchall()
            for moment in marks[2:]:
                datetime.fromisoformat(moment)
            return Run(
                path=path,
                config=read_config(parse_json(config)),
                domains={name: read_domain(content) for name, content in domains},
                tasks={(domain, name): Task.model_validate(parse_json(line)) for domain, name, *_, line in tasks},
                trials={(domain, name): trials for domain, name, trials, *_ in tasks},
                idle={(domain, name): idle for domain, name, _, idle, _ in tasks},
                **dict(zip(("seconds", "made_by", "began", "ended"), marks, strict=True)),
            )
        except ValidationError as error:
            raise damaged(path, first_fault(error)) from error
        except (ValueError, TypeError, KeyError) as error:
            raise damaged(path, " ".join(str(error).split())) from error


@contextmanager
def read_store(path: Path) -> Iterator[sqlite3.Connection]:
    """A store opened for reading, also while a run writes to it; errors: UsageError."""
    if path.is_dir():
        raise UsageError(f"{str(path)!r} is a folder, not a run store.")
    if not path.is_file():
        raise UsageError(f"There is no run store {str(path)!r}; `worldsmith eval` writes one.")
    try:
        with closing(open_file(path, most_value=MOST_RECORD)) as connection:
            check_store(connection, path)
            yield connection
    except sqlite3.Error as error:
        raise damaged(path, str(error)) from error


def check_store(connection: sqlite3.Connection, path: Path) -> None:
    """See that a file is a run store of this format; errors: UsageError, sqlite3.Error."""
    try:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
    except sqlite3.DatabaseError as error:
        if "not a database" in str(error):
            raise UsageError(f"{str(path)!r} is not a run store, nor any other database.") from error
        raise
    if application != APPLICATION:
        raise UsageError(f"{str(path)!r} is a database, but not a run store.")
    if version != FORMAT:
        raise UsageError(
            f"{str(path)!r} is a run store of format {version}, judged by other rules; this version reads {FORMAT}. "
            "Name another file."
        )
    made = {sql for (sql,) in connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")}
    if made - set(SCHEMA):  # a trigger or a view of somebody's would run with what is read and written
        raise damaged(path, f"it was not made so by worldsmith: {min(made - set(SCHEMA))!r:.80}")
    wrong = damage_in(connection, _TABLES)
    if wrong is not None:
        raise damaged(path, wrong)
    for table, column, right, words in _RIGHT_VALUES:
        found = connection.execute(f"SELECT {column} FROM {table} WHERE NOT ({right})").fetchone()
        if found is not None:
            what = f"a {table} has {column} {found[0]!r}, {words}"
            raise AlteredStore(f"The run store {str(path)!r} was altered: {what}.")


_RIGHT_VALUES = (  # of columns that no record is compared with
    ("run", "seconds", "seconds >= 0 AND seconds < 1e12", "not a number of seconds"),
    ("task", "idle", "idle IS NULL OR idle IN (0, 1)", "not 0 or 1"),
    ("task", "trials", f"trials BETWEEN 1 AND {MOST_TRIALS}", f"not 1 to {MOST_TRIALS:,}"),
    ("task", "position", "position >= 0", "not a position from 0"),
    ("domain", "position", "position >= 0", "not a position from 0"),
)


def damaged(path: Path, how: str) -> UsageError:
    """What is said of a store that cannot be read on."""
    return UsageError(f"The run store {str(path)!r} is damaged: {how}.")


def checked_record(row: EpisodeRow, path: Path) -> EpisodeRecord:
    """The record in a row of a store; errors: AlteredStore where the row's columns or the verdict itself contradict it.

    Whoever changes both so that they agree is not noticed here: `rescore` judges the final state again.
    """
    try:
        record = read_record(row.record)
        figures = figures_of(record)
    except ValidationError as error:
        raise AlteredStore(f"{describe_episode(row)} in {str(path)!r} was altered: {first_fault(error)}.") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        what = f"its record cannot be read: {error}"
        raise AlteredStore(f"{describe_episode(row)} in {str(path)!r} was altered: {what}.") from error
    for name, column, recorded in zip(COLUMNS[:-1], row, figures, strict=False):
        if column != recorded:
            raise AlteredStore(
                f"{describe_episode(row)} in {str(path)!r} was altered: its column {name!r} is {column!r}, its record "
                f"says {recorded!r}."
            )
    if record.reward not in (None, 0, 1):
        raise AlteredStore(
            f"{describe_episode(row)} in {str(path)!r} was altered: its reward is {record.reward}, not 0 or 1."
        )
    if record.reward is not None and _contradicts(record):
        raise AlteredStore(
            f"{describe_episode(row)} in {str(path)!r} was altered: its record has reward {record.reward}, and "
            f"{counted(len(record.differences), 'difference')} at progress {record.progress}."
        )
    return record


def _contradicts(record: EpisodeRecord) -> bool:
    """True if the reward or the progress of a record is not what its differences and violations come to."""
    right = reward_by("final_state_and_rules", record.differences, record.violations)
    return record.reward != right or (record.progress == 1) != (not record.differences)


def _misfit_of(record: EpisodeRecord, domain: DomainInRun) -> str | None:
    """What of a final state cannot be of the domain that was played, as the rest of a sentence."""
    for row in record.final:
        name = row["table"]
        table = domain.tables.get(name)
        if table is None:
            return f"its final state has a table {name!r:.80}, the domain has none of that name"
        for part, columns in (("key", "key"), ("before", "columns"), ("after", "columns")):
            if row[part] is not None and len(row[part]) != len(table[columns]):
                values = counted(len(row[part]), "value")
                return f"its final state has a row of {name!r} whose {part!r} is {values}, not {len(table[columns])}"
    return None


def describe_episode(row: EpisodeRow) -> str:
    """An episode as a sentence begins with it."""
    return f"Episode {row.trial} of task {row.task!r} of domain {row.domain!r}"


def row_of(record: EpisodeRecord) -> EpisodeRow:
    """An episode as the row that is kept of it."""
    return figures_of(record)._replace(record=write_record(record))


def figures_of(record: EpisodeRecord) -> EpisodeRow:
    """What of an episode stands in columns of its row."""
    return EpisodeRow(
        domain=record.domain,
        task=record.task,
        trial=record.trial,
        reward=record.reward,
        ended=record.end,
        fault=record.fault,
        reason=record.reason,
        cost=record.cost,
        prompt=record.tokens.get("prompt", 0),
        completion=record.tokens.get("completion", 0),
        cached=record.tokens.get("cached", 0),
        estimated=int(record.estimated),
        seconds=record.seconds,
    )


def _rewarded(record: EpisodeRecord, kind: RewardKind) -> EpisodeRow:
    """An episode's figures with the reward of a kind; where only that one is lost, the first violation is why."""
    figures, reward = figures_of(record)._replace(violations=len(record.violations)), record.reward_by(kind)
    if reward == record.reward:
        return figures
    return figures._replace(reward=reward, fault="agent", reason=f"violation of {record.violations[0].rule}")


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


_DOMAIN = TypeAdapter(DomainInRun)


def read_domain(content: str) -> DomainInRun:
    """A domain in a run from its JSON; errors: ValueError."""
    parse_json(content)  # which refuses a name that appears twice
    domain = _DOMAIN.validate_json(content, strict=True)
    for name, table in domain.tables.items():
        columns, key = table.get("columns"), table.get("key")
        if not columns or not key or not set(key) <= set(columns):
            raise ValueError(f"table {name!r:.80} of a domain has columns {columns!r:.80} and key {key!r:.80}")
    return domain


def write_domain(domain: DomainInRun) -> str:
    """A domain in a run as JSON."""
    return json.dumps(asdict(domain), ensure_ascii=False, separators=(",", ":"))


def digest_of_task(task: Task) -> str:
    """A digest of a task's line: two tasks with the same one are the same task."""
    return hashlib.sha256(task_line(task).encode()).hexdigest()


def same_tasks(one: Mapping[tuple[str, str], Task], other: Mapping[tuple[str, str], Task]) -> Sequence[tuple[str, str]]:
    """The tasks that both have by name but with different lines."""
    return [name for name, task in one.items() if name in other and task_line(task) != task_line(other[name])]
