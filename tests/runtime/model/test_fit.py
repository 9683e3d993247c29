"""What is said about a text that is no answer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from runtime.model.fit import MOST_LINES, Misfit, bare_json, find_misfits, read_answer
from tests.runtime.model.asking import GOOD, SCHEMA

UNION = {
    "type": "object",
    "properties": {
        "step": {
            "anyOf": [
                {
                    "type": "object",
                    "properties": {"call": {"type": "string"}, "args": {"type": "object"}},
                    "required": ["call", "args"],
                },
                {"type": "null"},
            ]
        }
    },
}


def test_an_object_that_fits_is_the_answer() -> None:
    assert read_answer(json.dumps(GOOD), SCHEMA) == GOOD


@pytest.mark.parametrize(
    ("content", "line"),
    [
        pytest.param({"title": "x"}, "$ lacks a part: 'tools' is a required property", id="missing"),
        pytest.param(GOOD | {"title": 3}, '$.title is 3, not of type "string"', id="type"),
        pytest.param(
            GOOD | {"tools": [{"name": "A"}]}, '$.tools[0].name is "A", which misses pattern ^[a-z_]+$', id="pattern"
        ),
        pytest.param(GOOD | {"tools": []}, "$.tools is [], which misses minItems 1", id="too_few"),
        pytest.param(
            GOOD | {"tools": [{"name": "a", "naem": 1}]},
            "$.tools[0] has too much: Additional properties are not allowed ('naem' was unexpected); have: name, reads",
            id="extra",
        ),
    ],
)
def test_a_line_says_where_what_is_there_and_what_is_expected(content: dict[str, Any], line: str) -> None:
    assert find_misfits(content, SCHEMA) == [line]


def test_of_a_union_the_closest_branch_is_named() -> None:
    assert find_misfits({"step": {"call": "f"}}, UNION) == ["$.step lacks a part: 'args' is a required property"]


def test_long_values_are_cut_and_many_faults_are_counted() -> None:
    content = {"title": "x" * 10_000, "tools": [{"name": "A" * 5_000}] * (MOST_LINES + 5)}
    lines = find_misfits(content, SCHEMA)
    assert all(len(line) < 200 for line in lines)
    assert lines[-1] == "and 5 more faults"


@pytest.mark.parametrize(
    ("text", "said", "broken"),
    [
        pytest.param('{"a": 1', "Expecting ',' delimiter at line 1, column 8, near", True, id="not_whole"),
        pytest.param("[1]", "$ is [1], not one JSON object", False, id="list"),
        pytest.param('{"a": NaN}', "NaN is not JSON", False, id="no_number"),
        pytest.param('{"a": "\\ud800"}', "half of a surrogate pair", False, id="no_text"),
        pytest.param('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deeply", False, id="deep"),
        pytest.param('```json\n{"a": 1}\n```', "leave out the code fence", True, id="code_fence"),
        pytest.param('{"a": ' + "9" * 5_000 + "}", "it is not JSON", False, id="endless_number"),
    ],
)
def test_a_text_that_is_no_object_is_refused(text: str, said: str, broken: bool) -> None:
    with pytest.raises(Misfit) as caught:
        read_answer(text, {})
    assert said in str(caught.value)
    assert caught.value.broken == broken


def test_a_text_without_json_is_left_as_it_is() -> None:
    assert bare_json("no json here") == "no json here"
    assert bare_json('{"a": "```"}') == '{"a": "```"}'
