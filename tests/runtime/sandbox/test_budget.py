"""Budgets end a call at a fixed step, and no single operation outgrows them."""

from __future__ import annotations

import threading

import pytest

from runtime.errors import Rejection
from runtime.sandbox.budget import Budget, tick


def test_a_budget_ends_at_the_same_step_every_time():
    for _ in range(2):
        budget = Budget(3)
        with budget:
            assert tick()
            assert tick()
            assert tick()
            with pytest.raises(Rejection, match="more than 3 steps; ask for less at once"):
                tick()


def test_a_spent_budget_stays_spent():
    with Budget(0):
        for _ in range(3):
            with pytest.raises(Rejection) as raised:
                tick()
            assert raised.value.kind == "RESOURCE_EXHAUSTED"


def test_a_tick_without_a_budget_costs_nothing():
    assert tick()


def test_budgets_nest_and_end_with_their_block():
    outer, inner = Budget(10), Budget(10)
    with outer:
        tick()
        with inner:
            tick()
            tick()
        tick()
    tick()
    assert (outer.left, inner.left) == (8, 8)


def test_a_budget_belongs_to_its_thread():
    budget = Budget(10)
    with budget:
        other = threading.Thread(target=tick)
        other.start()
        other.join()
    assert budget.left == 10
