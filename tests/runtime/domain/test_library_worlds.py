"""A world of the library could have come about under its own rules, at every size and from every seed."""

from __future__ import annotations

from contextlib import closing

import pytest

from runtime.domain.domain import Domain, broken_invariants
from tests.making import world_of


@pytest.mark.parametrize(("size", "seeds"), [(10, range(1, 11)), (100, range(1, 11)), (300, range(1, 6))])
def test_the_house_kept_its_rules_until_today(library: Domain, size: int, seeds: range) -> None:
    for seed in seeds:
        world = world_of(library, seed, size)
        with closing(world.open()) as connection:
            assert not list(broken_invariants(connection, library.invariants)), f"seed {seed}"
