"""The MCP server of an agent's program: the domain's tools and `talk_to_user`; each call waits for its answer."""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import secrets
import socket
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NoReturn

import mcp_types as types
import uvicorn

from runtime.domain.domain import Domain
from runtime.errors import EnvironmentFault, UsageError
from runtime.server.http import HttpServer, HttpSettings, make_uvicorn
from runtime.session.pool import ServedSession
from runtime.session.session import Session
from runtime.session.world import World

TALK = "talk_to_user"  # the tool with which the program speaks, beside those of the world
OVER = "The conversation is over; there is nothing more to do."

_HOST = "127.0.0.1"
_TALK_TOOL = types.Tool(
    name=TALK,
    description=(
        "Say something to the user and wait for what the user says next, which is the result. Begin with a greeting. "
        "The user sees nothing but these messages: neither the other calls nor their results."
    ),
    input_schema={
        "type": "object",
        "properties": {"message": {"type": "string", "minLength": 1, "description": "What you say to the user"}},
        "required": ["message"],
        "additionalProperties": False,
    },
    annotations=types.ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False),
)


@dataclass
class PendingCall:
    """A call whose result the program waits for."""

    name: str
    arguments: Mapping[str, Any]
    answered: asyncio.Future[types.CallToolResult] = field(repr=False)

    @property
    def words(self) -> str | None:
        """What is said to the user, if the call is for that."""
        return str(self.arguments["message"]) if self.name == TALK else None

    def answer(self, text: str, *, is_error: bool = False) -> None:
        """Give the program its answer, unless it has stopped waiting."""
        if not self.answered.done():
            self.answered.set_result(_result(text, is_error or self.name == TALK, is_error=is_error))


class Talk:
    """An HTTP server on loopback for one episode, behind a URL that cannot be guessed.

    It runs in this process and on this event loop. No call reaches a session from here: `next_calls` hands them over
    in the order in which they came.
    """

    def __init__(self, domain: Domain, world: World) -> None:
        """Raise UsageError for a domain that has a tool named `talk_to_user`."""
        if TALK in domain.tools:
            raise UsageError(f"Domain {domain.name!r} has a tool {TALK!r}; programs talk to the user by that name.")
        self.url = ""
        self.over = False
        self.was_reached = False  # whether the program ever asked the server for anything
        self._session = Session(domain, world)  # never opened; the server's pool needs one
        settings = HttpSettings(admin_token=secrets.token_urlsafe(24), idle_seconds=math.inf)
        self._app = HttpServer({domain.name: domain}, _make_none, settings, lambda _: _Counter(self._take))
        config = make_uvicorn(self._app, settings).config
        config.timeout_graceful_shutdown = 1
        config.app = self._notice(config.app)
        self._server = _QuietServer(config)
        self._serving: asyncio.Task[None] | None = None
        self._waiting: deque[PendingCall] = deque()
        self._arrived = asyncio.Event()

    async def open(self) -> None:
        """Start to serve; errors: EnvironmentFault."""
        listener = socket.create_server((_HOST, 0))
        self._serving = asyncio.create_task(self._server.serve([listener]))
        while not self._server.started:
            if self._serving.done():
                raise EnvironmentFault("The server of the episode did not start.")
            await asyncio.sleep(0.005)
        assert self._app.pool is not None
        served = self._app.pool.add(self._session)
        self.url = f"http://{_HOST}:{listener.getsockname()[1]}/s/{served.id}/mcp"

    async def next_calls(self) -> list[PendingCall]:
        """Wait for what the program does next: one message to the user, or all tool calls made so far."""
        while not self._has_waiting():
            self._arrived.clear()
            await self._arrived.wait()
        calls = [self._waiting.popleft()]
        while calls[0].name != TALK and self._has_waiting() and self._waiting[0].name != TALK:
            calls.append(self._waiting.popleft())
        return calls

    def end(self) -> None:
        """Reject every pending and later call."""
        self.over = True
        while self._waiting:
            self._waiting.popleft().answer(OVER, is_error=True)

    async def close(self) -> None:
        """Stop serving."""
        self.end()
        while self._serving and not self._server.started and not self._serving.done():
            await asyncio.sleep(0.005)  # uvicorn does not shut down its application while it starts
        self._server.should_exit = True
        if self._serving is not None:
            await asyncio.wait((self._serving,))
            with contextlib.suppress(asyncio.CancelledError):
                self._serving.exception()

    def _notice(self, app: Any) -> Any:
        """Wrap the application to notice requests to the episode's URL."""

        async def notice(scope: Any, receive: Any, send: Any) -> None:
            if scope["type"] == "http" and self.url.endswith(scope["path"]):
                self.was_reached = True
            await app(scope, receive, send)

        return notice

    def _has_waiting(self) -> bool:
        while self._waiting and self._waiting[0].answered.done():  # the caller has disconnected
            self._waiting.popleft()
        return bool(self._waiting)

    async def _take(self, name: str, arguments: Mapping[str, Any]) -> types.CallToolResult:
        if self.over:
            return _result(OVER, is_error=True)
        if name == TALK and not _is_message(arguments):
            sentence = f"The arguments of {TALK} are {str(arguments)[:80]}; give {{'message': 'what you say'}}."
            return _result(f"INVALID_ARGUMENT: {sentence}", is_error=True)
        asked = PendingCall(name, arguments, asyncio.get_running_loop().create_future())
        self._waiting.append(asked)
        self._arrived.set()
        return await asked.answered


class _QuietServer(uvicorn.Server):
    """A server that leaves Ctrl-C to the process that runs the episodes."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class _Counter:
    """The `Extras` of the server: one more tool, and a handler for every call, also of the domain's tools."""

    def __init__(self, take: Any) -> None:
        self._take = take

    def tools(self) -> list[types.Tool]:
        return [_TALK_TOOL]

    async def call(self, _: ServedSession, name: str, arguments: dict[str, Any]) -> types.CallToolResult | None:
        answered: types.CallToolResult = await self._take(name, arguments)
        return answered


def _result(text: str, plain: bool = False, *, is_error: bool = False) -> types.CallToolResult:
    """A result as a model reads it, with structured content where the tool declares some."""
    content: list[Any] = [types.TextContent(type="text", text=text)]
    if plain or is_error:
        return types.CallToolResult(content=content, is_error=is_error)
    return types.CallToolResult(content=content, structured_content=json.loads(text))


def _is_message(arguments: Mapping[str, Any]) -> bool:
    said = arguments.get("message")
    return set(arguments) == {"message"} and isinstance(said, str) and bool(said.strip())


def _make_none(_: Domain, __: Mapping[str, Any]) -> NoReturn:
    raise UsageError("This server serves one episode and makes no sessions.")
