"""Claims about dictated texts: other letters are the same text, and anything that says something else is not."""

from __future__ import annotations

import pytest

from runtime.verification.text.dictated import is_typo, match_dictated

TEXT = "In June, ask Turin Analytics Partners whether they would still like to meet twelve people"


@pytest.mark.parametrize(
    "written",
    [
        pytest.param(TEXT.lower(), id="case"),
        pytest.param(f"“{TEXT}.”", id="quotes"),
        pytest.param(f"## {TEXT}\n", id="heading"),
        pytest.param(f"| {TEXT}... |", id="row"),
        pytest.param(TEXT.replace(" ", "  ").replace(",", ""), id="spacing"),
        pytest.param(TEXT.replace("whether", "wehther"), id="typo"),
        pytest.param(TEXT.replace("Partners", "Partneers"), id="doubled"),
    ],
)
def test_other_letters_are_the_same_text(written: str):
    assert match_dictated(TEXT, written).same


@pytest.mark.parametrize(
    "written",
    [
        pytest.param(f"{TEXT} too", id="added"),
        pytest.param(f"[cancelled] {TEXT}", id="framed"),
        pytest.param(f"{TEXT}?", id="asked"),
        pytest.param(f"{TEXT[:40]}... {TEXT[40:]}", id="cut_within"),
        pytest.param(f"// {TEXT}", id="commented_out"),
        pytest.param(f"<!-- {TEXT} -->", id="hidden"),
        pytest.param(f"~~{TEXT}~~", id="struck"),
        pytest.param("\u0336".join(TEXT), id="struck_letters"),
        pytest.param(TEXT.replace("June", "July"), id="month"),
        pytest.param(TEXT.replace("twelve", "twevle"), id="a_number_has_no_typos"),
        pytest.param(TEXT.replace("would", "wouldn't"), id="denied"),
        pytest.param(TEXT[: len(TEXT) // 2], id="half"),
        pytest.param("", id="empty"),
    ],
)
def test_anything_else_is_another_text(written: str):
    assert not match_dictated(TEXT, written).same


@pytest.mark.parametrize(
    "words", ["hired fired", "chance change", "there three", "remote remove", "employee employer", "closed closet"]
)
def test_a_word_that_looks_alike_is_no_typo(words: str):
    one, other = words.split()
    assert not is_typo(one, other)
    assert not is_typo(other, one)
