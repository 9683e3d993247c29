"""A count agrees with its noun."""

from __future__ import annotations

import pytest

from runtime.wording import counted


@pytest.mark.parametrize(
    ("count", "noun", "said"),
    [
        (0, "task", "0 tasks"),
        (1, "task", "1 task"),
        (4096, "more episode", "4,096 more episodes"),
        (1, "success", "1 success"),
        (2, "success", "2 successes"),
        (3, "wish", "3 wishes"),
    ],
)
def test_one_alone_is_in_the_singular(count: int, noun: str, said: str) -> None:
    assert counted(count, noun) == said
