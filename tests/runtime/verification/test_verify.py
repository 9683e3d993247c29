"""Claims about judging a final state against the expected one."""

from __future__ import annotations

import pytest

from runtime.domain.changes import Changes
from runtime.domain.domain import Domain
from runtime.domain.schema import Value
from runtime.verification.verify import verify
from tests.runtime.verification.shop import START, State, changes_to, judge, purchase, with_rows, with_values


def one_row(shop: Domain, **values: Value) -> State:
    return with_rows(START, purchase=[purchase("N1", "C1", **values)])


@pytest.mark.parametrize(
    ("expected", "actual", "reward"),
    [
        pytest.param({"total": 4.35}, {"total": 4.36}, 1, id="as_far_as_the_tolerance"),
        pytest.param({"total": 4.35}, {"total": 4.3601}, 0, id="beyond_the_tolerance"),
        pytest.param({"note": None}, {"note": ""}, 1, id="a_text_that_says_nothing"),
        pytest.param({"note": None}, {"note": "x"}, 0, id="a_text_that_says_something"),
        pytest.param({"note": "RING"}, {"note": "ring"}, 1, id="the_same_letters"),
        pytest.param({"follows": None}, {"follows": "P1"}, 0, id="a_reference_too_many"),
        pytest.param({"gift": "red"}, {"gift": None}, 1, id="optional"),
        pytest.param({"placed_at": "now"}, {"placed_at": "then"}, 1, id="generated"),
    ],
)
def test_an_added_row_is_compared_column_by_column_under_its_policies(
    shop: Domain, expected: dict[str, Value], actual: dict[str, Value], reward: int
):
    assert judge(shop, one_row(shop, **expected), one_row(shop, **actual)).reward == reward


def test_logs_are_ignored(shop: Domain):
    logged = with_rows(START, event=[{"event_id": 1, "what": "came"}])
    assert judge(shop, START, logged).reward == 1
    verdict = judge(shop, with_values(logged, "customer", 0, name="Eve"), with_values(START, "customer", 0, name="Eve"))
    assert (verdict.reward, verdict.expected) == (1, 1)


def test_tolerance_and_paraphrase_do_not_excuse_a_change_of_an_untouched_row(shop: Domain):
    for table, values in (
        ("product", {"price": 4.505}),
        ("purchase", {"note": "RING TWICE"}),
        ("customer", {"phone": None}),
    ):
        verdict = judge(shop, START, with_values(START, table, 0, **values))
        assert [(d.kind, d.table, d.columns) for d in verdict.differences] == [("changed_value", table, tuple(values))]
        assert (verdict.reward, verdict.progress, verdict.collateral) == (0, 0.0, 1)


def test_a_text_that_the_task_does_not_set_is_compared_exactly_on_the_tasks_own_row_too(shop: Domain):
    expected = with_values(START, "purchase", 0, total=99.0)
    (note,) = {row["note"] for row in START["purchase"][:1]}
    assert isinstance(note, str)
    verdict = judge(shop, expected, with_values(expected, "purchase", 0, note=note.upper()))
    assert [(d.kind, d.columns) for d in verdict.differences] == [("changed_value", ("note",))]
    asked = with_values(expected, "purchase", 0, note="Leave it at the door")
    assert judge(shop, asked, with_values(asked, "purchase", 0, note="leave it at the door")).reward == 1


def test_an_unasked_column_of_a_changed_row_is_collateral(shop: Domain):
    expected = with_values(START, "customer", 0, name="Eve")
    verdict = judge(shop, expected, with_values(expected, "customer", 0, code="EVE"))
    assert [(d.kind, d.columns, d.expected, d.actual) for d in verdict.differences] == [
        ("changed_value", ("code",), "ANN", "EVE")
    ]
    assert (verdict.expected, verdict.made, verdict.collateral, verdict.progress) == (1, 1, 1, 0.5)


@pytest.mark.parametrize(
    ("before", "wanted", "found", "reward"),
    [
        pytest.param({}, {"note": "moved"}, {"note": "We moved."}, 1, id="asked_for_in_other_words"),
        pytest.param({}, {"note": "moved"}, {}, 1, id="asked_for_and_left_out"),
        pytest.param({}, {}, {"note": "As the caller asked", "gift": "red"}, 1, id="filled_in_unasked"),
        pytest.param({"note": "Ring twice"}, {}, {"note": "Moved"}, 0, id="written_over_unasked"),
        pytest.param({"gift": "red"}, {}, {"gift": "blue"}, 0, id="chosen_differently_unasked"),
        pytest.param({"note": "Ring twice"}, {"note": None}, {"note": "Ring twice"}, 0, id="to_be_emptied"),
        pytest.param({"note": "Ring twice"}, {"note": None}, {"note": None}, 1, id="emptied"),
        pytest.param({"note": "Ring twice"}, {"note": None}, {"note": "Not any more"}, 1, id="emptied_and_filled_in"),
    ],
)
def test_a_text_that_nobody_dictated_is_free_on_the_tasks_own_rows(
    shop: Domain, before: dict[str, Value], wanted: dict[str, Value], found: dict[str, Value], reward: int
):
    start = with_values(START, "purchase", 0, **{"note": None, "gift": None, **before})
    expected = with_values(start, "purchase", 0, total=99.0, **wanted)
    actual = with_values(start, "purchase", 0, total=99.0, **found)
    states = (changes_to(shop, state, start) for state in (expected, actual))
    assert verify(shop.schema, shop.policies, *states, dictated=()).reward == reward


def test_a_text_that_was_not_dictated_is_left_out(shop: Domain):
    def states(said: str) -> tuple[Changes, Changes]:
        return tuple(
            changes_to(shop, one_row(shop, note=note)) for note in ("Can only come on Saturdays after 2 pm", said)
        )

    for said in ("On Saturdays, after 14:00 only", "No", None):
        assert verify(shop.schema, shop.policies, *states(said)).reward == 0
        assert verify(shop.schema, shop.policies, *states(said), dictated=()).reward == 1
