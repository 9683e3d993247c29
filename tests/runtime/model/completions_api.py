"""Chat completions as six servers stream them: what differs is which server it is, not what the model said."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.runtime.model.messages_api import Reply

SERVERS = ("openai", "vllm", "sglang", "ollama", "openrouter", "llama.cpp")

_STREAM = {"content-type": "text/event-stream; charset=utf-8"}


def completed(
    *blocks: Mapping[str, Any],
    server: str = "openai",
    stop: str | None = None,
    prompt: int | None = 100,
    cached: int = 0,
    completion: int = 7,
    **options: Any,
) -> Reply:
    """A streamed reply: blocks of text, thinking and calls, as `text`, `thought` and `use` make them.

    Without `prompt` the server counts nothing. The input of a call may be a text that is not JSON.
    """
    called = any(block["type"] == "tool_use" for block in blocks)
    reason = stop or ("tool_calls" if called else "stop")
    details = {"cached_tokens": cached} if cached else None
    counts = {"prompt_tokens": prompt, "completion_tokens": completion, "prompt_tokens_details": details, "cost": 0.1}
    usage = None if prompt is None else counts
    return streamed(*_chunks(list(_deltas(server, blocks)), reason, usage), server=server, **options)


def streamed(*chunks: Mapping[str, Any], server: str = "openai", done: bool = True, **options: Any) -> Reply:
    """Any chunks as a stream; OpenRouter writes comments into it."""
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    if server == "openrouter":
        lines.insert(0, ": OPENROUTER PROCESSING\n\n")
    return Reply(page="".join(lines) + ("data: [DONE]\n\n" if done else ""), headers=_STREAM, **options)


def whole(message: Mapping[str, Any], reason: str = "stop", **parts: Any) -> Reply:
    """A reply that is not streamed, whatever was asked."""
    body = {"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": reason}]}
    usage = {"prompt_tokens": 100, "completion_tokens": 7}
    return Reply(page=json.dumps({**body, "usage": usage, **parts}), headers={"content-type": "application/json"})


def refusing(status: int, said: Any, **headers: str) -> Reply:
    """An error; `retry_after` and the like become headers."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, page=json.dumps(said), headers={"content-type": "application/json", **named})


def thought(words: str) -> dict[str, Any]:
    """What the model thinks first."""
    return {"type": "thought", "text": words}


def delta_of(*calls: Mapping[str, Any], **parts: Any) -> dict[str, Any]:
    """A chunk with these parts of calls, or anything else."""
    return {"choices": [{"index": 0, "delta": {**({"tool_calls": list(calls)} if calls else {}), **parts}}]}


def ending(reason: str, **parts: Any) -> dict[str, Any]:
    """A chunk that ends a reply."""
    return {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}], **parts}


def _deltas(server: str, blocks: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": ""}
    calls = [block for block in blocks if block["type"] == "tool_use"]
    for block in blocks:
        if block["type"] == "thought":
            yield from _thinking(server, block["text"])
        elif block["type"] == "text":
            half = len(block["text"]) // 2
            yield from ({"content": part} for part in (block["text"][:half], block["text"][half:]))
    if server == "ollama":  # whole calls, and all have the same index
        whole_calls = [_call(0, each, _written(each)) for each in calls]
        yield from [{"role": "assistant", "content": "", "tool_calls": whole_calls}] if calls else []
        return
    for index, each in enumerate(calls):
        written = _written(each)
        if server == "vllm":  # a reply whose parser gives whole calls
            yield {"tool_calls": [_call(index, each, written)]}
            continue
        rest: dict[str, Any] = {"id": None, "type": "function"} if server == "sglang" else {}
        yield {"tool_calls": [_call(index, each, "")]}
        for place in range(0, len(written), 12):
            function = {"arguments": written[place : place + 12]} | ({"name": None} if server == "sglang" else {})
            yield {"tool_calls": [{"index": index, "function": function, **rest}]}


def _thinking(server: str, words: str) -> Iterator[dict[str, Any]]:
    half = len(words) // 2
    for part in (words[:half], words[half:]):
        match server:
            case "openai":  # which gives no thoughts away
                return
            case "openrouter":
                detail = {"type": "reasoning.text", "index": 0, "format": "unknown", "text": part}
                yield {"content": "", "reasoning": part, "reasoning_details": [detail]}
            case "vllm" | "ollama":
                yield {"reasoning": part}
            case _:
                yield {"content": None, "reasoning_content": part}


def _chunks(
    deltas: Sequence[Mapping[str, Any]], reason: str, usage: Mapping[str, Any] | None
) -> Iterator[dict[str, Any]]:
    head: dict[str, Any] = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "stub"}
    for delta in deltas:
        yield {**head, "usage": None, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": reason, "native_finish_reason": reason}]}
    if usage is not None:
        yield {**head, "choices": [], "usage": usage, "timings": {"prompt_n": 1}}


def _call(index: int, block: Mapping[str, Any], written: str) -> dict[str, Any]:
    function = {"name": block["name"], "arguments": written}
    return {"index": index, "id": block["id"], "type": "function", "function": function}


def _written(block: Mapping[str, Any]) -> str:
    return block["input"] if isinstance(block["input"], str) else json.dumps(block["input"])
