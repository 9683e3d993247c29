"""Budgets end a call at a fixed step, and no single operation outgrows them."""

from __future__ import annotations

import threading
from decimal import Decimal

import pytest

from runtime.errors import Rejection
from runtime.sandbox.budget import Budget, bounded_range, tick, weigh
from runtime.sandbox.numbers import bounded_format, modulo, power, shift_left
from runtime.sandbox.operators import add, add_in_place, multiply


def nested(depth):
    value = ("leaf",)
    for _ in range(depth):
        value = (value, value)
    return value


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


@pytest.mark.parametrize(
    "operation",
    [
        pytest.param(lambda: multiply("ab", 10**9), id="repeated_text"),
        pytest.param(lambda: multiply(10**9, [1]), id="repeated_list"),
        pytest.param(lambda: multiply(1 << 200, 1 << 200), id="product"),
        pytest.param(lambda: power(10, 10**9), id="power"),
        pytest.param(lambda: power(1 << 200, 2), id="square"),
        pytest.param(lambda: shift_left(1, 10**9), id="shift"),
        pytest.param(lambda: add("a" * 900_000, "b" * 900_000), id="text_sum"),
        pytest.param(lambda: add_in_place([0] * 900_000, [0] * 900_000), id="list_sum"),
        pytest.param(lambda: add((1 << 256) - 1, 1), id="integer_sum"),
        pytest.param(lambda: bounded_range(10**9), id="range"),
        pytest.param(lambda: bounded_range(0, -(10**30), -1), id="huge_range"),
        pytest.param(lambda: bounded_format(1, "900000000d"), id="width"),
        pytest.param(lambda: bounded_format(1.0, ".900000000f"), id="precision"),
        pytest.param(lambda: bounded_format(Decimal("1e999999"), "f"), id="far_decimal"),
        pytest.param(lambda: weigh(nested(30)), id="nest_of_a_billion"),
        pytest.param(lambda: weigh(nested(60)), id="deep_nest"),
    ],
)
def test_an_operation_that_would_be_too_large_is_refused_before_it_is_done(operation):
    with Budget(1_000_000), pytest.raises(Rejection) as raised:
        operation()
    assert raised.value.kind == "RESOURCE_EXHAUSTED"


def test_ordinary_operations_give_what_python_gives():
    with Budget(1000):
        assert multiply(6, 7) == 42
        assert multiply("ab", 2) == "abab"
        assert power(2, 10) == 1024
        assert power(2.0, -1) == 0.5
        assert power(3, 4, 5) == 1
        assert shift_left(1, 4) == 16
        assert modulo(-7, 3) == 2
        assert add([1], [2]) == [1, 2]
        assert bounded_range(2, 8, 3) == range(2, 8, 3)
        assert bounded_format(3.14159, ">8.2f") == "    3.14"


def test_adding_in_place_changes_the_list_itself():
    values = [1]
    assert add_in_place(values, iter([2])) is values
    assert values == [1, 2]


def test_text_is_not_formatted_by_percent():
    with pytest.raises(TypeError, match="f-string"):
        modulo("%900000000d", 1)
