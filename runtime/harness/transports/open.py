"""Open the connection that a transport names."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Literal, get_args

from runtime.domain.domain import Domain
from runtime.errors import UsageError
from runtime.harness.transports.connection import Connection
from runtime.harness.transports.session import open_session_connection
from runtime.installed import require_mcp
from runtime.session.world import World

Transport = Literal["memory", "stdio", "http", "session"]
TRANSPORTS: tuple[Transport, ...] = get_args(Transport)


def open_connection(
    transport: Transport, domain: Domain, world: World, principal: str | None, server: Sequence[str] = ()
) -> AbstractAsyncContextManager[Connection]:
    """The connection to a fresh session of a world; entering it raises EnvironmentFault if there is no server.

    `server` is the command that stdio starts, if it is not to be `worldsmith serve`.
    """
    if transport == "session":
        return open_session_connection(domain, world, principal)
    require_mcp()
    if transport == "memory":
        from runtime.harness.transports.memory import open_memory_wire

        return open_memory_wire(domain, world, principal)
    if transport == "stdio":
        from runtime.harness.transports.stdio import open_stdio_wire

        return open_stdio_wire(domain, world, principal, server)
    if transport == "http":
        from runtime.harness.transports.http import open_http_wire

        return open_http_wire(domain, world, principal)
    raise UsageError(f"No transport {transport!r}; have: {', '.join(TRANSPORTS)}.")
