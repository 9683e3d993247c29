"""Intervals of a mean over tasks of values from 0 to 1, such as the share of a task's trials that are rewarded.

The interval is Wilson's score interval (Wilson 1927), which holds for few tasks and at 0 and 1, where a bootstrap has
no width. It is that of an effective number of coin flips, as in surveys of clusters (Korn and Graubard 1998): one per
task if every value is 0 or 1, as with one trial each; more, at most one per trial, the less the values vary from task
to task. So further trials of the same tasks narrow it only as far as they tell more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, variance

LEVEL = 0.95
_Z = NormalDist().inv_cdf((1 + LEVEL) / 2)


@dataclass(frozen=True)
class Interval:
    """Where a mean lies, in so many cases of a hundred as the level says."""

    low: float
    high: float


def wilson(values: Sequence[float], trials: int) -> Interval | None:
    """The interval of the mean of the tasks' values, which come of so many trials in all; None without tasks."""
    if not values:
        return None
    mean = fmean(values)
    count = _effective(values, mean, trials)
    middle = (mean + _Z**2 / (2 * count)) / (1 + _Z**2 / count)
    half = _Z / (1 + _Z**2 / count) * math.sqrt(mean * (1 - mean) / count + _Z**2 / (4 * count**2))
    return Interval(middle - half if mean > 0 else 0.0, middle + half if mean < 1 else 1.0)


def _effective(values: Sequence[float], mean: float, trials: int) -> float:
    """As many coin flips as tell as much about the mean, no fewer than tasks and no more than trials."""
    tasks = len(values)
    spread = variance(values) if tasks > 1 else 0.0
    if not spread:
        return tasks
    flips = tasks * mean * (1 - mean) / spread
    # The spread itself is known from few tasks only, which Student's t makes up for.
    return min(max(flips * (_Z / _students_t(tasks - 1)) ** 2, tasks), max(trials, tasks))


def _students_t(freedom: int) -> float:
    """The quantile of Student's t that belongs to the level, by Cornish and Fisher's expansion."""
    z = _Z
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
