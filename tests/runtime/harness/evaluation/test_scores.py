"""Claims about Avg@k, Pass@k, Pass^k and their intervals."""

from __future__ import annotations

from itertools import combinations

import pytest

from runtime.harness.evaluation.scores import TaskTrials, avg_at, pass_at, pass_hat, score, wilson


def test_estimators_are_the_mean_over_every_choice_of_k_trials() -> None:
    for trials in range(1, 7):
        for rewarded in range(trials + 1):
            rewards = [1] * rewarded + [0] * (trials - rewarded)
            for k in range(1, trials + 1):
                chosen = list(combinations(rewards, k))
                assert pass_at(trials, rewarded, k) == pytest.approx(sum(map(max, chosen)) / len(chosen))
                assert pass_hat(trials, rewarded, k) == pytest.approx(sum(map(min, chosen)) / len(chosen))
                assert avg_at(trials, rewarded, k) == pytest.approx(sum(sum(c) / k for c in chosen) / len(chosen))


def test_a_score_is_the_mean_over_tasks_for_every_k() -> None:
    scores = score([TaskTrials(4, 4, idle=0), TaskTrials(4, 2, idle=0), TaskTrials(4, 0, idle=1)])
    assert [each.value for each in scores.avg_at_k] == pytest.approx([0.5] * 4)
    assert [each.value for each in scores.pass_at_k] == pytest.approx([0.5, (1 + 5 / 6) / 3, 2 / 3, 2 / 3])
    assert [each.value for each in scores.pass_hat_k] == pytest.approx([0.5, (1 + 1 / 6) / 3, 1 / 3, 1 / 3])
    assert scores.idle == pytest.approx(1 / 3)


def test_void_trials_widen_the_bounds_and_leave_the_value_to_the_others() -> None:
    scores = score([TaskTrials(3, 3, void=1), TaskTrials(4, 0)])
    assert (scores.episodes, scores.void) == (8, 1)
    avg = scores.avg_at_k[0]
    assert (avg.value, avg.strict, avg.lenient) == pytest.approx((0.5, 0.375, 0.5))
    last = scores.pass_hat_k[3]  # one task alone has four verdicts
    assert (last.value, last.strict, last.lenient, last.tasks) == (0.0, 0.0, 0.5, 1)


@pytest.mark.parametrize(
    ("values", "low", "high"),
    [
        ([1.0], 0.2065, 1.0),
        ([0.0] * 10, 0.0, 0.2775),
        ([1.0, 0.0] * 10, 0.2993, 0.7007),
        ([0.25, 0.75] * 10, 0.2993, 0.7007),  # more trials of the same tasks are not more tasks
    ],
)
def test_the_interval_is_wilsons_over_tasks(values: list[float], low: float, high: float) -> None:
    assert wilson(values) == pytest.approx((low, high), abs=5e-5)
