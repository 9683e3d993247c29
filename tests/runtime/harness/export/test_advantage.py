"""The advantage of equation 2, against values worked out by hand."""

from __future__ import annotations

from math import fsum, isclose

import pytest

from runtime.harness.export.lines import advantages


@pytest.mark.parametrize(
    ("rewards", "expected"),
    [
        pytest.param([1, 0], [1.0, -1.0], id="half"),
        pytest.param([1, 0, 0, 0], [3**0.5, -(3**-0.5), -(3**-0.5), -(3**-0.5)], id="one_of_four"),
        pytest.param([0.0, 0.5, 1.0], [-(1.5**0.5), 0.0, 1.5**0.5], id="thirds"),
        pytest.param([1, 1, 1], [0.0, 0.0, 0.0], id="all_reached"),
        pytest.param([0, 0], [0.0, 0.0], id="none_reached"),
        pytest.param([0.1, 0.1, 0.1], [0.0, 0.0, 0.0], id="no_variance_but_for_rounding"),
        pytest.param([1], [0.0], id="alone"),
        pytest.param([], [], id="nobody"),
    ],
)
def test_advantages_are_deviations_from_the_mean_in_units_of_the_groups_own(
    rewards: list[float], expected: list[float]
) -> None:
    assert advantages(rewards) == pytest.approx(expected)


def test_advantages_have_mean_0_and_variance_1() -> None:
    found = advantages([1, 0, 0, 1, 1, 0, 0])
    assert isclose(fsum(found), 0, abs_tol=1e-12)
    assert isclose(fsum(each**2 for each in found) / len(found), 1)
