"""What a model thinks, in the marks of many models, is not part of what it says."""

from __future__ import annotations

import time

import pytest

from runtime.model.model import without_reasoning

THOUGHT, SAID = "The loan is MEMBER-1's.\n<b>Late?</b>", "It is renewed."
MARKS = [
    ("<think>", "</think>"),
    ("<THINK>", "</Think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("<|channel>thought\n", "<channel|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    ("<|channel|>commentary<|message|>", "<|channel|>final<|message|>"),
]


@pytest.mark.parametrize(("begin", "end"), MARKS)
def test_a_thought_is_left_out_whatever_marks_it(begin: str, end: str) -> None:
    for text in (
        f"{begin}{THOUGHT}{end}{SAID}",
        f"\n {begin}\n{THOUGHT}\n{end}\n\n{SAID}\n",
        f"{THOUGHT}{end}{SAID}",  # the prompt began it
        f"{SAID}{begin}{THOUGHT}",  # it was cut
        f"{begin}{THOUGHT}{end}{SAID}\n\n{begin}{THOUGHT}{end}",
        f"{begin}\u0130{THOUGHT} {begin} {end}{SAID}",
    ):
        assert without_reasoning(text) == SAID, text
    assert without_reasoning(f"{begin}{THOUGHT}") == ""


@pytest.mark.parametrize(
    "text",
    [
        SAID,
        " It is renewed.\n",
        "The <thinking> tag is not allowed.",
        "Put it between <think> and </think>, please.",
        "Your note says `[THINK]` twice: '[THINK]' and \"[think]\". Remove it?",
        "<thin>king</thin>, <thought/>",
        "Half of a pair: \ud83d",
    ],
)
def test_a_text_that_only_mentions_a_mark_is_said_whole(text: str) -> None:
    assert without_reasoning(text) == text


def test_a_million_marks_take_no_longer_than_as_much_text() -> None:
    started = time.process_time()
    for text in ("<think>" * 200_000, "</think>" * 200_000, "<think></think>" * 100_000, " <think>" * 200_000):
        without_reasoning(f"{text}[THINK]")
    assert time.process_time() - started < 10
