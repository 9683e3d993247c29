"""Worldsmith for NeMo Gym: a resources server that its gymnasium agent plays, a session for each episode."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from runtime.environment import require

require("nemo-gym", "0.7")

from resources_servers.gymnasium import GymnasiumServer, extract_text

from worldsmith.chat import ChatMessage
from worldsmith.recipes import COLUMN, rollout_of, task_rows


def rows(domain: str, agent: str = "worldsmith_agent", **choice: Any) -> Iterator[dict[str, Any]]:
    """The rows of the data, for the agent of this name. `choice` is that of `task_rows`. Errors: UsageError."""
    for column, rollout in task_rows(domain, **choice):
        tools = [{"type": "function", "strict": False, **tool["function"]} for tool in rollout.tools]
        yield {
            "responses_create_params": {"input": rollout.prompt, "tools": tools},
            "agent_ref": {"type": "responses_api_agents", "name": agent},
            COLUMN: column,
        }


class TasksServer(GymnasiumServer):
    """Episodes by session; a fault of ours is an error of the server and never a reward."""

    ray_enabled = False

    async def reset(self, metadata: dict[str, Any], session_id: str | None = None) -> tuple[str | None, dict[str, Any]]:
        """Start the row's task, whose first messages the row has."""
        self._cleanup_session(session_id)
        rollout = rollout_of(metadata)
        await rollout.open()
        self.session_state[session_id] = rollout
        return None, {}

    async def step(
        self, action: Any, metadata: dict[str, Any], session_id: str | None = None
    ) -> tuple[str | None, float, bool, bool, dict[str, Any]]:
        """What the user says, the reward, whether the episode is over, whether by a limit, and the results of calls."""
        rollout = self.session_state[session_id]
        answers = await rollout.take(_message(action))
        results = [each for each in answers if each["role"] == "tool"]
        said = "".join(each["content"] for each in answers if each["role"] == "user")
        about = {"tool_outputs": [{"call_id": each["tool_call_id"], "output": each["content"]} for each in results]}
        if not rollout.done:
            return said or None, 0.0, False, False, about
        verdict = rollout.verdict()
        told = {"progress": verdict.progress, "components": verdict.components}
        told["differences"] = [each.sentence for each in (*verdict.differences, *verdict.violations)]
        is_cut = rollout.ended not in ("done", "gave_up")
        return said or None, float(verdict.reward), not is_cut, is_cut, {"ended": rollout.ended, **about, **told}

    def _cleanup_session(self, session_id: str | None) -> None:
        if session_id in self.session_state:
            self.session_state[session_id].close()
        super()._cleanup_session(session_id)


def _message(response: Any) -> ChatMessage:
    calls = [
        {"id": item.call_id, "function": {"name": item.name, "arguments": item.arguments}}
        for item in response.output
        if item.type == "function_call"
    ]
    return {"role": "assistant", "content": extract_text(response), "tool_calls": calls}
