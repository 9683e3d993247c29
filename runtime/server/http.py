"""Serve domains over streamable HTTP: many private sessions, each behind its own URL or its own session header.

POST   /sessions        admin   make a session: {"domain", "seed", "size", "principal"} or {"domain", "task"}
GET    /sessions/{id}   admin   what it is, its digest and its changed rows
GET    /sessions/{id}/state  admin   its database file, to be judged
DELETE /sessions/{id}   admin   end it
POST   /s/{id}/mcp              MCP on that session, both protocol eras; the id is the capability
POST   /{domain}/mcp            MCP up to 2025-11-25: a session of its own per Mcp-Session-Id
DELETE /{domain}/mcp            end a session that was opened there
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sqlite3
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass
from typing import Any

import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from runtime.domain.domain import Domain
from runtime.errors import EnvironmentFault, UsageError
from runtime.sandbox.files import parse_json
from runtime.server.admission import Admission, refuse
from runtime.server.bodies import WholeBodies, replay
from runtime.server.connections import ConnectionConfig, ConnectionLimits, raise_open_files
from runtime.server.listing import list_domain
from runtime.server.messages import is_initialize, refuse_form, refuse_message, refuse_version
from runtime.server.offer import Context, Extras, make_server, taken
from runtime.session.pool import ServedSession, SessionPool
from runtime.session.session import Session

OpenSession = Callable[[Domain, Mapping[str, Any]], Session]  # a domain and what POST /sessions asked for

_SESSION = "worldsmith.session"
_NO_SESSION = "No such session; it was ended, was idle too long, or never was."
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class HttpSettings:
    """Where and how much to serve; sizes in bytes, times in seconds."""

    host: str = "127.0.0.1"
    port: int = 8765
    admin_token: str = ""
    allowed_hosts: tuple[str, ...] = ()
    most_sessions: int = 10_000
    most_open: int = 256
    idle_seconds: float = 1_800
    most_asked: int = 100  # requests that wait for one session
    body_bytes: int = 1_048_576
    connections: ConnectionLimits = ConnectionLimits()
    with_policy: bool = True


class HttpServer:
    """The ASGI application over a pool of sessions of one or more domains."""

    def __init__(
        self,
        domains: Mapping[str, Domain],
        open_session: OpenSession,
        settings: HttpSettings,
        extras: Callable[[Domain], Extras | None] = lambda _: None,
    ) -> None:
        self.pool: SessionPool | None = None
        self._domains = domains
        self._open_session = open_session
        self._settings = settings
        self._admission = Admission(settings.host, settings.allowed_hosts, settings.admin_token)
        self._managers = {
            name: StreamableHTTPSessionManager(
                make_server(list_domain(domain), _session_of, with_policy=settings.with_policy, extras=extras(domain)),
                json_response=True,
                stateless=True,  # the sessions are ours: they live in the pool, not in the transport
                **taken(StreamableHTTPSessionManager, max_request_body_size=settings.body_bytes),
            )
            for name, domain in domains.items()
        }
        routes = Starlette(
            routes=[
                Route("/", self._index),
                Route("/sessions", self._make, methods=["POST"]),
                Route("/sessions/{session}", self._show, methods=["GET"]),
                Route("/sessions/{session}", self._end, methods=["DELETE"]),
                Route("/sessions/{session}/state", self._state, methods=["GET"]),
                Route("/s/{session}/mcp", endpoint=_Endpoint(self._serve_url)),
                Route("/{domain}/mcp", endpoint=_Endpoint(self._serve_header)),
            ],
            lifespan=self._lifespan,
            exception_handlers={HTTPException: _say_what_is_wrong},
        )
        routes.router.redirect_slashes = False
        self.app: ASGIApp = WholeBodies(routes, self._admission.refuse, settings.body_bytes)

    async def _serve_url(self, scope: Scope, receive: Receive, send: Send) -> None:
        served = self._live_pool.find(scope["path_params"]["session"])
        if served is None:
            await refuse(404, _NO_SESSION)(scope, receive, send)
        elif scope["method"] != "POST":
            await _refuse_method("POST")(scope, receive, send)
        else:
            await self._serve_mcp(served, Request(scope, receive), send)

    async def _serve_header(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Give each client of the older protocol a session of its own, named by a header."""
        request = Request(scope, receive)
        domain = self._domains.get(scope["path_params"]["domain"])
        if domain is None:
            await refuse(404, f"No such domain; have: {', '.join(self._domains)}.")(scope, receive, send)
            return
        version = request.headers.get("mcp-protocol-version")
        if version is not None and version not in HANDSHAKE_PROTOCOL_VERSIONS:
            await refuse_version(version, await request.body())(scope, receive, send)
            return
        session_id = request.headers.get("mcp-session-id")
        if session_id is None:
            await self._serve_opening(domain, request, send)
            return
        served = self._live_pool.find(session_id)
        if served is None or served.session.domain is not domain or not served.by_client:
            await refuse(404, "Session not found; initialize a new one.")(scope, receive, send)
        elif request.method == "DELETE":
            await self._live_pool.end(session_id)
            await Response(status_code=204)(scope, receive, send)
        elif request.method != "POST":
            await _refuse_method("POST, DELETE")(scope, receive, send)
        else:
            await self._serve_mcp(served, request, send)

    async def _serve_opening(self, domain: Domain, request: Request, send: Send) -> None:
        scope = request.scope
        if request.method != "POST" or not is_initialize(await request.body()):
            sentence = "Missing Mcp-Session-Id header; start with a valid initialize request."
            await refuse(400, sentence)(scope, request.receive, send)
            return
        refused = refuse_form(request)
        if refused is not None:
            await refused(scope, request.receive, send)
            return
        served = await self._open(domain, {}, by_client=True)
        if isinstance(served, Response):
            await served(scope, request.receive, send)
            return

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                if message["status"] >= 400:
                    await self._live_pool.end(served.id)
                else:
                    message["headers"] = [*message["headers"], (b"mcp-session-id", served.id.encode())]
            await send(message)

        await self._serve_mcp(served, request, send_with_id)

    async def _serve_mcp(self, served: ServedSession, request: Request, send: Send) -> None:
        scope, body = request.scope, await request.body()
        refused = refuse_form(request) or refuse_message(body)
        if refused is None and served.asked >= self._settings.most_asked:
            refused = refuse(429, f"The session has {served.asked} unanswered requests, its limit; wait for answers.")
        if refused is not None:
            await refused(scope, request.receive, send)
            return
        scope[_SESSION] = served
        served.asked += 1
        try:
            manager = self._managers[served.session.domain.name]
            await manager.handle_request(scope, replay(body, request.receive), send)
        finally:
            served.asked -= 1

    async def _index(self, _: Request) -> Response:
        return JSONResponse(
            {"domains": [{"name": name, "title": domain.card.title} for name, domain in self._domains.items()]}
        )

    async def _make(self, request: Request) -> Response:
        refused = self._admission.refuse_stranger(request.scope)
        if refused is not None:
            return refused
        try:
            name, asked = self._read_asked(await request.body())
        except UsageError as error:
            return refuse(400, str(error))
        served = await self._open(self._domains[name], asked)
        if isinstance(served, Response):
            return served
        url = f"{request.url.scheme}://{request.url.netloc}/s/{served.id}/mcp"
        return JSONResponse({"id": served.id, "domain": name, "url": url}, 201)

    def _read_asked(self, body: bytes) -> tuple[str, dict[str, Any]]:
        try:
            asked = parse_json(body or b"{}")
        except ValueError:
            raise UsageError("The body is not JSON.") from None
        if not isinstance(asked, dict):
            raise UsageError("The body must be a JSON object with the key 'domain'.")
        name = asked.pop("domain", next(iter(self._domains)) if len(self._domains) == 1 else None)
        if not isinstance(name, str) or name not in self._domains:
            raise UsageError(f"No domain {name!r}; have: {', '.join(self._domains)}.")
        unknown = sorted(set(asked) - {"seed", "size", "task", "principal"})
        if unknown:
            raise UsageError(f"Unknown key {unknown[0]!r}; have: domain, seed, size, task, principal.")
        return name, asked

    async def _open(
        self, domain: Domain, asked: Mapping[str, Any], *, by_client: bool = False
    ) -> ServedSession | Response:
        """A new session in the pool, or why there is none: 400 asked wrongly, 500 a fault of ours, 503 no room."""
        try:
            session = await asyncio.to_thread(self._open_session, domain, asked)
        except UsageError as error:
            return refuse(400, str(error))
        except EnvironmentFault as fault:
            _log.error("%s: %s", domain.name, fault)
            return refuse(500, f"The world of {domain.name!r} cannot be built; the server's log says why.")
        try:
            return self._live_pool.add(session, by_client=by_client)
        except UsageError as error:
            return refuse(503, str(error))

    async def _show(self, request: Request) -> Response:
        found = await self._find(request)
        if isinstance(found, Response):
            return found
        try:
            return JSONResponse(await found.run(_describe, found))
        except UsageError:  # it was ended meanwhile
            return refuse(404, _NO_SESSION)

    async def _state(self, request: Request) -> Response:
        found = await self._find(request)
        if isinstance(found, Response):
            return found
        try:
            image = await found.run(lambda: found.session.image())
        except UsageError:
            return refuse(404, _NO_SESSION)
        return Response(image, media_type="application/vnd.sqlite3")

    async def _end(self, request: Request) -> Response:
        found = await self._find(request)
        if isinstance(found, Response):
            return found
        await self._live_pool.end(found.id)
        return Response(status_code=204)

    async def _find(self, request: Request) -> ServedSession | Response:
        refused = self._admission.refuse_stranger(request.scope)
        if refused is not None:
            return refused
        return self._live_pool.find(request.path_params["session"]) or refuse(404, _NO_SESSION)

    @property
    def _live_pool(self) -> SessionPool:
        assert self.pool is not None
        return self.pool

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        settings = self._settings
        self.pool = SessionPool(
            most_sessions=settings.most_sessions, most_open=settings.most_open, idle_seconds=settings.idle_seconds
        )
        async with AsyncExitStack() as stack:
            for manager in self._managers.values():
                await stack.enter_async_context(manager.run())
            reaper = asyncio.create_task(self._reap())
            try:
                yield
            finally:
                reaper.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await reaper
                await self.pool.close()

    async def _reap(self) -> None:
        while True:
            await asyncio.sleep(max(0.05, min(30.0, self._settings.idle_seconds / 4)))
            # A session that cannot be ended properly must not keep the others from being ended.
            with contextlib.suppress(UsageError, EnvironmentFault, sqlite3.Error, OSError):
                await self._live_pool.end_idle()


