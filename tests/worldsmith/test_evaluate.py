"""An evaluation in this process: rewards, the idle agent beside them, and void episodes that count as neither."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from runtime.errors import UsageError
from tests.worldsmith.playing import calls, says
from tests.worldsmith.test_rollout import rename as rename
from worldsmith import ChatMessage, ChatTool, DomainTask, evaluate, tasks

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


@pytest.mark.parametrize("user", ["scripted", "none"])
def test_an_agent_without_a_model_is_named(user: str) -> None:
    assert evaluate(LIBRARY, "reference", user=user).scores.avg_at_k[0].value == 1.0
    for name in ("idle", "random", "parrot"):
        assert evaluate(LIBRARY, name, user=user).scores.avg_at_k[0].value == 0.0


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


def test_what_an_agent_raises_is_not_swallowed() -> None:
    def broken(messages: Sequence[ChatMessage], tools: Sequence[ChatTool]) -> ChatMessage:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        evaluate(LIBRARY, broken)


def test_nothing_to_play_is_one_clear_sentence() -> None:
    with pytest.raises(UsageError, match="No tasks were passed to evaluate"):
        evaluate([], "reference")
    with pytest.raises(UsageError, match="There is no agent 'gpt'; give a function, or one of: reference, idle,"):
        evaluate(LIBRARY, "gpt")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="An evaluation was given 'library'; it plays worldsmith.tasks"):
        evaluate(["library"], "idle")  # type: ignore[list-item]
    with pytest.raises(UsageError, match="An evaluation of 0 trials cannot be"):
        evaluate(LIBRARY, "reference", trials=0)
