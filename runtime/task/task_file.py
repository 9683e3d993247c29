"""Read the lines of a task file, check each against its domain, and write them."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing
from pathlib import Path

from pydantic import ValidationError

from runtime.domain.domain import Domain
from runtime.domain.hybrid import HybridDomain
from runtime.domain.policies import loosens
from runtime.domain.schema import read_column_ref
from runtime.domain.waiting import CLOCK_TOOLS
from runtime.errors import UsageError
from runtime.sandbox.files import is_there, parse_json, read_lines
from runtime.sandbox.sqlite import open_memory, tables_read
from runtime.session.clock import StatedRow, faults_of_plan
from runtime.task.origin import steps_named
from runtime.task.task import ACCOUNT, AddedRow, FittedRow, Task
from runtime.task.values import fault_of_value
from runtime.wording import counted, have


def task_file(folder: Path, named: Path | None = None) -> Path:
    """Return where tasks are: a domain's own, a set of that name in its folder `tasks`, or else a file."""
    if named is None:
        return folder / "tasks.jsonl"
    of_domain = folder / "tasks" / f"{named}.jsonl"
    return of_domain if named.name == str(named) and not named.suffix and is_there(of_domain) else named


def read_tasks(
    domain: Domain, faults: list[str] | None = None, file: Path | None = None, beside: Collection[str] = ()
) -> dict[str, Task]:
    """The tasks of a domain by id, in file order: its own, or those in `task_file`, without those of `beside`.

    Errors: UsageError that names the first line that is not a task; with a list of `faults` these are noted there, and
    the other tasks are given.
    """
    path = task_file(domain.path, file)
    tasks: dict[str, Task] = {}
    foreign: Counter[str] = Counter()  # of other domains
    if file is None and not is_there(path):
        return tasks
    for number, line in read_lines(path):
        if not line.strip():
            continue
        try:
            task = _read_line(line, f"{path}:{number}", domain, tasks, beside)
        except UsageError as error:
            if faults is None:
                raise
            if isinstance(error, _Foreign):
                foreign[error.domain] += 1
            else:
                faults.append(str(error))
        else:
            tasks |= {task.id: task} if task is not None else {}
    for name, count in foreign.items():
        sentence = f"{path}: {counted(count, 'task')} of domain {name!r}, not of {domain.name!r}; "
        assert faults is not None
        faults.append(f"{sentence}`worldsmith tasks {domain.name} -n N --replace` writes the file anew.")
    return tasks


class _Foreign(UsageError):
    """A task of another domain."""

    def __init__(self, sentence: str, domain: str) -> None:
        super().__init__(sentence)
        self.domain = domain


def _read_line(
    line: bytes, where: str, domain: Domain, earlier: Mapping[str, Task], beside: Collection[str]
) -> Task | None:
    """Return the task of a line; None if it is one of a domain beside this one."""
    try:
        task = parse_task(line)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(map(str, first["loc"])) or "the line"
        raise UsageError(f"{where}: {name}: {first['msg']}.") from None
    except ValueError as error:
        raise UsageError(f"{where}: the line is not JSON: {error}.") from None
    if task.domain in beside:
        return None
    if task.domain != domain.name:
        raise _Foreign(
            f"{where}: task {task.id!r} belongs to domain {task.domain!r}, not {domain.name!r}.", task.domain
        )
    for fault in faults_of_task(task, domain):
        raise UsageError(f"{where}: task {task.id!r} {fault}")
    if task.id in earlier:
        raise UsageError(f"{where}: task {task.id!r} appears in an earlier line, too.")
    return task


def parse_task(line: str | bytes) -> Task:
    """A task from its line; errors: ValidationError for JSON of another form, ValueError for what is not JSON."""
    return Task.model_validate(parse_json(line))


def find_task(domain: Domain, task_id: str, file: Path | None = None) -> Task:
    """Return one task of a domain or of another file, whatever is wrong with other lines; errors: UsageError."""
    faults: list[str] = []
    tasks = read_tasks(domain, faults, file)
    if task_id not in tasks:
        broken = f"; a line is not a task: {faults[0]}" if faults else "."
        where = f"Domain {domain.name!r}" if file is None else f"The task file {str(file)!r}"
        raise UsageError(f"{where} has no task {task_id!r}; {have(task_id, tasks)}{broken}")
    return tasks[task_id]


def task_line(task: Task) -> str:
    return json.dumps(task.model_dump(mode="json", exclude_defaults=True), ensure_ascii=False, separators=(",", ":"))


