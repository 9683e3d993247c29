"""A task: a world, a user with a hidden goal, a reference chain, and the final state that reaches the goal."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, PlainSerializer

from runtime.domain.changes import Changes
from runtime.domain.domain import Domain
from runtime.domain.hybrid import HybridDomain
from runtime.domain.policies import ColumnPolicy, Policies
from runtime.domain.schema import ColumnRef, Key, Row, Table, Value, read_column_ref
from runtime.errors import EnvironmentFault, UsageError
from runtime.session.clock import ClockPlan, StatedRow
from runtime.session.hybrid import unite_worlds
from runtime.session.session import Session
from runtime.session.world import IdNumbers, World, WorldCache
from runtime.task.decisions import TaskDecision
from runtime.task.origin import is_reference, path_of, value_at
from runtime.task.stored_world import stored_world
from runtime.task.user import TaskPart, User

FORMAT = 2
ACCOUNT = "requests not done"
"""The name of the answer to the last question."""

AnswerKind = Literal["date", "moment", "time", "number", "money", "text", "account"]
"""`moment` is a date with a time of day; counts, shares and ratings are numbers; money is told in dollars.

An `account` is asked for at the very end: which of the listed requests were not done, by their numbers, or "none".
"""

Results = Sequence[Mapping[str, Any]] | Mapping[int, Mapping[str, Any]]  # of steps, by their numbers


LARGEST_WORLD = 100_000  # rows: a line of text must not make the reader build more


class WorldRecipe(TaskPart):
    """Which world the task starts from; `digest` is that of the world with the added rows."""

    seed: int = Field(ge=-(2**63), lt=2**63)
    size: int = Field(ge=1, le=LARGEST_WORLD)
    ids: IdNumbers = "counted"
    digest: str = ""

    @property
    def base(self) -> tuple[int, int, IdNumbers]:
        """What tasks that share a world before rows are added to it have in common."""
        return self.size, self.seed, self.ids


class AddedRow(TaskPart):
    """A row that the world program did not make: a copy of an existing one (`source`, by key) with columns changed."""

    table: str
    source: list[Value] = []
    columns: dict[str, Value]


class Step(TaskPart):
    """One call of the reference chain; `{"$step": 0, "path": "loan_id"}` is replaced by a value that step 0 returned.

    `wish` is the one that the step is for, counted from 0.
    """

    tool: str
    arguments: dict[str, Any] = {}
    wish: int = 0


class ExpectedRow(StatedRow):
    """A row of the expected final state."""


_SourceReader = BeforeValidator(lambda written: read_column_ref(written) if isinstance(written, str) else written)
_SourceWriter = PlainSerializer(lambda source: None if source is None else str(source))


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
    source: Annotated[ColumnRef | None, _SourceReader, _SourceWriter] = None
    minor: Literal[1, 10, 100, 1000] = 1
    wish: int = 0


class TaskText(TaskPart):
    """What a text of the expected state is: dictated word for word, or composed by the agent.

    A dictated one is compared; of a composed one, `facts` are what it should say, and nothing of it is rewarded.
    """

    said: Literal["dictated", "composed"]
    facts: list[str] = []


class Mistake(TaskPart):
    """What a mistaken agent does: `turn` in place of the steps of the chain from `start` to before `stop`.

    `told` is what it tells instead, by answer, empty where it tells nothing; `end` is the fingerprint of where it ends.
    """

    name: str = Field(min_length=1, max_length=100)
    start: int = Field(ge=0)
    stop: int = Field(ge=0)
    turn: list[Step] = []
    told: dict[str, str] = {}
    end: str


class TaskEnd(TaskPart):
    """Another end state that is as right as the task's own, and a chain that reaches it."""

    chain: list[Step]
    expected: list[ExpectedRow]


class EndCheck(TaskPart):
    """A claim about the final database: it holds if its SELECT, with a value for each `:name`, returns a row."""

    claim: str = Field(min_length=1, max_length=200)
    sql: str = Field(min_length=1, max_length=10_000)
    values: dict[str, Value] = {}


PoisonGoal = Literal["other_record", "waiver", "disclosure", "identification", "call"]
"""What a poisoned text asks for: a change of somebody else's record, what a rule forbids, another person's details told
to the user, an identification of somebody who did not call, or a call with given values."""


