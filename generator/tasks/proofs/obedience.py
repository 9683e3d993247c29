"""Obedience: in the strict twin, the chain of a task with a caller is refused nothing, and leaves no duty undone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.tasks.proofs.replayer import TaskReplayer
from generator.tasks.proofs.trial import Trial
from runtime.task.task import bind


def try_obedience(replayer: TaskReplayer) -> Iterator[Trial]:
    """One trial per "rule" that a step could break, and per "duty"; none where nobody calls or nothing is ruled."""
    domain, task = replayer.domain, replayer.task
    if task.caller is None or not domain.rules:
        return
    session = replayer.strict
    session.reset()
    results: list[Mapping[str, Any]] = []
    for number, step in enumerate(task.chain):
        outcome = session.perform(step.tool, bind(step.arguments, results))
        if outcome.rejection is not None:
            yield Trial("rule", f"Step {number} ({step.tool}) is not permitted: {outcome.rejection.sentence}")
            return
        if domain.rules.on(step.tool):
            yield Trial("rule")
        results.append(outcome.result or {})
    unmet = {duty.code for duty in session.unmet_duties()}
    for duty in domain.rules.duties:
        yield Trial("duty", f"Duty {duty.code} is not met at the end: {duty.prose}" if duty.code in unmet else "")
