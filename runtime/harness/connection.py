"""How an agent's calls reach a session, directly or over MCP in memory, stdio or HTTP, and which cannot be sent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Literal, Protocol, get_args
from weakref import WeakKeyDictionary

from runtime.domain.changes import Changes
from runtime.domain.domain import Domain
from runtime.errors import EnvironmentFault
from runtime.harness.conversation import ToolCall, is_deep
from runtime.harness.episode import ToolAnswer
from runtime.server.listing import list_tools
from runtime.session.session import Session
from runtime.session.world import World

Transport = Literal["memory", "stdio", "http", "session"]
TRANSPORTS: tuple[Transport, ...] = get_args(Transport)

_LONGEST_CALL = 512 * 1024  # characters; servers close the connection on much longer ones
_LONGEST_NAME = 200  # characters of a tool's name, which is also sent in a header of HTTP
_DEEPEST = 64  # levels of nested lists and objects


class ConnectionFault(EnvironmentFault):
    """The server between the agent and the world died or did not answer in time."""


class Connection(Protocol):
    """A connection to one session of a world."""

    @property
    def tools(self) -> Sequence[Mapping[str, Any]]:
        """The tools of the session's server, as MCP lists them."""

    async def call(self, call: ToolCall) -> ToolAnswer:
        """Make a call; a rejection is an answer. Errors: EnvironmentFault."""

    async def final(self) -> Changes:
        """Return what changed in the session's own database; no call can follow. Errors: EnvironmentFault."""


_listed: WeakKeyDictionary[Domain, Sequence[Mapping[str, Any]]] = WeakKeyDictionary()


def listed_tools(domain: Domain) -> Sequence[Mapping[str, Any]]:
    """Return the tools of a domain as MCP lists them, listed once."""
    if domain not in _listed:
        _listed[domain] = list_tools(domain)
    return _listed[domain]


def answer_call(session: Session, call: ToolCall) -> ToolAnswer:
    """Make a call on a session, without MCP; a rejection is an answer. Errors: EnvironmentFault."""
    refused = refuse_unsendable(call)
    if refused is not None:
        return refused
    outcome = session.perform(call.name, call.arguments)
    return ToolAnswer(outcome.text, is_error=outcome.rejection is not None)


@asynccontextmanager
async def open_session(domain: Domain, world: World, principal: str | None) -> AsyncIterator[Connection]:
    """Connect to a session in this process, called where the episode runs."""
    with Session(domain, world, principal=principal) as session:
        yield _SessionConnection(session, listed_tools(domain))


class _SessionConnection:
    def __init__(self, session: Session, tools: Sequence[Mapping[str, Any]]) -> None:
        self.tools = tools
        self._session = session

    async def call(self, call: ToolCall) -> ToolAnswer:
        await asyncio.sleep(0)  # nothing here waits, and other episodes are to have their turn
        return answer_call(self._session, call)

    async def final(self) -> Changes:
        return self._session.changes


def refuse_unsendable(call: ToolCall) -> ToolAnswer | None:
    """Return a rejection, for the agent to read, of a call that cannot be sent as JSON; None if it can."""
    sentence = ""
    if not isinstance(call.name, str) or len(call.name) > _LONGEST_NAME:
        sentence = f"The tool's name must be text of at most {_LONGEST_NAME} characters."
    elif not isinstance(call.arguments, Mapping) or not all(isinstance(name, str) for name in call.arguments):
        sentence = "The arguments must be a JSON object."
    else:
        try:
            text = json.dumps([call.name, call.arguments], ensure_ascii=False, allow_nan=False)
            text.encode()
        except (TypeError, ValueError, RecursionError):  # NaN, half of a surrogate pair, endless nesting
            sentence = "The call is not JSON that can be sent; use plain text, finite numbers, lists and objects."
        else:
            nested = text.count("[") + text.count("{") > _DEEPEST and is_deep(call.arguments, _DEEPEST)
            if nested or len(text) > _LONGEST_CALL:
                sentence = f"A call has at most {_LONGEST_CALL:,} characters, nested at most {_DEEPEST} levels deep."
    return ToolAnswer(f"INVALID_ARGUMENT: {sentence}", is_error=True) if sentence else None
