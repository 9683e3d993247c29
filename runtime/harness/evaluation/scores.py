"""Avg@k, Pass@k and Pass^k of a run, with intervals, bounds for void episodes, and the idle agent beside them.

For a task with n trials, c of them rewarded, the unbiased estimates are: Avg@k = c/n (the expected mean reward of k
trials, the same for every k); Pass@k = 1 - C(n-c, k) / C(n, k), that at least one of k trials is rewarded (Chen et al.
2021, arXiv:2107.03374; used in ScaleEnv, table 5); Pass^k = C(c, k) / C(n, k), that all k are (tau-bench, Yao et al.
2024, arXiv:2406.12045). A score is the mean over tasks.

The interval is Wilson's score interval (Wilson 1927) of a share of tasks, which holds for few tasks and at 0 and 1,
where a bootstrap has no width. Trials of one task are not independent, so more of them do not narrow it: more tasks do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from itertools import zip_longest
from math import comb
from pathlib import Path
from statistics import NormalDist, fmean, stdev
from typing import Any

from runtime.harness.evaluation.plan import TaskName
from runtime.harness.evaluation.store import Run
from runtime.harness.record import EpisodeRecord

LEVEL = 0.95  # of confidence
_Z = NormalDist().inv_cdf((1 + LEVEL) / 2)


@dataclass(frozen=True)
class TaskTrials:
    """The trials of one task: those with a verdict, the rewarded ones among them, the void ones.

    `idle` is the reward of an agent that does nothing, None where it was not judged. `clean` counts the judged trials
    that broke no rule; None where the domain has no rules.
    """

    trials: int
    rewarded: int
    void: int = 0
    idle: int | None = None
    clean: int | None = None


@dataclass(frozen=True)
class Score:
    """A mean over tasks at one k, with its 95 % interval.

    `value` counts trials with a verdict, over the `tasks` that have k of them; it is None where none has. `strict` and
    `lenient` count void trials as failed and as rewarded.
    """

    k: int
    value: float | None
    low: float | None
    high: float | None
    strict: float | None
    lenient: float | None
    tasks: int


@dataclass(frozen=True)
class Scores:
    """The scores of some tasks, each for k from 1 to the greatest number of trials.

    `without_violation` is the share of the judged episodes that broke no rule, of domains with rules; else None.
    """

    tasks: int
    episodes: int
    void: int
    avg_at_k: tuple[Score, ...]
    pass_at_k: tuple[Score, ...]
    pass_hat_k: tuple[Score, ...]
    idle: float | None
    without_violation: float | None = None

    def as_json(self) -> dict[str, Any]:
        return dict(plain(self))


def avg_at(trials: int, rewarded: int, k: int) -> float | None:
    """The expected mean reward of k trials; None if there are fewer."""
    return rewarded / trials if 1 <= k <= trials else None


def pass_at(trials: int, rewarded: int, k: int) -> float | None:
    """The probability that at least one of k trials is rewarded; None if there are fewer."""
    return 1 - comb(trials - rewarded, k) / comb(trials, k) if 1 <= k <= trials else None


def pass_hat(trials: int, rewarded: int, k: int) -> float | None:
    """The probability that all of k trials are rewarded; None if there are fewer."""
    return comb(rewarded, k) / comb(trials, k) if 1 <= k <= trials else None


Estimate = Callable[[int, int, int], float | None]
METRICS: Mapping[str, Estimate] = {"avg_at_k": avg_at, "pass_at_k": pass_at, "pass_hat_k": pass_hat}


def score(tallies: Sequence[TaskTrials]) -> Scores:
    """Return the scores of some tasks."""
    most = max((each.trials + each.void for each in tallies), default=0)
    metrics = {
        name: tuple(_score_at(tallies, estimate, k) for k in range(1, most + 1)) for name, estimate in METRICS.items()
    }
    judged = [each for each in tallies if each.clean is not None]
    trials = sum(each.trials for each in judged)
    return Scores(
        tasks=len(tallies),
        episodes=sum(each.trials + each.void for each in tallies),
        void=sum(each.void for each in tallies),
        **metrics,
        idle=mean(each.idle for each in tallies),
        without_violation=sum(each.clean or 0 for each in judged) / trials if trials else None,
    )


def _score_at(tallies: Sequence[TaskTrials], estimate: Estimate, k: int) -> Score:
    found = (estimate(each.trials, each.rewarded, k) for each in tallies)
    judged = [value for value in found if value is not None]
    low, high = wilson(judged)
    return Score(
        k=k,
        value=mean(judged),
        low=low,
        high=high,
        strict=mean(estimate(each.trials + each.void, each.rewarded, k) for each in tallies),
        lenient=mean(estimate(each.trials + each.void, each.rewarded + each.void, k) for each in tallies),
        tasks=len(judged),
    )


def tally(run: Run, outcomes: Iterable[EpisodeRecord]) -> dict[TaskName, TaskTrials]:
    """Count the outcomes by task, in the order of the run."""
    by_task: dict[TaskName, list[EpisodeRecord]] = {}
    for each in outcomes:
        by_task.setdefault((each.domain, each.task), []).append(each)
    tallies = {}
    for name in run.tasks:
        if name in by_task:
            judged = [each for each in by_task[name] if each.reward is not None]
            clean = sum(not each.violations for each in judged) if run.domains[name[0]].rules else None
            idle = next((each.idle for each in by_task[name] if each.idle is not None), None)
            rewarded = sum(each.reward or 0 for each in judged)
            tallies[name] = TaskTrials(len(judged), rewarded, len(by_task[name]) - len(judged), idle, clean)
    return tallies


def score_by(
    tallies: Mapping[TaskName, TaskTrials], groups_of: Callable[[TaskName], Iterable[str]]
) -> dict[str, Scores]:
    """Return the scores of each group of tasks; a task counts in every group that `groups_of` names."""
    groups: dict[str, list[TaskTrials]] = {}
    for name, each in tallies.items():
        for group in groups_of(name):
            groups.setdefault(group, []).append(each)
    return {name: score(found) for name, found in groups.items()}


def macro_scores(by_domain: Mapping[str, Scores]) -> dict[str, Any]:
    """Return the means over domains of each domain's own score, as JSON: every domain counts the same."""
    every = by_domain.values()
    macro: dict[str, Any] = {"domains": len(every), "idle": mean(each.idle for each in every)}
    for metric in METRICS:
        by_k = zip_longest(*([one.value for one in getattr(each, metric)] for each in every))
        macro[metric] = [{"k": k, "value": mean(values)} for k, values in enumerate(by_k, start=1)]
    return macro


def wilson(values: Sequence[float]) -> tuple[float | None, float | None]:
    """Return the interval of the mean of the tasks' values, each from 0 to 1."""
    if not values:
        return None, None
    center, size = fmean(values), len(values)
    middle = (center + _Z**2 / (2 * size)) / (1 + _Z**2 / size)
    half = _Z / (1 + _Z**2 / size) * math.sqrt(center * (1 - center) / size + _Z**2 / (4 * size**2))
    return middle - half if center > 0 else 0.0, middle + half if center < 1 else 1.0


def paired(differences: Sequence[float]) -> tuple[float | None, float | None]:
    """Return the normal interval of the mean difference of paired tasks; none where all differ alike."""
    if len(set(differences)) < 2:
        return None, None
    center, half = fmean(differences), _Z * stdev(differences) / math.sqrt(len(differences))
    return max(center - half, -1.0), min(center + half, 1.0)


def mean(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are there."""
    there = [value for value in values if value is not None]
    return math.fsum(there) / len(there) if there else None


def plain(value: Any) -> Any:
    """Return a result as plain JSON values; numbers have six digits."""
    if is_dataclass(value):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return round(value, 6) if isinstance(value, float) else str(value) if isinstance(value, Path) else value
