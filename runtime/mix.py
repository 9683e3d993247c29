"""A curriculum from measured rates: which tasks each stage of a training run has.

Tasks that are always or never solved give no group-relative advantage and are dropped. Each stage draws without
replacement, with weights of a normal density around its mean rate, as Nemotron Nano's training did; the mean falls
linearly from stage to stage, and domains have equal shares, as far as their tasks go.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from runtime.errors import UsageError
from runtime.harness.evaluation.plan import TaskName, place_of
from runtime.harness.evaluation.rates import Rate, digests_of, fresh_rates
from runtime.suites import MemberTasks
from runtime.wording import have


@dataclass(frozen=True)
class RateMix:
    """How many tasks a stage has, how many stages, and the rates that they aim at."""

    tasks: int
    stages: int = 4
    first: float = 0.7
    last: float = 0.2
    width: float = 0.15
    seed: int = 1


@dataclass(frozen=True)
class MeasuredTasks:
    """The rates of an agent on the tasks that it solves sometimes, and how many tasks were dropped, by the reason."""

    agent: str
    rates: Mapping[TaskName, float]
    dropped: Mapping[str, int]


@dataclass(frozen=True)
class MixStage:
    """The ids of a stage's tasks by domain, the mean rate it aims at and the one that it has."""

    tasks: Mapping[str, tuple[str, ...]]
    aim: float
    mean: float


def measured_tasks(members: Iterable[MemberTasks], rates: Sequence[Rate], agent: str | None = None) -> MeasuredTasks:
    """Return the rates of one agent on the tasks as they are now; trials under several conditions are added up.

    Errors: UsageError for an agent without rates, several agents without a choice, or no task that is left.
    """
    tasks = {each.name: each.task for member in members for each in member.tasks}
    digests = digests_of(tasks, {member.domain.name: member.domain.digest for member in members})
    agents = sorted({each.agent for each in rates})
    if not agents:
        raise UsageError("There are no rates; `worldsmith eval DOMAIN --agent A --rates` measures them.")
    if agent is None and len(agents) > 1:
        raise UsageError(f"The rates are of several agents; name one with --agent: {', '.join(agents)}.")
    name = agent or agents[0]
    if name not in agents:
        raise UsageError(f"No rates of the agent {name!r}; {have(name, agents)}.")
    counts: dict[TaskName, tuple[int, int]] = {}
    for each in fresh_rates(rates, digests):
        if each.agent == name:
            c, n = counts.get(each.name, (0, 0))
            counts[each.name] = c + each.c, n + each.n
    left = {task: c / n for task, (c, n) in counts.items() if 0 < c < n}
    dropped = {
        "always solved": sum(c == n for c, n in counts.values()),
        "never solved": sum(c == 0 for c, _ in counts.values()),
        "without a rate": len(tasks) - len(counts),
    }
    if not left:
        said = ", ".join(f"{count} {why}" for why, count in dropped.items())
        raise UsageError(f"No task is solved sometimes and failed sometimes by {name!r}: {said}.")
    return MeasuredTasks(name, left, dropped)


def mix(measured: MeasuredTasks, asked: RateMix) -> list[MixStage]:
    """Draw the tasks of each stage; errors: UsageError where there are too few."""
    by_domain: dict[str, list[TaskName]] = {}
    for name in measured.rates:
        by_domain.setdefault(name[0], []).append(name)
    if asked.tasks > len(measured.rates):
        raise UsageError(
            f"--tasks is {asked.tasks}; {len(measured.rates)} are solved sometimes and failed sometimes by "
            f"{measured.agent!r}."
        )
    shares, left = dict.fromkeys(sorted(by_domain), 0), asked.tasks
    while left:
        for domain in [each for each in shares if shares[each] < len(by_domain[each])][:left]:
            shares[domain] += 1
            left -= 1
    stages = []
    for number in range(asked.stages):
        part = number / (asked.stages - 1) if asked.stages > 1 else 0.0
        aim = asked.first + part * (asked.last - asked.first)
        drawn = {
            domain: sorted(names, key=lambda name: _place(measured.rates[name], aim, asked, number, name))[:share]
            for (domain, names), share in ((each, shares[each[0]]) for each in sorted(by_domain.items()))
            if share
        }
        rates = [measured.rates[name] for names in drawn.values() for name in names]
        tasks = {domain: tuple(sorted(id_ for _, id_ in names)) for domain, names in drawn.items()}
        stages.append(MixStage(tasks, aim, fmean(rates)))
    return stages


def _place(rate: float, aim: float, asked: RateMix, stage: int, name: TaskName) -> float:
    """Return a sort key of a weighted draw without replacement (Efraimidis and Spirakis): -log(u) / weight, as a log.

    The logarithm keeps weights apart that would underflow far from the mean.
    """
    drawn = int.from_bytes(place_of(asked.seed, "mix", stage, *name)[:8], "big")
    chance = (drawn + 1) / (2**64 + 2)
    return math.log(-math.log(chance)) + (rate - aim) ** 2 / (2 * asked.width**2)
