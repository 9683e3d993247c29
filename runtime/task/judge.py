"""Judge a final state, and what the user was told, against a task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from weakref import WeakKeyDictionary

from runtime.domain.changes import Changes
from runtime.domain.domain import Domain
from runtime.domain.rows import ColumnRef
from runtime.domain.schema import Value
from runtime.errors import UsageError
from runtime.session.world import World
from runtime.task.task import Task, expected_changes, task_policies
from runtime.verification.answers import RequiredAnswer, judge_answers
from runtime.verification.text.match import TextMatcher, match_text
from runtime.verification.verdict import Difference, Verdict
from runtime.verification.verify import verify

MOST_OTHERS = 8  # values of its kind that an assistant may tell besides an answer
MORE_PER_WISH = 2  # values that an assistant may tell besides an answer, for each wish after the first

# What of a world is read to judge it: a world is judged many times.
_columns: WeakKeyDictionary[World, dict[ColumnRef, list[Value]]] = WeakKeyDictionary()
_expected: WeakKeyDictionary[World, tuple[Task, Changes]] = WeakKeyDictionary()


def judge(
    task: Task,
    domain: Domain,
    world: World,
    actual: Changes,
    told: Sequence[str] = (),
    *,
    matcher: TextMatcher = match_text,
) -> Verdict:
    """The verdict on a task: its final state as changes of its world, and the assistant's messages to the user.

    Errors: UndecidedVerdict, UsageError if the task does not fit its world.
    """
    if isinstance(told, str) or not all(isinstance(message, str) for message in told):
        raise UsageError(f"told is {told!r}; it must be a list of the assistant's messages.")
    verdict = verify(
        domain.schema,
        task_policies(task, domain),
        _expected_of(task, domain, world),
        actual,
        facts=task.texts,
        matcher=matcher,
    )
    if not verdict.expected and not task.answers:
        raise UsageError(f"Task {task.id!r} asks for nothing that counts; it would reward an agent that does nothing.")
    if not task.answers:
        return verdict

    missing = tuple(missing_answers(task, world, told))
    return replace(
        verdict,
        differences=verdict.differences + missing,
        expected=verdict.expected + len(task.answers),
        made=verdict.made + len(task.answers) - len(missing),
    )


def _expected_of(task: Task, domain: Domain, world: World) -> Changes:
    kept = _expected.get(world)
    if kept is None or kept[0] is not task:
        kept = _expected[world] = task, expected_changes(task, domain, world)
    return kept[1]


def missing_answers(task: Task, world: World, told: Sequence[str]) -> Iterator[Difference]:
    """One difference for each answer of a task that the assistant's messages to the user do not give."""

    def values_of(source: ColumnRef) -> list[Value]:
        columns = _columns.setdefault(world, {})
        if source not in columns:
            columns[source] = _read_column(world, source)
        return columns[source]

    more = MORE_PER_WISH * (len(task.user.words) - 1)  # a longer conversation holds more that is told by the way
    required = [RequiredAnswer(answer.name, answer.value, answer.source, MOST_OTHERS + more) for answer in task.answers]
    return judge_answers(required, told, values_of, _said_by_user(task))


def _read_column(world: World, source: ColumnRef) -> list[Value]:
    table, column = source
    connection = world.open()
    try:
        return [row[0] for row in connection.execute(f'SELECT DISTINCT "{column}" FROM "{table}" ORDER BY 1')]
    finally:
        connection.close()


def _said_by_user(task: Task) -> list[str | int | float]:
    """The words and facts of the user, which an assistant may repeat."""
    values = [fact.value for fact in task.user.facts if fact.value is not None]
    return [*task.user.words, *(fact.said for fact in task.user.facts), *values]
