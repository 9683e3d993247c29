"""Calls over a real MCP client: to a server in this process, or to one in a process of its own over stdio."""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError
from mcp_types.version import LATEST_MODERN_VERSION

from runtime.children import python_command
from runtime.domain.changes import Changes, scan_changes
from runtime.domain.domain import Domain
from runtime.errors import EnvironmentFault, UsageError
from runtime.harness.episode import ToolAnswer
from runtime.harness.messages import ToolCall
from runtime.harness.transports.connection import Connection, ConnectionFault, listed_tools, turn_down
from runtime.sandbox.sqlite import open_foreign
from runtime.server.stdio import serving
from runtime.session.session import Session
from runtime.session.world import World
from runtime.task.task import write_world

SECONDS = 60.0  # that a server may take to start, to answer a call, to end

_SESSION, _WORLD, _ERRORS = "episode", "world.db", "stderr.txt"


class ClientConnection:
    """A connection over a client; `final` finds out what its server's session changed."""

    def __init__(
        self, client: Client, tools: Sequence[Mapping[str, Any]], final: Callable[[], Coroutine[Any, Any, Changes]]
    ) -> None:
        self.tools = tools
        self.final = final
        self._client = client

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
            data, said = error.error.data, error.error.message
            if isinstance(data, Mapping) and data.get("kind") == "environment_fault":
                raise EnvironmentFault(f"Tool {call.name!r} failed ({data.get('fault')}): {said}") from error
            raise ConnectionFault(f"The world's server did not answer a call of {call.name!r}: {said}.") from error
        text = "\n".join(part.text for part in result.content if isinstance(part, types.TextContent))
        return ToolAnswer(text, is_error=bool(result.is_error))


@asynccontextmanager
async def hosted(client: Client) -> AsyncIterator[Client]:
    """Keep a client open in a task of its own, so that what breaks its connection does not cancel the episode."""
    opened, left = asyncio.Event(), asyncio.Event()

    async def host() -> None:
        async with client:
            opened.set()
            await left.wait()

    task, opening = asyncio.create_task(host()), asyncio.create_task(opened.wait())
    try:
        await asyncio.wait((task, opening), timeout=SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if not opened.is_set():
            why = repr(task.exception()) if task.done() else f"it took more than {SECONDS:g} seconds"
            raise ConnectionFault(f"The world's server did not start: {why}.")
        yield client
    finally:
        opening.cancel()
        left.set()
        if not opened.is_set():
            task.cancel()
        await asyncio.wait((task,), timeout=SECONDS)
        if task.done() and not task.cancelled():
            task.exception()  # how it ends does not matter: what the database holds is read separately


async def list_tools(client: Client) -> tuple[Mapping[str, Any], ...]:
    """Return the tools as the server lists them, as JSON; errors: ConnectionFault."""
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


@asynccontextmanager
async def open_memory(domain: Domain, world: World, principal: str | None) -> AsyncIterator[Connection]:
    """Connect a client to a server in this process, without a socket, over one session of this episode."""
    async with serving(domain, lambda: Session(domain, world, principal=principal)) as (server, served):

        async def final() -> Changes:
            return served.session.changes

        async with hosted(Client(server, mode=LATEST_MODERN_VERSION, cache=None)) as client:
            yield ClientConnection(client, listed_tools(domain), final)


@asynccontextmanager
async def open_stdio(
    domain: Domain, world: World, principal: str | None, server: Sequence[str] = ()
) -> AsyncIterator[Connection]:
    """Connect a client to a process of the episode's own, judged by the file that it leaves behind.

    `server` is the command of one that takes the options of `worldsmith serve`, which it is by default.
    """
    with tempfile.TemporaryDirectory(prefix="worldsmith-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        write_world(world, folder / _WORLD)
        command, *words = server or (*python_command("runtime.main"), "serve", str(domain.path.resolve()))
        words += ["--world", str(folder / _WORLD), "--state", name, "--session", _SESSION]
        words += ["--principal", principal] if principal is not None else []
        process = StdioServerParameters(command=command, args=words)
        async with AsyncExitStack() as stack:
            errors = stack.enter_context((folder / _ERRORS).open("w", encoding="utf-8"))
            try:
                client = await stack.enter_async_context(hosted(Client(stdio_client(process, errlog=errors))))
                tools = await list_tools(client)
            except ConnectionFault as fault:
                said = (folder / _ERRORS).read_text(encoding="utf-8", errors="replace").strip().splitlines()
                raise ConnectionFault(f"{fault} {said[-1] if said else ''}".strip()) from fault

            async def final() -> Changes:
                await stack.aclose()  # the process ends first, so that all that it wrote is in the file
                return _changes_in(folder / _SESSION / "state.db", domain, world)

            yield ClientConnection(client, tools, final)


def _changes_in(path: Path, domain: Domain, world: World) -> Changes:
    if not path.is_file():
        raise ConnectionFault("The world's server left no database behind.")
    try:
        columns = {table.name: table.positions for table in domain.schema.tables.values()}
        with closing(world.open()) as start, closing(open_foreign(path, columns)) as state:
            return scan_changes(start, state, domain.schema)
    except (sqlite3.Error, UsageError) as error:
        raise ConnectionFault(f"The database that the world's server left behind cannot be read: {error}.") from error
