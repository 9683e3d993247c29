"""Claims about judging a final state against the expected one."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runtime.domain.changes import Changes
from runtime.domain.domain import Domain
from runtime.domain.schema import Value
from runtime.session.session import Session
from runtime.session.world import World
from runtime.verification.texts import TextMatch
from runtime.verification.verify import verify
from tests.runtime.verification.shop import (
    START,
    State,
    changes_to,
    judge,
    make_shop,
    purchase,
    with_rows,
    with_values,
)


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Domain:
    return make_shop(tmp_path_factory.mktemp("shop"))


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


def test_a_composed_text_is_left_out_and_the_matcher_can_be_exchanged(shop: Domain):
    def states(said: str) -> tuple[Changes, Changes]:
        return tuple(
            changes_to(shop, one_row(shop, note=note)) for note in ("Can only come on Saturdays after 2 pm", said)
        )

    facts = {"Can only come on Saturdays after 2 pm": ["Saturdays", "2 pm"]}
    for said in ("On Saturdays, after 14:00 only", "No", None):
        assert verify(shop.schema, shop.policies, *states(said)).reward == 0
        assert verify(shop.schema, shop.policies, *states(said), composed=facts.keys()).reward == 1
    asked = []

    def match_anything(expected: str, actual: str, facts: Sequence[str] = ()) -> TextMatch:
        asked.append((expected, actual, tuple(facts)))
        return TextMatch(True, "")

    assert verify(shop.schema, shop.policies, *states("No"), facts=facts, matcher=match_anything).reward == 1
    assert asked == [("Can only come on Saturdays after 2 pm", "No", ("Saturdays", "2 pm"))]


CALLS = (
    ("register_member", {"name": "Ada Byron", "email": "ada@example.org"}),
    ("register_member", {"name": "Eve Adams", "email": "eve@example.org", "phone": "1"}),
    ("borrow_book", {"member_id": "MEMBER-0051", "book_id": "BOOK-0015"}),
    ("borrow_book", {"member_id": "MEMBER-0001", "book_id": "BOOK-0015"}),
    ("return_book", {"loan_id": "LOAN-0003"}),
    ("renew_loan", {"loan_id": "LOAN-0047"}),
    ("place_hold", {"member_id": "MEMBER-0001", "book_id": "BOOK-0018", "note": "Please call"}),
    ("cancel_hold", {"hold_id": "HOLD-0001"}),
)


@settings(max_examples=40, deadline=None)
@given(chosen=st.permutations(range(len(CALLS))), length=st.integers(0, len(CALLS)), data=st.data())
def test_calls_of_real_tools_are_rewarded_in_any_order_that_leads_to_the_same_rows(
    library: Domain, world: World, chosen: list[int], length: int, data: st.DataObject
):
    def changes(order: Sequence[int]) -> Changes:
        with Session(library, world) as session:
            for number in order:
                session.perform(*CALLS[number])
            return session.changes

    first = chosen[:length]
    expected, actual = changes(first), changes(data.draw(st.permutations(first)))
    verdict = verify(library.schema, library.policies, expected, actual)
    assert verdict.reward == are_equal_rows(library, expected, actual)
    assert verify(library.schema, library.policies, expected, changes(first)).progress == 1.0
    nothing = verify(library.schema, library.policies, expected, Changes())
    assert (nothing.reward, nothing.made) == (nothing.expected == 0, 0)


def are_equal_rows(library: Domain, one: Changes, other: Changes) -> bool:
    """Whether two states of the library are equal: e-mail addresses stand for the numbers of new members."""

    def told(changes: Changes) -> list[str]:
        emails = {key[0]: c.after[2] for (table, key), c in changes.rows.items() if table == "member" and not c.before}
        rows = []
        for (table, key), change in changes.rows.items():
            own = library.schema.tables[table]
            row = own.record(change.after or ())
            for column in row:
                if library.policies.of(table, column).policy in ("generated", "optional") and column != "phone":
                    row[column] = key[0] if change.before and column in own.primary_key else None
            if not change.before or row.get("phone") == own.record(change.before).get("phone"):
                row.pop("phone", None)
            if row.get("member_id") in emails:
                row["member_id"] = emails[row["member_id"]]
            rows.append(f"{table} {row}")
        return sorted(rows)

    return told(one) == told(other)
