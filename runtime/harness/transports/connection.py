"""What a connection is, and which calls it turns down before they leave: those that no server could read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from runtime.domain.changes import Changes
from runtime.errors import EnvironmentFault
from runtime.harness.episode import ToolAnswer
from runtime.harness.messages import ToolCall, is_deep

SECONDS = 60.0  # that a server may take to start, to answer a call, to end

_LONGEST_CALL = 512 * 1024  # characters; servers close the connection on much longer ones
_LONGEST_NAME = 200  # characters of a tool's name
_DEEPEST = 64  # levels of lists and objects; a tool says far earlier that it is too deep


class ConnectionFault(EnvironmentFault):
    """The server between the agent and the world died or did not answer in time."""


class Connection(Protocol):
    """The way to one session of a world."""

    @property
    def tools(self) -> Sequence[Mapping[str, Any]]:
        """The tools of the session's server, as MCP lists them."""

    async def call(self, call: ToolCall) -> ToolAnswer:
        """Make a call; a rejection is an answer. Errors: EnvironmentFault."""

    async def final(self) -> Changes:
        """What is changed in the session's own database; no call can follow. Errors: EnvironmentFault."""


def turn_down(call: ToolCall) -> ToolAnswer | None:
    """Why a call cannot be sent as JSON, for the agent to read; None if it can."""
    if isinstance(call.arguments, str) and (fault := _fault_of_json(call.arguments)):
        return _invalid(f"The arguments are {_shown(call.arguments)}, which is not valid JSON: {fault}.")
    if not isinstance(call.arguments, Mapping):
        return _invalid(f"The arguments are {_shown(call.arguments)}; they must be an object.")
    if not isinstance(call.name, str) or len(call.name) > _LONGEST_NAME:  # a name also goes into a header of HTTP
        return _invalid(f"The tool's name is {_shown(call.name)}; it is text of at most {_LONGEST_NAME} characters.")
    unnamed = next((name for name in call.arguments if not isinstance(name, str)), None)
    if unnamed is not None or None in call.arguments:
        return _invalid(f"An argument is named {_shown(unnamed)}; names are text.")
    try:
        text = json.dumps([call.name, call.arguments], ensure_ascii=False, allow_nan=False)
        text.encode()
    except (TypeError, ValueError, RecursionError):  # no JSON, NaN, half of a surrogate pair, endlessly nested
        return _invalid("The call is not JSON that can be sent; use plain text, finite numbers, lists and objects.")
    if len(text) > _LONGEST_CALL:
        return _invalid(f"The call has {len(text):,} characters; at most {_LONGEST_CALL:,} can be sent.")
    if text.count("[") + text.count("{") > _DEEPEST and is_deep(call.arguments, _DEEPEST):
        return _invalid(f"The arguments are nested more than {_DEEPEST} levels deep; send them flatter.")
    return None


def _fault_of_json(text: str) -> str:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return f"{error.msg[:1].lower()}{error.msg[1:]} at character {error.pos + 1}"
    except (ValueError, RecursionError):
        return "a number has too many digits, or the nesting is too deep"
    return ""


def _invalid(sentence: str) -> ToolAnswer:
    return ToolAnswer(f"INVALID_ARGUMENT: {sentence}", is_error=True)


def _shown(value: Any) -> str:
    try:
        return repr(str(value)[:80])
    except (ValueError, RecursionError):  # an integer of more digits than Python prints, or a list that holds itself
        return f"a {type(value).__name__}"
