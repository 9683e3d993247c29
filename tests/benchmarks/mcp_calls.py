"""MCP calls of the library beside those of a bare SDK server whose one tool returns a constant."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import statistics
import sys
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx
import mcp_types as types
from mcp.client import Client
from mcp.server.lowlevel import Server

from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.server.offer import serving
from runtime.session.session import Session
from runtime.session.world import World
from tests.conftest import LIBRARY

TOOL = "find_member"
MEMBER = {
    "member_id": "M1",
    "name": "Ada",
    "email": "ada@example.org",
    "phone": None,
    "status": "active",
    "owed_cents": 0,
}
TOKEN = "benchmark"


def bare_server(domain: Domain) -> Server[Any]:
    """As many tools as the domain has, with its schemas; each returns a constant."""
    tools = [
        types.Tool(
            name=tool.name,
            description=tool.description,
            input_schema=dict(tool.arguments.schema),
            output_schema=dict(tool.result.schema),
        )
        for tool in domain.tools.values()
    ]

    async def list_tools(_: Any, __: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=tools)

    async def call_tool(_: Any, __: types.CallToolRequestParams) -> types.CallToolResult:
        text = types.TextContent(type="text", text=json.dumps(MEMBER))
        return types.CallToolResult(content=[text], structured_content=MEMBER)

    schemas = {tool.name: tool.input_schema for tool in tools}
    return Server("bare", get_tool_input_schema=schemas.get, on_list_tools=list_tools, on_call_tool=call_tool)


async def measure_in_memory(domain: Domain, world: World, rounds: int = 2_000) -> tuple[float, float]:
    """Median seconds of a call of ours and of a bare one, made in turn."""
    email = _some_email(world)
    ours, theirs = [], []
    async with (
        serving(domain, lambda: Session(domain, world)) as (server, _),
        Client(server) as client,
        Client(bare_server(domain)) as bare,
    ):
        for _ in range(rounds):
            ours.append(await _timed(client, {"email": email}))
            theirs.append(await _timed(bare, {"email": email}))
    return statistics.median(ours), statistics.median(theirs)


async def measure_http(world: World, sessions: int, calls: int = 20, rounds: int = 5) -> tuple[float, float]:
    """Seconds of wall time per call, with one client for each session calling at once."""
    arguments = {"email": _some_email(world)}
    ours, theirs = [], []
    async with _served("generator", ["serve", str(LIBRARY), "--http"]) as base, _served(__name__, []) as bare:
        async with httpx.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}) as http:
            made = [await http.post(f"{base}/sessions", json=dict(world.origin)) for _ in range(sessions)]
        urls = [answer.json()["url"] for answer in made]
        for _ in range(rounds):
            ours.append(await _call_all(urls, arguments, calls))
            theirs.append(await _call_all([f"{bare}/mcp"] * sessions, arguments, calls))
    return statistics.median(ours), statistics.median(theirs)


async def _call_all(urls: list[str], arguments: dict[str, str], calls: int) -> float:
    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(Client(url)) for url in urls]
        started = time.perf_counter()
        await asyncio.gather(*(_call_in_a_row(client, arguments, calls) for client in clients))
        return (time.perf_counter() - started) / (len(urls) * calls)


async def _call_in_a_row(client: Client, arguments: dict[str, str], calls: int) -> None:
    for _ in range(calls):
        await client.call_tool(TOOL, arguments, read_timeout_seconds=60)


def _some_email(world: World) -> str:
    connection = world.open()
    try:
        return str(connection.execute("SELECT email FROM member").fetchone()[0])
    finally:
        connection.close()


async def _timed(client: Client, arguments: dict[str, str]) -> float:
    started = time.perf_counter()
    await client.call_tool(TOOL, arguments)
    return time.perf_counter() - started


@asynccontextmanager
async def _served(module: str, words: list[str]) -> AsyncIterator[str]:
    """A server process on a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", module, *words, "--port", port),
        env={**os.environ, "WORLDSMITH_ADMIN_TOKEN": TOKEN},
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        async with asyncio.timeout(60):
            while True:
                try:
                    _, writer = await asyncio.open_connection("127.0.0.1", int(port))
                except OSError:
                    await asyncio.sleep(0.1)
                else:
                    writer.close()
                    break
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        await process.wait()


def _serve_bare(port: int) -> None:
    import uvicorn

    app = bare_server(load_domain(LIBRARY)).streamable_http_app(json_response=True, stateless_http=True)
    uvicorn.run(app, port=port, http="h11", timeout_keep_alive=120, log_level="warning")


if __name__ == "__main__":
    _serve_bare(int(sys.argv[-1]))
