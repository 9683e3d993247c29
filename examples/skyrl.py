"""Worldsmith for SkyRL: the environment that its registry names, in which a reply is text and its calls are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from runtime.environment import require

require("skyrl-gym", "0.4")

from skyrl_gym.envs.base_text_env import BaseTextEnv

from worldsmith.chat import ChatMessage
from worldsmith.recipes import COLUMN, describe_tools, read_reply, rollout_of, task_rows

_TURNS = 30  # where SkyRL's `max_turns` is not given


def rows(domain: str, **choice: Any) -> Iterator[dict[str, Any]]:
    """The rows of the data: prompt, `env_class` and the task. `choice` is that of `task_rows`. Errors: UsageError."""
    for column, rollout in task_rows(domain, **choice):
        yield {"prompt": rollout.prompt, "env_class": "worldsmith", COLUMN: column}


class TextEnvironment(BaseTextEnv):
    """One episode; a fault of ours is raised and never a reward."""

    def __init__(self, env_config: Any = None, extras: Mapping[str, Any] | None = None) -> None:
        """`extras` are the other columns of the row, and `max_turns`, at which the episode is judged as it stands."""
        super().__init__()
        extras = extras or {}
        self.max_turns = int(extras.get("max_turns", _TURNS))
        self.rollout = rollout_of(extras, self.max_turns).sync()
        self._metrics: dict[str, float] = {}

    def init(self, prompt: list[ChatMessage]) -> tuple[list[ChatMessage], dict[str, Any]]:
        """The first messages; the system's has the tools."""
        system, *others = self.rollout.open()
        return [system | {"content": system["content"] + describe_tools(self.rollout.tools)}, *others], {}

    def step(self, action: str) -> dict[str, Any]:
        """What answers a reply, and at the end the reward."""
        self.turns += 1
        messages = self.rollout.take(read_reply(action))
        if not self.rollout.done:
            return {"observations": messages, "reward": 0.0, "done": False, "metadata": {}}
        verdict = self.rollout.verdict()
        self._metrics = {"progress": verdict.progress, **verdict.components, "turns": float(self.turns)}
        about = {"ended": self.rollout.ended, "differences": [each.sentence for each in verdict.differences]}
        return {"observations": messages, "reward": float(verdict.reward), "done": True, "metadata": about}

    def get_metrics(self) -> dict[str, float]:
        """Of an episode that is over: the share of what was to be done, and the replies that it took."""
        return self._metrics

    def close(self) -> None:
        """Let the episode go."""
        self.rollout.close()
