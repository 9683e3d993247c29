"""Avg@k, Pass@k and Pass^k of a run, with intervals, bounds for void episodes, and the idle agent beside them.

Of a task with n trials, c of them rewarded, unbiased estimates are: Avg@k = c/n (the expected mean reward of k trials,
the same for every k); Pass@k = 1 - C(n-c, k) / C(n, k), that one of k trials is rewarded at least (Chen et al. 2021,
arXiv:2107.03374; used so in ScaleEnv, table 5); Pass^k = C(c, k) / C(n, k), that all of k are (tau-bench, Yao et al.
2024, arXiv:2406.12045). A score is the mean over tasks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

from runtime.harness.evaluation.bootstrap import mean
from runtime.harness.evaluation.interval import wilson
from runtime.harness.evaluation.store import EpisodeRow, Run


@dataclass(frozen=True)
class TaskTrials:
    """The trials of one task: those with a verdict, the rewarded ones among them, the void ones; and the idle agent's.

    `idle` is None where it was not judged. `clean` counts those with a verdict and without a violation of a rule; None
    where the domain has no rules.
    """

    trials: int
    rewarded: int
    void: int = 0
    idle: int | None = None
    clean: int | None = None


@dataclass(frozen=True)
class Score:
    """A mean over tasks at one k, with its interval of 95 %, as `interval` reckons it.

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

    def as_json(self) -> dict[str, Any]:
        """The score as plain JSON values."""
        numbers = {name: _rounded(getattr(self, name)) for name in ("value", "low", "high", "strict", "lenient")}
        return {"k": self.k, **numbers, "tasks": self.tasks}


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
        """The scores as plain JSON values."""
        return {
            "tasks": self.tasks,
            "episodes": self.episodes,
            "void": self.void,
            **{name: [each.as_json() for each in getattr(self, name)] for name in METRICS},
            "idle": _rounded(self.idle),
            "without_violation": _rounded(self.without_violation),
        }


@dataclass(frozen=True)
class MacroScores:
    """Means over domains of each domain's own score, so that every domain counts as much as any other.

    A score is by k, over the domains that have one, and None where none has. The mean over tasks, in which every task
    counts as much as any other, is called micro.
    """

    domains: int
    avg_at_k: tuple[float | None, ...]
    pass_at_k: tuple[float | None, ...]
    pass_hat_k: tuple[float | None, ...]
    idle: float | None

    def as_json(self) -> dict[str, Any]:
        """The scores as plain JSON values."""
        return {
            "domains": self.domains,
            **{
                name: [{"k": k, "value": _rounded(value)} for k, value in enumerate(getattr(self, name), start=1)]
                for name in METRICS
            },
            "idle": _rounded(self.idle),
        }


METRICS = ("avg_at_k", "pass_at_k", "pass_hat_k")


def avg_at(trials: int, rewarded: int, k: int) -> float | None:
    """The expected mean reward of k trials; None if there are fewer."""
    return rewarded / trials if 1 <= k <= trials else None


def pass_at(trials: int, rewarded: int, k: int) -> float | None:
    """The chance that at least one of k trials is rewarded; None if there are fewer."""
    return 1 - comb(trials - rewarded, k) / comb(trials, k) if 1 <= k <= trials else None


def pass_hat(trials: int, rewarded: int, k: int) -> float | None:
    """The chance that all of k trials are rewarded; None if there are fewer."""
    return comb(rewarded, k) / comb(trials, k) if 1 <= k <= trials else None


_ESTIMATES = (avg_at, pass_at, pass_hat)


