"""The agents `anthropic:MODEL` and `openai:MODEL`: an episode as a conversation of the Messages API."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from runtime.harness.conversation import AgentContext, AssistantTurn, Message, ToolCall
from runtime.model.model import CUT, Chat, ChatReply, ChatRequest, without_reasoning

JOINED = "(The user has joined the conversation.)"  # an API, or a model's template, lets only a user speak first

_CACHED = {"cache_control": {"type": "ephemeral"}}
_CUT = ("max_tokens", "model_context_window_exceeded")
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")  # APIs refuse such a tool name in the history


class ChattingKind:
    """An agent that is a model, over either API."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat

    @property
    def name(self) -> str:
        return self._chat.name

    def begin(self, context: AgentContext) -> ChattingAgent:
        return ChattingAgent(self._chat, context)


class ChattingAgent:
    """A model in one episode; it is shown its own turns as they came, with what it thought."""

    def __init__(self, chat: Chat, context: AgentContext) -> None:
        self._chat = chat
        self._seed = context.seed
        self._where = context.domain.name
        self._offered = context.tools
        self._tools: list[dict[str, Any]] = []
        self._said: dict[int, tuple[AssistantTurn, list[Any]]] = {}  # by the index of the message that it became
        self._ids: set[str] = set()

    async def act(self, messages: Sequence[Message]) -> AssistantTurn:
        if len(self._tools) < len(self._offered):  # some may be found on the way
            self._tools = [
                {"name": tool["name"], "description": tool["description"], "input_schema": tool["inputSchema"]}
                for tool in self._offered
            ]
            self._tools[-1] |= _CACHED
        where = f"{self._where}, turn {len(self._said) + 1}"
        request = ChatRequest(
            where=where,
            system=[{"type": "text", "text": each.text} | _CACHED for each in messages if each.role == "system"],
            turns=self._turns_of(messages),
            tools=self._tools,
            draw=f"{self._seed}, {where}",
        )
        reply = await self._chat.reply(request)
        turn, blocks = self._read(reply)
        if turn.text or turn.calls:
            self._said[len(messages)] = turn, blocks
        return turn

    def _turns_of(self, messages: Sequence[Message]) -> list[dict[str, Any]]:
        """The conversation as the API wants it: user first, then alternating, all results of a turn's calls in one."""
        turns: list[dict[str, Any]] = []
        for place, message in enumerate(messages):
            if message.role == "system":
                continue
            role = "assistant" if message.role == "assistant" else "user"
            if not turns and role == "assistant":
                turns.append({"role": "user", "content": [{"type": "text", "text": JOINED}]})
            if not turns or turns[-1]["role"] != role:
                turns.append({"role": role, "content": []})
            turns[-1]["content"] += self._blocks_of(place, message)
        for turn in [each for each in turns if each["role"] == "user"][-2:]:  # what was cached, and what will be
            turn["content"][-1] |= _CACHED
        return turns

    def _blocks_of(self, place: int, message: Message) -> list[dict[str, Any]]:
        if message.role == "tool":
            result = {"type": "tool_result", "tool_use_id": message.call_id, "content": message.text}
            return [{**result, "is_error": message.is_error}]
        turn, blocks = self._said.get(place, (None, []))
        if turn is not None and (turn.text, turn.calls) == (message.text, message.calls):
            return blocks
        texts = [{"type": "text", "text": message.text}] if message.text.strip() else []
        return [*texts, *({"type": "tool_use", **_call_block(call)} for call in message.calls)]

    def _read(self, reply: ChatReply) -> tuple[AssistantTurn, list[Any]]:
        """A reply as a turn, and the blocks that it is in later requests."""
        blocks = _usable_blocks(reply)
        texts, calls = [], []
        for block in blocks:
            if block.get("type") == "text":
                texts.append(str(block["text"]).strip())
            elif block.get("type") == "tool_use":
                call = ToolCall(self._fresh_id(block.get("id")), str(block.get("name")), block.get("input"))
                calls.append(call)
                block |= _call_block(call)
        note = self._note_on(reply, bool(blocks))
        return AssistantTurn(without_reasoning("\n\n".join(texts)), tuple(calls), reply.usage, note), blocks

    def _note_on(self, reply: ChatReply, said_something: bool) -> str:
        name = self._chat.name
        match reply.stop:
            case "refusal":
                return f"{name} refused: {reply.why or 'it gave no reason'}."
            case "too_long":
                return f"The conversation has outgrown {name}: {reply.why}."
            case "unreadable":
                return f"{name} wrote what its own server cannot read: {reply.why}."
            case "max_tokens":
                return f"{name} {CUT}."
            case "model_context_window_exceeded":
                return f"{name} was cut off: the conversation fills its context."
        return "" if said_something else f"{name} said nothing."

    def _fresh_id(self, given: Any) -> str:
        """The id of a call, a new one where a server gives none or repeats one."""
        found = given if isinstance(given, str) and given else "call"
        if found in self._ids or found == "call":
            found = f"{found}_{len(self._ids) + 1}"
        self._ids.add(found)
        return found


def _usable_blocks(reply: ChatReply) -> list[dict[str, Any]]:
    """The blocks that can be used and sent back: no call that was cut, no empty text, nothing of a refusal."""
    blocks = [dict(block) for block in reply.blocks if reply.stop != "refusal"]
    if reply.stop in _CUT and blocks and blocks[-1].get("type") == "tool_use":
        del blocks[-1]
    usable = [block for block in blocks if block.get("type") != "text" or str(block.get("text", "")).strip()]
    return usable if any(block.get("type") in ("text", "tool_use") for block in usable) else []


def _call_block(call: ToolCall) -> dict[str, Any]:
    """What identifies a call in the history, in a form that APIs accept: a plain name and an object of arguments."""
    arguments = call.arguments if isinstance(call.arguments, Mapping) else {"value": call.arguments}
    return {"id": call.id, "name": _NOT_IN_NAMES.sub("_", call.name)[:64] or "unnamed", "input": arguments}
