"""Claims about what no agent can do with words: break a verdict, or make one take long."""

from __future__ import annotations

import time

import pytest

from runtime.task.read_back import MOST_READ
from runtime.verification.text.match import match_text

SECONDS = 10.0  # of the processor, far more than any of these take; what they guard against took minutes, or for ever
EXPECTED = "Ask McKinsey about the visa on 3 May"


def kinds(value: str | int | float, *told: str, name: str = "number of tasks") -> list[str]:
    """The differences of one answer, by kind."""
    return [each.kind for each in judge_answers([RequiredAnswer(name, value, None, 8)], told, lambda _: ())]


@pytest.mark.parametrize(
    "words",
    [
        pytest.param("1" * 5_000, id="a_number"),
        pytest.param(f"${'9' * 5_000}", id="an_amount"),
        pytest.param(f"{'9' * 5_000} dozen", id="dozens"),
        pytest.param(f"{'9' * 5_000} hours", id="a_duration"),
        pytest.param("[" * 200_000, id="lists_in_lists"),
        pytest.param('{"a":' * 4_000, id="objects_in_objects"),
    ],
)
def test_what_python_refuses_to_read_is_no_answer_and_no_crash(words: str):
    assert kinds(7, words) == ["missing_answer"]
    assert not match_text(EXPECTED, words).same
    assert not match_text(EXPECTED, f"{EXPECTED} {words}").same


def test_very_long_numbers_are_the_same_only_if_their_digits_are():
    assert match_text(f"Code {'1' * 5_000}", f"code {'1' * 5_000}!").same
    assert not match_text(f"Code {'1' * 5_000}", f"Code {'1' * 4_999}2").same


@pytest.mark.parametrize(
    "unit",
    [
        "1",
        "1 ",
        "1,",
        "1:",
        "1, ",
        "½",
        "100 ",
        "100,",
        "100.",
        "a hundred ",
        "\n",
        "March 1, ",
        "is not 1 ",
        "2. ",
        "a: 1, ",
    ],
)
def test_a_verdict_on_long_and_monotonous_words_is_quick(unit: str):
    words = unit * ((MOST_READ - 100) // len(unit))
    started = time.process_time()
    kinds(7, words)
    kinds("2024-03-17 11:00:00", words, name="new date")
    match_text(EXPECTED, words)
    assert time.process_time() - started < SECONDS


def test_a_message_that_nobody_would_read_tells_nothing():
    assert kinds(7, f"{'Well, ' * 100} there are 7 tasks.") == []
    assert kinds(7, f"{'Well, ' * MOST_READ} there are 7 tasks.") == ["missing_answer"]


def test_a_text_far_longer_than_the_expected_one_is_not_even_read():
    match = match_text(EXPECTED, f"{EXPECTED} {'x' * 2_000_000}")
    assert not match.same
    assert "far longer" in match.reason
