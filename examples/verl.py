"""Worldsmith for verl: the agent loop that its configuration names, which plays an episode with real user turns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

from runtime.environment import require

require("verl", "0.9.1")

from verl.experimental.agent_loop.agent_loop import AgentLoopBase, AgentLoopOutput
from verl.experimental.agent_loop.tool_parser import ToolParser
from verl.utils.profiler import simple_timer

from runtime.errors import UsageError
from worldsmith.chat import ChatMessage
from worldsmith.recipes import COLUMN, rollout_of, task_rows, without_end
from worldsmith.rollout import Rollout


def rows(domain: str, **choice: Any) -> Iterator[dict[str, Any]]:
    """The rows of the data: prompt, `agent_name` and the task. `choice` is that of `task_rows`. Errors: UsageError."""
    for number, (column, rollout) in enumerate(task_rows(domain, **choice)):
        about = {"data_source": "worldsmith", "agent_name": "worldsmith", "extra_info": {"index": number}}
        yield {"prompt": rollout.prompt, **about, COLUMN: column}


class EpisodeLoop(AgentLoopBase):
    """Plays episodes; what the model wrote has mask 1, and a fault of ours is raised and never a reward."""

    async def run(self, sampling_params: dict[str, Any], **row: Any) -> AgentLoopOutput:
        """One episode; one that outgrows `response_length` is over, and is judged as it stands."""
        async with rollout_of(row, self.rollout_config.multi_turn.max_assistant_turns or None) as rollout:
            await rollout.open()
            return await self._play(rollout, sampling_params)

    async def _play(self, rollout: Rollout, sampling_params: dict[str, Any]) -> AgentLoopOutput:
        most, metrics, request = self.rollout_config.response_length, dict[str, Any](), uuid4().hex
        messages, tools = [_for_template(each) for each in rollout.messages], rollout.tools
        parser = ToolParser.get_tool_parser(self.rollout_config.multi_turn.format, self.tokenizer)
        ids = await self.ct_build_initial_tokens(messages, tools=tools)
        if len(ids) >= self.rollout_config.prompt_length:  # verl has cut it from the left, where the tools are
            raise UsageError(
                f"rollout.prompt_length is {self.rollout_config.prompt_length!r}; the prompt with "
                f"{len(tools)} tools is not shorter, so set more."
            )
        mask: list[int] = []
        logprobs: list[float] | None = None
        while not rollout.done:
            with simple_timer("generate_sequences", metrics):
                written = await self.server_manager.generate(
                    request_id=request, prompt_ids=ids, sampling_params=sampling_params
                )
            probable = written.log_probs or None
            merged, mask, logprobs = await self.ct_merge_assistant_token(
                ids, written.token_ids, mask, logprobs or ([] if probable else None), assistant_logprobs=probable
            )
            ids = merged.token_ids
            if len(mask) >= most:
                break
            content, calls = await parser.extract_tool_calls(written.token_ids, None)
            named = [{"id": f"call-{len(messages)}-{at}", "function": vars(call)} for at, call in enumerate(calls)]
            reply = {"role": "assistant", "content": without_end(content), "tool_calls": named}
            answers = await rollout.take(reply)
            known, messages = [*messages, _for_template(reply)], [*messages, *map(_for_template, [reply, *answers])]
            if rollout.done:
                break
            merged, longer, more = await self.ct_merge_context_msg(known, messages, ids, mask, logprobs, tools=tools)
            if len(longer) >= most:
                break
            ids, mask, logprobs = merged.token_ids, longer, more
        start = len(ids) - len(mask)
        verdict = rollout.verdict()
        return AgentLoopOutput(
            prompt_ids=ids[:start],
            response_ids=ids[start:][:most],
            response_mask=mask[:most],
            response_logprobs=logprobs[:most] if logprobs else None,
            reward_score=float(verdict.reward),
            num_turns=len(messages),
            metrics=metrics,
            extra_fields={
                "progress": verdict.progress,
                "components": verdict.components,
                "ended": rollout.ended or "out_of_tokens",
            },
        )


def _for_template(message: ChatMessage) -> ChatMessage:
    """A message as chat templates want it: the arguments of a call are an object where they can be."""
    calls = message.get("tool_calls")
    if not calls:
        return {name: value for name, value in message.items() if name != "tool_calls"}
    return message | {"tool_calls": [{"type": "function", "function": _readable(call["function"])} for call in calls]}


def _readable(function: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"name": function["name"], "arguments": json.loads(function["arguments"])}
    except ValueError:
        return {"name": function["name"], "arguments": function["arguments"]}
