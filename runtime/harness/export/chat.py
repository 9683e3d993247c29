"""Messages and tools in the two forms of a chat: that of the OpenAI API, and that of chat templates.

They differ in one point. A call's arguments are a JSON text in the API and an object in a template: a template that is
given the text writes it as a quoted text, which no model should learn, or fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from runtime.harness.export.legible import text_of
from runtime.harness.messages import Message


def api_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The messages as the OpenAI API has them."""
    return [_message(each, text_of) for each in messages]


def template_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The messages as chat templates read them; arguments that are not an object become one, under the name `value`."""
    return [_message(each, _object) for each in messages]


def offered_tools(tools: Iterable[Mapping[str, Any]]) -> str:
    """Tools as MCP lists them in the OpenAI form, as a JSON text.

    A text, since a reader of tables gives every object in a column the fields of all: each tool's schema would be full
    of the nulls of the others' parameters.
    """
    return text_of(
        [
            {
                "type": "function",
                "function": {
                    "name": tool["name"],
                    "description": tool.get("description") or "",
                    "parameters": tool["inputSchema"],
                },
            }
            for tool in tools
        ]
    )


def _message(message: Message, arguments_of: Any) -> dict[str, Any]:
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


def _object(arguments: Any) -> Mapping[str, Any]:
    return arguments if isinstance(arguments, Mapping) else {"value": arguments}
