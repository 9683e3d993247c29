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
from runtime.harness.evaluation.scores import plain
from runtime.harness.evaluation.store import DomainInRun, Run
from runtime.harness.heard import told_to_user, violations_in
from runtime.harness.record import EpisodeRecord, read_changes
from runtime.session.opening import WorldCache
from runtime.task.judge import judge
from runtime.task.task import Task, start_world
from runtime.task.task_file import read_tasks, task_line
from runtime.verification.texts import TextMatcher
from runtime.verification.verdict import RewardKind, Verdict
from runtime.wording import counted, have

_MOST_REASONS = 3  # of a flip, shown to a person


@dataclass(frozen=True)
class Flip:
    """A verdict that is another one now; `why` are the sentences of the verdict that is not rewarded.

    `unchanged` says that domain and task are those of the run. Only then do progress and violations count, too.
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
    matcher: str  # of texts
    judged: int
    void: int
    flips: tuple[Flip, ...]
    changed: tuple[str, ...]
    unjudged: dict[str, int]

    def as_json(self) -> dict[str, Any]:
        """The result as plain JSON values."""
        return dict(plain(self))


def rescore(
    run: Run,
    file: Path | None = None,
    given: Sequence[Domain] = (),
    reward: RewardKind | None = None,
    matcher: str | None = None,
) -> Rescored:
    """Judge every episode with a verdict again, by the domains' own tasks or by those in a file.

    Texts are judged by the `matcher` that is named, else by that of the run, and `reward` is the kind that is compared,
    else that of the run. The domains are those that are `given`, else those of the run's names; a store does not choose
    a folder to load. A task that a domain does not have now, such as one from a file, is judged as the run kept it.
    Errors: UsageError for a domain that is nowhere or broken.
    """
    named = run.config.matcher if matcher is None else matcher
    match = choose_matcher(named)
    domains = {domain.name: domain for domain in given}
    for name in domains:
        if name not in run.domains:
            raise UsageError(f"The run has no domain {name!r}; {have(name, run.domains)}.")
    judges = {
        name: _Judge(domains[name] if name in domains else _find(kept), run, file, reward or run.config.reward, match)
        for name, kept in run.domains.items()
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
        self._run = run
        self._played = run.domains[domain.name]
        self._matcher = matcher
        self._reward = reward
        self._tasks = read_tasks(domain, file=file, beside=[name for name in run.domains if name != domain.name])
        played = {task.id: task for task in run.tasks.values() if task.domain == domain.name}
        self._other = [name for name in played if name in self._tasks and _differ(played[name], self._tasks[name])]
        self._gone = [name for name in played if name not in self._tasks and file is None]
        self._tasks |= {name: played[name] for name in self._gone}
        self._bases, self._worlds = WorldCache(1), WorldCache(1)

    def changes(self) -> Iterator[str]:
        """What is another one now than in the run."""
        name, now, then = self._domain.name, self._domain, self._played
        if now.digest != then.digest:
            elsewhere = "" if str(now.path.resolve()) == then.path else f"; {_PLAYED.format(then.path)}"
            digests = f"(digest {now.digest[:12]}, not {then.digest[:12]})"
            yield f"domain {name!r} has other files now {digests}{elsewhere}"
        yield from (f"task {task!r} of domain {name!r} has another line now" for task in self._other)
        if self._gone:
            many = counted(len(self._gone), "task")
            said = f"domain {name!r} has no task {self._gone[0]!r} now; {many} judged as the run kept them"
            if self._run.config.tasks_file:
                said += f"; the run took its tasks from {self._run.config.tasks_file!r}, which --tasks takes"
            yield said

    def judge_again(self, record: EpisodeRecord, played: Task) -> Flip | None:
        """The flip of a verdict, if it is one; `played` is the run's task.

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
        unchanged = domain.digest == self._played.digest and not _differ(task, played)
        before, now = record.reward_by(self._reward), verdict.reward_by(self._reward)
        then, since = ((each.progress, each.violations) for each in (record, verdict))
        if before is None or (before == now and (then == since or not unchanged)):
            return None
        told_of: EpisodeRecord | Verdict = record if now > before else verdict
        return Flip(
            domain=record.domain,
            task=record.task,
            trial=record.trial,
            before=before,
            now=now,
            progress_before=record.progress,
            progress_now=verdict.progress,
            unchanged=unchanged,
            why=(*(each.sentence for each in told_of.differences), *(each.sentence for each in told_of.violations)),
            violations_before=len(record.violations),
            violations_now=len(verdict.violations),
        )


def describe(rescored: Rescored) -> Iterator[str]:
    """What judging again came to, as lines that a person reads."""
    for each in rescored.changed:
        yield f"changed: {each}"
    for flip in rescored.flips:
        kinds = (
            ("reward", flip.before, flip.now),
            ("progress", flip.progress_before, flip.progress_now),
            ("violations", flip.violations_before, flip.violations_now),
        )
        what, before, now = next(each for each in kinds if each[1] != each[2] or each is kinds[-1])
        yield f"flip: {flip.domain}:{flip.task} trial {flip.trial}: {what} {before} in the run, {now} now"
        if flip.unchanged:
            yield (
                "  neither domain nor task has changed since, so the judge or the store has: was it another version of "
                "worldsmith?"
            )
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


def _find(kept: DomainInRun) -> Domain:
    """The domain that the name means here."""
    try:
        return find_named(kept.name)
    except BrokenDomain:
        raise
    except UsageError as error:
        raise UsageError(f"{error}; {_PLAYED.format(kept.path)}") from error


_PLAYED = "the run was played with the folder {!r:.300}, which --domain would take"
