"""A model as the agent: an episode as a conversation of the Messages API, and a reply as the agent's turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from runtime.errors import ModelFailed
from runtime.harness.agent import AgentContext, AssistantTurn
from runtime.harness.messages import Message, ToolCall
from runtime.model.chat import Chat, ChatReply, ChatRequest
from runtime.model.model import Usage
from runtime.model.reasoning import without_reasoning
from runtime.model.usage import total_usage

ROOM = 8_000  # tokens of a reply; one that is cut is asked for once more with twice as many
JOINED = "(The user has joined the conversation.)"  # an API, or a model's template, lets only a user speak first

_CACHED = {"cache_control": {"type": "ephemeral"}}
_CUT = ("max_tokens", "model_context_window_exceeded")


class ChattingKind:
    """An agent that is a model, over whatever API; `room` are the tokens of a reply."""

    def __init__(self, chat: Chat, room: int = ROOM) -> None:
        self._chat = chat
        self._room = room

    @property
    def name(self) -> str:
        """How it was asked for."""
        return self._chat.name

    def begin(self, context: AgentContext) -> ChattingAgent:
        """A fresh agent."""
        return ChattingAgent(self._chat, context, self._room)


class ChattingAgent:
    """A model in one episode.

    What it said it is shown again as it came, thinking and all, since models are made to read their own turns so.
    """

    def __init__(self, chat: Chat, context: AgentContext, room: int) -> None:
        self._chat = chat
        self._rooms = chat.rooms_for(room)
        self._draw = str(context.seed)
        self._where = context.domain.name
        self._tools = [_describe(tool) for tool in context.tools]
        if self._tools:
            self._tools[-1] |= _CACHED
        self._said: dict[int, tuple[AssistantTurn, list[Any]]] = {}  # by the place of the message that it became
        self._ids: set[str] = set()

    async def act(self, messages: Sequence[Message]) -> AssistantTurn:
        """The next turn, given all messages so far; errors: ModelFailed, UsageError."""
        spent: list[Usage] = []
        first, *more = self._rooms
        reply = await self._ask(messages, first, spent)
        while reply.stop == "max_tokens" and more:
            try:
                reply = await self._ask(messages, more.pop(0), spent)
            except ModelFailed:
                if not self._whole_blocks(reply):
                    raise
                break
        turn, blocks = self._read(reply, total_usage(spent))
        if turn.text or turn.calls:
            self._said[len(messages)] = turn, blocks
        return turn

    async def _ask(self, messages: Sequence[Message], room: int | None, spent: list[Usage]) -> ChatReply:
        where = f"{self._where}, turn {len(self._said) + 1}"
        request = ChatRequest(
            where=where,
            system=[{"type": "text", "text": each.text} | _CACHED for each in messages if each.role == "system"],
            turns=self._turns_of(messages),
            tools=self._tools,
            max_tokens=room,
            draw=f"{self._draw}, {where}",
        )
        try:
            reply = await self._chat.reply(request)
        except ModelFailed as error:
            spent += [error.usage] if error.usage is not None else []
            error.usage = total_usage(spent)
            raise
        spent.append(reply.usage)
        return reply

    def _turns_of(self, messages: Sequence[Message]) -> list[dict[str, Any]]:
        """The conversation as the API wants it: user first, then in turns, all answers to a turn's calls in one."""
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
            return [
                {
                    "type": "tool_result",
                    "tool_use_id": message.call_id,
                    "content": message.text,
                    "is_error": message.is_error,
                }
            ]
        turn, blocks = self._said.get(place, (None, []))
        if turn is not None and (turn.text, turn.calls) == (message.text, message.calls):
            return blocks
        texts = [{"type": "text", "text": message.text}] if message.text.strip() else []
        return [*texts, *({"type": "tool_use", **_call_block(call)} for call in message.calls)]

    def _read(self, reply: ChatReply, usage: Usage) -> tuple[AssistantTurn, list[Any]]:
        """A reply as a turn, and the blocks that stand for it from now on."""
        note = self._note_on(reply)
        if reply.stop == "refusal":
            return AssistantTurn(usage=usage, note=note), []
        blocks, texts, calls = self._whole_blocks(reply), [], []
        for block in blocks:
            if block.get("type") == "text":
                texts.append(str(block["text"]).strip())
            elif block.get("type") == "tool_use":
                call = ToolCall(self._fresh_id(block.get("id")), str(block.get("name")), block.get("input"))
                calls.append(call)
                block |= _call_block(call)
        return AssistantTurn(without_reasoning("\n\n".join(texts)), tuple(calls), usage, note), blocks

    def _note_on(self, reply: ChatReply) -> str:
        match reply.stop:
            case "refusal":
                return f"{self._chat.name} refused: {reply.why or 'it gave no reason'}."
            case "too_long":
                return f"The conversation has outgrown {self._chat.name}: {reply.why}."
            case "unreadable":
                return f"{self._chat.name} wrote what its own server cannot read: {reply.why}."
            case "max_tokens":
                also = ", also with room for" if len(self._rooms) > 1 else " at"
                return f"{self._chat.name} was cut off{also} {self._rooms[-1]} tokens."
            case "model_context_window_exceeded":
                return f"{self._chat.name} was cut off: the conversation fills all that it can read."
        return "" if self._whole_blocks(reply) else f"{self._chat.name} said nothing."

    def _whole_blocks(self, reply: ChatReply) -> list[dict[str, Any]]:
        """The blocks that can be used and sent back; a call that was cut is none, and an empty text the API refuses."""
        blocks = [dict(block) for block in reply.blocks]
        if reply.stop in _CUT and blocks and blocks[-1].get("type") == "tool_use":
            arguments = blocks[-1].get("input")
            if not (isinstance(arguments, dict) and arguments):  # an empty object is what a call begins with
                del blocks[-1]
        whole = [block for block in blocks if block.get("type") != "text" or str(block.get("text", "")).strip()]
        return whole if any(block.get("type") in ("text", "tool_use") for block in whole) else []

    def _fresh_id(self, given: Any) -> str:
        """The id of a call, another one where a server gives none or one twice."""
        found = given if isinstance(given, str) and given else "call"
        if found in self._ids or found == "call":
            found = f"{found}_{len(self._ids) + 1}"
        self._ids.add(found)
        return found


def _describe(tool: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": tool["name"], "description": tool["description"], "input_schema": tool["inputSchema"]}


def _call_block(call: ToolCall) -> dict[str, Any]:
    """What names a call in its block; the API takes no arguments but an object."""
    arguments = call.arguments if isinstance(call.arguments, dict) else {"value": call.arguments}
    return {"id": call.id, "name": call.name, "input": arguments}
