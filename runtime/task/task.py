"""A task: a world, a user with a hidden goal, a reference chain, and the final state that reaches the goal."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    Field,
    PlainSerializer,
    ValidationError,
)

from runtime.domain.changes import Changes
from runtime.domain.domain import Domain
from runtime.domain.policies import ColumnPolicy, Policies, faults_of_policy, loosens
from runtime.domain.rows import ColumnRef, read_column_ref
from runtime.domain.schema import Key, Row, Table, Value
from runtime.errors import EnvironmentFault, UsageError
from runtime.sandbox.files import is_there, parse_json, read_lines
from runtime.session.opening import WorldCache
from runtime.session.session import Session
from runtime.session.world import World, build_world
from runtime.task.answers import AnswerKind, fault_of_value
from runtime.task.paths import is_reference, path_of, steps_named, value_at
from runtime.task.user import Belief as Belief
from runtime.task.user import KnownFact as KnownFact
from runtime.task.user import TaskPart
from runtime.task.user import User as User
from runtime.task.user import Wish as Wish
from runtime.wording import have

FORMAT = 2

Results = Sequence[Mapping[str, Any]] | Mapping[int, Mapping[str, Any]]  # of steps, by their numbers


LARGEST_WORLD = 100_000  # rows of a task's world: whoever wrote the line does not pay for building it


class WorldRecipe(TaskPart):
    """Which world the task starts from; `digest` is that of the world with the added rows."""

    seed: int = Field(ge=-(2**63), lt=2**63)
    size: int = Field(ge=1, le=LARGEST_WORLD)
    digest: str = ""


class AddedRow(TaskPart):
    """A distractor or a needed row: a copy of an existing row (`source`, by key) with some columns changed."""

    table: str
    source: list[Value] = []
    columns: dict[str, Value]


class Step(TaskPart):
    """One call of the reference chain; `{"$step": 0, "path": "loan_id"}` stands for a value that step 0 returned.

    `wish` is the one that the step is for, counted from 0.
    """

    tool: str
    arguments: dict[str, Any] = {}
    wish: int = 0


class ExpectedRow(TaskPart):
    """A row of the expected final state: all columns of an added row, the changed columns of a changed one."""

    table: str
    kind: Literal["added", "changed", "removed"]
    key: list[Value]
    columns: dict[str, Value] = {}


def _read_source(written: Any) -> Any:
    return read_column_ref(written) if isinstance(written, str) else written


def _write_source(source: ColumnRef | None) -> str | None:
    return None if source is None else str(source)


class TaskAnswer(TaskPart):
    """A value that the user must be told, and takes down.

    `name` is how the user calls it, a noun phrase in the words of the wish; `kind` is what the value is, and so which
    values of a reply are read as one. A text is one of the column `source`, which a line names as "table.column". With
    `minor` the value is so many hundredths, or thousandths, of what is told: 4500 with 100 is told as 45. `wish` is the
    one that it answers, counted from 0.
    """

    name: str = Field(min_length=1, max_length=100)
    kind: AnswerKind
    value: str | int | float
    source: Annotated[ColumnRef | None, BeforeValidator(_read_source), PlainSerializer(_write_source)] = None
    minor: Literal[1, 10, 100, 1000] = 1
    wish: int = 0


class TaskText(TaskPart):
    """What a text of the expected state is: dictated word for word, or composed by whoever writes it.

    A dictated one is compared; of a composed one, `facts` are what it should say, and nothing of it is rewarded.
    """

    said: Literal["dictated", "composed"]
    facts: list[str] = []


class Caller(TaskPart):
    """Who calls: a row of a table of people, and as what: their own rows only, somebody else's, or all."""

    table: str
    key: list[Value]
    role: Literal["customer", "delegate", "staff"] = "customer"


