"""Ease tasks in a child process, and prove what comes of it: the original in, its twin without a mechanism out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from generator.isolation.job import job
from generator.tasks.candidate import Candidate
from generator.tasks.compose import Composer
from generator.tasks.easing.permitted import permit
from generator.tasks.easing.unease import Uneasy, eased_as, source_of
from generator.tasks.easing.words import tell_at_once, tell_in_order, tell_the_truth
from generator.tasks.proofs.all import Proven, prove_candidate, prove_line
from generator.tasks.remake import remake
from generator.tasks.telling import Unfit
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import EnvironmentFault, UsageError
from runtime.graph import read_graph
from runtime.sandbox.files import is_there
from runtime.session.opening import WorldCache
from runtime.task.task import EasedForm, Task, start_world
from runtime.task.task_file import parse_task, task_line


@dataclass(frozen=True)
class EaseRequest:
    """Tasks of a domain folder, as lines, and the form whose mechanism is taken off."""

    folder: Path
    form: EasedForm
    lines: list[str]


@dataclass(frozen=True)
class EasedLine:
    """What came of a task: the line of its twin, or why there is none, as the rest of a sentence."""

    of: str
    line: str = ""
    why_not: str = ""


@dataclass(frozen=True)
class EasedLines:
    """What came of some tasks, in their order."""

    lines: list[EasedLine]


@job("ease")
def ease_tasks(asked: EaseRequest) -> EasedLines:
    """Take the mechanism of a form off tasks, and prove them; errors: BrokenDomain, UsageError."""
    domain = load_domain(asked.folder)
    tasks = [parse_task(line) for line in asked.lines]
    with _Easing(domain, asked.form) as easing:
        return EasedLines([easing.ease(task) for task in tasks])


class _Easing:
    """Eases tasks one after another; worlds are kept for the next one that starts from them."""

    def __init__(self, domain: Domain, form: EasedForm) -> None:
        self._domain, self._form = domain, form
        self._worlds = WorldCache(most=1)
        self._composer: Composer | None = None
        if form == "denied" and all(is_there(domain.path / name) for name in ("scenarios.py", "graph.json")):
            self._composer = Composer(domain, read_graph(domain.path))

    def ease(self, task: Task) -> EasedLine:
        """What comes of one task."""
        try:
            eased, proven = self._permitted(task) if self._form == "denied" else self._said_otherwise(task)
        except Uneasy as uneasy:
            return EasedLine(task.id, why_not=str(uneasy))
        except (EnvironmentFault, UsageError) as error:
            return EasedLine(task.id, why_not=f"cannot be played any more: {error}")
        failed = next((proof for proof in proven.proofs.values() if not proof.holds), None)
        if failed is not None:
            return EasedLine(task.id, why_not=f"is not proven then: {failed.name}: {failed.reason}")
        counts = {name: [proof.passed, proof.tried] for name, proof in proven.proofs.items()}
        mistakes = list(proven.mistakes)
        return EasedLine(task.id, task_line(eased.model_copy(update={"proofs": counts, "mistakes": mistakes})))

    def _said_otherwise(self, task: Task) -> tuple[Task, Proven]:
        if self._form == "withheld":
            eased = tell_at_once(task, self._domain, self._worlds)
        elif self._form == "mistaken":
            eased = tell_the_truth(task, self._domain)
        else:
            eased = tell_in_order(task, self._domain)
        eased = eased_as(eased, self._form, source_of(task, self._domain.digest))
        return eased, prove_line(self._domain, eased, start_world(eased, self._domain, self._worlds))

    def _permitted(self, task: Task) -> tuple[Task, Proven]:
        candidate = permit(self._remade(task))
        eased = eased_as(candidate.task, self._form, source_of(task, self._domain.digest))
        start_world(eased, self._domain, self._worlds)  # which says whether the line alone leads to the twin
        return eased, prove_candidate(replace(candidate, task=eased, world=candidate.world.named(eased.id)))

    def _remade(self, task: Task) -> Candidate:
        if self._composer is None:
            raise Uneasy("is not made of scenarios and a graph, which know how a rule decides it")
        try:
            return remake(self._composer, task)
        except Unfit as unfit:
            raise Uneasy(f"cannot be made again, and so its twin is not known: {unfit}") from unfit

    def __enter__(self) -> _Easing:
        return self

    def __exit__(self, *_: object) -> None:
        if self._composer is not None:
            self._composer.close()