def score(tallies: Sequence[TaskTrials]) -> Scores:
    """The scores of some tasks."""
    most = max((tally.trials + tally.void for tally in tallies), default=0)
    places = [(estimate, k) for estimate in _ESTIMATES for k in range(1, most + 1)]
    point, strict, lenient = (
        [[estimate(trials, rewarded, k) for estimate, k in places] for trials, rewarded in counted]
        for counted in (
            [(tally.trials, tally.rewarded) for tally in tallies],
            [(tally.trials + tally.void, tally.rewarded) for tally in tallies],
            [(tally.trials + tally.void, tally.rewarded + tally.void) for tally in tallies],
        )
    )
    scores = []
    for place, (_, k) in enumerate(places):
        values = [each[place] for each in point]
        judged = [(value, tally.trials) for value, tally in zip(values, tallies, strict=True) if value is not None]
        interval = wilson([value for value, _ in judged], sum(trials for _, trials in judged))
        scores.append(
            Score(
                k=k,
                value=mean(values),
                low=interval.low if interval else None,
                high=interval.high if interval else None,
                strict=mean([each[place] for each in strict]),
                lenient=mean([each[place] for each in lenient]),
                tasks=len(judged),
            )
        )
    return Scores(
        tasks=len(tallies),
        episodes=sum(tally.trials + tally.void for tally in tallies),
        void=sum(tally.void for tally in tallies),
        avg_at_k=tuple(scores[:most]),
        pass_at_k=tuple(scores[most : 2 * most]),
        pass_hat_k=tuple(scores[2 * most :]),
        idle=mean([tally.idle for tally in tallies]),
        without_violation=_share_clean(tallies),
    )


def _share_clean(tallies: Sequence[TaskTrials]) -> float | None:
    bound = [(each.clean, each.trials) for each in tallies if each.clean is not None]
    judged = sum(trials for _, trials in bound)
    return sum(clean for clean, _ in bound) / judged if judged else None


def tally(run: Run, rows: Iterable[EpisodeRow]) -> dict[tuple[str, str], TaskTrials]:
    """The tallies of the tasks that have an episode, in the order of the run."""
    judged: dict[tuple[str, str], list[int | None]] = {}
    clean: Counter[tuple[str, str]] = Counter()
    for row in rows:
        judged.setdefault((row.domain, row.task), []).append(row.reward)
        clean[row.domain, row.task] += row.reward is not None and not row.violations
    return {
        name: TaskTrials(
            trials=sum(reward is not None for reward in judged[name]),
            rewarded=sum(reward == 1 for reward in judged[name]),
            void=judged[name].count(None),
            idle=run.idle.get(name),
            clean=clean[name] if run.domains[name[0]].rules else None,
        )
        for name in run.tasks
        if name in judged
    }


def score_by_domain(tallies: Mapping[tuple[str, str], TaskTrials]) -> dict[str, Scores]:
    """The scores of each domain's tasks."""
    return _score_groups([(domain, each) for (domain, _), each in tallies.items()])


def score_by_difficulty(run: Run, tallies: Mapping[tuple[str, str], TaskTrials]) -> dict[str, Scores]:
    """The scores by the level that tasks were made with; `unknown` where none is stated."""
    stated = {name: run.tasks[name].level for name in tallies}
    groups = [("unknown" if stated[name] is None else str(stated[name]), each) for name, each in tallies.items()]
    return dict(sorted(_score_groups(groups).items()))


def score_by_form(run: Run, tallies: Mapping[tuple[str, str], TaskTrials]) -> dict[str, Scores]:
    """The scores by the form of wishes; a task counts under every form that one of its wishes has.

    `outside` is none of them: no final state tells whether such a wish was declined.
    """
    groups = [
        (form, each)
        for name, each in tallies.items()
        for form in dict.fromkeys(wish.form for wish in run.tasks[name].user.wishes)
        if form != "outside"
    ]
    return dict(sorted(_score_groups(groups).items()))


def macro_scores(by_domain: Mapping[str, Scores]) -> MacroScores:
    """The means over domains."""
    every = list(by_domain.values())
    most = max((len(each.avg_at_k) for each in every), default=0)
    means = {
        name: tuple(
            mean([getattr(each, name)[k].value for each in every if k < len(getattr(each, name))]) for k in range(most)
        )
        for name in METRICS
    }
    return MacroScores(len(every), **means, idle=mean([each.idle for each in every]))


def _score_groups(named: Sequence[tuple[str, TaskTrials]]) -> dict[str, Scores]:
    groups: dict[str, list[TaskTrials]] = {}
    for name, each in named:
        groups.setdefault(name, []).append(each)
    return {name: score(tallies) for name, tallies in groups.items()}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)
