"""Serve one domain over stdio, or in memory: one process, or one client, is one session."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    RequestId,
    jsonrpc_message_adapter,
)
from pydantic import TypeAdapter, ValidationError

from runtime.domain.domain import Domain
from runtime.errors import WorldsmithError
from runtime.server.listing import Listing, list_domain
from runtime.server.offer import Extras, make_server
from runtime.session.pool import ServedSession, SessionPool
from runtime.session.session import Session

IDLE_SECONDS = 0.5  # after the start, by when a client has its list of tools
_ids: TypeAdapter[int | str] = TypeAdapter(RequestId)


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
            await server.run(_ReadableLines(requests, answers), answers, server.create_initialization_options())
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


class _ReadableLines:
    """The messages of a client, for a server that would drop what it cannot read: here it is answered instead."""

    def __init__(self, requests: Any, answers: Any) -> None:
        self._requests = requests
        self._answers = answers

    async def __anext__(self) -> SessionMessage | Exception:
        while isinstance(received := await anext(self._requests), ValidationError):
            message, is_readable = _reread(received)
            if is_readable:
                return SessionMessage(message)
            await self._answers.send(SessionMessage(message))
        item: SessionMessage | Exception = received
        return item

    async def receive(self) -> SessionMessage | Exception:
        return await anext(self)

    def __aiter__(self) -> _ReadableLines:
        return self

    async def __aenter__(self) -> _ReadableLines:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self._requests.aclose()


def _reread(wrong: ValidationError) -> tuple[JSONRPCMessage, bool]:
    """Read a line again with a parser that takes half a surrogate pair and deep nesting, which are wrong arguments.

    Returns the message and True, or the error that answers the line and False.
    """
    errors = wrong.errors(include_url=False)
    is_json, sentence = errors[0]["type"] != "json_invalid", errors[0]["msg"]
    read: Any = next((each["input"] for each in errors if each["type"] in ("json_invalid", "missing")), None)
    request_id = None
    try:
        if not is_json:
            read = json.loads(read)
            return jsonrpc_message_adapter.validate_python(read, by_name=False), True
    except ValidationError as other:
        is_json, sentence = True, other.errors()[0]["msg"]
    except (ValueError, RecursionError):
        pass
    with contextlib.suppress(ValidationError, KeyError, TypeError):
        request_id = _ids.validate_python(read["id"])
    code = INVALID_REQUEST if is_json else PARSE_ERROR
    error = ErrorData(code=code, message=f"The line is not a JSON-RPC message: {sentence}.")
    return JSONRPCError(jsonrpc="2.0", id=request_id, error=error), False
