"""Whether a chain is right in another world than its own, judged by what its scenarios come to when told there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from generator.tasks.candidate import Candidate
from generator.tasks.proofs.plan import PlannedStep
from generator.tasks.proofs.replayer import TaskReplayer
from generator.tasks.telling import Telling
from runtime.session.session import Session
from runtime.task.script import Script
from runtime.task.task import bind
from runtime.verification.verify import is_rewarded


def tell_alike(candidate: Candidate, session: Session, number: int) -> Telling | None:
    """The scenarios told where the world is otherwise for one of them, if the user then says and knows the same."""
    telling = candidate.retell(session, number)
    return telling if telling is not None and says_alike(candidate, telling) else None


def says_alike(candidate: Candidate, telling: Telling) -> bool:
    """Whether the user says and knows the same in another telling."""
    told, own = ([each.wishes for each in scripts] for scripts in (telling.scripts, candidate.scripts))
    return told == own


def steps_of(replayer: TaskReplayer, candidate: Candidate) -> list[list[PlannedStep]]:
    """The chain as it is played in variations, by scenario."""
    steps = iter(replayer.plan)
    return [[next(steps) for _ in script.calls] for script in candidate.scripts]


def is_right_there(
    replayer: TaskReplayer, session: Session, steps: Sequence[PlannedStep], answers: Sequence[Script], telling: Telling
) -> bool:
    """Whether these steps, all accepted, and the answers of some scripts are what the telling there comes to."""
    given, wanted = (
        {each.name: each.value for script in scripts for each in script.answers}
        for scripts in (answers, telling.scripts)
    )
    if given != wanted:
        return False
    results: dict[int, Mapping[str, Any]] = {}
    session.reset()
    for step in steps:
        if not step.needs <= results.keys():
            return False
        outcome = session.perform(step.tool, bind(step.arguments, results))
        if outcome.result is None:
            return False
        results[step.number] = outcome.result
    schema = replayer.domain.schema
    return is_rewarded(schema, replayer.policies, telling.changes, session.changes, composed=replayer.composed)
