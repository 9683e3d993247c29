"""The scripted user on the written table of assistant turns: how often it errs, and what it never does."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.runtime.harness.users.measure import Row, judge, read_rows, read_scripts

MOST_WRONG = {
    "development": 0.05,
    "held_out": 0.05,
    "played": 0.05,
    "asking": 0.05,
    "unseen": 0.05,
    "unseen_later": 0.57,
}


@pytest.mark.parametrize("half", MOST_WRONG)
def test_the_scripted_user_errs_on_few_turns_of_the_table(half: str) -> None:
    outcomes = [judge(row) for row in read_rows() if row.half == half]
    wrong = [outcome for outcome in outcomes if not outcome.is_right]
    assert len(outcomes) >= 40
    assert len(wrong) <= MOST_WRONG[half] * len(outcomes), [(each.row.assistant, each.acts) for each in wrong]


def test_it_invents_nothing_volunteers_nothing_and_never_ends_early() -> None:
    broken = [(outcome.row.assistant, outcome.forbidden) for outcome in map(judge, read_rows()) if outcome.forbidden]
    assert broken == []


def test_the_table_is_large_and_every_row_of_it_is_another() -> None:
    rows = read_rows()
    counts = Counter((row.script, row.said, row.assistant) for row in rows)
    assert len(rows) >= 150
    assert counts.most_common(1)[0][1] == 1
    assert {row.script for row in rows} == set(read_scripts())


@pytest.mark.parametrize(
    ("right", "passes"),
    [
        pytest.param("tell:name,e-mail address", True, id="both"),
        pytest.param("tell:name,e-mail address,phone?", True, id="one_may_miss"),
        pytest.param("tell:name", False, id="told_too_much"),
        pytest.param("tell:name,e-mail address,phone", False, id="told_too_little"),
        pytest.param("confirm", False, id="another_act"),
    ],
)
def test_the_measurement_can_tell_right_from_wrong(right: str, passes: bool) -> None:
    row = Row("held_out", "card", 1, "What are your name and your e-mail address?", (right,))
    assert judge(row).is_right is passes


def test_the_measurement_sees_an_early_end() -> None:
    row = Row("held_out", "keep", 1, "Your loan has been renewed. Anything else?", ("confirm",))
    assert judge(row).forbidden == ("ends early",)
