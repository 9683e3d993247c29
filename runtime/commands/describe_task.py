"""A task for a person to judge: the words, the facts, the chain, the rows that change, the distractors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from runtime.domain.changes import Changes
from runtime.domain.domain import Domain
from runtime.domain.schema import Value
from runtime.errors import WorldsmithError
from runtime.task.answers import said_value
from runtime.task.paths import is_reference
from runtime.task.task import AddedRow, ExpectedRow, Task, expected_changes, start_world
from runtime.wording import counted

_MOST_ADDED = 20  # added rows that are shown
_MOST_TEXT = 120  # characters of a value


def describe_task(task: Task, domain: Domain) -> Iterator[str]:
    """The task in lines; where its world is no longer the one it was made for, a line says so."""
    yield f"{task.title} ({task.domain} / {task.id}, {task.split})"
    yield f"world: seed {task.world.seed}, size {task.world.size}, {counted(len(task.added), 'added row')}"
    if task.easier:
        yield f"raised from task {task.easier}"
    if task.principal is not None:
        yield f"acting as {task.principal}"
    if task.difficulty:
        counts = [f"{count} {name}" for name, count in task.difficulty.items() if name != "complexity"]
        yield f"difficulty: {', '.join([*([f'level {task.level}'] if task.level else []), *counts])}"
    yield ""
    yield f"The user: {task.user.profile}"
    for number, words in enumerate(task.user.words):
        yield f'  {number}. "{words}"' + (" (beyond the tools; to be declined)" if number in task.user.outside else "")
    yield "knows"
    for fact in task.user.facts:
        yield f"  {fact.name}: {fact.said}" + ("" if fact.said == str(fact.value) else f" ({_shown(fact.value)})")
    yield ""
    yield "One way to reach the goal"
    for wish in range(len(task.user.words)):
        yield from _describe_wish(task, wish)
    yield ""
    yield "The final state"
    yield from _describe_changes(task, domain)
    if not task.expected:
        yield "  nothing is changed"
    if task.policies:
        yield ""
        yield "Judged more strictly than elsewhere"
        yield from (f"  {name} is {policy.policy}: {policy.reason}" for name, policy in task.policies.items())
    if task.texts:
        yield ""
        yield "Texts"
        for text, each in task.texts.items():
            how = "word for word" if each.said == "dictated" else "in the assistant's own words, which are not rewarded"
            yield f"  {_shown(text)}: {how}"
    if task.added:
        yield ""
        yield "Rows that were added to its world"
        yield from (f"  {_describe_added(row, domain)}" for row in task.added[:_MOST_ADDED])
        if len(task.added) > _MOST_ADDED:
            yield f"  and {len(task.added) - _MOST_ADDED} more"
    if task.edited:
        yield ""
        yield "Rows that are otherwise in its world"
        for edited in task.edited:
            changed = ", ".join(f"{name} {_shown(value)}" for name, value in edited.columns.items())
            yield f"  {edited.table} {', '.join(map(_shown, edited.key))}: {changed}"
    if task.proofs:
        yield ""
        yield "Proofs passed"
        yield from (f"  {name}: {_passed(counts)}" for name, counts in task.proofs.items())
    if task.explorable:
        yield ""
        yield f"{len(task.explorable)} of {counted(len(domain.tools), 'tool')} can be used in its world"


def _describe_wish(task: Task, wish: int) -> Iterator[str]:
    """The steps that are for a wish, with their numbers in the chain, and what its answers are."""
    steps = [(number, step) for number, step in enumerate(task.chain) if step.wish == wish]
    answers = [answer for answer in task.answers if answer.wish == wish]
    if len(task.user.words) > 1 and (steps or answers):
        yield f"  for wish {wish}"
    for number, step in steps:
        arguments = ", ".join(f"{name}={_argument(value)}" for name, value in step.arguments.items())
        yield f"  {number}. {step.tool}({arguments})"
    for answer in answers:
        yield f"     the user is told the {answer.name}: {said_value(answer)}"


def _describe_changes(task: Task, domain: Domain) -> Iterator[str]:
    """Each expected row, with the values that a changed or removed one had before."""
    try:
        changes = expected_changes(task, domain, start_world(task, domain))
    except WorldsmithError as error:
        yield f"  (without the values before: {error})"
        changes = Changes()
    for row in task.expected:
        yield f"  {row.table} {' / '.join(map(str, row.key))} {row.kind}"
        before = _before(row, changes, domain)
        for column, value in (before if row.kind == "removed" else row.columns).items():
            if row.kind == "changed" and column in before:
                yield f"    {column} = {_shown(value)}, was {_shown(before[column])}"
            elif row.kind == "removed":
                yield f"    {column} was {_shown(value)}"
            else:
                yield f"    {column} = {_shown(value)}"


def _before(row: ExpectedRow, changes: Changes, domain: Domain) -> dict[str, Value]:
    change = changes.rows.get((row.table, tuple(row.key)))
    return domain.schema.tables[row.table].record(change.before) if change and change.before else {}


def _describe_added(row: AddedRow, domain: Domain) -> str:
    """An added row, as what it copies and how it differs."""
    columns = ", ".join(f"{name} = {_shown(value)}" for name, value in row.columns.items())
    key = [row.columns.get(name) for name in domain.schema.tables[row.table].primary_key]
    named = f"{row.table} {' / '.join(map(str, key))}" if None not in key else row.table
    if not row.source:
        return f"{named}: {columns}"
    return f"{named}, like {' / '.join(map(str, row.source))} but {columns}"


def _passed(counts: Any) -> str:
    if isinstance(counts, list) and len(counts) == 2:
        return f"{counts[0]} of {counted(counts[1], 'trial')}"
    return str(counts)


def _argument(value: Any) -> str:
    if is_reference(value):
        return f"<{value['path']} of step {value['$step']}>"
    return json.dumps(value, ensure_ascii=False)


def _shown(value: Value) -> str:
    text = repr(value)
    return text if len(text) <= _MOST_TEXT else f"{text[: _MOST_TEXT - 3]}..."
