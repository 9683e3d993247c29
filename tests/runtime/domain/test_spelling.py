"""Claims about spellings: what is the same code, phone number or email address, and what is none."""

from __future__ import annotations

import pytest

from runtime.domain.policies import Spelled, canonical, same_spelling


@pytest.mark.parametrize(
    ("spelled", "one", "other"),
    [
        pytest.param("code", "pdf", ".PDF", id="format"),
        pytest.param("code", "technical_interview", "Technical interview", id="label"),
        pytest.param("code", "978-3-16-148410-0", "9783161484100", id="isbn"),
        pytest.param("phone", "+1 503 555 0164", "+1 (503) 555-0164", id="brackets"),
        pytest.param("phone", "+44 20 7946 0321", "0044 (0)20 7946 0321", id="abroad"),
        pytest.param("phone", "555-0142 ext. 7", "5550142 x7", id="extension"),
        pytest.param("email", "Ada@Example.org", "ada@example.org", id="case"),
    ],
)
def test_spellings_of_a_value_are_the_same(spelled: Spelled, one: str, other: str):
    assert same_spelling(one, other, spelled)
    assert canonical(one, spelled) == canonical(other, spelled) != ""


@pytest.mark.parametrize(
    ("spelled", "one", "other"),
    [
        pytest.param("code", "1.5", "15", id="decimal"),
        pytest.param("code", "pdf", "not pdf", id="denied"),
        pytest.param("phone", "+1 503 555 0164", "not +1 503 555 0164", id="prose"),
        pytest.param("phone", "+1 503 555 0164", "503 555 0164", id="no_country"),
        pytest.param("email", "ada@example.org", "ada@example.org, eve@example.org", id="two"),
        pytest.param("phone", "555-0142", None, id="null"),
    ],
)
def test_another_value_is_not_the_same(spelled: Spelled, one: str, other: str | None):
    assert not same_spelling(one, other, spelled)
