"""Claims about matching added rows: by what they say and what they refer to, never by their generated ids."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from runtime.domain.domain import Domain
from runtime.domain.schema import RowRef
from runtime.verification.verdict import UndecidedVerdict, Verdict
from runtime.verification.verify import verify
from tests.runtime.verification.shop import (
    START,
    Record,
    State,
    changes_to,
    customer,
    line,
    purchase,
    with_rows,
    with_values,
)


@pytest.fixture
def judge(shop: Domain) -> Callable[[State, State], Verdict]:
    """Judge a state of the shop against the expected one."""
    return lambda expected, actual: verify(
        shop.schema, shop.policies, changes_to(shop, expected), changes_to(shop, actual)
    )


Judge = Callable[[State, State], Verdict]


def two_purchases(first: str, second: str, first_lines: Sequence[Record], second_lines: Sequence[Record]) -> State:
    lines = [{**row, "purchase_id": first} for row in first_lines] + [
        {**row, "purchase_id": second} for row in second_lines
    ]
    return with_rows(START, purchase=[purchase(first, "C1"), purchase(second, "C1")], line=lines)


def test_two_new_parents_that_swapped_their_children_are_told_apart(shop: Domain, judge: Judge):
    expected = with_rows(
        START,
        purchase=[purchase("A", "C1", total=1.0), purchase("B", "C1", total=2.0)],
        line=[line("A", 1, "tea"), line("B", 1, "pot")],
    )
    swapped = with_rows(
        START,
        purchase=[purchase("A", "C1", total=1.0), purchase("B", "C1", total=2.0)],
        line=[line("A", 1, "pot"), line("B", 1, "tea")],
    )
    verdict = judge(expected, swapped)
    assert (verdict.reward, verdict.made, verdict.expected) == (0, 2, 4)
    assert {difference.table for difference in verdict.differences} == {"line"}
    assert judge(expected, expected).reward == 1


def test_alike_parents_may_be_exchanged_with_all_their_children_but_not_with_some(judge: Judge):
    tea, pot = line("", 1, "tea"), line("", 2, "pot", 3)
    expected = two_purchases("A", "B", [tea, pot], [tea])
    assert judge(expected, two_purchases("A", "B", [tea], [tea, pot])).reward == 1
    assert judge(expected, two_purchases("B", "A", [tea, pot], [tea])).reward == 1
    assert judge(expected, two_purchases("A", "B", [pot], [tea, {**tea, "number": 5}])).reward == 0


@pytest.mark.parametrize(("first", "second"), [("A", "B"), ("X", "Y"), ("B", "A")])
def test_an_old_row_must_point_to_the_right_one_of_two_new_rows_whatever_their_ids(
    judge: Judge, first: str, second: str
):
    def pointing(cheap: str, dear: str, latest: str) -> State:
        rows = [purchase(cheap, "C1", total=1.0), purchase(dear, "C1", total=2.0)]
        return with_values(with_rows(START, purchase=rows), "customer", 0, last_purchase=latest)

    expected = pointing("A", "B", "A")
    assert judge(expected, pointing(first, second, first)).reward == 1
    wrong = judge(expected, pointing(first, second, second))
    assert (wrong.reward, wrong.made, wrong.expected) == (0, 2, 3)
    assert [(d.kind, d.row) for d in wrong.differences] == [
        ("wrong_value", RowRef("customer", ("C1",), "last_purchase"))
    ]
    assert judge(expected, pointing(first, second, "P1")).reward == 0  # an old purchase
    assert judge(expected, with_values(pointing(first, second, first), "customer", 0, last_purchase=None)).reward == 0


def test_a_reference_by_a_natural_key_counts_and_null_refers_to_nothing(shop: Domain, judge: Judge):
    def joined(order: int, by: str | None, *names: str) -> State:
        rows = [customer(f"N{number}", name) for number, name in enumerate(names)][::order]
        rows += [customer("K", "Kim", code="KIM"), customer("L", "Lee", recommended_by=by)]
        return with_rows(START, customer=rows)

    # Of customers without a code none is referred to by a row that names no code.
    assert judge(joined(1, None, "Ada", "Eve"), joined(-1, None, "Eve", "Ada")).reward == 1
    assert judge(joined(1, "KIM", "Ada"), joined(-1, "KIM", "Ada")).reward == 1
    assert judge(joined(1, "KIM", "Ada"), joined(1, "ANN", "Ada")).reward == 0
    assert judge(joined(1, "KIM", "Ada"), joined(1, None, "Ada")).reward == 0


def alike(count: int, **values: str | float | None) -> list[Record]:
    return [purchase(f"N{number:04}", "C1", **values) for number in range(count)]


def test_a_missing_row_among_many_alike_is_one_difference(judge: Judge):
    verdict = judge(with_rows(START, purchase=alike(150)), with_rows(START, purchase=alike(149)))
    assert [difference.kind for difference in verdict.differences] == ["missing_row"]
    verdict = judge(with_rows(START, purchase=alike(149)), with_rows(START, purchase=alike(150)))
    assert [difference.kind for difference in verdict.differences] == ["extra_row"]
    assert (verdict.made, verdict.expected, verdict.collateral) == (149, 149, 1)


def places(*steps: tuple[int, int]) -> State:
    """Places with ways in both directions."""
    links: list[Record] = [{"source": a, "target": b} for pair in steps for a, b in (pair, pair[::-1])]
    nodes: list[Record] = [{"node_id": number, "colour": "grey"} for number in range(6)]
    return with_rows(START, node=nodes, link=links)


def test_a_search_that_outgrows_its_budget_makes_no_verdict(judge: Judge, monkeypatch: pytest.MonkeyPatch):
    one = places(*((a, b) for a in range(3) for b in range(3, 6)))
    two = places((0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5))
    assert judge(one, two).reward == 0
    monkeypatch.setattr("runtime.verification.verify.SEARCH_BUDGET", 0)
    with pytest.raises(UndecidedVerdict, match="The 24 added rows are too alike to be matched within 0 steps"):
        judge(one, two)