def faults_of_task(task: Task, domain: Domain) -> Iterator[str]:
    """Yield why a task of a file would not be read, each as what follows its name."""
    chains = [task.chain, *(end.chain for end in task.ends), *([[task.poison.call]] if task.poison else [])]
    for number, step in (each for chain in chains for each in enumerate(chain)):
        if step.tool not in domain.tools and not (task.clock and step.tool in CLOCK_TOOLS):
            yield f"calls tool {step.tool!r}, which the domain does not have; {have(step.tool, domain.tools)}."
        for earlier in steps_named(step.arguments):
            if not isinstance(earlier, int) or not 0 <= earlier < number:
                yield f"refers to step {earlier!r} in step {number}; only earlier steps have results, from 0."
    named_rows: list[AddedRow | FittedRow | StatedRow] = [*task.added, *task.fitted, *task.expected]
    named_rows += (row for end in task.ends for row in end.expected)
    if (poison := task.poison) is not None:
        named_rows += poison.changes
        if poison.column not in domain.policies.by_table.get(poison.table, {}):
            yield f"is poisoned in unknown column {poison.place!r}."
    named_rows += (row for event in (task.clock.events if task.clock else ()) for row in event.rows)
    yield from _faults_of_selects(task, domain)
    if task.clock is not None:
        yield from faults_of_plan(task.clock, domain.now, tuple(domain.tools))
    for named in named_rows:
        table = domain.schema.tables.get(named.table)
        if table is None:
            yield f"names {named.table}, which the schema does not have; {have(named.table, domain.schema.tables)}."
            continue
        for name in named.columns.keys() - table.positions.keys():
            yield f"names {table.name}.{name}, which the schema does not have; {have(name, table.positions)}."
    for name, policy in task.policies.items():
        table_name, column = read_column_ref(name)
        declared = domain.policies.by_table.get(table_name, {}).get(column)
        if declared is None:
            yield f"has a policy for unknown column {name!r}."
        elif loosens(policy, declared):
            yield f"loosens column {name!r} from {declared.policy} to {policy.policy}; a task may only tighten."
    wishes = len(task.user.wishes)
    parts = [("step", each) for chain in chains for each in chain] + [("answer", each) for each in task.answers]
    for what, part in parts:
        if not 0 <= part.wish < wishes:
            yield f"has a {what} for wish {part.wish}; the user has {wishes}, counted from 0."
    yield from task.user.faults()
    for caller in (*task.callers, *([task.caller] if task.caller else [])):
        if caller.table not in domain.schema.tables:
            yield f"has a caller from table {caller.table!r}; {have(caller.table, domain.schema.tables)}."
    names = [answer.name for answer in task.answers]
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        yield f"has two answers named {name!r}; the user asks for each by its name."
    for answer in task.answers:
        if fault := fault_of_value(answer.kind, answer.value):
            yield f"wants the answer {answer.name!r} as a {answer.kind}, but {answer.value!r} {fault}."
        if (answer.kind == "account") != (answer.name == ACCOUNT):
            yield f"has the {answer.kind} {answer.name!r}; an account is named {ACCOUNT!r}, and nothing else is."
        if answer.kind == "text" and answer.source is None:
            yield f"wants the answer {answer.name!r}, a text; name the column it comes from as its source."
        if answer.source is not None and answer.source.column not in domain.policies.by_table.get(
            answer.source.table, {}
        ):
            yield f"takes answer {answer.name!r} from unknown column {str(answer.source)!r}."


def _faults_of_selects(task: Task, domain: Domain) -> Iterator[str]:
    if (task.checks or task.clock) and isinstance(domain, HybridDomain):
        yield "has checks or a clock, which a task of several domains cannot have."
    if (task.checks or task.may_change) and (task.expected or task.ends):
        yield "has checks and an expected state; it can have one or the other."
    if task.may_change and not task.checks:
        yield "says what may change, but has no checks."
    places = {
        name
        for table, columns in domain.policies.by_table.items()
        for name in (table, f"+{table}", f"-{table}", *(f"{table}.{column}" for column in columns))
    }
    for place in task.may_change:
        if place not in places:
            yield f"lets {place!r} change, which is neither a table nor a column of the domain."
    selects = {check.sql: f"check {check.claim!r}" for check in task.checks}
    events = task.clock.events if task.clock else []
    selects |= {event.when.sql: f"event {event.id!r}" for event in events if event.when is not None}
    if not selects:
        return
    with closing(open_memory()) as connection:
        domain.schema.create(connection)
        for sql, what in selects.items():
            try:
                if not tables_read(connection, sql, domain.schema.tables):
                    yield f"has the {what}, whose SELECT reads no table."
            except sqlite3.Error as error:
                yield f"has the {what}, whose SELECT SQLite does not accept: {error}."
