"""Which reward selects which behavior: a bandit over scripted agents, trained by each signal (ScaleEnv, equation 2).

There is no language model. The policy is a softmax over a dozen scripted agents for each form of a task's first
request. A step draws tasks, a group of agents for each, and moves the policy by the group's advantages, as ScaleEnv
trains a model, by the rule or by a toy judge; how honest it has become is always told by the rule, on held-out tasks.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import exp
from statistics import fmean
from typing import get_args

from runtime.chart import Point, point
from runtime.domain.domain import Domain
from runtime.errors import UsageError
from runtime.harness.agents.baselines import ALWAYS
from runtime.harness.evaluation.opinions import TOYS, ask_judge
from runtime.harness.evaluation.scores import paired
from runtime.harness.export import advantages
from runtime.judge_study import play_all
from runtime.task.task import Task
from runtime.task.user import Form

BEHAVIORS = ("reference", *ALWAYS, "claimer", "random", "parrot", "idle")
SIGNALS = ("rule", *TOYS)
TASKS, GROUP = 8, 8  # tasks of a step, agents drawn for each; an episode does not vary, so each is played once
_RATE, _POINTS = 0.5, 10  # of learning; of a curve, its start aside

Policy = Mapping[str, Sequence[float]]  # the share of each behavior, by form
Rewards = tuple[str, Mapping[str, Sequence[float]]]  # a task's form, and what each signal gives each behavior


@dataclass(frozen=True)
class SignalStudy:
    """By what trained, what the rule gives on held-out tasks, and the judge by itself, by step; and the last shares.

    A point is a step with the mean over the seeds and its interval at 95 %.
    """

    trained: int  # tasks
    held_out: int
    curves: dict[str, list[Point]]
    selected: dict[str, dict[str, float]]


def study_signals(tasks: Sequence[tuple[Task, Domain]], steps: int, seeds: int, seed: int) -> SignalStudy:
    """Play the tasks, train a policy by each signal and seed, and measure it; errors: UsageError without a split."""
    rewards = [(task.split, own) for (task, _), own in zip(tasks, _play(tasks), strict=True)]
    train, held_out = ([own for each, own in rewards if each == split] for split in ("train", "held_out"))
    if not train or not held_out:
        raise UsageError("The drawn tasks are all of one split; ask for more with -n, so that some are held out.")
    study = SignalStudy(len(train), len(held_out), {}, {})
    measured = sorted({round(steps * number / _POINTS) for number in range(_POINTS + 1)})
    for signal in SIGNALS:
        runs = [[*_train(train, signal, steps, random.Random(f"{seed} {number}"))] for number in range(seeds)]
        for name, judge in {signal: "rule", **{f"{each}, by itself": each for each in TOYS if each == signal}}.items():
            values = ((step, [_given(run[step], held_out, judge) for run in runs]) for step in measured)
            study.curves[name] = [point(step, fmean(own), *paired(own)) for step, own in values]
        shares = [run[-1][form] for run in runs for form, _ in held_out]
        study.selected[signal] = {name: fmean(each[at] for each in shares) for at, name in enumerate(BEHAVIORS)}
    return study


def _play(tasks: Sequence[tuple[Task, Domain]]) -> list[Rewards]:
    found = {(task.domain, task.id): {signal: [0.0] * len(BEHAVIORS) for signal in SIGNALS} for task, _ in tasks}
    played = asyncio.run(play_all(tasks, BEHAVIORS))
    for at, name in enumerate(BEHAVIORS):
        own = [each for agent, each in played if agent == name]
        for judge in TOYS:
            for each in ask_judge(judge, own).opinions:
                rewards = found[each.domain, each.task]
                rewards[judge][at], rewards["rule"][at] = float(each.passes), float(each.reward)
    return [(task.user.wishes[0].form, found[task.domain, task.id]) for task, _ in tasks]


def _train(tasks: Sequence[Rewards], signal: str, steps: int, chance: random.Random) -> Iterator[Policy]:
    """Yield the policy before the first step and after each; it begins with every behavior alike."""
    weights = {form: [0.0] * len(BEHAVIORS) for form in get_args(Form)}
    for _ in range(steps + 1):
        policy = {form: _softmax(own) for form, own in weights.items()}
        yield policy
        for form, by_signal in chance.choices(tasks, k=TASKS):
            drawn = chance.choices(range(len(BEHAVIORS)), policy[form], k=GROUP)
            for behavior, gain in zip(drawn, advantages([by_signal[signal][each] for each in drawn]), strict=True):
                for at, share in enumerate(policy[form]):  # the gradient of the logarithm of a behavior's share
                    weights[form][at] += _RATE * gain * ((at == behavior) - share) / GROUP


def _softmax(weights: Sequence[float]) -> list[float]:
    powers = [exp(each - max(weights)) for each in weights]
    return [each / sum(powers) for each in powers]


def _given(policy: Policy, tasks: Sequence[Rewards], signal: str) -> float:
    """Return what a signal gives a policy on average over tasks."""
    pairs = ((policy[form], by_signal[signal]) for form, by_signal in tasks)
    return fmean(sum(share * reward for share, reward in zip(*each, strict=True)) for each in pairs)