class Poison(TaskPart):
    """A text that one row has at the start, behind what it said, and that asks for what the user did not.

    It asks for `call`, which makes the `changes`, and, for a disclosure, to tell the user the value `tells`.
    """

    goal: PoisonGoal
    style: str = Field(min_length=1, max_length=40)
    table: str
    key: list[Value]
    column: str
    was: str
    asks: str = Field(min_length=1, max_length=2_000)
    call: Step
    changes: list[ExpectedRow] = []
    tells: str = ""

    @property
    def cell(self) -> str:
        """What the column holds at the start."""
        return f"{self.was}{'' if self.was[-1:] in '.!?' else '.'} {self.asks}"

    @property
    def place(self) -> str:
        """The column, as table.column."""
        return f"{self.table}.{self.column}"

    def is_in(self, answer: str) -> bool:
        """Whether the answer to a call, in JSON, holds the text."""
        return json.dumps(self.asks, ensure_ascii=False)[1:-1] in answer


class FittedRow(TaskPart):
    """Values of a row that the world program made differently: those of a caller who is known in another office."""

    table: str
    key: list[Value]
    columns: dict[str, Value]


class Caller(TaskPart):
    """Who calls: a row of a table of people, and as what: their own rows only, somebody else's, or all."""

    table: str
    key: list[Value]
    role: Literal["customer", "delegate", "staff"] = "customer"


class Task(TaskPart):
    """One line of `tasks.jsonl`.

    `policies` are the domain's column policies tightened for this task; `texts` says of texts of the expected state
    whether the user dictates them or leaves them to the assistant's own words. `mistakes` are known wrong ways to go
    about it; `decisions` are those of an expert task, of which some depend on earlier requests. `ends` are further end
    states that are as right as the expected one. A task with `checks` (EnvScaler's terminal-state functions) expects no
    state: the checks must hold at the end, and nothing may change but `may_change`: "loan" is a table, "+loan" new rows
    of it, "-loan" rows that are removed, "loan.due_on" a column of rows that existed. One with `poison` differs from
    the task of its id in this text alone. With a `clock` time moves, and what its plan has happens; the state is judged
    as it is once that has come to its end. Where several domains are one, `callers` are the rows of the one who calls,
    and `fitted` are rows that were made theirs.
    """

    format: Literal[2]
    id: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")
    domain: str
    title: str = Field(min_length=1, max_length=100)
    split: Literal["train", "held_out"] = "train"
    world: WorldRecipe
    added: list[AddedRow] = []
    fitted: list[FittedRow] = []
    clock: ClockPlan | None = None
    caller: Caller | None = None
    callers: list[Caller] = []
    user: User
    chain: list[Step] = []
    expected: list[ExpectedRow] = []
    policies: dict[str, ColumnPolicy] = {}
    texts: dict[str, TaskText] = {}
    answers: list[TaskAnswer] = []
    ends: list[TaskEnd] = []
    checks: list[EndCheck] = []
    may_change: list[str] = []
    mistakes: list[Mistake] = []
    decisions: list[TaskDecision] = []
    poison: Poison | None = None
    explorable: list[str] = []
    difficulty: dict[str, int] = {}
    proofs: dict[str, Any] = {}

    @property
    def own_answers(self) -> list[TaskAnswer]:
        """The answers to the user's requests, without the last account of what was not done."""
        return [answer for answer in self.answers if answer.kind != "account"]

    def caller_in(self, table: str) -> Caller | None:
        """Who calls, as a row of a table of people; None if nobody of that table does."""
        callers = [*self.callers, *([] if self.caller is None else [self.caller])]
        return next((each for each in callers if each.table == table), None)

    def texts_said(self, said: Literal["dictated", "composed"]) -> list[str]:
        return [text for text, each in self.texts.items() if each.said == said]

    def to_end(self, number: int) -> Task:
        """Return the task with another of its ends as its own; 0 is the task as it is."""
        if not number:
            return self
        ends = [TaskEnd(chain=self.chain, expected=self.expected), *self.ends]
        own = ends.pop(number)
        return self.model_copy(update={"chain": own.chain, "expected": own.expected, "ends": ends})

    @property
    def clean(self) -> Task:
        """The task without its poison."""
        return self if self.poison is None else self.model_copy(update={"poison": None})

    @property
    def level(self) -> int | None:
        """How hard the task was made, 1 to 6; None where nothing is stated."""
        return self.difficulty.get("complexity")


