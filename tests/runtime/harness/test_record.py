"""Claims about what is kept of an episode: whatever an agent asked for, its record can be written and read."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.harness.conversation import LEFT_OUT, AssistantTurn, Message, ToolCall
from runtime.harness.record import EpisodeRecord, read_record, write_record


def nested(levels: int) -> Any:
    """Objects within each other."""
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return value


def record_with(*arguments: Any) -> EpisodeRecord:
    """An episode of one turn with some calls."""
    calls = tuple(ToolCall(str(number), "find_book", each) for number, each in enumerate(arguments))
    return EpisodeRecord("library", "a-task", 0, "done", messages=(Message("assistant", "", calls, by_agent=True),))


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(nested(500), id="deep"),
        pytest.param(nested(50_000), id="deeper"),
        pytest.param({"count": 10**5_000}, id="a_number_that_python_does_not_print"),
        pytest.param({"what": object()}, id="no_json"),
        pytest.param({"title": "\ud800"}, id="half_a_surrogate"),
        pytest.param([float("nan"), float("-inf")], id="not_finite"),
        pytest.param({"count": 2**63}, id="more_than_64_bits"),
    ],
)
def test_arguments_that_cannot_be_written_are_left_out_and_the_rest_is_kept(arguments: Any):
    kept = read_record(write_record(record_with({"title": "It"}, arguments)))
    assert [call.arguments for call in kept.messages[0].calls] == [{"title": "It"}, LEFT_OUT]


def test_what_can_be_written_is_kept_as_it_is():
    record = record_with({"title": "\U0001f600", "rows": [[2**63 - 1], [True, 0.1]]}, nested(60), None, "text")
    assert read_record(write_record(record)) == record
    assert record.messages[0].calls[1].arguments == nested(60)


def test_half_a_surrogate_pair_in_what_an_agent_says_is_replaced():
    assert AssistantTurn("a\ud800b \ud83d\ude00").text == "a\ufffdb \U0001f600"
