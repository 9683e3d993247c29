"""Whether one run is better than another: paired by task, with an interval of the difference and an exact test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from runtime.errors import UsageError
from runtime.harness.evaluation.plan import TaskName
from runtime.harness.evaluation.scores import TaskTrials, bootstrap, mean, plain, tally
from runtime.harness.evaluation.store import Run
from runtime.task.task_file import task_line
from runtime.wording import counted


@dataclass(frozen=True)
class Side:
    """One of the two runs: where it is, who played, and its mean reward over the tasks that both have."""

    store: Path
    agent: str
    user: str
    mean: float | None
    only_here: tuple[TaskName, ...]  # tasks with a verdict in this run alone
    void: int  # episodes of the shared tasks


@dataclass(frozen=True)
class MeanDifference:
    """The second mean less the first, with its interval; none where all tasks differ alike."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Comparison:
    """Two runs over the tasks that both have a verdict on.

    `only_first_solves` are the tasks that the first run solved at least once and the second never. `better` and `worse`
    count the tasks whose mean reward rose and fell from the first to the second; `p` is how often a difference as
    lopsided comes of chance alone (exact two-sided sign test over tasks, which for one trial each is McNemar's). Tasks
    are counted, since trials of one task are not independent of each other. `conditions` are those that differ beside
    the agent: what, and how it was in the first and in the second.
    """

    first: Side
    second: Side
    tasks: int
    difference: MeanDifference
    only_first_solves: tuple[TaskName, ...]
    only_second_solves: tuple[TaskName, ...]
    better: int
    worse: int
    p: float
    conditions: tuple[tuple[str, str, str], ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The comparison as plain JSON values."""
        return dict(plain(self))


def compare(first: Run, second: Run) -> Comparison:
    """Pair two runs by task; errors: UsageError if a task of the same name is another one, or nothing is shared."""
    for (domain, name), task in first.tasks.items():
        if task_line(task) != task_line(second.tasks.get((domain, name), task)):
            raise UsageError(
                f"Task {name!r} of domain {domain!r} is another one in {str(second.path)!r} than in "
                f"{str(first.path)!r}; runs can be compared only over the same tasks."
            )
    for name in first.domains:
        there = second.domains.get(name)
        if there is not None and there.digest != first.domains[name].digest:
            raise UsageError(
                f"Domain {name!r} has digest {there.digest[:12]!r} in {str(second.path)!r}, not "
                f"{first.domains[name].digest[:12]!r} as in {str(first.path)!r}; its files changed between the runs."
            )
    all_one, all_other = tally(first, first.outcomes()), tally(second, second.outcomes())
    ones = {name: each for name, each in all_one.items() if each.trials}
    others = {name: each for name, each in all_other.items() if each.trials}
    shared = [name for name in ones if name in others]
    if not shared:
        raise UsageError(f"{str(first.path)!r} and {str(second.path)!r} have no task with a verdict in common.")
    differences = [_mean(others[name]) - _mean(ones[name]) for name in shared]
    # Where all differences are alike, such as that of a single task, drawing them anew tells nothing.
    interval = bootstrap(differences) if len(set(differences)) > 1 else None
    better, worse = sum(each > 0 for each in differences), sum(each < 0 for each in differences)

    def side(run: Run, mine: dict[TaskName, TaskTrials], theirs: dict[TaskName, TaskTrials]) -> Side:
        return Side(
            store=run.path,
            agent=run.config.shown,
            user=run.config.user,
            mean=mean([_mean(mine[name]) for name in shared]),
            only_here=tuple(name for name in mine if name not in theirs),
            void=sum(mine[name].void for name in shared),
        )

    return Comparison(
        first=side(first, ones, others),
        second=side(second, others, ones),
        tasks=len(shared),
        difference=MeanDifference(
            mean(differences), interval.low if interval else None, interval.high if interval else None
        ),
        only_first_solves=tuple(name for name in shared if ones[name].rewarded and not others[name].rewarded),
        only_second_solves=tuple(name for name in shared if others[name].rewarded and not ones[name].rewarded),
        better=better,
        worse=worse,
        p=sign_test(better, worse),
        conditions=tuple(_conditions(first, second, [[each[name] for name in shared] for each in (ones, others)])),
    )


def _conditions(first: Run, second: Run, shared: Sequence[Sequence[TaskTrials]]) -> Iterator[tuple[str, str, str]]:
    """What differs of how two runs were played, beside the agent; `shared` are the trials of the tasks in both."""
    for what, one, other in first.config.differences(second.config):
        if what not in _OF_THE_AGENT:
            yield what, _said(one), _said(other)
    ones, others = shared
    counts: tuple[tuple[str, str, str], ...] = (
        ("trials of a task", _range_of_trials(ones), _range_of_trials(others)),
        ("void episodes", str(sum(each.void for each in ones)), str(sum(each.void for each in others))),
        ("worldsmith", first.made_by, second.made_by),
    )
    yield from (each for each in counts if each[1] != each[2])


_OF_THE_AGENT = ("agent", "files of the agent's program with digest")


def _said(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) or "nothing" if isinstance(value, list | tuple) else str(value)


def _range_of_trials(tasks: Sequence[TaskTrials]) -> str:
    counts = [each.trials + each.void for each in tasks]
    return " to ".join(map(str, dict.fromkeys((min(counts), max(counts)))))


def sign_test(rises: int, falls: int) -> float:
    """How often so lopsided a split, or more so, comes of fair coins: exact, two-sided."""
    tosses = rises + falls
    ways = tail = 1  # of no head, then of at most so many heads
    for heads in range(1, min(rises, falls) + 1):
        ways = ways * (tosses - heads + 1) // heads
        tail += ways
    return min(1.0, float(Fraction(2 * tail, 2**tosses)))  # as floats, many tosses would overflow


def describe(comparison: Comparison, most: int = 10) -> Iterator[str]:
    """The comparison as lines that a person reads."""
    first, second = comparison.first, comparison.second
    for letter, side in (("A", first), ("B", second)):
        void = f", {side.void} void" if side.void else ""
        yield f"{letter}  mean reward {side.mean:.3f}  agent {side.agent}, user {side.user}{void}"
        yield f"   {side.store}"
    yield ""
    if comparison.conditions:
        yield "not played under the same conditions:"
        yield from (f"  {what}: {one} in A, {other} in B" for what, one, other in comparison.conditions)
        yield ""
    yield f"{counted(comparison.tasks, 'task')} in both"
    yield from _describe_difference(comparison)
    for title, names in (
        ("only A solves", comparison.only_first_solves),
        ("only B solves", comparison.only_second_solves),
        ("only in A", first.only_here),
        ("only in B", second.only_here),
    ):
        if names:
            yield f"{title} ({len(names)}):"
            yield from (f"  {domain}:{task}" for domain, task in names[:most])
            if len(names) > most:
                yield f"  and {len(names) - most} more"


def _describe_difference(comparison: Comparison) -> Iterator[str]:
    where = "the one task" if comparison.tasks == 1 else "every task"
    if not comparison.better and not comparison.worse:
        yield f"B - A  no difference seen: the same mean reward on {where}"
        return
    spread = f"the same on {where}, so there is no interval"
    found = comparison.difference
    if found.low is not None:
        spread = f"{found.low:+.3f} to {found.high:+.3f}, 95 %"
    yield f"B - A  {found.value:+.3f}  ({spread})"
    yield f"B better on {comparison.better}, worse on {comparison.worse}; sign test p = {comparison.p:.3g}"


def _mean(each: TaskTrials) -> float:
    return each.rewarded / each.trials
