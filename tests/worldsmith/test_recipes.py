"""Claims about the rows of trainers' data and calls in plain text, which the recipes for trainers stand on."""

from __future__ import annotations

import json

import pytest

from runtime.errors import UsageError
from worldsmith.recipes import describe_tools, read_reply, rollout_of, task_rows


def test_a_row_that_went_through_json_is_played_as_it_was_shown() -> None:
    for column, rollout in task_rows("library", policy=True):
        row = json.loads(json.dumps({"worldsmith": column}))
        with rollout_of(row, 1).sync() as again:
            assert again.open() == rollout.prompt
            again.take({"content": "Let me see."})
            assert again.ended == "out_of_turns"


@pytest.mark.parametrize("row", [{}, {"worldsmith": "keep-a-book"}, {"worldsmith": {"domain": "library"}}], ids=str)
def test_a_row_of_somebody_else_is_one_sentence(row: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="The column 'worldsmith' of a row is .*; rows\\(\\) of its recipe writes it"):
        rollout_of(row)


def test_calls_in_a_text_are_read_and_the_rest_is_said() -> None:
    call = {"name": "search_books", "arguments": {"words": "sea </tool_call"}}
    text = f"<think><tool_call>no</tool_call></think>I look.\n<tool_call>{json.dumps(call)}</tool_call><|im_end|>\n"
    assert read_reply(text) == {"role": "assistant", "content": "I look.", "tool_calls": [call]}
    assert read_reply("Goodbye.</s>")["content"] == "Goodbye."
    broken = read_reply("<tool_call>{oops<|im_end|>")
    assert broken["tool_calls"] == [{"arguments": "{oops"}]


def test_a_system_message_says_every_tool_whole() -> None:
    _, rollout = next(task_rows("library"))
    lines = describe_tools(rollout.tools).partition("<tools>\n")[2].partition("\n</tools>")[0].splitlines()
    assert [json.loads(line) for line in lines] == rollout.tools
