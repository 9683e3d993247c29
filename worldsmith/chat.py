"""Read an assistant message in the form of the OpenAI API; whatever its calls look like, reading them never fails."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeAlias

from runtime.errors import UsageError
from runtime.harness.conversation import AssistantTurn, ToolCall
from runtime.model.model import without_reasoning

ChatMessage: TypeAlias = dict[str, Any]
"""A message: `role`, `content`, and `tool_calls` or `tool_call_id`."""

ChatTool: TypeAlias = dict[str, Any]
"""A function definition: `type`, and `function` with `name`, `description` and `parameters`."""


def read_turn(message: Mapping[str, Any], number: int) -> AssistantTurn:
    """What an assistant message says, without its reasoning, and calls; a call without an id gets one of our own.

    Errors: UsageError if it is not an assistant message. That is never the model's fault, as all of its calls are.
    """
    if not isinstance(message, Mapping) or message.get("role", "assistant") != "assistant":
        raise UsageError(
            f"take() was given {str(message)[:200]!r}; it takes an assistant message as a mapping "
            "(of an object of the openai package, message.model_dump())."
        )
    calls = message.get("tool_calls") or ()
    if not isinstance(calls, list | tuple):
        calls = (calls,)
    return AssistantTurn(
        _read_text(message), tuple(_read_call(call, f"call-{number}-{place}") for place, call in enumerate(calls))
    )


def _read_text(message: Mapping[str, Any]) -> str:
    content = message.get("content") or message.get("refusal") or ""
    parts = content if isinstance(content, list | tuple) else [{"text": content}]
    texts = [part.get("text") or part.get("refusal") or "" if isinstance(part, Mapping) else part for part in parts]
    for text in texts:
        if not isinstance(text, str):
            raise UsageError(f"The message's content holds {text!r}; it must be text, a list of text parts, or None.")
    return without_reasoning("".join(texts))


def _read_call(call: Any, made_up: str) -> ToolCall:
    """A call as far as it can be read; what cannot be is refused when it is made, for the agent to read."""
    call = call if isinstance(call, Mapping) else {"arguments": call}
    named = call.get("function", call)
    function = named if isinstance(named, Mapping) else {"arguments": named}
    own_id, name = call.get("id"), function.get("name")
    return ToolCall(
        id=own_id if isinstance(own_id, str) and own_id else made_up,
        name=name if isinstance(name, str) else "",
        arguments=_read_arguments(function.get("arguments")),
    )


def _read_arguments(arguments: Any) -> Any:
    """The object that a JSON text writes; without arguments an empty one; anything else as it is."""
    if arguments is None or arguments == "":
        return {}
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
