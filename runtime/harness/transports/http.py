"""Calls over MCP and real HTTP: one server of a domain in a thread of this process, one session for each episode."""

from __future__ import annotations

import asyncio
import atexit
import math
import secrets
import socket
import threading
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager
from functools import cache
from typing import Any, NoReturn, TypeVar

import httpx2
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from runtime.domain.changes import Changes
from runtime.domain.domain import Domain
from runtime.errors import UsageError
from runtime.harness.transports.connection import Connection, ConnectionFault, listed_tools
from runtime.harness.transports.mcp_client import SECONDS, ClientConnection, hosted
from runtime.server.http import HttpServer, HttpSettings, make_uvicorn
from runtime.session.pool import ServedSession
from runtime.session.session import Session
from runtime.session.world import World

Result = TypeVar("Result")

_HOST = "127.0.0.1"


@asynccontextmanager
async def open_http(domain: Domain, world: World, principal: str | None) -> AsyncIterator[Connection]:
    """Connect a client to this process's server of the domain, on a session of its own; errors: ConnectionFault."""
    server = _server_of(domain)
    await server.wait()
    served = await server.run(server.add(Session(domain, world, principal=principal)))

    async def final() -> Changes:
        return await server.run(served.run(lambda: served.session.changes))

    try:
        # The proxies and certificates of the environment are for other servers; reading them takes 20 ms a client.
        async with httpx2.AsyncClient(verify=False, trust_env=False, timeout=SECONDS) as plain:
            transport = streamable_http_client(f"{server.url}/s/{served.id}/mcp", http_client=plain)
            async with hosted(Client(transport)) as client:
                yield ClientConnection(client, listed_tools(domain), final)
    finally:
        await server.run(server.end(served))


class _Server:
    """An HTTP server in a thread with an event loop of its own, which serves whatever loop plays the episodes."""

    def __init__(self, domain: Domain) -> None:
        settings = HttpSettings(admin_token=secrets.token_urlsafe(24), idle_seconds=math.inf)
        self._app = HttpServer({domain.name: domain}, _make_none, settings)
        self._uvicorn = make_uvicorn(self._app, settings)
        self._listener = socket.create_server((_HOST, 0))
        self.url = f"http://{_HOST}:{self._listener.getsockname()[1]}"
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, name=f"http-{domain.name}", daemon=True)
        self._thread.start()
        atexit.register(self._stop)

    async def wait(self) -> None:
        """Wait until it serves; errors: ConnectionFault."""
        if not self._ready.is_set():
            await asyncio.to_thread(self._ready.wait, SECONDS)
        if not self._uvicorn.started:
            raise ConnectionFault(f"The HTTP server at {self.url} did not start.")

    async def run(self, job: Coroutine[Any, Any, Result]) -> Result:
        """Run something on the server's loop."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(job, self._loop))

    async def add(self, session: Session) -> ServedSession:
        """Serve a session; to be run on the server's loop."""
        assert self._app.pool is not None
        return self._app.pool.add(session)

    async def end(self, served: ServedSession) -> None:
        """Stop serving a session; to be run on the server's loop."""
        assert self._app.pool is not None
        await self._app.pool.end(served.id)

    def _serve(self) -> None:
        try:
            with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
                runner.run(self._start())
        finally:
            self._ready.set()

    async def _start(self) -> None:
        serving = asyncio.create_task(self._uvicorn.serve([self._listener]))
        while not (self._uvicorn.started or serving.done()):
            await asyncio.sleep(0.01)
        self._ready.set()
        await serving

    def _stop(self) -> None:
        self._uvicorn.should_exit = True
        self._thread.join(SECONDS / 10)


@cache
def _server_of(domain: Domain) -> _Server:
    return _Server(domain)


def _make_none(_: Domain, __: Mapping[str, Any]) -> NoReturn:
    raise UsageError("The sessions of this server are made by the process that it runs in.")
