"""A real HTTP server in a thread of the test's process, on a free port, and the two plain calls that make sessions."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from runtime.commands.serve import open_asked_session
from runtime.domain.domain import Domain
from runtime.server.http import HttpServer, HttpSettings, make_uvicorn
from runtime.server.offer import Extras
from runtime.session.pool import SessionPool
from runtime.session.session import Session
from runtime.session.world import WorldCache
from tests.conftest import until

TOKEN = "an-admin-token"
ADMIN = {"Authorization": f"Bearer {TOKEN}"}
MCP = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
START = {"seed": 3, "size": 100}  # the world that the library's tasks start from

_worlds = WorldCache()


@dataclass(frozen=True)
class Running:
    """A server that answers; `plain` speaks plain HTTP to it, without any header of its own."""

    url: str
    server: HttpServer
    plain: httpx.Client

    @property
    def pool(self) -> SessionPool:
        """The sessions of the server."""
        assert self.server.pool is not None
        return self.server.pool

    def make(self, **asked: Any) -> str:
        """Make a session and return its id."""
        answer = self.plain.post("/sessions", json=asked, headers=ADMIN)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    def mcp(self, session_id: str) -> str:
        """The URL of a session."""
        return f"{self.url}/s/{session_id}/mcp"

    def show(self, session_id: str) -> dict[str, Any]:
        """What the server says of a session."""
        shown: dict[str, Any] = self.plain.get(f"/sessions/{session_id}", headers=ADMIN).json()
        return shown

    def lives(self) -> None:
        """Assert that the server still makes a session, serves it and ends it."""
        session_id = self.make()
        called = self.plain.post(
            f"/s/{session_id}/mcp", json=request("tools/call", name="calculate_late_fee", arguments=LATE), headers=MCP
        )
        assert called.json()["result"]["structuredContent"] == {"days_late": 1, "fee_cents": 25}
        assert self.plain.delete(f"/sessions/{session_id}", headers=ADMIN).status_code == 204


LATE = {"due_on": "2026-03-15", "returned_on": "2026-03-16"}


def request(method: str, request_id: int = 1, **params: Any) -> dict[str, Any]:
    """A JSON-RPC request."""
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}


def initialize() -> dict[str, Any]:
    """The first request of a client of the older protocol."""
    return request(
        "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "test", "version": "1"}
    )


def open_from_start(domain: Domain, asked: Mapping[str, Any]) -> Session:
    """What `serve --http --seed 3 --size 100` opens."""
    return open_asked_session(_worlds, domain, asked if "task" in asked else {**START, **asked})


@contextmanager
def running(
    *domains: Domain,
    extras: Callable[[Domain], Extras | None] = lambda _: None,
    open_session: Callable[[Domain, Mapping[str, Any]], Session] = open_from_start,
    **settings: Any,
) -> Iterator[Running]:
    """Serve domains until the block ends; `settings` are those of HttpSettings."""
    chosen = HttpSettings(**{"admin_token": TOKEN, **settings})
    server = HttpServer({domain.name: domain for domain in domains}, open_session, chosen, extras)
    served = make_uvicorn(server, chosen)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        thread = threading.Thread(target=lambda: asyncio.run(served.serve([listener])), name="http-server")
        thread.start()
        try:
            until(lambda: served.started)
            with httpx.Client(base_url=url, timeout=30, trust_env=False) as plain:
                yield Running(url, server, plain)
        finally:
            served.should_exit = True
            thread.join(30)
            assert not thread.is_alive(), "the server does not stop"
