"""Serve domains over streamable HTTP: many private sessions, each behind its own URL or its own session header.

POST   /sessions        admin   make a session: {"domain", "seed", "size"} or {"domain", "task"}
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
import hmac
import logging
import re
import sqlite3
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass
from typing import Any

import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from mcp_types import UNSUPPORTED_PROTOCOL_VERSION, ErrorData, InitializeRequestParams, JSONRPCError, JSONRPCRequest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION
from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from runtime.domain.domain import Domain
from runtime.domain.hybrid import HybridDomain
from runtime.errors import EnvironmentFault, UsageError
from runtime.server.offer import Context, Extras, make_server
from runtime.session.faults import FaultPlan
from runtime.session.pool import ServedPart, ServedSession, SessionPool
from runtime.session.session import Session

OpenSession = Callable[[Domain, Mapping[str, Any]], Session]  # a domain and what POST /sessions asked for

_SESSION, _BODY = "worldsmith.session", "worldsmith.body"  # of a request's scope
_NO_SESSION = "No such session; it was ended, was idle too long, or never was."
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_PAGES: Mapping[str, Any] = {
    "allow_methods": ("GET", "POST", "DELETE"),
    "allow_headers": ("*",),  # those of MCP grow with its versions
    "expose_headers": ("Mcp-Session-Id", "WWW-Authenticate"),
}
_HOST_NAME = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[\w.-]+)(:[0-9]{1,5})?")
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
    most_connections: int = 1_000
    idle_seconds: float = 1_800
    body_bytes: int = 1_048_576
    with_policy: bool = True
    faults: FaultPlan | None = None


class _Asked(BaseModel):
    """What POST /sessions asks for."""

    model_config = ConfigDict(extra="forbid", strict=True)

    domain: str = ""
    seed: int = 0
    size: int = 0
    fault_seed: int = 1
    task: str = ""


class HttpServer:
    """The ASGI application over a pool of sessions of one or more domains."""

    def __init__(
        self,
        domains: Mapping[str, Domain],
        open_session: OpenSession,
        settings: HttpSettings,
        extras: Callable[[Domain], Extras | None] = lambda _: None,
    ) -> None:
        """Errors: UsageError."""
        token = settings.admin_token
        if not token or not token.isascii() or not token.isprintable() or " " in token:
            raise UsageError("An HTTP server needs an admin token of ASCII characters without spaces.")
        self.pool: SessionPool | None = None
        self.app: ASGIApp = self._serve
        self._domains = domains
        self._open_session = open_session
        self._settings = settings
        self._security = TransportSecurityMiddleware(_security_of(settings))
        self._managers = {
            (name, timed): StreamableHTTPSessionManager(
                make_server(
                    domain,
                    _session_of,
                    with_policy=settings.with_policy,
                    extras=extras(domain),
                    faults=settings.faults,
                    timed=timed,
                ),
                json_response=True,
                stateless=True,  # the sessions are ours: they live in the pool, not in the transport
            )
            for name, domain in domains.items()
            for timed in (False, True)
        }
        self._of_parts = {
            part.name: StreamableHTTPSessionManager(
                make_server(part, _session_of, with_policy=settings.with_policy), json_response=True, stateless=True
            )
            for domain in domains.values()
            for part in (domain.parts.values() if isinstance(domain, HybridDomain) else ())
        }
        self._routes = Starlette(
            routes=[
                Route("/", self._index),
                Route("/sessions", self._make, methods=["POST"]),
                Route("/sessions/{session}", self._show, methods=["GET"]),
                Route("/sessions/{session}", self._end, methods=["DELETE"]),
                Route("/sessions/{session}/state", self._state, methods=["GET"]),
                Route("/s/{session}/mcp", self._mcp_of_session, methods=["POST"]),
                Route("/s/{session}/{part}/mcp", self._mcp_of_part, methods=["POST"]),
                Route("/{domain}/mcp", self._mcp_of_domain, methods=["POST"]),
                Route("/{domain}/mcp", self._end_of_client, methods=["DELETE"]),
            ],
            middleware=[Middleware(CORSMiddleware, **_PAGES, allow_origin_regex=_origins_of(settings))],
            lifespan=self._lifespan,
            exception_handlers={HTTPException: _explain},
        )

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on requests that name this server, come from no foreign page and have arrived whole."""
        if scope["type"] != "http":
            await self._routes(scope, receive, send)
            return
        refused, body = await self._refuse(Request(scope)), bytearray()
        while refused is None:
            message = await receive()
            if message["type"] != "http.request":
                return
            body += message.get("body", b"")
            if len(body) > self._settings.body_bytes:
                refused = _error(413, f"The body is larger than {self._settings.body_bytes} bytes.")
            elif not message.get("more_body", False):
                break
        if refused is not None:
            await refused(scope, receive, send)
            return
        whole: list[Message] = [{"type": "http.request", "body": bytes(body), "more_body": False}]

        async def receive_again() -> Message:
            return whole.pop() if whole else await receive()

        scope = {**scope, "path": scope["path"].rstrip("/") or "/", _BODY: bytes(body)}
        await self._routes(scope, receive_again, send)

    async def _refuse(self, request: Request) -> Response | None:
        refused = await self._security.validate_request(request)
        if refused is None:
            return None
        if refused.status_code == 421:
            host = request.headers.get("host", "")
            return _error(421, f"{host[:100]!r} is not a name of this server; --allow-host adds one.")
        origin = request.headers.get("origin", "")
        return _error(403, f"Pages from {origin[:100]!r} may not ask here; --allow-host adds their host.")

    async def _mcp_of_session(self, request: Request) -> ASGIApp:
        return self._mcp(self._find(request))

    async def _mcp_of_part(self, request: Request) -> ASGIApp:
        """Serve one of several domains that a session has, under its tools' own names."""
        served, name = self._find(request), request.path_params["part"]
        parts = {part.domain.name: part for part in served.session.parts.values()}
        if name not in parts:
            raise HTTPException(404, f"No such part; have: {', '.join(parts) or 'none'}.")
        return self._mcp(ServedPart(served, parts[name]))

    async def _mcp_of_domain(self, request: Request) -> ASGIApp:
        """Give each client of the older protocol a session of its own, named by a header."""
        domain = self._domains.get(request.path_params["domain"])
        if domain is None:
            raise HTTPException(404, f"No such domain; have: {', '.join(self._domains)}.")
        version = request.headers.get("mcp-protocol-version")
        if version is not None and version not in HANDSHAKE_PROTOCOL_VERSIONS:
            return _refuse_version(version, request.scope[_BODY])
        if "mcp-session-id" in request.headers:
            return self._mcp(self._client_session(request))
        if not _is_initialize(request.scope[_BODY]):
            raise HTTPException(400, "Missing Mcp-Session-Id header; start with a valid initialize request.")
        return self._mcp(await self._open(domain, {}, by_client=True), is_new=True)

    async def _end_of_client(self, request: Request) -> Response:
        await self._live_pool.end(self._client_session(request).id)
        return Response(status_code=204)

    def _client_session(self, request: Request) -> ServedSession:
        """Return the session that a client opened at the URL of a domain and names in a header."""
        served = self._live_pool.find(request.headers.get("mcp-session-id", ""))
        domain = self._domains.get(request.path_params["domain"])
        if served is None or not served.by_client or served.session.domain is not domain:
            raise HTTPException(404, "Session not found; initialize a new one.")
        return served

    def _mcp(self, served: ServedSession | ServedPart, *, is_new: bool = False) -> ASGIApp:
        """Answer a request by MCP; the answer that opens a session names it, and an error ends it."""

        async def respond(scope: Scope, receive: Receive, send: Send) -> None:
            async def send_with_id(message: Message) -> None:
                if message["type"] == "http.response.start" and message["status"] >= 400:
                    await self._live_pool.end(served.id)
                elif message["type"] == "http.response.start":
                    message["headers"] = [*message["headers"], (b"mcp-session-id", served.id.encode())]
                await send(message)

            name = served.session.domain.name
            is_part = isinstance(served, ServedPart)
            manager = self._of_parts[name] if is_part else self._managers[name, served.session.plan is not None]
            await manager.handle_request({**scope, _SESSION: served}, receive, send_with_id if is_new else send)

        return respond

    async def _index(self, _: Request) -> Response:
        return JSONResponse(
            {"domains": [{"name": name, "title": domain.card.title} for name, domain in self._domains.items()]}
        )

    async def _make(self, request: Request) -> Response:
        self._check_admin(request)
        name, asked = self._read_asked(request.scope[_BODY])
        served = await self._open(self._domains[name], asked)
        url = f"{request.url.scheme}://{request.url.netloc}/s/{served.id}/mcp"
        answer: dict[str, Any] = {"id": served.id, "domain": name, "url": url}
        if parts := [part.domain.name for part in served.session.parts.values()]:
            answer["urls"] = {part: f"{url.removesuffix('mcp')}{part}/mcp" for part in parts}
        return JSONResponse(answer, 201)

    def _read_asked(self, body: bytes) -> tuple[str, dict[str, Any]]:
        try:
            asked = _Asked.model_validate_json(body or b"{}").model_dump(exclude_unset=True)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"])) or "The body"
            raise HTTPException(400, f"{where}: {first['msg']}; have: {', '.join(_Asked.model_fields)}.") from None
        name = asked.pop("domain", next(iter(self._domains)) if len(self._domains) == 1 else None)
        if name not in self._domains:
            raise HTTPException(400, f"No domain {name!r}; have: {', '.join(self._domains)}.")
        return name, asked

    async def _open(self, domain: Domain, asked: Mapping[str, Any], *, by_client: bool = False) -> ServedSession:
        """Return a new session in the pool; errors: 400 asked wrongly, 500 our fault, 503 the pool is full."""
        try:
            session = await asyncio.to_thread(self._open_session, domain, asked)
        except UsageError as error:
            raise HTTPException(400, str(error)) from None
        except EnvironmentFault as fault:
            _log.error("%s: %s", domain.name, fault)
            sentence = f"The world of {domain.name!r} cannot be built; the server's log says why."
            raise HTTPException(500, sentence) from None
        try:
            return self._live_pool.add(session, by_client=by_client)
        except UsageError as error:
            raise HTTPException(503, str(error)) from None

    async def _show(self, request: Request) -> Response:
        return await self._with_session(request, _describe)

    async def _state(self, request: Request) -> Response:
        return await self._with_session(
            request, lambda served: Response(served.session.image(), media_type="application/vnd.sqlite3")
        )

    async def _with_session(self, request: Request, answer: Callable[[ServedSession], Response]) -> Response:
        self._check_admin(request)
        served = self._find(request)
        if served.session.parts and request.url.path.endswith("/state"):
            raise HTTPException(400, "A session of several domains has a database for each; GET the session instead")
        try:
            return await served.run(answer, served)
        except UsageError:  # it was ended in the meantime
            raise HTTPException(404, _NO_SESSION) from None

    async def _end(self, request: Request) -> Response:
        self._check_admin(request)
        await self._live_pool.end(self._find(request).id)
        return Response(status_code=204)

    def _find(self, request: Request) -> ServedSession:
        """Return the session that the URL names; errors: HTTPException."""
        served = self._live_pool.find(request.path_params["session"])
        if served is None:
            raise HTTPException(404, _NO_SESSION)
        return served

    def _check_admin(self, request: Request) -> None:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        given = hmac.compare_digest(token.encode("latin-1"), self._settings.admin_token.encode())
        if scheme.lower() != "bearer" or not given:
            sentence = "This needs the server's admin token: Authorization: Bearer TOKEN."
            raise HTTPException(401, sentence, {"WWW-Authenticate": "Bearer"})

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
            for manager in (*self._managers.values(), *self._of_parts.values()):
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


