"""Lines that every reader of JSON takes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from runtime.harness.export.chat import legible, line, text_of


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param("a\ud800b", "a\ufffdb", id="half_a_surrogate"),
        pytest.param("\ud83d\ude00", "\U0001f600", id="two_halves_are_one_character"),
        pytest.param("\ufeffstart", "\ufeffstart", id="byte_order_mark"),
        pytest.param({"\udfff": ["\udfff"]}, {"\ufffd": ["\ufffd"]}, id="names_and_lists"),
        pytest.param(float("nan"), "nan", id="not_a_number"),
        pytest.param([float("-inf")], ["-inf"], id="infinite"),
        pytest.param(2**63, str(2**63), id="more_than_64_bits"),
        pytest.param([True, None, 2**63 - 1, 0.1], [True, None, 2**63 - 1, 0.1], id="left_alone"),
    ],
)
def test_what_no_json_reader_takes_is_replaced(value: Any, expected: Any) -> None:
    assert legible(value) == expected
    assert json.loads(text_of(value)) == expected


def test_a_line_has_no_character_that_ends_a_line() -> None:
    written = line({"text": "a\nb\r\u2028\u2029\x85\x0b\ud800 ü"})
    assert written.splitlines() == [written.removesuffix("\n")]
    assert written.isascii()
