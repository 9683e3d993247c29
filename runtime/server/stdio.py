"""Serve one domain over stdio, or in memory: one process, or one client, is one session."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from runtime.domain.domain import Domain
from runtime.server.offer import Extras, make_server
from runtime.session.pool import ServedSession, SessionPool
from runtime.session.session import Session


async def serve_stdio(
    domain: Domain, session: Session, *, with_policy: bool = False, extras: Extras | None = None
) -> None:
    """Answer requests on stdin until it closes."""
    async with (
        serving(domain, lambda: session, with_policy=with_policy, extras=extras) as (server, _),
        stdio_server() as (requests, answers),
    ):
        await server.run(requests, answers, server.create_initialization_options())


@asynccontextmanager
async def serving(
    domain: Domain, open_session: Callable[[], Session], *, with_policy: bool = False, extras: Extras | None = None
) -> AsyncIterator[tuple[Server[Any], ServedSession]]:
    """A server over one session, for stdio or for `Client(server)` in the same process."""
    pool = SessionPool(most_sessions=1, most_open=1, threads=False)
    served = pool.add(open_session())
    try:
        yield make_server(domain, lambda _: served, with_policy=with_policy, extras=extras), served
    finally:
        await pool.close()