def make_uvicorn(server: HttpServer, settings: HttpSettings) -> uvicorn.Server:
    logging.getLogger("mcp").setLevel(logging.ERROR)  # clients are told what they do wrong; the log is ours
    return uvicorn.Server(
        uvicorn.Config(
            server.app,
            host=settings.host,
            port=settings.port,
            http="h11",  # httptools fails a check of the conformance suite
            ws="none",
            interface="asgi3",
            lifespan="on",
            limit_concurrency=settings.most_connections + 1,  # uvicorn refuses the connection that reaches it
            timeout_keep_alive=120,  # pooled clients race shorter ones
            timeout_graceful_shutdown=5,
            h11_max_incomplete_event_size=16_384,
            log_level="error",
            access_log=False,
            server_header=False,
        )
    )


def _security_of(settings: HttpSettings) -> TransportSecuritySettings:
    """Accept loopback names, the address that the server listens on and --allow-host; errors: UsageError."""
    for name in settings.allowed_hosts:
        if not _HOST_NAME.fullmatch(name):
            raise UsageError(f"--allow-host is {name!r}; it must be a host name or an address, as in example.org:8443")
    names = [each for name in _names_of(settings) for each in (name, f"{name}:*")]
    origins = [f"{scheme}://{name}" for scheme in ("http", "https") for name in names]
    return TransportSecuritySettings(allowed_hosts=names, allowed_origins=origins)


