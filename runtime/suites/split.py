"""Nested splits of a suite: 1, 2, 4 and more of its domains at a fixed number of tasks (ScaleEnv, figure 3)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from runtime.errors import UsageError
from runtime.harness.evaluation.plan import draw, place_of
from runtime.suites.members import MemberTasks
from runtime.suites.suite import SuiteFile

Order = Literal["seed", "most_similar", "least_similar"]
Similarity = Mapping[tuple[str, str], float]


@dataclass(frozen=True)
class SuitePart:
    """A part of a suite: some of its domains, with the ids of their tasks."""

    tasks: Mapping[str, tuple[str, ...]] = field(repr=False)

    @property
    def count(self) -> int:
        """How many tasks there are in all."""
        return sum(map(len, self.tasks.values()))


def split_suite(
    suite: SuiteFile,
    members: Sequence[MemberTasks],
    order: Sequence[str],
    sizes: Sequence[int],
    count: int | None = None,
    seed: int = 1,
) -> tuple[SuitePart, ...]:
    """The first so many domains of an order, each time with as many tasks in all; every part's domains hold the last's.

    The tasks are shared out evenly; what a domain has too few of, the others have more of. Of a domain, a larger part
    has tasks that the smaller ones have, too. Without a `count` it is the most that every part can have. Errors:
    UsageError where a part cannot have as many.
    """
    there = {each.domain.name: each for each in members}
    fewest = min(sum(len(there[name].tasks) for name in order[:size]) for size in sizes)
    if count is not None and count > fewest:
        size = next(size for size in sizes if sum(len(there[name].tasks) for name in order[:size]) < count)
        raise UsageError(
            f"A part of {size} of the domains of {suite.name!r} cannot have {count:,} tasks: there are {fewest:,} "
            f"of {_listed(order[:size])}; give --tasks {fewest} or fewer, or --domains with larger parts only."
        )
    if count is not None and count < max(sizes):
        raise UsageError(f"--tasks is {count}; a part of {max(sizes)} domains needs a task of each at least.")
    parts = []
    for size in sizes:
        shares = _share({name: len(there[name].tasks) for name in order[:size]}, fewest if count is None else count)
        parts.append(
            SuitePart(
                {
                    name: tuple(each.task.id for each in draw(there[name].tasks, shares[name], seed))
                    for name in suite.members
                    if name in shares
                }
            )
        )
    return tuple(parts)


def order_domains(names: Sequence[str], order: Order, seed: int, similarity: Similarity) -> list[str]:
    """Domains in an order by chance, or so that the first ones are as like, or as unlike, each other as can be.

    By similarity it begins with the two that are most (least) alike, and goes on with the domain that is, in the mean,
    most (least) like those before it; where two are even, chance decides.
    """
    drawn = sorted(names, key=lambda name: place_of(seed, "domain", name))
    if order == "seed" or len(drawn) < 2:
        return drawn
    sign = -1 if order == "most_similar" else 1
    pairs: list[tuple[str, str]] = [(one, other) for at, one in enumerate(drawn) for other in drawn[at + 1 :]]
    first = min(pairs, key=lambda pair: sign * similarity[pair])
    chosen = list(first)
    sums = {name: similarity[name, first[0]] + similarity[name, first[1]] for name in drawn if name not in first}
    while sums:
        chosen.append(min(sums, key=lambda name: sign * round(sums[name], 9)))
        del sums[chosen[-1]]
        sums = {name: alike + similarity[name, chosen[-1]] for name, alike in sums.items()}
    return chosen


def mean_similarity(some: Collection[str], others: Collection[str], similarity: Similarity) -> float:
    """The mean over each of some with each of the others, but not with itself; 1 where there are no two."""
    values = [similarity[one, other] for one in some for other in others if one != other]
    return sum(values) / len(values) if values else 1.0


def _share(there: Mapping[str, int], count: int) -> dict[str, int]:
    """So many tasks shared out among domains that have so many each, as evenly as can be; the first get what is odd."""
    level = bisect_right(range(count + 1), count, key=lambda most: sum(min(each, most) for each in there.values())) - 1
    shares = {name: min(each, level) for name, each in there.items()}
    for name in [name for name, each in there.items() if each > level][: count - sum(shares.values())]:
        shares[name] += 1
    return shares


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
