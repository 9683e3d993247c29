"""An evaluation in this process: rewards, rules, void episodes that count as neither, and what is judged again."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from runtime.errors import UsageError
from runtime.task.task import start_world
from tests.worldsmith.playing import TOLD, calls, renews, says
from tests.worldsmith.test_rollout import rename as rename
from worldsmith import ChatMessage, ChatTool, DomainTask, Rollout, evaluate, judge_final, tasks

LIBRARY = tasks("library")[:4]


def test_the_reference_scores_one_on_every_trial() -> None:
    evaluation = evaluate(LIBRARY, "reference", trials=2)
    scores = evaluation.scores
    assert (scores.tasks, scores.episodes, scores.void, scores.idle) == (4, 8, 0, 0.0)
    assert [each.value for each in scores.pass_hat_k] == [1.0, 1.0]
    assert [(each.task.id, each.trial) for each in evaluation.trials[:3]] == [
        ("keep-a-book", 0),
        ("keep-a-book", 1),
        ("card-and-queue", 0),
    ]
    assert all(each.verdict is not None and each.ended == "done" for each in evaluation.trials)
    one, other = ([each["role"] for each in trial.messages] for trial in evaluation.trials[:2])
    assert one == other


def test_a_void_episode_is_neither_failed_nor_solved(rename: DomainTask) -> None:
    trial = 0

    def crash_once(messages: Sequence[ChatMessage], tools: Sequence[ChatTool]) -> ChatMessage:
        nonlocal trial
        if messages[-1]["role"] == "tool":
            return says("Done, it has its new name.")
        if len(messages) > 3:
            return says("You're welcome.")
        trial += 1
        return calls(("rename_thing", {"label": "" if trial == 1 else "new"}))

    evaluation = evaluate([rename], crash_once, trials=3)
    assert [each.verdict and each.verdict.reward for each in evaluation.trials] == [None, 1, 1]
    assert (
        evaluation.trials[0].why
        == "Tool 'rename_thing' crashed: ZeroDivisionError: integer division or modulo by zero."
    )
    first = evaluation.scores.avg_at_k[0]
    assert (first.value, evaluation.scores.void) == (1.0, 1)
    assert first.strict == pytest.approx(2 / 3)


def test_nothing_to_play_is_one_clear_sentence() -> None:
    with pytest.raises(UsageError, match="No tasks were passed to evaluate"):
        evaluate([], "reference")
    with pytest.raises(UsageError, match="There is no agent 'gpt'; give a function, or one of: reference, careful,"):
        evaluate(LIBRARY, "gpt")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="A rollout was given 'library'; it plays one of worldsmith.tasks"):
        evaluate(["library"], "idle")  # type: ignore[list-item]


def test_what_a_rollout_left_is_judged_again_as_it_was_from_json() -> None:
    for task in LIBRARY:
        with Rollout(task).sync() as rollout:
            rollout.open()
            say = rollout.seat("reference")
            while not rollout.done:
                kept = json.loads(json.dumps(rollout.final()))
                assert judge_final(task, kept) == rollout.verdict()
                rollout.take(say())
            kept = json.loads(json.dumps(rollout.final()))
        assert judge_final(task, kept).reward == 1


@pytest.mark.parametrize("final", [{}, {"changes": [{}], "told": {}}, {"changes": 5, "told": {}}])
def test_another_object_is_refused_in_one_sentence(final: dict[str, object]) -> None:
    task = tasks("library")[0]
    with pytest.raises(UsageError, match=r"is not what Rollout.final\(\) gave"):
        judge_final(task, final)


def never_asks(messages: Sequence[ChatMessage], tools: Sequence[ChatTool]) -> ChatMessage:
    """An agent that does what keep-a-book wants, but identifies the caller by details that nobody told it."""
    called = any(message["role"] == "tool" for message in messages)
    return says(TOLD) if called else renews()


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
    message = calls(("cancel_hold", {"hold_id": hold}))
    with Rollout(task).sync() as rollout:
        rollout.open()
        rollout.take(message)
        assert [each.rule for each in rollout.verdict().violations] == ["IDENTIFIED_FIRST"]
    with Rollout(task, strict=True).sync() as rollout:
        rollout.open()
        (answer,) = rollout.take(message)
        assert f"FAILED_PRECONDITION: Rule IDENTIFIED_FIRST forbids this for '{hold}'" in answer["content"]
        assert rollout.verdict().violations == ()
