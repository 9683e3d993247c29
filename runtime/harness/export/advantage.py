"""The advantage of each trajectory of a group: equation 2 of ScaleEnv's appendix C."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, sqrt


def advantages(rewards: Sequence[float]) -> list[float]:
    """How far each reward is from the group's mean, in standard deviations of the group.

    The deviation is that of the group itself (divided by its size, not by one less), which the equation asks for: "the
    mean and standard deviation of the intra-group rewards". Where all rewards are equal there is nothing to learn from,
    and every advantage is 0.
    """
    if not rewards or min(rewards) == max(rewards):
        return [0.0] * len(rewards)
    mean = fsum(rewards) / len(rewards)
    deviation = sqrt(fsum((reward - mean) ** 2 for reward in rewards) / len(rewards))
    return [(reward - mean) / deviation for reward in rewards]
