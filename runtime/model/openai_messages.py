"""A conversation in the blocks of the Messages API as chat completions take it, and how a reply is held to a schema."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from runtime.model.chat import ChatRequest


def messages_of(request: ChatRequest, unwanted: Collection[str] = ()) -> list[dict[str, Any]]:
    """The messages; what a model thought goes back under the name by which it came, unless the server wants it not."""
    system = "\n\n".join(str(block["text"]) for block in request.system)
    messages: list[dict[str, Any]] = [{"role": "system", "content": system}] if system else []
    for turn in request.turns:
        content = turn["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        messages += _said_by_model(blocks, unwanted) if turn["role"] == "assistant" else _said_to_model(blocks)
    return messages


def tools_of(request: ChatRequest) -> list[dict[str, Any]]:
    """The tools as functions."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool["name"],
                "description": tool["description"],
                "parameters": tool["input_schema"],
            },
        }
        for tool in request.tools
    ]


def format_of(schema: Mapping[str, Any]) -> dict[str, Any]:
    """What holds a reply to a schema; `strict` only where every object of it is closed and whole, as OpenAI wants."""
    strict = all(
        each.get("additionalProperties") is False and set(each.get("required", ())) == set(each["properties"])
        for each in _objects_in(schema)
    )
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": dict(schema), "strict": strict}}


def _said_by_model(blocks: Sequence[Mapping[str, Any]], unwanted: Collection[str]) -> Iterator[dict[str, Any]]:
    message: dict[str, Any] = {"role": "assistant", "content": _words_of(blocks) or None}
    for block in blocks:
        if block["type"] == "reasoning" and block["name"] not in unwanted:
            message[block["name"]] = block.get("details") or block["text"]
    calls = [
        {
            "id": block["id"],
            "type": "function",
            "function": {"name": block["name"], "arguments": json.dumps(block["input"], ensure_ascii=False)},
        }
        for block in blocks
        if block["type"] == "tool_use"
    ]
    yield message | ({"tool_calls": calls} if calls else {})


def _said_to_model(blocks: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for block in blocks:
        if block["type"] == "tool_result":
            yield {"role": "tool", "tool_call_id": block["tool_use_id"], "content": block["content"]}
    if words := _words_of(blocks):
        yield {"role": "user", "content": words}


def _words_of(blocks: Sequence[Mapping[str, Any]]) -> str:
    return "\n\n".join(str(block["text"]) for block in blocks if block["type"] == "text")


def _objects_in(schema: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(schema, Mapping):
        if isinstance(schema.get("properties"), Mapping):
            yield schema
        for part in schema.values():
            yield from _objects_in(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _objects_in(part)
