"""What `worldsmith show --task` prints of a task, for a person to judge it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from runtime.domain.changes import Changes
from runtime.domain.domain import Domain
from runtime.domain.schema import Value
from runtime.errors import WorldsmithError
from runtime.task.answers import said_value
from runtime.task.paths import is_reference
from runtime.task.task import AddedRow, Task, expected_changes, start_world
from runtime.wording import counted

_MOST_ADDED = 20  # added rows that are shown
_MOST_TEXT = 120  # characters of a value


def describe_task(task: Task, domain: Domain) -> Iterator[str]:
    """Yield the task in lines; a line says so if its world has changed since it was made."""
    yield f"{task.title} ({task.domain} / {task.id}, {task.split})"
    yield f"world: seed {task.world.seed}, size {task.world.size}, {counted(len(task.added), 'added row')}"
    if task.easier:
        yield f"raised from task {task.easier}"
    if task.principal is not None:
        yield f"acting as {task.principal}"
    if task.level:
        yield f"level {task.level}"
    outside = task.user.outside
    yield from _section(
        f"The user: {task.user.profile}",
        (
            f'{number}. "{words}"' + (" (beyond the tools; to be declined)" if number in outside else "")
            for number, words in enumerate(task.user.words)
        ),
    )
    yield "knows"
    for fact in task.user.facts:
        yield f"  {fact.name}: {fact.said}" + ("" if fact.said == str(fact.value) else f" ({_shown(fact.value)})")
    yield from _section("One way to reach the goal", _describe_chain(task))
    yield from _section("The final state", _describe_changes(task, domain))
    added = [_describe_added(row) for row in task.added[:_MOST_ADDED]]
    more = [f"and {len(task.added) - _MOST_ADDED} more"] if len(task.added) > _MOST_ADDED else []
    yield from _section("Rows added to its world", [*added, *more])


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    """Yield a titled part of the description, nothing if it has no lines."""
    found = list(lines)
    if found:
        yield from ("", title, *(f"  {line}" for line in found))


def _describe_chain(task: Task) -> Iterator[str]:
    """Yield the steps for each request, with their numbers in the chain, and the answers that the user is owed."""
    for wish in range(len(task.user.words)):
        steps = [(number, step) for number, step in enumerate(task.chain) if step.wish == wish]
        answers = [answer for answer in task.answers if answer.wish == wish]
        if len(task.user.words) > 1 and (steps or answers):
            yield f"for request {wish}"
        for number, step in steps:
            yield f"{number}. {step.tool}({', '.join(f'{name}={_argument(x)}' for name, x in step.arguments.items())})"
        for answer in answers:
            yield f"   the user is told the {answer.name}: {said_value(answer)}"


def _describe_changes(task: Task, domain: Domain) -> Iterator[str]:
    """Yield each expected row, with the values that a changed or removed one had before."""
    try:
        changes = expected_changes(task, domain, start_world(task, domain))
    except WorldsmithError as error:
        yield f"(without the values before: {error})"
        changes = Changes()
    for row in task.expected:
        yield f"{row.table} {' / '.join(map(str, row.key))} {row.kind}"
        change = changes.rows.get((row.table, tuple(row.key)))
        before = domain.schema.tables[row.table].record(change.before) if change and change.before else {}
        if row.kind == "removed":
            yield from (f"  {column} was {_shown(value)}" for column, value in before.items())
        else:
            for column, value in row.columns.items():
                was = f", was {_shown(before[column])}" if row.kind == "changed" and column in before else ""
                yield f"  {column} = {_shown(value)}{was}"
    if not task.expected:
        yield "nothing is changed"


def _describe_added(row: AddedRow) -> str:
    like = f"like {' / '.join(map(str, row.source))} but " if row.source else ""
    return f"{row.table}: {like}{_columns(row.columns)}"


def _columns(columns: Mapping[str, Value]) -> str:
    return ", ".join(f"{name} = {_shown(value)}" for name, value in columns.items())


def _argument(value: Any) -> str:
    if is_reference(value):
        return f"<{value['path']} of step {value['$step']}>"
    return json.dumps(value, ensure_ascii=False)


def _shown(value: Value) -> str:
    text = repr(value)
    return text if len(text) <= _MOST_TEXT else f"{text[: _MOST_TEXT - 3]}..."
