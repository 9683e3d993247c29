"""Judge a final state, and what the user was told, against a task; say which parts of the goal were reached."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from runtime.domain.changes import Changes
from runtime.domain.domain import Domain
from runtime.domain.people import IDENTIFICATION, IDENTIFY
from runtime.domain.rule import Declared
from runtime.domain.schema import ColumnRef, RowRef, Value
from runtime.errors import EnvironmentFault, Rejection, UsageError
from runtime.session.session import Session, Snapshot
from runtime.session.world import World
from runtime.task.answers import AnswerReader, said_value
from runtime.task.task import EndCheck, Task, bind, expected_changes, start_world, task_policies
from runtime.task.task_file import find_task, read_tasks
from runtime.verification.verdict import Difference, Verdict, Violation
from runtime.verification.verify import verify
from runtime.wording import have, said_money


def judge(
    task: Task,
    domain: Domain,
    world: World,
    actual: Changes,
    told: Mapping[str, str] | None = None,
    *,
    violations: tuple[Violation, ...] = (),
) -> Verdict:
    """The verdict on a task: its final state as changes of its world, and what the user was told, by answer.

    The `violations` of its calls are passed on. Errors: UndecidedVerdict, UsageError if the task does not fit its
    world, or requires no answer of a name.
    """
    ends = ends_of(task, domain, world)
    if not task.checks:
        actual = _without_needless_identifications(task, domain, ends, actual)
    verdict = compare(task, domain, world, actual)
    if not verdict.expected and not task.answers:
        raise UsageError(f"Task {task.id!r} asks for nothing that counts; it would reward an agent that does nothing.")
    wrong = tuple(wrong_answers(task, answer_reader(task, domain, world), told or {}))
    verdict = replace(
        verdict,
        violations=violations,
        differences=verdict.differences + wrong,
        expected=verdict.expected + len(task.answers),
        made=verdict.made + len(task.answers) - len(wrong),
    )
    return replace(verdict, components=components_of(task, domain, world, verdict))


def compare(task: Task, domain: Domain, world: World, actual: Changes) -> Verdict:
    """The verdict on a final state alone: by the task's checks, or by the end that it reaches or is nearest to.

    Errors: UndecidedVerdict, EnvironmentFault for a check that cannot be evaluated.
    """
    if task.checks:
        return _compare_by_checks(task, domain, world, actual)
    verdicts: list[Verdict] = []
    for number, expected in enumerate(ends_of(task, domain, world)):
        verdict = verify(
            domain.schema,
            task_policies(task, domain),
            expected,
            actual,
            dictated=task.texts_said("dictated"),
        )
        verdicts.append(replace(verdict, nearest=number))
        if not verdict.differences:
            return verdicts[-1]
    return max(verdicts, key=lambda each: (each.progress, -len(each.differences)))


def _compare_by_checks(task: Task, domain: Domain, world: World, actual: Changes) -> Verdict:
    """Each check that does not hold is a difference, and so is each change of what may not change."""
    unmet = unmet_checks(task, domain, world, actual)
    actual = _without_needless_identifications(task, domain, (), actual)
    others = Changes()
    for (table, key), (before, after) in actual.rows.items():
        kind = "+" if before is None else "-" if after is None else ""
        if table in task.may_change or (kind and kind + table in task.may_change):
            continue
        if before is not None and after is not None:
            free = {
                at for name, at in domain.schema.tables[table].positions.items() if f"{table}.{name}" in task.may_change
            }
            after = tuple(before[at] if at in free else value for at, value in enumerate(after))
        others.record(table, key, before, after)
    verdict = verify(domain.schema, task_policies(task, domain), Changes(), others)
    failed = tuple(Difference("failed_check", expected=check.claim) for check in unmet)
    count = len(task.checks)
    return replace(verdict, differences=failed + verdict.differences, expected=count, made=count - len(failed))


def unmet_checks(task: Task, domain: Domain, world: World, actual: Changes) -> list[EndCheck]:
    """The checks of a task that do not hold in a final state; errors: EnvironmentFault."""
    with Session(domain, world) as session:
        session.restore(Snapshot(world, actual, world.counter))
        return [check for check in task.checks if not _holds(check, session)]


def _holds(check: EndCheck, session: Session) -> bool:
    """Run the SELECT of a check as a tool runs its own, on all tables and within the same limits."""
    workspace, tables = session.open(), frozenset(session.domain.schema.tables)
    declared = Declared(code=check.claim, prose="", numbers={}, reads=tables, function=bool)
    try:
        with workspace.enter_call(declared, session.limits):
            return bool(workspace.read(check.sql, check.values)[1])
    except (EnvironmentFault, Rejection) as error:
        raise EnvironmentFault(f"The check {check.claim!r} cannot be evaluated: {error}") from error
    finally:
        workspace.leave_call()


def _without_needless_identifications(task: Task, domain: Domain, ends: Iterable[Changes], actual: Changes) -> Changes:
    """A final state without identifications that nothing asks for, of the caller or of a person who was just added.

    They do no harm: the tool accepts only details that match. That of anybody else stays.
    """
    people, expected = domain.people, {name for end in ends for name in end.rows}
    caller = None if task.caller is None else tuple(task.caller.key)
    kept = Changes()
    for (table, key), change in actual.rows.items():
        is_needless = table == IDENTIFICATION and change.before is None and (table, key) not in expected
        if is_needless and people is not None:
            person = actual.rows.get((people.table, key[:1]))
            if key[:1] == caller or (person is not None and person.before is None):
                continue
        kept.record(table, key, change.before, change.after)
    return kept


def ends_of(task: Task, domain: Domain, world: World) -> tuple[Changes, ...]:
    """Return the final state that a task expects, and the others that are as right; none count with checks."""
    return _known(task, domain, world)[0]


def answer_reader(task: Task, domain: Domain, world: World) -> AnswerReader:
    """Return what reads the answers of a task in its world: the same one for the user and for the verdict."""
    return _known(task, domain, world)[1]


def _known(task: Task, domain: Domain, world: World) -> tuple[tuple[Changes, ...], AnswerReader]:
    """Return what is read of a world to judge it; kept with the world, which is judged many times."""
    kept: tuple[Task, tuple[Changes, ...], AnswerReader] | None = vars(world).get("judged")
    if kept is None or kept[0] is not task:
        ends = tuple(expected_changes(task.to_end(number), domain, world) for number in range(len(task.ends) + 1))
        kept = vars(world)["judged"] = task, ends, AnswerReader(task, domain.now, partial(_read_column, world))
    return kept[1:]


def _read_column(world: World, source: ColumnRef) -> list[Value]:
    with closing(world.open()) as connection:
        found = connection.execute(f'SELECT DISTINCT "{source.column}" FROM "{source.table}" ORDER BY 1')
        return [row[0] for row in found]


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
            yield Difference("missing_answer", expected=said_value(answer), answer=answer.name)
        elif not reader.is_right(answer.name, taken):
            if answer.kind == "money":
                with suppress(ValueError):  # it was told by hand and is not an amount
                    taken = said_money(float(taken), "$", 1)
            yield Difference("wrong_answer", expected=said_value(answer), actual=taken, answer=answer.name)


@dataclass(frozen=True)
class AcceptedCall:
    """A call that went through, with its number among all calls of its episode, from 1."""

    number: int
    tool: str
    arguments: Mapping[str, Any]


def find_violations(domain: Domain, world: World, calls: Iterable[AcceptedCall]) -> tuple[Violation, ...]:
    """The violations of these calls, and then the duties that are not fulfilled after them; errors: EnvironmentFault.

    Calls that change nothing are not made again: no rule guards them, and they leave no trace.
    """
    if not domain.rules:
        return ()
    broken: list[Violation] = []
    with Session(domain, world) as session:
        for call in calls:
            tool = domain.tools.get(call.tool)
            if tool is None or tool.read_only:
                continue
            forbidding = session.forbidding(call.tool, call.arguments)
            if session.perform(call.tool, call.arguments).rejection is None:
                broken += (Violation(each.rule, call.number, call.tool, each.key) for each in forbidding)
        return (*broken, *(Violation(duty.code) for duty in session.unmet_duties()))


MOST_SHOWN = 40  # differences that a person is shown


class PlayableTasks:
    """The tasks of one domain: its own, or those in a file."""

    def __init__(self, domain: Domain, file: Path | None = None, *, strict: bool = False) -> None:
        self._domain = domain
        self._file = file
        self._strict = strict

    @cached_property
    def _readable(self) -> dict[str, Task]:
        """Those whose lines are tasks, read once: a client lists the words of all."""
        return read_tasks(self._domain, [], self._file)

    def _task(self, task_id: str) -> Task:
        return self._readable.get(task_id) or find_task(self._domain, task_id, self._file)

    def titles(self) -> dict[str, str]:
        return {task.id: task.title for task in self._readable.values()}

    def words(self, task_id: str) -> str:
        """What the user says and knows; errors: UsageError for an unknown task."""
        user = self._task(task_id).user
        known = "\n".join(f"- {fact.name}: {fact.said}" for fact in user.facts)
        wishes = "\n\n".join(user.words)
        return f"{wishes}\n\nThe user: {user.profile}\nThe user also knows, if asked:\n{known or '- nothing more'}"

    def open(self, task_id: str) -> Session:
        task = self._task(task_id)
        return Session(self._domain, start_world(task, self._domain), strict=self._strict)

    def verify(
        self, task_id: str, session: Session, told: Mapping[str, str], broken: Sequence[tuple[str, int, str, Value]]
    ) -> str:
        """Describe the verdict on a session; `broken` are the rule, the number, the tool and the key of calls."""
        task = self._task(task_id)
        duties = session.unmet_duties() if self._domain.rules else ()
        violations = (*(Violation(*each) for each in broken), *(Violation(duty.code) for duty in duties))
        return describe_verdict(judge(task, self._domain, session.world, session.changes, told, violations=violations))


def describe_verdict(verdict: Verdict) -> str:
    progress = verdict.progress if verdict.reward else min(verdict.progress, 0.99)  # nearly all is not all
    lines = [f"Reward {verdict.reward}, progress {progress:.0%}."]
    lines += [
        f"- {f'Call {each.call}: ' if each.call else ''}{each.sentence}" for each in verdict.violations[:MOST_SHOWN]
    ]
    if verdict.differences:
        lines += [f"- {' '.join(difference.sentence.split())}" for difference in verdict.differences[:MOST_SHOWN]]
        if len(verdict.differences) > MOST_SHOWN:
            lines.append(f"- and {len(verdict.differences) - MOST_SHOWN} more differences")
    else:
        lines.append("The final state is as it should be, and nothing else was changed.")
    if verdict.components and not verdict.reward:
        for title, wanted in (("Reached", 1), ("Missed", 0)):
            parts = [name.replace("_", " ") for name, made in verdict.components.items() if made == wanted]
            lines.append(f"{title}: {', '.join(parts) or 'nothing'}.")
    return "\n".join(lines)


def components_of(task: Task, domain: Domain, world: World, verdict: Verdict) -> dict[str, int]:
    """Return 1 or 0 for each part of a task's goal; all are 1 exactly if the verdict's reward is.

    A request is a wish for which the reference chain writes; what the user must be told is among the answers.
    """
    own = task.to_end(verdict.nearest)
    writing = {step.wish for step in own.chain if step.tool != IDENTIFY and not domain.tools[step.tool].read_only}
    requests = sorted(writing) or [0]
    names = {
        "identified": any(row.table == IDENTIFICATION for row in own.expected),
        **{_request(wish): bool(own.expected) for wish in requests},
        "checks": bool(task.checks),
        "answers": bool(task.answers),
        "rules": bool(domain.rules or verdict.violations),
        "nothing_else": True,
    }
    missed = {"rules"} if verdict.violations else set()
    partners = {pair.actual: pair.expected for pair in verdict.pairs}
    makers: Mapping[RowRef, int] | None = None
    for each in verdict.differences:
        if each.row is None:
            missed.add("checks" if each.answer is None else "answers")
        elif each.kind in ("extra_row", "removed_row", "changed_value"):
            missed.add("nothing_else")
        else:
            row = partners.get(each.row.row, each.row.row)
            if row.table == IDENTIFICATION:
                missed.add("identified")
                continue
            makers = _makers(own, domain, world) if makers is None else makers
            cells = [replace(row, column=column) for column in each.columns]
            if cells:
                wishes = {makers.get(cell, makers.get(row)) for cell in cells}
            else:
                wishes = {wish for cell, wish in makers.items() if cell.row == row}
            missed |= {_request(wish) for wish in wishes if wish in requests} or {_request(requests[0])}
    return {name: int(name not in missed) for name, is_there in names.items() if is_there}


def _request(wish: int) -> str:
    return f"request_{wish + 1}"


def _makers(task: Task, domain: Domain, world: World) -> dict[RowRef, int]:
    """Return the request that makes each expected cell, or each row that it adds or removes, counted from 0."""
    makers: dict[RowRef, int] = {}
    results: list[Mapping[str, object]] = []
    with Session(domain, world) as session, suppress(Rejection, EnvironmentFault):
        for step in task.chain:
            before = session.changes
            results.append(session.call(step.tool, **bind(step.arguments, results)))
            for (table, key), (was, now) in before.steps_to(session.changes):
                if was is None or now is None:
                    makers[RowRef(table, key)] = step.wish
                    continue
                for column, at in domain.schema.tables[table].positions.items():
                    if was[at] != now[at]:
                        makers[RowRef(table, key, column)] = step.wish
    return makers
