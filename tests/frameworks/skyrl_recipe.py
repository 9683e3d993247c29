"""Claims about `examples.skyrl`, by SkyRL's own registry; run by `.ci/frameworks recipes`."""

from __future__ import annotations

import json

import pytest
import skyrl_gym
from skyrl_gym.envs.base_text_env import BaseTextEnv

from examples.skyrl import TextEnvironment, rows
from runtime.errors import UsageError

ROWS = [*rows("library"), *rows("job_seeking", split="held_out")][:12]
skyrl_gym.register(id="worldsmith", entry_point="examples.skyrl:TextEnvironment")


def make(row, **extras):
    return skyrl_gym.make(row["env_class"], env_config={}, extras={**row, "max_turns": 40, **extras})


def written(message):
    """An assistant message as a Hermes model writes it."""
    texts = [f"<tool_call>\n{json.dumps(call)}\n</tool_call>" for call in map(_called, message.get("tool_calls") or [])]
    return "<think>?</think>" + "\n".join([message["content"] or "", *texts]) + "<|im_end|>"


def _called(call):
    """The reference finds its results by its own ids."""
    return {"id": call["id"], "name": call["function"]["name"], "arguments": json.loads(call["function"]["arguments"])}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["worldsmith"]["task"])
def test_an_episode_of_the_registry_is_rewarded_for_what_was_done(row):
    for agent, reward in (("reference", 1.0), ("idle", 0.0)):
        env = make(row)
        assert isinstance(env, TextEnvironment)
        assert isinstance(env, BaseTextEnv)
        messages, _ = env.init(list(row["prompt"]))
        assert messages[1:] == row["prompt"][1:]
        assert all(tool["function"]["name"] in messages[0]["content"] for tool in env.rollout.tools)
        say = env.rollout.seat(agent)
        step = {"done": False}
        while not step["done"]:
            step = env.step(written(say()))
        assert step["reward"] == reward
        assert env.get_metrics()["turns"] == env.turns
        env.close()


def test_a_call_that_is_not_json_is_answered_and_a_limit_ends_the_episode():
    env = make(ROWS[0], max_turns=2)
    env.init([])
    step = env.step('<tool_call>{"name": "search_books", oops}</tool_call>')
    (answer,) = step["observations"]
    assert (answer["role"], step["done"]) == ("tool", False)
    step = env.step("Let me see.")
    assert (step["done"], step["reward"], step["metadata"]["ended"]) == (True, 0.0, "out_of_turns")


def test_a_row_without_the_column_is_one_sentence():
    with pytest.raises(UsageError, match="The column 'worldsmith' of a row is 'None'"):
        TextEnvironment(extras={"prompt": []})
