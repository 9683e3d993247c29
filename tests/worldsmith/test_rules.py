"""Rules in one's own process: violations in the verdict, a strict rollout, and the reward that asks for rules."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from runtime.errors import UsageError
from runtime.task.task import start_world
from tests.worldsmith.playing import TOLD, renews, says
from worldsmith import ChatMessage, ChatTool, Rollout, evaluate, tasks

LIBRARY = tasks("library")


def never_asks(messages: Sequence[ChatMessage], tools: Sequence[ChatTool]) -> ChatMessage:
    """An agent that does what keep-a-book wants, but identifies the caller by details that nobody told it."""
    called = any(message["role"] == "tool" for message in messages)
    return says(TOLD) if called else renews()


def test_no_reference_chain_breaks_a_rule() -> None:
    scores = evaluate(LIBRARY, "reference").scores
    assert (scores.without_violation, scores.avg_at_k[0].value) == (1.0, 1.0)


def test_an_evaluation_says_which_share_broke_no_rule_and_asks_for_it_unless_told_otherwise() -> None:
    evaluation = evaluate(LIBRARY[:1], never_asks)
    assert (evaluation.scores.without_violation, evaluation.scores.avg_at_k[0].value) == (0.0, 0.0)
    (verdict,) = [each.verdict for each in evaluation.trials]
    assert verdict is not None
    assert [each.rule for each in verdict.violations] == ["IDENTIFIED_BY_CALLER"]
    assert verdict.differences == ()
    scores = evaluate(LIBRARY[:1], never_asks, reward="final_state").scores
    assert (scores.without_violation, scores.avg_at_k[0].value) == (0.0, 1.0)
    with pytest.raises(UsageError, match="no reward 'rules'; give one of: final_state_and_rules, final_state"):
        evaluate(LIBRARY, "reference", reward="rules")  # type: ignore[arg-type]


def test_a_strict_rollout_refuses_and_a_lenient_one_tells() -> None:
    task = LIBRARY[0]
    with start_world(task.task, task.domain).open() as connection:
        (hold,) = connection.execute("SELECT hold_id FROM hold WHERE status = 'waiting' ORDER BY hold_id").fetchone()
    function = {"name": "cancel_hold", "arguments": f'{{"hold_id": "{hold}"}}'}
    message = {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "1", "type": "function", "function": function}],
    }
    with Rollout(task).sync() as rollout:
        rollout.open()
        rollout.take(message)
        assert [each.rule for each in rollout.verdict().violations] == ["IDENTIFIED_FIRST"]
    with Rollout(task, strict=True).sync() as rollout:
        rollout.open()
        (answer,) = rollout.take(message)
        assert f"FAILED_PRECONDITION: Rule IDENTIFIED_FIRST forbids this for '{hold}'" in answer["content"]
        assert rollout.verdict().violations == ()
