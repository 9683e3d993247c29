"""Claims about Avg@k, Pass@k, Pass^k and their intervals."""

from __future__ import annotations

from itertools import combinations

import pytest

from runtime.harness.evaluation.scores import TaskTrials, avg_at, pass_at, pass_hat, score

# Worked out by hand: trials, rewarded, k, then Pass@k = 1 - C(n-c,k)/C(n,k) and Pass^k = C(c,k)/C(n,k).


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
    assert [each.k for each in scores.pass_hat_k] == [1, 2, 3, 4]
    assert scores.idle == pytest.approx(1 / 3)


def test_void_trials_widen_the_bounds_and_leave_the_value_to_the_others() -> None:
    scores = score([TaskTrials(3, 3, void=1), TaskTrials(4, 0)])
    assert (scores.episodes, scores.void) == (8, 1)
    avg = scores.avg_at_k[0]
    assert (avg.value, avg.strict, avg.lenient) == pytest.approx((0.5, 0.375, 0.5))
    last = scores.pass_hat_k[3]  # one task alone has four verdicts
    assert (last.value, last.strict, last.lenient, last.tasks) == (0.0, 0.0, 0.5, 1)


def test_a_score_of_few_tasks_is_uncertain_also_where_all_are_rewarded() -> None:
    (one,) = score([TaskTrials(1, 1)]).avg_at_k
    assert (one.value, round(one.low or 0, 4), one.high) == (1.0, 0.2065, 1.0)  # Wilson's for 1 of 1
    (ten,) = score([TaskTrials(1, 0)] * 10).avg_at_k
    assert (ten.low, round(ten.high or 0, 4)) == (0.0, 0.2775)  # for 0 of 10
    (half,) = score([TaskTrials(1, 1), TaskTrials(1, 0)] * 10).avg_at_k
    assert (round(half.low or 0, 4), round(half.high or 0, 4)) == (0.2993, 0.7007)  # for 10 of 20


def test_more_trials_of_the_same_tasks_narrow_an_interval_only_as_far_as_they_tell_more() -> None:
    def width(tallies: list[TaskTrials]) -> float:
        avg = score(tallies).avg_at_k[0]
        return (avg.high or 0) - (avg.low or 0)

    once = width([TaskTrials(1, number % 2) for number in range(40)])
    assert width([TaskTrials(8, 8 * (number % 2)) for number in range(40)]) == pytest.approx(once)
    assert width([TaskTrials(8, 3 + 2 * (number % 2)) for number in range(40)]) < once / 2
