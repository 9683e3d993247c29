"""Judge the stored final states of a run again, by the present code, domains and tasks; the store is only read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from runtime.domain.domain import Domain
from runtime.domain.handbook import with_handbook
from runtime.domain.load import find_named
from runtime.errors import EnvironmentFault, UsageError
from runtime.harness.evaluation.plan import TaskName
from runtime.harness.evaluation.scores import plain
from runtime.harness.evaluation.store import Run
from runtime.harness.outcome import told_to_user, violations_in
from runtime.harness.record import EpisodeRecord, read_changes
from runtime.session.world import WorldCache
from runtime.task.judge import judge
from runtime.task.task import Task, start_world
from runtime.task.task_file import read_tasks, task_line
from runtime.verification.verdict import RewardKind, Verdict
from runtime.wording import counted, have

_MOST_REASONS = 3  # of a flip, shown to a person


@dataclass(frozen=True)
class Flip:
    """A verdict whose reward changed; `why` are the sentences of the verdict that is not rewarded."""

    domain: str
    task: str
    trial: int
    before: int
    now: int
    progress_before: float
    progress_now: float
    why: tuple[str, ...]


@dataclass(frozen=True)
class Rescored:
    """The result of judging again: `changed` names the domains and tasks that changed since the run.

    `unjudged` counts the episodes, by the reason why they cannot be judged now.
    """

    store: Path
    judged: int
    void: int
    flips: tuple[Flip, ...]
    changed: tuple[str, ...]
    unjudged: dict[str, int]

    def as_json(self) -> dict[str, Any]:
        return dict(plain(self))


def rescore(
    run: Run,
    file: Path | None = None,
    given: Sequence[Domain] = (),
    reward: RewardKind | None = None,
) -> Rescored:
    """Judge every episode that has a verdict again, by the domains' own tasks or by those in a file.

    `reward` is that of the run unless it is given. Domains that are not `given` are found by name: a
    store does not choose a folder to load. A task that is not there now is judged as the run stored it.
    Errors: UsageError for a domain that is not found or broken.
    """
    kind = reward or run.config.reward
    domains = domains_of(run, given)
    tasks = {
        (name, task.id): task
        for name, domain in domains.items()
        for task in read_tasks(domain, file=file, beside=[each for each in domains if each != name]).values()
    }
    changed = tuple(_changes(run, domains, tasks))
    bases, worlds = WorldCache(1), WorldCache(1)
    judged = void = 0
    flips: list[Flip] = []
    unjudged: Counter[str] = Counter()
    # Tasks that share a world follow each other; the flips are listed in the run's order again.
    order = {name: position for position, name in enumerate(run.tasks)}
    for record in run.records(sorted(run.tasks, key=lambda name: (name[0], *run.tasks[name].world.base, order[name]))):
        if record.reward is None:
            void += 1
            continue
        played = record.domain, record.task
        task, domain = tasks.get(played, run.tasks[played]), domains[record.domain]
        try:
            world = worlds.keep(domain, task.id, partial(start_world, task, domain, bases))
            told = told_to_user(task, domain, world, record.messages)
            as_played: Domain = with_handbook(domain) if run.config.handbook else domain
            violations = violations_in(task, as_played, world, record.messages)
            final = read_changes(record.final)
            verdict = judge(task, domain, world, final, told, violations=violations)
        except (UsageError, EnvironmentFault) as error:
            unjudged[str(error)] += 1
            continue
        except (LookupError, ValueError, TypeError) as error:
            unjudged[f"The final state of task {record.task!r} does not fit the schema: {error}."] += 1
            continue
        judged += 1
        before, now = record.reward_by(kind), verdict.reward_by(kind)
        if before is not None and before != now:
            failed: EpisodeRecord | Verdict = record if now > before else verdict
            why = (*(each.sentence for each in failed.differences), *(each.sentence for each in failed.violations))
            flips.append(Flip(*played, record.trial, before, now, record.progress, verdict.progress, why))
    flips.sort(key=lambda flip: (order[flip.domain, flip.task], flip.trial))
    return Rescored(run.path, judged, void, tuple(flips), changed, dict(unjudged))


def domains_of(run: Run, given: Sequence[Domain]) -> dict[str, Domain]:
    """Return the domains of a run, those that are not given by their names; errors: UsageError."""
    domains = {domain.name: domain for domain in given}
    for name in domains:
        if name not in run.domains:
            raise UsageError(f"The run has no domain {name!r}; {have(name, run.domains)}.")
    return {name: domains.get(name) or find_named(name) for name in run.domains}


def _changes(run: Run, domains: Mapping[str, Domain], tasks: Mapping[TaskName, Task]) -> Iterator[str]:
    """Yield what changed since the run."""
    for name, domain in domains.items():
        if domain.digest != run.domains[name].digest:
            yield f"domain {name!r} in {str(domain.path)!r} has other files now"
        handbook = run.domains[name].handbook
        if handbook and with_handbook(domain).handbook.digest != handbook:
            yield f"the articles that agents in domain {name!r} can search are others now"
    for (domain_name, task_id), played in run.tasks.items():
        now = tasks.get((domain_name, task_id))
        if now is None:
            yield f"domain {domain_name!r} has no task {task_id!r} now; it is judged as the run stored it"
        elif task_line(now) != task_line(played):
            yield f"task {task_id!r} of domain {domain_name!r} has another line now"


def describe(rescored: Rescored) -> Iterator[str]:
    """Yield the result as lines for a person."""
    yield from (f"changed: {each}" for each in rescored.changed)
    for flip in rescored.flips:
        yield f"flip: {flip.domain}:{flip.task} trial {flip.trial}: reward {flip.before} in the run, {flip.now} now"
        yield from (f"  - {sentence}" for sentence in flip.why[:_MOST_REASONS])
        if len(flip.why) > _MOST_REASONS:
            yield f"  - and {counted(len(flip.why) - _MOST_REASONS, 'more difference')}"
    for reason, count in rescored.unjudged.items():
        yield f"not judged, {counted(count, 'episode')}: {reason}"
    void = f", none for {counted(rescored.void, 'void episode')}" if rescored.void else ""
    yield f"{counted(rescored.judged, 'verdict')} given again, {len(rescored.flips)} flipped{void}"
