"""Claims about what an answer may be called: a noun phrase that a user can ask for in passing."""

from __future__ import annotations

import pytest

from runtime.task.answers import fault_of_name


@pytest.mark.parametrize("name", ["new due date", "job applied for", "hours left", "e-mail address", "driver's name"])
def test_a_noun_phrase_is_a_name(name: str):
    assert fault_of_name(name) == ""


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("the fee", "begins with 'the'"),
        ("my fee", "begins with 'my'"),
        ("how many", "begins with 'how'"),
        ("of the offer", "begins with 'of'"),
        ("price of", "ends with 'of'"),
        ("amount not paid", "denies with 'not'"),
        ("fee: cents", "holds more than words"),
        ("fee=x", "holds more than words"),
        ("late_fee", "holds more than words"),
        ("fee?", "holds more than words"),
        ("a b c d e f g h i"[2:] + " j", "has 9 words"),
    ],
)
def test_what_cannot_be_asked_for_is_none(name: str, fault: str):
    assert fault in fault_of_name(name)
