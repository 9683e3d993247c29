"""Calls made directly on a session, without MCP: what trainers use."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any
from weakref import WeakKeyDictionary

from runtime.domain.changes import Changes
from runtime.domain.domain import Domain
from runtime.harness.episode import ToolAnswer
from runtime.harness.messages import ToolCall
from runtime.harness.transports.connection import Connection, turn_down
from runtime.server.listing import list_domain
from runtime.session.session import Session
from runtime.session.world import World

_listed: WeakKeyDictionary[Domain, Sequence[Mapping[str, Any]]] = WeakKeyDictionary()


@asynccontextmanager
async def open_session_connection(domain: Domain, world: World, principal: str | None) -> AsyncIterator[Connection]:
    """A session in this process, called where the episode runs."""
    with Session(domain, world, principal=principal) as session:
        yield _SessionConnection(session, listed_tools(domain))


def listed_tools(domain: Domain) -> Sequence[Mapping[str, Any]]:
    """The tools of a domain as MCP lists them, listed once."""
    if domain not in _listed:
        _listed[domain] = list_domain(domain).tools
    return _listed[domain]


def answer_call(session: Session, call: ToolCall) -> ToolAnswer:
    """Make a call on a session; a rejection is an answer. Errors: EnvironmentFault."""
    refused = turn_down(call)
    if refused is not None:
        return refused
    outcome = session.perform(call.name, call.arguments)
    return ToolAnswer(outcome.text, is_error=outcome.rejection is not None)


class _SessionConnection:
    def __init__(self, session: Session, tools: Sequence[Mapping[str, Any]]) -> None:
        self.tools = tools
        self._session = session

    async def call(self, call: ToolCall) -> ToolAnswer:
        await asyncio.sleep(0)  # nothing here waits, and other episodes are to have their turn
        return answer_call(self._session, call)

    async def final(self) -> Changes:
        return self._session.changes
