"""Serve one domain over stdio, or in memory: one process, or one client, is one session."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from runtime.domain.domain import Domain
from runtime.errors import WorldsmithError
from runtime.server.listing import Listing, list_domain
from runtime.server.offer import Extras, make_server
from runtime.session.pool import ServedSession, SessionPool
from runtime.session.session import Session

IDLE_SECONDS = 0.5  # after the start, by when a client has its list of tools


async def serve_stdio(
    listing: Listing, open_session: Callable[[], Session], *, with_policy: bool = False, extras: Extras | None = None
) -> None:
    """Answer requests on stdin until it closes.

    The session is opened by the first call, or when the client has its list of tools and the model thinks.
    """
    pool = _pool_of_one()

    @cache
    def served() -> ServedSession:
        return pool.add(open_session())

    def open_early() -> None:
        with contextlib.suppress(WorldsmithError):  # the first call will report it
            served()

    server = make_server(listing, lambda _: served(), with_policy=with_policy, extras=extras)
    early = asyncio.get_running_loop().call_later(IDLE_SECONDS, open_early)
    try:
        async with stdio_server() as (requests, answers):
            await server.run(requests, answers, server.create_initialization_options())
    finally:
        early.cancel()
        await pool.close()


@asynccontextmanager
async def serving(
    domain: Domain, open_session: Callable[[], Session], *, with_policy: bool = False, extras: Extras | None = None
) -> AsyncIterator[tuple[Server[Any], ServedSession]]:
    """Yield a server over one session, for `Client(server)` in the same process."""
    pool = _pool_of_one()
    served = pool.add(open_session())
    try:
        yield make_server(list_domain(domain), lambda _: served, with_policy=with_policy, extras=extras), served
    finally:
        await pool.close()


def _pool_of_one() -> SessionPool:
    return SessionPool(most_sessions=1, most_open=1, threads=False)
