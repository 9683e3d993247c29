"""Judge the kept final states of a run again, by the present code, domains and tasks; the store is only read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runtime.domain.domain import Domain
from runtime.domain.find import find_named
from runtime.errors import BrokenDomain, EnvironmentFault, UsageError
from runtime.harness.evaluation.matching import choose_matcher
from runtime.harness.evaluation.plan import TaskName
from runtime.harness.evaluation.store import DomainInRun, Run
from runtime.harness.heard import told_to_user, violations_in
from runtime.harness.record import EpisodeRecord, read_changes
from runtime.session.opening import WorldCache
from runtime.session.world import World
from runtime.task.judge import judge
from runtime.task.task import Task, start_world
from runtime.task.task_file import read_tasks, task_line
from runtime.verification.texts import TextMatcher
from runtime.verification.verdict import RewardKind
from runtime.wording import counted, have

_MOST_REASONS = 3  # of a flip, shown to a person


@dataclass(frozen=True)
class Flip:
    """A verdict that is another one now; `why` are the sentences of the verdict that is not rewarded.

    `unchanged` says that domain and task are those of the run: then the record was altered, or the judge has changed.
    Only then do progress and violations count, too.
    """

    domain: str
    task: str
    trial: int
    before: int
    now: int
    progress_before: float
    progress_now: float
    unchanged: bool
    why: tuple[str, ...]
    violations_before: int = 0
    violations_now: int = 0


@dataclass(frozen=True)
class Rescored:
    """What judging again came to; `changed` are the domains and tasks that are others now than in the run.

    `unjudged` counts the episodes, by the reason why they cannot be judged now.
    """

    store: Path
    judged: int
    void: int
    flips: tuple[Flip, ...]
    changed: tuple[str, ...]
    unjudged: dict[str, int]
    matcher: str = ""  # of texts, if it is not the reward's own

    def as_json(self) -> dict[str, Any]:
        """The result as plain JSON values."""
        return {
            "store": str(self.store),
            "matcher": self.matcher or "strict",
            "judged": self.judged,
            "void": self.void,
            "flips": [{**vars(flip), "why": list(flip.why)} for flip in self.flips],
            "changed": list(self.changed),
            "unjudged": self.unjudged,
        }


def rescore(
    run: Run,
    file: Path | None = None,
    given: Sequence[Domain] = (),
    reward: RewardKind | None = None,
    matcher: str | None = None,
) -> Rescored:
    """Judge every episode with a verdict again, by the domains' own tasks or by those in a file.

    Texts are judged by the `matcher` that is named, else by that of the run. The domains are those that are `given`,
    else those of the run's names; a store does not choose a folder to load.

    The calls are made again, too, for the rules that they broke. `reward` is the kind that is compared, else that of
    the run. A task that a domain does not have, such as one that was played from a file, is judged as the run kept it.
    Errors: UsageError for a domain that is nowhere or broken.
    """
    named = run.config.matcher if matcher is None else matcher
    match = choose_matcher(named)
    domains = {domain.name: domain for domain in given}
    for name in domains:
        if name not in run.domains:
            raise UsageError(f"The run has no domain {name!r}; {have(name, run.domains)}.")
    places = {
        name: _JudgingPlace(
            domains[name] if name in domains else _find(kept), run, file, reward or run.config.reward, match
        )
        for name, kept in run.domains.items()
    }
    changed = [
        f"domain {name!r} has other files now (digest {place.domain.digest[:12]}, not {run.domains[name].digest[:12]})"
        f"{_elsewhere(place.domain, run.domains[name])}"
        for name, place in places.items()
        if place.domain.digest != run.domains[name].digest
    ]
    for (domain, name), task in run.tasks.items():
        present = places[domain].tasks.get(name)
        if present is not None and task_line(present) != task_line(task):
            changed.append(f"task {name!r} of domain {domain!r} has another line now")
    for name, place in places.items():
        if place.kept:
            first, many = next(iter(place.kept)), counted(len(place.kept), "task")
            said = f"domain {name!r} has no task {first!r} now; {many} judged as the run kept them"
            if run.config.tasks_file:
                said += f"; the run took its tasks from {run.config.tasks_file!r}, which --tasks takes"
            changed.append(said)
    judged = void = 0
    flips: list[Flip] = []
    unjudged: Counter[str] = Counter()
    # Tasks that share a world follow each other; the flips are listed in the run's order again.
    order = {name: position for position, name in enumerate(run.tasks)}
    for record in run.records(sorted(run.tasks, key=lambda name: (name[0], *_recipe(run.tasks[name]), order[name]))):
        if record.reward is None:
            void += 1
            continue
        try:
            task, digest = run.tasks[record.domain, record.task], run.domains[record.domain].digest
            flip = places[record.domain].judge_again(record, task, digest)
        except (UsageError, EnvironmentFault) as error:
            unjudged[str(error)] += 1
            continue
        except (LookupError, ValueError, TypeError) as error:
            unjudged[f"The final state of task {record.task!r} does not fit the schema: {error}."] += 1
            continue
        judged += 1
        if flip is not None:
            flips.append(flip)
    flips.sort(key=lambda flip: (order[flip.domain, flip.task], flip.trial))
    return Rescored(run.path, judged, void, tuple(flips), tuple(changed), dict(unjudged), named)


class _JudgingPlace:
    """A domain as it is now, with the world of the task that is judged; records come ordered by world and task."""

    def __init__(
        self, domain: Domain, run: Run, file: Path | None, reward: RewardKind, matcher: TextMatcher | None
    ) -> None:
        self.domain = domain
        self._matcher = matcher
        others = [name for name in run.domains if name != domain.name]
        self.tasks = read_tasks(domain, file=file, beside=others)
        kept = {name: task for (of, name), task in run.tasks.items() if of == domain.name and name not in self.tasks}
        self.kept = {} if file else kept
        self.tasks |= self.kept
        self._reward = reward
        self._bases = WorldCache(1)
        self._task: TaskName | None = None
        self._world: World | UsageError | EnvironmentFault | None = None

    def judge_again(self, record: EpisodeRecord, played: Task, digest: str) -> Flip | None:
        """The flip of a verdict, if it is one; `played` and `digest` are the run's task and that of its domain.

        Errors: UsageError, EnvironmentFault, LookupError, ValueError.
        """
        task = self.tasks.get(record.task)
        if task is None:
            raise UsageError(f"The task file has no task {record.task!r} of domain {self.domain.name!r}.")
        world = self._world_of(task)
        told = told_to_user(task, self.domain, world, record.messages)
        violations = violations_in(task, self.domain, world, record.messages)
        final = read_changes(record.final)
        verdict = judge(task, self.domain, world, final, told, matcher=self._matcher, violations=violations)
        unchanged = self.domain.digest == digest and task_line(task) == task_line(played)
        before, now = record.reward_by(self._reward), verdict.reward_by(self._reward)
        then, since = ((each.progress, each.violations) for each in (record, verdict))
        if before is None or (before == now and (then == since or not unchanged)):
            return None
        told_of = record if now > before else verdict
        why = [each.sentence for each in told_of.differences] + [each.sentence for each in told_of.violations]
        return Flip(
            domain=record.domain,
            task=record.task,
            trial=record.trial,
            before=before,
            now=now,
            progress_before=record.progress,
            progress_now=verdict.progress,
            unchanged=unchanged,
            why=tuple(why),
            violations_before=len(record.violations),
            violations_now=len(verdict.violations),
        )

    def _world_of(self, task: Task) -> World:
        if self._task != (task.domain, task.id):
            self._task = task.domain, task.id
            try:
                self._world = start_world(task, self.domain, self._bases)
            except (UsageError, EnvironmentFault) as error:
                self._world = error
        if not isinstance(self._world, World):
            assert self._world is not None
            raise self._world
        return self._world


def describe(rescored: Rescored) -> Iterator[str]:
    """What judging again came to, as lines that a person reads."""
    for each in rescored.changed:
        yield f"changed: {each}"
    for flip in rescored.flips:
        what, before, now = "reward", f"{flip.before}", f"{flip.now}"
        if before == now:
            what, before, now = "progress", f"{flip.progress_before}", f"{flip.progress_now}"
        if before == now:
            what, before, now = "violations", f"{flip.violations_before}", f"{flip.violations_now}"
        yield f"flip: {flip.domain}:{flip.task} trial {flip.trial}: {what} {before} in the run, {now} now"
        if flip.unchanged:
            yield (
                "  the record is not what its final state says: neither domain nor task has changed since, so that the "
                "store was altered, unless another version of worldsmith judged it"
            )
        yield from (f"  - {sentence}" for sentence in flip.why[:_MOST_REASONS])
        if len(flip.why) > _MOST_REASONS:
            yield f"  - and {counted(len(flip.why) - _MOST_REASONS, 'more difference')}"
    for reason, count in rescored.unjudged.items():
        yield f"not judged, {counted(count, 'episode')}: {reason}"
    void = f", none for {counted(rescored.void, 'void episode')}" if rescored.void else ""
    by = f" by matcher {rescored.matcher}" if rescored.matcher else ""
    yield f"{counted(rescored.judged, 'verdict')} given again{by}, {len(rescored.flips)} flipped{void}"


def _recipe(task: Task) -> tuple[Any, ...]:
    return task.world.base


def _find(kept: DomainInRun) -> Domain:
    """The domain that the name means here."""
    try:
        return find_named(kept.name)
    except BrokenDomain:
        raise
    except UsageError as error:
        raise UsageError(f"{error}; {_PLAYED.format(kept.path)}") from error


def _elsewhere(domain: Domain, kept: DomainInRun) -> str:
    return "" if str(domain.path.resolve()) == kept.path else f"; {_PLAYED.format(kept.path)}"


_PLAYED = "the run was played with the folder {!r:.300}, which --domain would take"
