"""Paths into arguments and results: one way to write, read, follow and replace them."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.task.origin import (
    JsonPath,
    find_at,
    leaves_of,
    path_of,
    put_at,
    read_path,
    reference_to,
    steps_named,
    value_at,
)

RESULT = {"loans": [{"loan_id": "L1", "due": None}, {"loan_id": "L2"}], "by_year": {"2026": 2, "007": 1}, "left": []}


@pytest.mark.parametrize(
    "text",
    ["", "x", "loans.2.loan_id", "loans.-1.loan_id", "loans.x", "loans.00.loan_id", "loans.0.loan_id.x", "left.0"],
)
def test_a_path_to_nothing_is_a_lookup_error(text: str) -> None:
    with pytest.raises(LookupError):
        value_at(RESULT, read_path(text))
    assert find_at(RESULT, read_path(text)) is None


@pytest.mark.parametrize(
    ("value", "path", "after"),
    [
        pytest.param(RESULT["loans"], (1, "loan_id"), [{"loan_id": "L1", "due": None}, {"loan_id": 9}], id="in_a_list"),
        pytest.param({"a": 1, "b": 2}, ("a",), {"a": 9, "b": 2}, id="its_order_stays"),
        pytest.param({"a": None}, ("a", 0, "b"), {"a": [{"b": 9}]}, id="what_is_missing_is_made"),
        pytest.param({}, ("a", "b"), {"a": {"b": 9}}, id="an_object_is_made"),
        pytest.param({"a": 1}, (), 9, id="the_whole"),
    ],
)
def test_a_value_is_replaced_in_a_copy(value: Any, path: JsonPath, after: Any) -> None:
    before = repr(value)
    assert put_at(value, path, 9) == after
    assert repr(value) == before


def test_a_reference_is_one_leaf_and_names_its_step() -> None:
    reference = reference_to(3, ("loans", 1, "loan_id"))
    assert reference == {"$step": 3, "path": "loans.1.loan_id"}
    arguments = {"a": [reference, 1], "b": {"c": reference_to(5, ("x",))}}
    assert dict(leaves_of(arguments)) == {("a", 0): reference, ("a", 1): 1, ("b", "c"): {"$step": 5, "path": "x"}}
    assert list(steps_named(arguments)) == [3, 5]
    assert path_of(reference) == ("loans", 1, "loan_id")
