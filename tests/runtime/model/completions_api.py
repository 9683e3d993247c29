"""Chat completions as several servers give them: what differs is which server it is, not what the model said."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from tests.runtime.model.messages_api import Reply

SERVERS = ("openai", "vllm", "ollama", "openrouter")

_THOUGHTS = {"vllm": "reasoning_content", "ollama": "reasoning", "openrouter": "reasoning"}


def completed(
    *blocks: Mapping[str, Any],
    server: str = "openai",
    stop: str | None = None,
    prompt: int | None = 100,
    cached: int = 0,
    completion: int = 7,
) -> Reply:
    """A reply: blocks of text, thinking and calls, as `text`, `thought` and `use` make them.

    Without `prompt` the server counts nothing. The input of a call may be a text that is not JSON.
    """
    calls = [_call(index, block) for index, block in enumerate(_of(blocks, "tool_use"))]
    message: dict[str, Any] = {"role": "assistant", "content": "".join(each["text"] for each in _of(blocks, "text"))}
    message |= {"tool_calls": calls} if calls else {}
    for each in _of(blocks, "thought"):
        if server in _THOUGHTS:
            message[_THOUGHTS[server]] = each["text"]
        if server == "openrouter":
            message["reasoning_details"] = [{"type": "reasoning.text", "index": 0, "text": each["text"]}]
    details = {"cached_tokens": cached} if cached else None
    counts = {"prompt_tokens": prompt, "completion_tokens": completion, "prompt_tokens_details": details, "cost": 0.1}
    usage = None if prompt is None else counts
    return whole(message, stop or ("tool_calls" if calls else "stop"), usage=usage)


def whole(message: Mapping[str, Any], reason: str = "stop", **parts: Any) -> Reply:
    """A reply with any message."""
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


def _of(blocks: tuple[Mapping[str, Any], ...], kind: str) -> list[Mapping[str, Any]]:
    return [block for block in blocks if block["type"] == kind]


def _call(index: int, block: Mapping[str, Any]) -> dict[str, Any]:
    written = block["input"] if isinstance(block["input"], str) else json.dumps(block["input"])
    function = {"name": block["name"], "arguments": written}
    return {"index": index, "id": block["id"], "type": "function", "function": function}
