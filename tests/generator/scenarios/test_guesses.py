"""Claims about guessing: what is hit without a look is found, and by which way."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.scenarios.guesses import GuessedAnswer, GuessesRequest, measure_guesses
from tests.conftest import LIBRARY


@pytest.fixture(scope="module")
def guessed() -> dict[str, GuessedAnswer]:
    report = measure_guesses(GuessesRequest(Path(LIBRARY), ["bring_a_book_back"]))
    return {each.answer: each for each in report.answers}


def test_the_most_frequent_value_of_an_answer_is_the_best_guess(guessed: dict[str, GuessedAnswer]):
    fee = guessed["late fee in cents"]
    assert fee.draws == 200
    assert fee.way == "always 125"
    assert fee.is_guessable
    assert "always 125 is the answer 'late fee in cents' in" in fee.sentence


def test_few_draws_say_nothing():
    assert not GuessedAnswer("a", "b", "today", 30, 30).is_guessable
    assert GuessedAnswer("a", "b", "today", 11, 200).is_guessable
    assert not GuessedAnswer("a", "b", "today", 10, 200).is_guessable