def _names_of(settings: HttpSettings) -> tuple[str, ...]:
    own = f"[{settings.host}]" if ":" in settings.host else settings.host
    return (*_LOOPBACK, own, *settings.allowed_hosts)


def _origins_of(settings: HttpSettings) -> str:
    """Return the regular expression of the pages that may read answers, the same that may ask."""
    return rf"https?://({'|'.join(map(re.escape, _names_of(settings)))})(:[0-9]{{1,5}})?"


def _is_initialize(body: bytes) -> bool:
    """Return whether a body is a valid initialize request; nothing else makes a session."""
    try:
        request = JSONRPCRequest.model_validate_json(body, by_name=False)
        return request.method == "initialize" and bool(InitializeRequestParams.model_validate(request.params))
    except ValueError:
        return False


def _refuse_version(version: str, body: bytes) -> Response:
    """Send clients of the stateless era to the older one, which they fall back to, or to a session's own URL."""
    request_id = None
    with contextlib.suppress(ValueError):
        request_id = JSONRPCRequest.model_validate_json(body, by_name=False).id
    error = ErrorData(
        code=UNSUPPORTED_PROTOCOL_VERSION,
        message="This URL keeps a session per Mcp-Session-Id; use an older protocol, or POST /sessions for a URL.",
        data={"supported": [LATEST_HANDSHAKE_VERSION], "requested": version},
    )
    answer = JSONRPCError(jsonrpc="2.0", id=request_id, error=error)
    return Response(answer.model_dump_json(by_alias=True), 400, media_type="application/json")


def _describe(served: ServedSession) -> Response:
    session = served.session
    return JSONResponse(
        {
            "id": served.id,
            "domain": session.domain.name,
            "calls": session.call_count,
            "digest": session.digest(),
            "changes": [asdict(difference) for difference in session.diff()],
        }
    )


def _session_of(context: Context) -> ServedSession | ServedPart:
    assert context.request is not None
    served: ServedSession | ServedPart = context.request.scope[_SESSION]
    return served


def _error(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> Response:
    return JSONResponse({"error": sentence}, status, headers)


async def _explain(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _error(error.status_code, f"{error.detail.rstrip('.')}.", error.headers)