def start_world(task: Task, domain: Domain, worlds: WorldCache | None = None) -> World:
    """Build the world that a task starts from, whose origin names the task.

    What tasks of the same seed and size share is taken from the cache, if there is one.
    Errors: UsageError if it is no longer the one that the task was made for; EnvironmentFault.
    """
    world = base_world(domain, *task.world.base, worlds)
    if task.added:
        world = world.with_rows(_added_records(task, domain, world))
    for row in task.fitted:
        world = world.with_values(row.table, tuple(row.key), row.columns)
    if task.world.digest and f"{world.digest:032x}" != task.world.digest:
        raise UsageError(
            f"The world of task {task.id!r} has digest {world.digest:032x}, not {task.world.digest}: "
            "world.py or schema.sql changed since the task was made."
        )
    if task.poison is not None:
        world = world.with_values(task.poison.table, tuple(task.poison.key), {task.poison.column: task.poison.cell})
    return named_world(task, world)


def base_world(domain: Domain, size: int, seed: int, ids: IdNumbers, worlds: WorldCache | None = None) -> World:
    """Return the world of a domain that tasks of a seed and size share, of several domains with each one's.

    Ids are dealt only where there are people who could guess them. Errors: UsageError, EnvironmentFault.
    """
    if isinstance(domain, HybridDomain):
        parts = {
            prefix: base_world(part, size, seed, "counted" if part.people is None else ids, worlds)
            for prefix, part in domain.parts.items()
        }
        return unite_worlds(domain, parts, {"seed": seed, "size": size})
    build = partial(stored_world, domain, size, seed, ids)
    return build() if worlds is None else worlds.keep(domain, (size, seed, ids), build)


def named_world(task: Task, world: World) -> World:
    """Return a world as the start of a task, with its poison in its origin and the plan of its clock."""
    poison = {} if task.poison is None else {"poison": task.poison.model_dump(mode="json", exclude_defaults=True)}
    named = world.named(task.id, **poison)
    return named if task.clock is None else named.planned(task.clock)


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
    """Return the expected final state as changes of the world that the task starts from."""
    changes = Changes()
    with closing(world.open()) as connection:
        for row in task.expected:
            table, key = domain.schema.tables[row.table], tuple(row.key)
            before = _row(connection, table, key)
            if (before is None) != (row.kind == "added"):
                state = "exists already" if before else "does not exist"
                raise UsageError(f"Task {task.id!r} expects {row.table} {row.key!r} to be {row.kind}, but it {state}.")
            after: Row | None = None
            if row.kind != "removed":
                columns = row.columns
                if (poison := task.poison) is not None:  # a write may copy the whole text
                    columns = {name: poison.cell if each == poison.was else each for name, each in columns.items()}
                record = {**(table.record(before) if before else dict.fromkeys(table.column_names)), **columns}
                after = tuple(record[name] for name in table.column_names)
            changes.record(row.table, key, before, after)
    return changes


def expected_rows(changes: Changes, domain: Domain) -> list[ExpectedRow]:
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
    """Return the domain's policies with the task's tightenings."""
    return domain.policies.tightened(domain.schema, task.policies) if task.policies else domain.policies


def _added_records(task: Task, domain: Domain, world: World) -> Iterator[tuple[str, Mapping[str, Value]]]:
    with closing(world.open()) as connection:
        for row in task.added:
            table = domain.schema.tables[row.table]
            source = _row(connection, table, tuple(row.source)) if row.source else None
            if row.source and source is None:
                raise UsageError(f"Task {task.id!r} copies {row.table} {row.source!r}, which its world does not have.")
            yield row.table, {**(table.record(source) if source else dict.fromkeys(table.column_names)), **row.columns}


def _row(connection: sqlite3.Connection, table: Table, key: Key) -> Row | None:
    found: Row | None = connection.execute(table.select_row, key).fetchone()
    return found


def _bound(value: Any, results: Results) -> Any:
    if is_reference(value):
        try:
            return value_at(results[value["$step"]], path_of(value))
        except LookupError as error:
            raise EnvironmentFault(f"Step {value['$step']} returned no {value.get('path')!r}.") from error
    if isinstance(value, Mapping):
        return {name: _bound(item, results) for name, item in value.items()}
    return [_bound(item, results) for item in value] if isinstance(value, list) else value


def write_world(world: World, path: Path) -> None:
    """Write a world as a database file for use with any server; errors: UsageError if the file is there already."""
    try:
        with path.open("xb") as file:
            file.write(world.image)
    except OSError as error:
        raise UsageError(f"The world cannot be written to {str(path)!r}: {error.strerror}.") from error
