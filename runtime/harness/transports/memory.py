"""Calls over MCP in this process: a real client and a real server, without a socket."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import mcp_types as types
from mcp.client import Client
from mcp_types.version import LATEST_MODERN_VERSION

from runtime.domain.changes import Changes
from runtime.domain.domain import Domain
from runtime.harness.transports.client import ClientConnection, hosted, list_tools
from runtime.harness.transports.connection import Connection
from runtime.server.listing import Listing, list_domain
from runtime.server.offer import make_server, offered_tools
from runtime.session.pool import SessionPool
from runtime.session.session import Session
from runtime.session.world import World


@dataclass
class _Offer:
    """What all servers of a domain say of it; `listed` is how a client saw it."""

    listing: Listing
    tools: list[types.Tool]
    listed: tuple[Mapping[str, Any], ...] = ()


_offers: WeakKeyDictionary[Domain, _Offer] = WeakKeyDictionary()


@asynccontextmanager
async def open_memory_wire(domain: Domain, world: World, principal: str | None) -> AsyncIterator[Connection]:
    """A client of a server over one session, both of this episode alone."""
    offer = _offers.get(domain)
    if offer is None:
        listing = list_domain(domain)
        offer = _offers[domain] = _Offer(listing, offered_tools(listing))
    pool = SessionPool(most_sessions=1, most_open=1, threads=False)
    served = pool.add(Session(domain, world, principal=principal))

    async def final() -> Changes:
        return served.session.changes

    try:
        server = make_server(offer.listing, lambda _: served, tools=offer.tools)
        async with hosted(Client(server, mode=LATEST_MODERN_VERSION, cache=None)) as client:
            offer.listed = offer.listed or await list_tools(client)
            yield ClientConnection(client, offer.listed, final)
    finally:
        await pool.close()
