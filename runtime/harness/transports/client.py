"""Calls made with a real MCP client, which lives in a task of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import mcp_types as types
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from runtime.domain.changes import Changes
from runtime.errors import EnvironmentFault
from runtime.harness.episode import ToolAnswer
from runtime.harness.messages import ToolCall
from runtime.harness.transports.connection import SECONDS, ConnectionFault, turn_down


class ClientConnection:
    """A connection over a client; `final` finds out what its server's session changed."""

    def __init__(
        self, client: Client, tools: Sequence[Mapping[str, Any]], final: Callable[[], Awaitable[Changes]]
    ) -> None:
        self.tools = tools
        self._client = client
        self._final = final

    async def call(self, call: ToolCall) -> ToolAnswer:
        """Make a call; errors: EnvironmentFault."""
        refused = turn_down(call)
        if refused is not None:
            return refused
        params = types.CallToolRequestParams(name=call.name, arguments=dict(call.arguments))
        try:
            # The client's own `call_tool` would list the tools again and compile their schemas for each client; the
            # server has checked the result already.
            result = await self._client.session.send_request(
                types.CallToolRequest(params=params), types.CallToolResult, request_read_timeout_seconds=SECONDS
            )
        except MCPError as error:
            raise _fault_of(error, call) from error
        text = "\n".join(part.text for part in result.content if isinstance(part, types.TextContent))
        return ToolAnswer(text, is_error=bool(result.is_error))

    async def final(self) -> Changes:
        """What the calls changed; errors: EnvironmentFault."""
        return await self._final()


@asynccontextmanager
async def hosted(client: Client) -> AsyncIterator[Client]:
    """Keep a client open in a task of its own, so that what breaks its connection does not cancel the episode.

    Errors: WireFault if it does not open in time.
    """
    opened, left = asyncio.Event(), asyncio.Event()

    async def host() -> None:
        async with client:
            opened.set()
            await left.wait()

    task, opening = asyncio.create_task(host()), asyncio.create_task(opened.wait())
    try:
        await asyncio.wait((task, opening), timeout=SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if not opened.is_set():
            raise ConnectionFault(f"The world's server did not start: {_why(task)}.")
        yield client
    finally:
        opening.cancel()
        left.set()
        if not opened.is_set():
            task.cancel()
        await asyncio.wait((task,), timeout=SECONDS)
        if task.done() and not task.cancelled():
            task.exception()  # how it ends matters to nobody: what the database holds is read by itself


async def list_tools(client: Client) -> tuple[Mapping[str, Any], ...]:
    """The tools as the server lists them, as JSON; errors: WireFault."""
    found: list[Mapping[str, Any]] = []
    cursor: str | None = None
    try:
        async with asyncio.timeout(SECONDS):
            while not found or cursor is not None:
                page = await client.list_tools(cursor=cursor)
                found += [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in page.tools]
                cursor = page.next_cursor
                if not page.tools:
                    break
    except (MCPError, TimeoutError) as error:
        raise ConnectionFault(f"The world's server lists no tools: {error or 'it does not answer'}.") from error
    return tuple(found)


def _fault_of(error: MCPError, call: ToolCall) -> EnvironmentFault:
    data = error.error.data
    if isinstance(data, Mapping) and data.get("kind") == "environment_fault":
        return EnvironmentFault(f"Tool {call.name!r} failed ({data.get('fault')}): {error.error.message}")
    return ConnectionFault(f"The world's server did not answer a call of {call.name!r}: {error.error.message}.")


def _why(task: asyncio.Task[None]) -> str:
    if not task.done():
        return f"it took more than {SECONDS:g} seconds"
    error = task.exception()
    return f"{type(error).__name__}: {error}" if error is not None else "it ended at once"
