"""What speaks against playing a task that nobody proved: replay, inert, necessity, and cells that are not judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from runtime.domain.changes import Changes
from runtime.domain.domain import Domain
from runtime.errors import EnvironmentFault, Rejection
from runtime.session.hybrid import start_session
from runtime.session.session import Session
from runtime.session.world import World
from runtime.task.judge import JudgedTask
from runtime.task.origin import steps_named
from runtime.task.task import Task, bind, replay, task_policies
from runtime.task.values import told_value


def faults_of_unproven(task: Task, domain: Domain, world: World) -> Iterator[str]:
    """Yield what is wrong with a task, each as the rest of a sentence about it; errors: UndecidedVerdict, UsageError.

    These are the proofs that take milliseconds; `worldsmith check` runs all.
    """
    yield from unjudged_cells(task, domain)
    judged = JudgedTask(task, domain, world)
    with start_session(domain, world) as idle, idle.settled() as ended:
        if judged.judge(ended.changes).reward:
            yield "rewards an agent that does nothing."
    if not task.chain:
        yield "has no reference chain, so nothing shows that it can be solved."
        return
    with start_session(domain, world) as session:
        try:
            replay(session, task.chain)
        except (Rejection, EnvironmentFault) as error:
            yield f"has a chain that does not run: {error}"
            return
        session.settle()
        verdict = judged.judge(session.changes, {each.name: told_value(each) for each in task.answers})
        if verdict.differences:
            yield f"does not reward its own chain: {verdict.differences[0].sentence}"
            return
        amended = {wish.amends for wish in task.user.wishes}
        for number, step in enumerate(task.chain):
            if domain.tools[step.tool].writes and step.wish not in amended:
                session.reset()
                if not judged.compare(_leave_out(session, task, number)).differences:
                    yield f"rewards its chain without step {number} ({step.tool})."


def unjudged_cells(task: Task, domain: Domain) -> Iterator[str]:
    """Yield each expected value that no verdict looks at, as the rest of a sentence about the task."""
    policies, seen = task_policies(task, domain), set[str]()
    for row in (row for rows in (task.expected, *(end.expected for end in task.ends)) for row in rows):
        for column, value in row.columns.items() if row.table not in policies.logs else ():
            name, policy = f"{row.table}.{column}", policies.of(row.table, column).policy
            if name in seen or (row.kind == "added" and value is None):
                continue
            seen.add(name)
            if policy == "optional":
                yield f"expects {value!r} in {name}, which is optional and not judged; set it to hard in its policies."
            elif policy == "semantic" and isinstance(value, str) and value not in task.texts:
                yield f"expects {value!r} in {name}, a text that is not judged; add it to its texts as dictated."


def _leave_out(session: Session, task: Task, number: int) -> Changes:
    """Play the chain without a step and without those that need its result or are rejected for want of it."""
    results: dict[int, Mapping[str, Any]] = {}
    for at, step in enumerate(task.chain):
        if at != number and set(steps_named(step.arguments)) <= results.keys():
            outcome = session.perform(step.tool, bind(step.arguments, results))
            if outcome.result is not None:
                results[at] = outcome.result
    session.settle()
    return session.changes