class Task(TaskPart):
    """One line of `tasks.jsonl`.

    `policies` are the domain's column policies tightened for this task; `texts` says of texts of the expected state
    whether the user dictates them or leaves them to the assistant's own words. `mistakes` are fingerprints of end
    states that known mistakes lead to, by what went wrong. `any_of` (further acceptable end states) and `checks`
    (predicates over the final state, EnvScaler's terminal-state functions) are reserved: they must be empty in this
    format.
    """

    format: Literal[2]
    id: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")
    domain: str
    title: str = Field(min_length=1, max_length=100)
    split: Literal["train", "held_out"] = "train"
    world: WorldRecipe
    added: list[AddedRow] = []
    principal: str | None = None
    caller: Caller | None = None
    user: User
    chain: list[Step] = []
    expected: list[ExpectedRow] = []
    policies: dict[str, ColumnPolicy] = {}
    texts: dict[str, TaskText] = {}
    answers: list[TaskAnswer] = []
    any_of: list[Any] = Field(default=[], max_length=0)
    checks: list[Any] = Field(default=[], max_length=0)
    mistakes: dict[str, str] = {}
    explorable: list[str] = []
    difficulty: dict[str, int] = {}
    proofs: dict[str, Any] = {}

    def texts_said(self, said: Literal["dictated", "composed"]) -> list[str]:
        """Its texts that are dictated, or composed."""
        return [text for text, each in self.texts.items() if each.said == said]

    @property
    def level(self) -> int | None:
        """How hard the task was made, 1 to 5; None where nothing is stated."""
        return self.difficulty.get("complexity")


def read_tasks(
    domain: Domain, faults: list[str] | None = None, file: Path | None = None, beside: Collection[str] = ()
) -> dict[str, Task]:
    """The tasks of a domain by id, in file order: its own, or those in another `file`, without those of `beside`.

    Errors: UsageError that names the first line that is not a task; with a list of `faults` these are noted there, and
    the other tasks are given.
    """
    path = domain.path / "tasks.jsonl" if file is None else file
    tasks: dict[str, Task] = {}
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
            faults.append(str(error))
        else:
            tasks |= {task.id: task} if task is not None else {}
    return tasks


def _read_line(
    line: bytes, where: str, domain: Domain, earlier: Mapping[str, Task], beside: Collection[str]
) -> Task | None:
    """The task of a line; None if it is one of a domain beside this one."""
    try:
        task = parse_task(line)
    except ValidationError as error:
        if _is_of_earlier_format(line):
            raise UsageError(
                f"{where} is a task of format 1; this version reads format {FORMAT}. Make the tasks anew: "
                f"worldsmith tasks {domain.name} --out FILE."
            ) from None
        first = error.errors(include_url=False)[0]
        name = ".".join(map(str, first["loc"])) or "the line"
        raise UsageError(f"{where}: {name}: {first['msg']}.") from None
    except ValueError as error:
        raise UsageError(f"{where}: the line is not JSON: {error}.") from None
    if task.domain in beside:
        return None
    for fault in _faults_of_task(task, domain):
        raise UsageError(f"{where}: task {task.id!r} {fault}")
    if task.id in earlier:
        raise UsageError(f"{where}: task {task.id!r} stands in an earlier line too.")
    return task


def parse_task(line: str | bytes) -> Task:
    """A task from its line; errors: ValidationError for JSON of another form, ValueError for what is not JSON."""
    content = parse_json(line)
    _check_extent(content)
    return Task.model_validate(content)


_MOST_TEXT = 20_000  # characters of a text, which is read for facts and shown
_MOST_LEVELS = 64  # of lists and objects within each other


def _check_extent(content: Any) -> None:
    """Refuse long texts and deep values, whatever they are for; errors: ValueError with the rest of a sentence."""
    level = [content]
    for _ in range(_MOST_LEVELS):
        parts: list[Any] = []
        for each in level:
            if isinstance(each, str) and len(each) > _MOST_TEXT:
                raise ValueError(f"a text has {len(each):,} characters; at most {_MOST_TEXT:,} are read")
            if isinstance(each, dict):
                parts += each
                parts += each.values()
            elif isinstance(each, list):
                parts += each
        level = parts
        if not level:
            return
    raise ValueError(f"it is nested more than {_MOST_LEVELS} levels deep")


def _is_of_earlier_format(line: bytes) -> bool:
    """Whether a line says that it is of the format before this one."""
    try:
        read = parse_json(line)
    except ValueError:
        return False
    return isinstance(read, dict) and read.get("format") == FORMAT - 1


