"""Claims about reward and progress: made / (expected + collateral), worked by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pydantic import TypeAdapter
from pydantic_core import to_json

from runtime.domain.domain import Domain
from runtime.domain.schema import RowRef
from runtime.verification.verdict import Cell, Difference, Verdict
from runtime.verification.verify import verify
from tests.runtime.verification.shop import START, State, changes_to, line, purchase, with_rows, with_values

L1 = RowRef("loan", ("L1",))
CELLS: dict[str, Cell] = {"book": "B1", "of": RowRef("member", (7,))}
WRONG = (Difference("missing_row", L1, CELLS),)


def ordered(lines: int, **values: float | str) -> State:
    """Ann buys something, and the purchase is noted as her latest: one purchase, its lines, one changed value."""
    rows = [line("N1", number, quantity=number + 1) for number in range(lines)]
    state = with_rows(START, purchase=[purchase("N1", "C1", **values)], line=rows)
    return with_values(state, "customer", 0, last_purchase="N1")


@pytest.mark.parametrize(
    ("expected", "actual", "figures"),
    [
        pytest.param(ordered(2), START, (4, 0, 0, 0.0), id="nothing"),
        pytest.param(ordered(2), ordered(2), (4, 4, 0, 1.0), id="everything"),
        pytest.param(
            ordered(2), with_values(ordered(2), "customer", 1, phone="9"), (4, 4, 1, 0.8), id="an_untouched_row_changed"
        ),
        pytest.param(ordered(2), with_values(ordered(2), "line", 2, quantity=9), (4, 3, 0, 0.75), id="a_wrong_value"),
        pytest.param(
            ordered(2), {**ordered(2), "shipment": START["shipment"][:1]}, (4, 4, 1, 0.8), id="an_old_row_removed"
        ),
        pytest.param(START, ordered(1), (0, 0, 3, 0.0), id="nothing_to_do_but_something_done"),
    ],
)
def test_progress_is_the_share_made_lowered_by_what_nobody_asked_for(
    shop: Domain, expected: State, actual: State, figures: tuple[int, int, int, float]
):
    verdict = verify(shop.schema, shop.policies, changes_to(shop, expected), changes_to(shop, actual))
    assert (verdict.expected, verdict.made, verdict.collateral, verdict.progress) == figures
    assert verdict.reward == (verdict.progress == 1.0)


def test_progress_is_never_1_without_the_reward():
    assert Verdict(WRONG, expected=100_000, made=99_999, collateral=0, search_steps=0).progress == 0.9999
    assert Verdict(WRONG, expected=1, made=1, collateral=0, search_steps=0).progress < 1
    assert Verdict(WRONG, expected=0, made=0, collateral=0, search_steps=0).progress == 0.0


@pytest.mark.parametrize(
    ("difference", "sentence"),
    [
        pytest.param(WRONG[0], "No loan was added: book B1, of the new member 7.", id="missing_row"),
        pytest.param(
            Difference("wrong_value", replace(L1, column="fee_cents"), 1250, 90),
            "loan 'L1': fee is $0.90, expected $12.50.",
            id="money",
        ),
        pytest.param(
            Difference("missing_row", RowRef("declined_request", ()), {"subject_id": "L1", "rule_code": "LIMIT"}),
            "The refusal was not recorded: L1 under LIMIT.",
            id="refusal",
        ),
        pytest.param(
            Difference("wrong_value", replace(L1, column="fee"), 5, None),
            "loan 'L1': fee is empty, expected 5.",
            id="wrong_value",
        ),
        pytest.param(
            Difference("missing_answer", expected="$0.05", answer="fee"),
            "The user was not told the fee, which is $0.05.",
            id="missing_answer",
        ),
        pytest.param(
            Difference("wrong_answer", expected="$5", actual="$7", answer="fee"),
            "The user was told $7 as the fee, which is $5.",
            id="wrong_answer",
        ),
    ],
)
def test_a_difference_is_data_that_survives_being_stored_and_is_put_into_words(difference: Difference, sentence: str):
    assert difference.sentence == sentence
    stored = TypeAdapter(Difference).validate_json(to_json(difference))
    assert stored == difference
    assert stored.sentence == sentence
