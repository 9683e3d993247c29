"""How an agent's calls reach a session: over MCP in memory, stdio or HTTP, or directly."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Literal, get_args

from runtime.domain.domain import Domain
from runtime.errors import UsageError
from runtime.harness.transports.connection import Connection, open_session
from runtime.installed import require_mcp
from runtime.session.world import World

Transport = Literal["memory", "stdio", "http", "session"]
TRANSPORTS: tuple[Transport, ...] = get_args(Transport)


def open_connection(
    transport: Transport, domain: Domain, world: World, principal: str | None, server: Sequence[str] = ()
) -> AbstractAsyncContextManager[Connection]:
    """Connect to a fresh session of a world; entering it raises EnvironmentFault if there is no server.

    `server` is the command that stdio starts, by default `worldsmith serve`.
    """
    if transport == "session":
        return open_session(domain, world, principal)
    require_mcp()
    if transport == "http":
        from runtime.harness.transports.http import open_http

        return open_http(domain, world, principal)
    from runtime.harness.transports.mcp_client import open_memory, open_stdio

    if transport == "memory":
        return open_memory(domain, world, principal)
    if transport == "stdio":
        return open_stdio(domain, world, principal, server)
    raise UsageError(f"No transport {transport!r}; have: {', '.join(TRANSPORTS)}.")
