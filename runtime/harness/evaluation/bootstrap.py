"""The interval of a difference of two runs, by a bootstrap over tasks: they are drawn anew, as chance chose them."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence

from runtime.harness.evaluation.interval import LEVEL, Interval

RESAMPLES = 2_000
SEED = 1

Vector = Sequence[float | None]


def bootstrap(tasks: Sequence[Vector], seed: int = SEED, resamples: int = RESAMPLES) -> list[Interval | None]:
    """An interval of the mean of each quantity; `tasks` gives a vector of quantities for each task.

    None stands for a quantity that a task does not have; the mean is over those that have it. Tasks with the same
    vector are alike, so that a resample is how many were drawn of each kind.
    """
    kinds = list(dict.fromkeys(map(tuple, tasks)))
    number = {kind: index for index, kind in enumerate(kinds)}
    population = [number[tuple(each)] for each in tasks]
    draw = random.Random(f"{seed}:{len(population)}")
    drawn = [Counter(draw.choices(population, k=len(population))) for _ in range(resamples if population else 0)]
    return [_interval([kind[place] for kind in kinds], drawn) for place in range(len(kinds[0]) if kinds else 0)]


def mean(values: Vector) -> float | None:
    """The mean of those that are there."""
    there = [value for value in values if value is not None]
    return math.fsum(there) / len(there) if there else None


def _interval(values: Vector, drawn: Sequence[Counter[int]]) -> Interval | None:
    there = [(index, value) for index, value in enumerate(values) if value is not None]
    means = []
    for counts in drawn:
        tasks = sum(counts[index] for index, _ in there)
        if tasks:
            means.append(sum(counts[index] * value for index, value in there) / tasks)
    if not means:
        return None
    means.sort()
    tail = (1 - LEVEL) / 2
    return Interval(_quantile(means, tail), _quantile(means, 1 - tail))


def _quantile(ordered: Sequence[float], share: float) -> float:
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)
