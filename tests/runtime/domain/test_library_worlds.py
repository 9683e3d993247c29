"""A world of the library could have come about under its own rules, at every size and from every seed."""

from __future__ import annotations

from contextlib import closing

import pytest

from runtime.domain.domain import Domain, broken_invariants
from runtime.session.world import build_world


@pytest.mark.parametrize(("size", "seeds"), [(10, range(1, 11)), (100, range(1, 11)), (300, range(1, 6))])
def test_the_house_kept_its_rules_until_today(library: Domain, size: int, seeds: range) -> None:
    for seed in seeds:
        world = build_world(library.populate, library.schema, library.policies, library.now, seed, size)
        with closing(world.open()) as connection:
            assert not list(broken_invariants(connection, library.invariants)), f"seed {seed}"


def test_a_fourth_place_in_a_queue_breaks_what_always_holds(library: Domain) -> None:
    world = build_world(library.populate, library.schema, library.policies, library.now, 1, 1_000)
    with closing(world.open()) as connection:
        connection.execute("UPDATE hold SET status = 'waiting'")
        said = list(broken_invariants(connection, library.invariants))
    assert any(each.startswith("'Nobody waits for more than three books.'") for each in said)
