"""Judge the stored final states of a run again, by the present code, domains and tasks; the store is only read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runtime.domain.domain import Domain
from runtime.domain.load import find_named
from runtime.errors import EnvironmentFault, UsageError
from runtime.harness.evaluation.matching import choose_matcher
from runtime.harness.evaluation.scores import plain
from runtime.harness.evaluation.store import Run
from runtime.harness.outcome import told_to_user, violations_in
from runtime.harness.record import EpisodeRecord, read_changes
from runtime.session.world import WorldCache
from runtime.task.judge import judge
from runtime.task.task import Task, start_world
from runtime.task.task_file import read_tasks, task_line
from runtime.verification.texts import TextMatcher
from runtime.verification.verdict import RewardKind, Verdict
from runtime.wording import counted, have

_MOST_REASONS = 3  # of a flip, shown to a person


@dataclass(frozen=True)
class Flip:
    """A verdict whose reward changed; `why` are the sentences of the verdict that is not rewarded.

    `unchanged` says that domain and task are those of the run, so the judge or the store changed.
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


@dataclass(frozen=True)
class Rescored:
    """The result of judging again: `changed` names the domains and tasks that changed since the run.

    `unjudged` counts the episodes, by the reason why they cannot be judged now.
    """

    store: Path
    matcher: str  # of texts
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
    matcher: str | None = None,
) -> Rescored:
    """Judge every episode that has a verdict again, by the domains' own tasks or by those in a file.

    `reward` and `matcher` are those of the run unless they are given. Domains that are not `given` are found by name: a
    store does not choose a folder to load. A task that a domain does not have now is judged as the run stored it.
    Errors: UsageError for a domain that is not found or broken.
    """
    named = run.config.matcher if matcher is None else matcher
    match = choose_matcher(named)
    domains = {domain.name: domain for domain in given}
    for name in domains:
        if name not in run.domains:
            raise UsageError(f"The run has no domain {name!r}; {have(name, run.domains)}.")
    judges = {
        name: _Judge(domains.get(name) or find_named(name), run, file, reward or run.config.reward, match)
        for name in run.domains
    }
    judged = void = 0
    flips: list[Flip] = []
    unjudged: Counter[str] = Counter()
    # Tasks that share a world follow each other; the flips are listed in the run's order again.
    order = {name: position for position, name in enumerate(run.tasks)}
    for record in run.records(sorted(run.tasks, key=lambda name: (name[0], *run.tasks[name].world.base, order[name]))):
        if record.reward is None:
            void += 1
            continue
        try:
            flip = judges[record.domain].judge_again(record, run.tasks[record.domain, record.task])
        except (UsageError, EnvironmentFault) as error:
            unjudged[str(error)] += 1
            continue
        except (LookupError, ValueError, TypeError) as error:
            unjudged[f"The final state of task {record.task!r} does not fit the schema: {error}."] += 1
            continue
        judged += 1
        flips += [flip] if flip is not None else []
    flips.sort(key=lambda flip: (order[flip.domain, flip.task], flip.trial))
    changed = tuple(each for name in judges for each in judges[name].changes())
    return Rescored(run.path, named or "strict", judged, void, tuple(flips), changed, dict(unjudged))


class _Judge:
    """Judges the episodes of a domain as it is now, which come ordered by world and task."""

    def __init__(
        self, domain: Domain, run: Run, file: Path | None, reward: RewardKind, matcher: TextMatcher | None
    ) -> None:
        self._domain = domain
        self._same_domain = domain.digest == run.domains[domain.name].digest
        self._matcher = matcher
        self._reward = reward
        self._tasks = read_tasks(domain, file=file, beside=[name for name in run.domains if name != domain.name])
        played = {task.id: task for task in run.tasks.values() if task.domain == domain.name}
        self._other = [name for name in played if name in self._tasks and _differ(played[name], self._tasks[name])]
        self._gone = [name for name in played if name not in self._tasks and file is None]
        self._tasks |= {name: played[name] for name in self._gone}
        self._bases, self._worlds = WorldCache(1), WorldCache(1)

    def changes(self) -> Iterator[str]:
        """Yield what changed since the run."""
        name = self._domain.name
        if not self._same_domain:
            yield f"domain {name!r} in {str(self._domain.path)!r} has other files now"
        yield from (f"task {task!r} of domain {name!r} has another line now" for task in self._other)
        if self._gone:
            many = counted(len(self._gone), "task")
            yield f"domain {name!r} has no task {self._gone[0]!r} now; {many} judged as the run stored them"

    def judge_again(self, record: EpisodeRecord, played: Task) -> Flip | None:
        """Return the flip of a verdict, if it is one; `played` is the run's task.

        The calls are made again, too, for the rules that they broke.
        Errors: UsageError, EnvironmentFault, LookupError, ValueError.
        """
        task, domain = self._tasks.get(record.task), self._domain
        if task is None:
            raise UsageError(f"The task file has no task {record.task!r} of domain {domain.name!r}.")
        world = self._worlds.keep(domain, task.id, lambda: start_world(task, domain, self._bases))
        told = told_to_user(task, domain, world, record.messages)
        violations = violations_in(task, domain, world, record.messages)
        final = read_changes(record.final)
        verdict = judge(task, domain, world, final, told, matcher=self._matcher, violations=violations)
        before, now = record.reward_by(self._reward), verdict.reward_by(self._reward)
        if before is None or before == now:
            return None
        failed: EpisodeRecord | Verdict = record if now > before else verdict
        return Flip(
            domain=record.domain,
            task=record.task,
            trial=record.trial,
            before=before,
            now=now,
            progress_before=record.progress,
            progress_now=verdict.progress,
            unchanged=self._same_domain and not _differ(task, played),
            why=(*(each.sentence for each in failed.differences), *(each.sentence for each in failed.violations)),
        )


def describe(rescored: Rescored) -> Iterator[str]:
    """Yield the result as lines for a person."""
    yield from (f"changed: {each}" for each in rescored.changed)
    for flip in rescored.flips:
        yield f"flip: {flip.domain}:{flip.task} trial {flip.trial}: reward {flip.before} in the run, {flip.now} now"
        if flip.unchanged:
            yield "  domain and task are those of the run, so the judge or the store has changed"
        yield from (f"  - {sentence}" for sentence in flip.why[:_MOST_REASONS])
        if len(flip.why) > _MOST_REASONS:
            yield f"  - and {counted(len(flip.why) - _MOST_REASONS, 'more difference')}"
    for reason, count in rescored.unjudged.items():
        yield f"not judged, {counted(count, 'episode')}: {reason}"
    void = f", none for {counted(rescored.void, 'void episode')}" if rescored.void else ""
    by = f" by matcher {rescored.matcher}" if rescored.matcher != "strict" else ""
    yield f"{counted(rescored.judged, 'verdict')} given again{by}, {len(rescored.flips)} flipped{void}"


def _differ(one: Task, other: Task) -> bool:
    return task_line(one) != task_line(other)
