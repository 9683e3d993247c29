"""Messages and tools as JSON in the two forms of a chat: that of the OpenAI API, and that of chat templates.

They differ in one point. A call's arguments are a JSON text in the API and an object in a template: a template that is
given the text writes it as a quoted text, which no model should learn, or fails.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite
from typing import Any

from runtime.harness.messages import Message

_MOST = 2**63  # beyond it readers of JSON disagree: some refuse the number, some round it


def api_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The messages as the OpenAI API has them."""
    return [_message(each, text_of) for each in messages]


def template_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The messages as chat templates read them; arguments that are not an object become one, named `value`."""
    return [
        _message(each, lambda given: given if isinstance(given, Mapping) else {"value": given}) for each in messages
    ]


def offered_tools(tools: Iterable[Mapping[str, Any]]) -> str:
    """Tools as MCP lists them in the OpenAI form, as a JSON text.

    A text, since a reader of tables gives every object in a column the fields of all: each tool's schema would be full
    of the nulls of the others' parameters.
    """
    return text_of(
        {
            "type": "function",
            "function": {
                "name": tool["name"],
                "description": tool.get("description") or "",
                "parameters": tool["inputSchema"],
            },
        }
        for tool in tools
    )


def _message(message: Message, arguments_of: Callable[[Any], Any]) -> dict[str, Any]:
    written: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.calls:
        written["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": arguments_of(call.arguments)},
            }
            for call in message.calls
        ]
    if message.call_id is not None:
        written["tool_call_id"] = message.call_id
    return written


def line(record: Mapping[str, Any]) -> str:
    """A record as one line of JSON in ASCII, so that no reader takes another character for the end of a line."""
    return json.dumps(legible(record), separators=(",", ":"), allow_nan=False) + "\n"


def text_of(value: Any) -> str:
    """A value as JSON within a text."""
    return json.dumps(legible(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def legible(value: Any) -> Any:
    """The value with half surrogates replaced by U+FFFD, and with texts for the numbers that JSON readers refuse."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, float):
        return value if isfinite(value) else str(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value if -_MOST <= value < _MOST else str(value)
    if isinstance(value, Mapping):
        return {legible(str(name)): legible(item) for name, item in value.items()}
    return [legible(item) for item in value] if isinstance(value, Iterable) else value