def find_task(domain: Domain, task_id: str, file: Path | None = None) -> Task:
    """One task of a domain or of another file, whatever is wrong with other lines; errors: UsageError."""
    faults: list[str] = []
    tasks = read_tasks(domain, faults, file)
    if task_id not in tasks:
        broken = f"; a line is not a task: {faults[0]}" if faults else "."
        where = f"Domain {domain.name!r}" if file is None else f"The task file {str(file)!r}"
        raise UsageError(f"{where} has no task {task_id!r}; {have(task_id, tasks)}{broken}")
    return tasks[task_id]


def start_world(task: Task, domain: Domain, worlds: WorldCache | None = None) -> World:
    """Build the world that a task starts from, whose origin names the task.

    What tasks of the same seed and size share is taken from the cache, if there is one.
    Errors: UsageError if it is no longer the one that the task was made for; EnvironmentFault.
    """
    seed, size = task.world.seed, task.world.size
    if worlds is None:
        world = build_world(domain.populate, domain.schema, domain.policies, domain.now, seed, size)
    else:
        world = worlds.take(domain, seed, size)
        _ = world.digest  # known once, that of every task's world follows from its added rows
    if task.added:
        world = world.with_rows(_added_records(task, domain, world))
    if task.world.digest and f"{world.digest:032x}" != task.world.digest:
        raise UsageError(
            f"The world of task {task.id!r} has digest {world.digest:032x}, not {task.world.digest}: "
            "world.py or schema.sql changed since the task was made."
        )
    return world.named(task.id)


def replay(session: Session, chain: Sequence[Step]) -> list[Mapping[str, Any]]:
    """Run a reference chain and return each step's result; errors: Rejection, EnvironmentFault."""
    results: list[Mapping[str, Any]] = []
    for step in chain:
        results.append(session.call(step.tool, **bind(step.arguments, results)))
    return results


def bind(arguments: Mapping[str, Any], results: Results) -> dict[str, Any]:
    """Replace every reference to an earlier step's result by its value."""
    return {name: _bound(value, results) for name, value in arguments.items()}


def expected_changes(task: Task, domain: Domain, world: World) -> Changes:
    """The expected final state as changes of the world that the task starts from."""
    changes = Changes()
    connection = world.open()
    try:
        for row in task.expected:
            table, key = domain.schema.tables[row.table], tuple(row.key)
            before = _row(connection, table, key)
            if (before is None) != (row.kind == "added"):
                state = "exists already" if before else "does not exist"
                raise UsageError(f"Task {task.id!r} expects {row.table} {row.key!r} to be {row.kind}, but it {state}.")
            after: Row | None = None
            if row.kind != "removed":
                record = {**(table.record(before) if before else dict.fromkeys(table.column_names)), **row.columns}
                after = tuple(record[name] for name in table.column_names)
            changes.record(row.table, key, before, after)
    finally:
        connection.close()
    return changes


def expected_rows(changes: Changes, domain: Domain) -> list[ExpectedRow]:
    """Changes in the form in which a task stores them."""
    return [
        ExpectedRow(
            table=difference.table,
            kind=difference.kind,
            key=list(difference.key),
            columns=(
                {name: new for name, (_, new) in difference.changed.items()}
                if difference.kind == "changed"
                else dict(difference.after or {})
            ),
        )
        for difference in changes.differences(domain.schema, domain.policies)
    ]


def task_policies(task: Task, domain: Domain) -> Policies:
    """The domain's policies with the task's tightenings."""
    return domain.policies.tightened(domain.schema, task.policies) if task.policies else domain.policies


