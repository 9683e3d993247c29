"""Episodes over MCP: calls to a server in a process of its own, and a server of this process for an agent's program."""

from __future__ import annotations

import asyncio
import math
import secrets
import socket
import sqlite3
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import Any, NoReturn

import mcp_types as types
import uvicorn
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError

from runtime.domain.changes import scan_changes
from runtime.domain.domain import Domain
from runtime.errors import EnvironmentFault, UsageError
from runtime.harness.connection import Connect, Connection, ConnectionFault, FinalState, refuse_unsendable
from runtime.harness.conversation import ToolCall
from runtime.harness.episode import ToolAnswer
from runtime.sandbox.sqlite import open_foreign
from runtime.server.http import HttpServer, HttpSettings, make_uvicorn
from runtime.server.offer import Extras
from runtime.session.clock import read_plan
from runtime.session.faults import FaultSource
from runtime.session.hybrid import start_session
from runtime.session.session import Session, Snapshot
from runtime.session.world import World
from runtime.task.task import write_world

SECONDS = 60.0  # that a server may take to start, to answer a call, to stop

_HOST = "127.0.0.1"
_SESSION, _WORLD, _ERRORS = "episode", "world.db", "stderr.txt"


def over_stdio(command: Sequence[str]) -> Connect:
    """Connect each episode to a process of its own that this command starts, judged by the file that it leaves."""

    @asynccontextmanager
    async def connect(domain: Domain, world: World, faults: FaultSource | None) -> AsyncIterator[Connection]:
        if faults is not None:
            raise UsageError(f"Faults {faults.plan.name!r} are drawn in this process; play them on its own session.")
        with tempfile.TemporaryDirectory(prefix="worldsmith-", ignore_cleanup_errors=True) as name:
            folder = Path(name)
            write_world(world, folder / _WORLD)
            words = [*command[1:], "--world", str(folder / _WORLD), "--state", name, "--session", _SESSION]
            async with AsyncExitStack() as stack:
                errors = stack.enter_context((folder / _ERRORS).open("w", encoding="utf-8"))
                process = stdio_client(StdioServerParameters(command=command[0], args=words), errlog=errors)
                try:
                    client = await stack.enter_async_context(_hosted(Client(process)))
                    async with asyncio.timeout(SECONDS):
                        listed = await client.list_tools()
                except (ConnectionFault, MCPError, TimeoutError) as fault:
                    said = (folder / _ERRORS).read_text(encoding="utf-8", errors="replace").strip().splitlines()
                    raise ConnectionFault(f"{fault} {said[-1] if said else ''}".strip()) from fault
                tools = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed.tools]

                async def final() -> FinalState:
                    await stack.aclose()  # the process ends first, so that all that it wrote is in the file
                    return _final_in(folder / _SESSION / "state.db", domain, world)

                yield _ClientConnection(client, tools, final)

    return connect


class _ClientConnection:
    """A connection over a client; `final` reads the changes of its server's session."""

    def __init__(self, client: Client, tools: Sequence[Mapping[str, Any]], final: Callable[[], Any]) -> None:
        self.tools = tools
        self.final = final
        self._client = client

    async def call(self, call: ToolCall) -> ToolAnswer:
        refused = refuse_unsendable(call)
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
        return ToolAnswer(text, bool(result.is_error))


@asynccontextmanager
async def _hosted(client: Client) -> AsyncIterator[Client]:
    """Keep a client open in a task of its own, so that a broken connection does not cancel the episode."""
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


def _final_in(path: Path, domain: Domain, world: World) -> FinalState:
    if not path.is_file():
        raise ConnectionFault("The world's server left no database behind.")
    try:
        columns = {table.name: table.positions for table in domain.schema.tables.values()}
        with closing(world.open()) as start, closing(open_foreign(path, columns)) as state:
            changes = scan_changes(start, state, domain.schema)
            if world.plan is None:
                return FinalState(changes, None)
            (counter,) = state.execute("PRAGMA user_version").fetchone()
            left = Snapshot(world, changes, counter, read_plan(state)[1])
        with start_session(domain, world) as session:
            session.restore(left)
            session.settle()
            return FinalState(session.changes, None)
    except (sqlite3.Error, UsageError) as error:
        raise ConnectionFault(f"The database that the world's server left behind cannot be read: {error}.") from error


@asynccontextmanager
async def serving_http(
    domain: Domain, session: Session, extras: Extras | None = None
) -> AsyncIterator[tuple[str, uvicorn.Server]]:
    """Serve one session over loopback HTTP on this event loop, behind an unguessable URL; errors: ConnectionFault."""
    settings = HttpSettings(admin_token=secrets.token_urlsafe(24), idle_seconds=math.inf)
    app = HttpServer({domain.name: domain}, _make_none, settings, lambda _: extras)
    config = make_uvicorn(app, settings).config
    config.timeout_graceful_shutdown = 1
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # or asyncio delays answers
    listener.bind((_HOST, 0))
    server = _QuietServer(config)
    running = asyncio.create_task(server.serve([listener]))
    try:
        while not server.started:
            if running.done():
                raise ConnectionFault("The HTTP server of the episode did not start.")
            await asyncio.sleep(0.005)
        assert app.pool is not None
        yield f"http://{_HOST}:{listener.getsockname()[1]}/s/{app.pool.add(session).id}/mcp", server
    finally:
        while not (server.started or running.done()):
            await asyncio.sleep(0.005)  # uvicorn does not shut down its application while it starts
        server.should_exit = True
        await asyncio.wait((running,))


class _QuietServer(uvicorn.Server):
    """A server that leaves Ctrl-C to the process that runs the episodes."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _make_none(_: Domain, __: Mapping[str, Any]) -> NoReturn:
    raise UsageError("This server serves one episode and makes no sessions.")
