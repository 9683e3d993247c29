"""What a rollout left can be kept as JSON and judged again, and what it was not is one sentence."""

from __future__ import annotations

import json

import pytest

import worldsmith


def test_what_a_rollout_left_is_judged_again_as_it_was_from_json() -> None:
    for task in worldsmith.tasks("library"):
        with worldsmith.Rollout(task).sync() as rollout:
            rollout.open()
            say = rollout.seat("reference")
            while not rollout.done:
                kept = json.loads(json.dumps(rollout.final()))
                assert worldsmith.judge_final(task, kept) == rollout.verdict()
                rollout.take(say())
            kept = json.loads(json.dumps(rollout.final()))
        assert worldsmith.judge_final(task, kept).reward == 1


@pytest.mark.parametrize("final", [{}, {"changes": [{}], "told": {}}, {"changes": 5, "told": {}}])
def test_another_object_is_refused_in_one_sentence(final: dict[str, object]) -> None:
    task = worldsmith.tasks("library")[0]
    with pytest.raises(worldsmith.UsageError, match=r"is not what Rollout.final\(\) gave"):
        worldsmith.judge_final(task, final)


def test_a_name_for_verifiers_says_which_extra_is_missing() -> None:
    with pytest.raises(worldsmith.UsageError, match=r"`pip install 'worldsmith\[verifiers\]'` installs it"):
        _ = worldsmith.WorldsmithTaskset  # type: ignore[attr-defined,unused-ignore]
