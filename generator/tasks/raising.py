"""Make given tasks again one level harder: of the same number and seed, proven as any other task."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from generator.isolation.job import job
from generator.tasks.compose import Composer
from generator.tasks.make import with_proofs
from generator.tasks.plan import SIZES, read_task_id
from generator.tasks.proofs.all import prove_candidate
from generator.tasks.telling import Unfit
from runtime.domain.load import load_domain
from runtime.graph import read_graph
from runtime.task.task import Task
from runtime.task.task_file import task_line


@dataclass(frozen=True)
class RaiseRequest:
    """Tasks of a domain folder that are to be raised, by their ids."""

    folder: Path
    ids: list[str]


@dataclass(frozen=True)
class RaisedTasks:
    """The lines of the raised tasks, and why there is none of the others, both by the id of the easier task."""

    lines: dict[str, str]
    refused: dict[str, str]


@job("raise")
def raise_tasks(asked: RaiseRequest) -> RaisedTasks:
    """Compose and prove each task one level up; errors: BrokenDomain, UsageError."""
    domain = load_domain(asked.folder)
    raised = RaisedTasks({}, {})
    with Composer(domain, read_graph(asked.folder)) as composer:
        for easier in asked.ids:
            try:
                raised.lines[easier] = task_line(_raise(composer, easier))
            except Unfit as unfit:
                raised.refused[easier] = str(unfit)
    return raised


def _raise(composer: Composer, easier: str) -> Task:
    made = read_task_id(easier, composer.scenarios)
    if made is None:
        raise Unfit("its id is not that of a task which these scenarios make")
    level = made.complexity
    if level == max(SIZES):
        raise Unfit(f"it is of level {level}, the hardest")
    candidate = composer.compose_of(replace(made, complexity=level + 1, lead=""))
    proven = prove_candidate(candidate)
    failed = next((proof for proof in proven.proofs.values() if not proof.holds), None)
    if failed is not None:
        raise Unfit(failed.refusal)
    return with_proofs(candidate, proven).model_copy(update={"easier": easier})
