"""Judge a final state, and what the user was told, against a task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from weakref import WeakKeyDictionary, ref

from runtime.domain.changes import Changes
from runtime.domain.domain import Domain
from runtime.domain.people import IDENTIFICATION
from runtime.domain.rows import ColumnRef
from runtime.domain.schema import Value
from runtime.errors import UsageError
from runtime.session.world import World
from runtime.task.answers_taken import AnswerReader
from runtime.task.composed import warnings_of
from runtime.task.task import Task, expected_changes, task_policies
from runtime.verification.texts import TextMatcher, match_dictated
from runtime.verification.verdict import Difference, Verdict, Violation
from runtime.verification.verify import verify
from runtime.wording import have

# What of a world is read to judge it: a world is judged many times.
_columns: WeakKeyDictionary[World, dict[ColumnRef, list[Value]]] = WeakKeyDictionary()
_readers: WeakKeyDictionary[World, tuple[Task, AnswerReader]] = WeakKeyDictionary()
_expected: WeakKeyDictionary[World, tuple[Task, Changes]] = WeakKeyDictionary()


def judge(
    task: Task,
    domain: Domain,
    world: World,
    actual: Changes,
    told: Mapping[str, str] | None = None,
    *,
    matcher: TextMatcher | None = None,
    violations: tuple[Violation, ...] = (),
) -> Verdict:
    """The verdict on a task: its final state as changes of its world, and what the user was told, by answer.

    With another `matcher` than the reward's own it judges all texts, those that are composed, too. The `violations` of
    its calls are passed on. Errors: UndecidedVerdict, UsageError if the task does not fit its world, or requires no
    answer of a name.
    """
    expected = expected_of(task, domain, world)
    actual = _without_needless_identifications(task, domain, expected, actual)
    verdict = verify(
        domain.schema,
        task_policies(task, domain),
        expected,
        actual,
        composed=() if matcher else task.texts_said("composed"),
        facts={text: each.facts for text, each in task.texts.items()},
        matcher=matcher or match_dictated,
    )
    if not verdict.expected and not task.answers:
        raise UsageError(f"Task {task.id!r} asks for nothing that counts; it would reward an agent that does nothing.")
    wrong = tuple(wrong_answers(task, answer_reader(task, domain, world), told or {}))
    warnings = () if matcher else tuple(warnings_of(task, domain.schema, expected, actual, verdict.pairs))
    if not task.answers:
        return replace(verdict, violations=violations, warnings=warnings)
    return replace(
        verdict,
        violations=violations,
        warnings=warnings,
        differences=verdict.differences + wrong,
        expected=verdict.expected + len(task.answers),
        made=verdict.made + len(task.answers) - len(wrong),
    )


def _without_needless_identifications(task: Task, domain: Domain, expected: Changes, actual: Changes) -> Changes:
    """A final state without identifications that nothing asks for, of the caller or of a person who was just added.

    They do no harm: the tool accepts only details that match. That of anybody else stays.
    """
    people = domain.people
    caller = None if task.caller is None else tuple(task.caller.key)
    kept = Changes()
    for (table, key), change in actual.rows.items():
        is_needless = table == IDENTIFICATION and change.before is None and (table, key) not in expected.rows
        if is_needless and people is not None:
            person = actual.rows.get((people.table, key[:1]))
            if key[:1] == caller or (person is not None and person.before is None):
                continue
        kept.record(table, key, change.before, change.after)
    return kept


def expected_of(task: Task, domain: Domain, world: World) -> Changes:
    """The final state that a task expects; worked out once, as long as its world is judged against no other task."""
    kept = _expected.get(world)
    if kept is None or kept[0] is not task:
        kept = _expected[world] = task, expected_changes(task, domain, world)
    return kept[1]


def answer_reader(task: Task, domain: Domain, world: World) -> AnswerReader:
    """What reads the answers of a task in its world: the same one for the user and for the verdict."""
    kept = _readers.get(world)
    if kept is not None and kept[0] is task:
        return kept[1]
    world_of = ref(world)  # what is kept by a world must not keep it

    def values_of(source: ColumnRef) -> list[Value]:
        world = world_of()
        assert world is not None
        columns = _columns.setdefault(world, {})
        if source not in columns:
            columns[source] = _read_column(world, source)
        return columns[source]

    reader = AnswerReader(task, domain.now, values_of)
    _readers[world] = task, reader
    return reader


def wrong_answers(task: Task, reader: AnswerReader, told: Mapping[str, str]) -> Iterator[Difference]:
    """One difference for each answer of a task that the user was not told, or told wrongly.

    Errors: UsageError for a name that is not one of an answer.
    """
    for name in told:
        if name not in reader.answers:
            raise UsageError(f"Task {task.id!r} requires no answer {name!r}; {have(name, reader.answers)}.")
    for answer in task.answers:
        taken = told.get(answer.name)
        if taken is None:
            yield Difference("missing_answer", expected=answer.value, answer=answer.name)
        elif not reader.is_right(answer.name, taken):
            yield Difference("wrong_answer", expected=answer.value, actual=taken, answer=answer.name)


def _read_column(world: World, source: ColumnRef) -> list[Value]:
    table, column = source
    connection = world.open()
    try:
        return [row[0] for row in connection.execute(f'SELECT DISTINCT "{column}" FROM "{table}" ORDER BY 1')]
    finally:
        connection.close()
