"""Claims about dictated texts: other letters are the same text, and anything that says something else is not."""

from __future__ import annotations

import pytest

from runtime.verification.texts import is_typo, match_dictated, normalize, says

TEXT = "In June, ask Turin Analytics Partners whether they would still like to meet twelve shareholders"


@pytest.mark.parametrize(
    "written",
    [
        pytest.param(TEXT.lower(), id="case"),
        pytest.param(f"“{TEXT}.”", id="quotes"),
        pytest.param(TEXT.replace(" ", "  ").replace(",", ""), id="spacing"),
        pytest.param(TEXT.replace("shareholders", "sharehodlers"), id="swapped"),
    ],
)
def test_other_letters_are_the_same_text(written: str) -> None:
    assert match_dictated(TEXT, written)


@pytest.mark.parametrize(
    "written",
    [
        pytest.param(f"{TEXT} too", id="added"),
        pytest.param(f"[canceled] {TEXT}", id="framed"),
        pytest.param(f"{TEXT[:40]}... {TEXT[40:]}", id="cut_within"),
        pytest.param(TEXT.replace("June", "July"), id="month"),
        pytest.param(TEXT.replace("twelve", "twevle"), id="a_short_word"),
        pytest.param(TEXT.replace("Analytics", "Analytcis"), id="a_name"),
        pytest.param(TEXT.replace("would", "wouldn't"), id="denied"),
        pytest.param(TEXT.replace("shareholders", "share holders"), id="split"),
        pytest.param("", id="empty"),
    ],
)
def test_anything_else_is_another_text(written: str) -> None:
    assert not match_dictated(TEXT, written)


@pytest.mark.parametrize(
    ("dictated", "written"),
    [
        ("It is nowhere to be found", "It is now here to be found"),
        ("Notable progress", "Not able progress"),
        ("Ask for Christina", "Ask for Christian"),
        ("Please contact them", "Please contract them"),
    ],
)
def test_words_are_never_joined_split_or_exchanged(dictated: str, written: str) -> None:
    assert not match_dictated(dictated, written)


def test_a_typo_is_one_letter_inside_a_long_small_word() -> None:
    assert is_typo("conversation", "converation")
    assert not is_typo("conversation", "conversion")
    assert not is_typo("chance", "change")


def test_a_phrase_is_said_whole() -> None:
    assert says("Renew “The Last Ferns”, please.", "the last ferns")
    assert not says("Renew The Last Fernsby", "The Last Ferns")
    assert normalize("It's 3.50, follow-up!") == "its 3.50 follow up"
