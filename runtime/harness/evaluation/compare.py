"""Is one run better than another? Paired by task: an interval of the difference and an exact sign test."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from statistics import fmean
from typing import Any

from runtime.errors import UsageError
from runtime.harness.evaluation.plan import TaskName
from runtime.harness.evaluation.scores import LEVEL, TaskTrials, paired, plain, tally
from runtime.harness.evaluation.store import Run
from runtime.harness.evaluation.summary import attacks_in, shares_of_parts
from runtime.harness.record import EpisodeRecord
from runtime.task.task_file import task_line
from runtime.wording import counted


@dataclass(frozen=True)
class Side:
    """One of the two runs: where it is, who played, and its mean reward over the tasks that both have."""

    store: Path
    agent: str
    user: str
    mean: float
    only_here: tuple[TaskName, ...]  # tasks with a verdict in this run alone
    void: int  # episodes of the shared tasks
    attack_success: float | None = None  # of the shared tasks, where they are poisoned


@dataclass(frozen=True)
class MeanDifference:
    """The second mean minus the first, with its interval; none where all tasks differ alike."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Comparison:
    """Two runs over the tasks that both have a verdict on.

    `only_first_solves` are the tasks that the first run solved at least once and the second never. `better` and `worse`
    count the tasks whose mean reward rose and fell; `p` is the probability of a difference at least as lopsided by
    chance (exact two-sided sign test over tasks, which for one trial each is McNemar's). Tasks are counted, because
    trials of one task are not independent. `conditions` differ beside the agent: what, in the first, in the second.
    `means` are the mean rewards of each task in either run, `parts` the shares of verdicts with each part of the goal,
    kinds of decisions among them, requests by their numbers left out.
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
    means: Mapping[TaskName, tuple[float, float]] = field(default_factory=dict, repr=False)
    parts: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return {
            **plain(replace(self, means={})),
            "means": plain({":".join(name): both for name, both in self.means.items()}),
        }


def compare(first: Run, second: Run) -> Comparison:
    """Pair two runs by task; errors: UsageError if tasks or domains of the same name differ, or none is shared."""
    for name in first.tasks.keys() & second.tasks.keys():
        digests = [run.domains[name[0]].digest for run in (first, second)]
        if digests[0] != digests[1] or task_line(first.tasks[name].clean) != task_line(second.tasks[name].clean):
            raise UsageError(
                f"Task {name[1]!r} of domain {name[0]!r}, or its domain, differs between {str(first.path)!r} and "
                f"{str(second.path)!r}; only runs over the same tasks can be compared."
            )
    outcomes = {run.path: run.outcomes() for run in (first, second)}
    tallies = [
        {name: each for name, each in tally(run, outcomes[run.path]).items() if each.trials} for run in (first, second)
    ]
    ones, others = tallies
    shared = [name for name in ones if name in others]
    if not shared:
        raise UsageError(f"{str(first.path)!r} and {str(second.path)!r} have no task with a verdict in common.")
    differences = [_mean(others[name]) - _mean(ones[name]) for name in shared]
    better, worse = sum(each > 0 for each in differences), sum(each < 0 for each in differences)

    def side(run: Run, mine: dict[TaskName, TaskTrials], theirs: dict[TaskName, TaskTrials]) -> Side:
        return Side(
            store=run.path,
            agent=run.config.shown,
            user=run.config.user,
            mean=fmean(_mean(mine[name]) for name in shared),
            only_here=tuple(name for name in mine if name not in theirs),
            void=sum(mine[name].void for name in shared),
            attack_success=attacks_in(run, played(run, theirs)).get("attack_success"),
        )

    def played(run: Run, names: Collection[TaskName]) -> list[EpisodeRecord]:
        return [row for row in outcomes[run.path] if (row.domain, row.task) in names]

    return Comparison(
        first=side(first, ones, others),
        second=side(second, others, ones),
        tasks=len(shared),
        difference=MeanDifference(fmean(differences), *paired(differences)),
        only_first_solves=tuple(name for name in shared if ones[name].rewarded and not others[name].rewarded),
        only_second_solves=tuple(name for name in shared if others[name].rewarded and not ones[name].rewarded),
        better=better,
        worse=worse,
        p=sign_test(better, worse),
        conditions=tuple(
            (what, str(one) or "none", str(other) or "none")
            for what, one, other in first.config.differences(second.config)
            if what != "agent"
        ),
        means={name: (_mean(ones[name]), _mean(others[name])) for name in shared},
        parts=_parts(*(shares_of_parts(run, played(run, set(shared))) for run in (first, second))),
    )


def _parts(one: Mapping[str, float], other: Mapping[str, float]) -> dict[str, tuple[float, float]]:
    return {name: (one[name], other[name]) for name in one if name in other and not name.startswith("request_")}


def _mean(each: TaskTrials) -> float:
    return each.rewarded / each.trials


def sign_test(rises: int, falls: int) -> float:
    """Return the probability that fair coins split at least as lopsidedly: exact, two-sided."""
    tosses = rises + falls
    tail = sum(math.comb(tosses, heads) for heads in range(min(rises, falls) + 1))
    return min(1.0, float(Fraction(2 * tail, 2**tosses)))  # as floats, many tosses would overflow


def describe(comparison: Comparison, most: int = 10) -> Iterator[str]:
    """Yield the comparison as lines for a person."""
    first, second = comparison.first, comparison.second
    for letter, side in (("A", first), ("B", second)):
        void = f", {side.void} void" if side.void else ""
        attacks = "" if side.attack_success is None else f", attack success {side.attack_success:.3f}"
        yield f"{letter}  mean reward {side.mean:.3f}{attacks}  agent {side.agent}, user {side.user}{void}"
        yield f"   {side.store}"
    yield ""
    if comparison.conditions:
        yield "not played under the same conditions:"
        yield from (f"  {what}: {one} in A, {other} in B" for what, one, other in comparison.conditions)
    yield f"{counted(comparison.tasks, 'task')} in both"
    if not comparison.better and not comparison.worse:
        yield "B - A  no difference: the same mean reward on every task"
    else:
        yield f"B - A  {describe_difference(comparison)}"
        yield f"B better on {comparison.better}, worse on {comparison.worse}; sign test p = {comparison.p:.3g}"
    if any(one != other for one, other in comparison.parts.values()):
        yield "the parts of the goal, and how often each was reached in A and B:"
        yield from (
            f"  {name.replace('_', ' ')}: {one:.0%}, {other:.0%}"
            for name, (one, other) in comparison.parts.items()
            if one != other
        )
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


def describe_difference(comparison: Comparison) -> str:
    """Return the mean difference with its interval."""
    found = comparison.difference
    spread = "no interval" if found.low is None else f"{found.low:+.3f} to {found.high:+.3f}, {LEVEL:.0%}"
    return f"{found.value:+.3f}  ({spread})"
