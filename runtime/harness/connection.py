"""How an agent's calls reach the session of its episode, and which cannot be sent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, NamedTuple, Protocol

from runtime.domain.changes import Changes
from runtime.domain.domain import Domain
from runtime.domain.rule import Duty
from runtime.errors import EnvironmentFault
from runtime.harness.conversation import ToolCall
from runtime.harness.episode import ToolAnswer
from runtime.server.listing import list_tools
from runtime.session.faults import FaultSource
from runtime.session.hybrid import start_session
from runtime.session.session import Session
from runtime.session.world import World


class ConnectionFault(EnvironmentFault):
    """The server between the agent and the world died or did not answer in time."""


class Connection(Protocol):
    """A connection to one session of a world."""

    @property
    def tools(self) -> Sequence[Mapping[str, Any]]:
        """The tools of the session, as MCP lists them."""

    async def call(self, call: ToolCall) -> ToolAnswer:
        """Make a call; a rejection is an answer. Errors: EnvironmentFault."""

    async def final(self) -> FinalState:
        """Return the final state of the session's own database; no call can follow. Errors: EnvironmentFault."""


class FinalState(NamedTuple):
    changes: Changes
    unmet: tuple[Duty, ...] | None
    """The duties left undone, of a session that judged its calls, too."""


Connect = Callable[[Domain, World, FaultSource | None], AbstractAsyncContextManager[Connection]]
"""Opens a fresh session of a world; entering it raises EnvironmentFault if its server does not start."""


@asynccontextmanager
async def open_session(domain: Domain, world: World, faults: FaultSource | None) -> AsyncIterator[Connection]:
    """Connect to a session in this process, called where the episode runs."""
    await asyncio.sleep(0)  # nothing else may wait here, and other episodes are to have their turn
    with start_session(domain, world, judges=True, faults=faults) as session:
        throttles = faults is not None and faults.plan.throttles
        yield _SessionConnection(session, list_tools(domain, throttles, world.plan is not None))


class _SessionConnection:
    def __init__(self, session: Session, tools: Sequence[Mapping[str, Any]]) -> None:
        self.tools = tools
        self._session = session

    async def call(self, call: ToolCall) -> ToolAnswer:
        return answer_call(self._session, call)

    async def final(self) -> FinalState:
        self._session.settle()
        return FinalState(self._session.changes, self._session.unmet_duties())


def answer_call(session: Session, call: ToolCall) -> ToolAnswer:
    """Make a call on a session; a rejection is an answer. Errors: EnvironmentFault."""
    refused = refuse_unsendable(call)
    if refused is not None:
        return refused
    outcome = session.perform(call.name, call.arguments)
    fault = "" if outcome.fault is None else outcome.fault.kind
    return ToolAnswer(outcome.text, outcome.result is None, fault, outcome.broken)


def refuse_unsendable(call: ToolCall) -> ToolAnswer | None:
    """Return a rejection, for the agent to read, of a call without an object of arguments."""
    if isinstance(call.arguments, Mapping):
        return None
    sentence = "The arguments must be a JSON object with plain text and finite numbers, nested at most 64 levels deep."
    return ToolAnswer(f"INVALID_ARGUMENT: {sentence}", is_error=True)
