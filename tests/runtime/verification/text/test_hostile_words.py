"""Claims about what no agent can do with words: break a verdict, or make one take long."""

from __future__ import annotations

import time

import pytest

from runtime.task.read_back import MOST_READ, AnswerReader
from runtime.task.task import Task, TaskAnswer, User, Wish, WorldRecipe
from runtime.verification.text.match import match_text

SECONDS = 10.0  # of the processor, far more than any of these take; what they guard against took minutes, or for ever
EXPECTED = "Ask McKinsey about the visa on 3 May"


READER = AnswerReader(
    Task(
        format=2,
        id="t",
        domain="d",
        title="t",
        world=WorldRecipe(seed=1, size=1),
        user=User(profile="x", wishes=[Wish(words=["How many?"])]),
        answers=[
            TaskAnswer(name="number of tasks", kind="number", value=7),
            TaskAnswer(name="new date", kind="moment", value="2024-03-17 11:00:00"),
        ],
    ),
    "2024-03-15 09:30:00",
    lambda _: (),
)


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
    for name in READER.answers:
        assert READER.in_reply(name, words) is None
        assert READER.in_message(f"The {name} is {words}") == {}
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
    for name in READER.answers:
        READER.in_reply(name, words)
        READER.is_right(name, words)
    READER.in_message(words)
    match_text(EXPECTED, words)
    assert time.process_time() - started < SECONDS


def test_a_text_far_longer_than_the_expected_one_is_not_even_read():
    match = match_text(EXPECTED, f"{EXPECTED} {'x' * 2_000_000}")
    assert not match.same
    assert "far longer" in match.reason