async def serve_http(server: HttpServer, settings: HttpSettings) -> None:
    """Serve until told to stop."""
    logging.getLogger("mcp").setLevel(logging.ERROR)  # what clients do wrong is told to them, not to the log
    raise_open_files(settings.connections.most)
    await make_uvicorn(server, settings).serve()


def make_uvicorn(server: HttpServer, settings: HttpSettings) -> uvicorn.Server:
    """What runs the application on a socket."""
    return uvicorn.Server(
        ConnectionConfig(server.app, settings.connections, host=settings.host, port=settings.port, lifespan="on")
    )


class _Endpoint:
    """An ASGI application as a route's endpoint for every method."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._app(scope, receive, send)


def _describe(served: ServedSession) -> dict[str, Any]:
    session = served.session
    return {
        "id": served.id,
        "domain": session.domain.name,
        "calls": session.call_count,
        "digest": session.digest(),
        "changes": [asdict(difference) for difference in session.diff()],
    }


def _session_of(context: Context) -> ServedSession:
    assert context.request is not None
    served: ServedSession = context.request.scope[_SESSION]
    return served


def _refuse_method(allowed: str) -> Response:
    return refuse(405, f"This URL serves {allowed.replace(', ', ' and ')}.", {"Allow": allowed})


async def _say_what_is_wrong(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return refuse(error.status_code, f"{error.detail}.", error.headers)