def _faults_of_task(task: Task, domain: Domain) -> Iterator[str]:
    if task.domain != domain.name:
        yield f"belongs to domain {task.domain!r}, not {domain.name!r}."
    for number, step in enumerate(task.chain):
        if step.tool not in domain.tools:
            yield f"calls tool {step.tool!r}, which the domain does not have; {have(step.tool, domain.tools)}."
        for earlier in steps_named(step.arguments):
            if not isinstance(earlier, int) or not 0 <= earlier < number:
                yield f"refers to step {earlier!r} in step {number}; only earlier steps have results, from 0."
    named_rows: list[AddedRow | ExpectedRow] = [*task.added, *task.expected]
    for named in named_rows:
        table = domain.schema.tables.get(named.table)
        unknown = [name for name in named.columns if table and name not in table.positions]
        if table is None or unknown:
            place = f"{named.table}.{unknown[0]}" if unknown else named.table
            near = have(unknown[0], table.positions) if table and unknown else have(named.table, domain.schema.tables)
            yield f"names {place}, which the schema does not have; {near}."
    for name, policy in task.policies.items():
        table_name, column = read_column_ref(name)
        declared = domain.policies.by_table.get(table_name, {}).get(column)
        if declared is None:
            yield f"has a policy for unknown column {name!r}."
        elif loosens(policy, declared):
            yield f"loosens column {name!r} from {declared.policy} to {policy.policy}; a task may only tighten."
        else:
            yield from faults_of_policy(domain.schema.tables[table_name], column, policy)
    wishes = len(task.user.wishes)
    parts = [("step", each) for each in task.chain] + [("answer", each) for each in task.answers]
    for what, part in parts:
        if not 0 <= part.wish < wishes:
            yield f"has a {what} for wish {part.wish}; the user has {wishes}, counted from 0."
    yield from task.user.faults()
    if task.caller is not None and task.principal is not None:
        yield f"has a caller and principal {task.principal!r}; the agent finds out who calls, so leave out the latter."
    if task.caller is not None and task.caller.table not in domain.schema.tables:
        yield f"has a caller from table {task.caller.table!r}; {have(task.caller.table, domain.schema.tables)}."
    names = [answer.name for answer in task.answers]
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        yield f"has two answers named {name!r}; the user asks for each by its name."
    for answer in task.answers:
        if fault := fault_of_value(answer.kind, answer.value):
            yield f"wants the answer {answer.name!r} as a {answer.kind}, but {answer.value!r} {fault}."
        if answer.kind == "text" and answer.source is None:
            yield f"wants the answer {answer.name!r}, a text; name the column it comes from as its source."
        if answer.source is not None and answer.source.column not in domain.policies.by_table.get(
            answer.source.table, {}
        ):
            yield f"takes answer {answer.name!r} from unknown column {str(answer.source)!r}."


def _added_records(task: Task, domain: Domain, world: World) -> Iterator[tuple[str, Mapping[str, Value]]]:
    connection = world.open()
    try:
        for row in task.added:
            table = domain.schema.tables[row.table]
            source = _row(connection, table, tuple(row.source)) if row.source else None
            if row.source and source is None:
                raise UsageError(f"Task {task.id!r} copies {row.table} {row.source!r}, which its world does not have.")
            yield row.table, {**(table.record(source) if source else dict.fromkeys(table.column_names)), **row.columns}
    finally:
        connection.close()


def _row(connection: sqlite3.Connection, table: Table, key: Key) -> Row | None:
    row: Row | None = connection.execute(table.select_row, key).fetchone()
    return row


def _bound(value: Any, results: Results) -> Any:
    if is_reference(value):
        try:
            return value_at(results[value["$step"]], path_of(value))
        except LookupError as error:
            raise EnvironmentFault(f"Step {value['$step']} returned no {value.get('path')!r}.") from error
    if isinstance(value, Mapping):
        return {name: _bound(item, results) for name, item in value.items()}
    return [_bound(item, results) for item in value] if isinstance(value, list) else value


def task_line(task: Task) -> str:
    """A task as its line in `tasks.jsonl`."""
    return json.dumps(task.model_dump(mode="json", exclude_defaults=True), ensure_ascii=False, separators=(",", ":"))


def write_world(world: World, path: Path) -> None:
    """Write a world as a database file for use with any server; errors: UsageError if the file is there already."""
    try:
        with path.open("xb") as file:
            file.write(world.image)
    except OSError as error:
        raise UsageError(f"The world cannot be written to {str(path)!r}: {error.strerror}.") from error
