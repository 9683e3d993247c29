"""Rules in one's own process: violations in the verdict, a strict rollout, and the reward that asks for rules."""

from __future__ import annotations

import pytest

from runtime.errors import UsageError
from runtime.task.task import start_world
from worldsmith import Rollout, evaluate, tasks

LIBRARY = tasks("library")


def broken_by_reference() -> list[str]:
    """The tasks whose reference chain breaks a rule."""
    found = evaluate(LIBRARY, "reference")
    return [each.task.id for each in found.trials if each.verdict is not None and each.verdict.violations]


def test_an_evaluation_says_which_share_broke_no_rule_and_may_ask_for_it() -> None:
    broken = broken_by_reference()
    share = 1 - len(broken) / len(LIBRARY)
    scores = evaluate(LIBRARY, "reference", reward="final_state_and_rules").scores
    assert scores.without_violation == pytest.approx(share)
    assert scores.avg_at_k[0].value == pytest.approx(share)
    with pytest.raises(UsageError, match="no reward 'rules'; give one of: final_state, final_state_and_rules"):
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
