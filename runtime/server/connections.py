"""How long a client may keep the server waiting, and how many clients there may be at once."""

from __future__ import annotations

import asyncio
import contextlib
import json
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

LEAST_TAKEN = 65_536
MOST_PIECES = 4_096  # of one body, each of which costs as much as a small request

_BACKLOG = 512


@dataclass(frozen=True)
class ConnectionLimits:
    """What each client is granted: times in seconds."""

    most: int = 1_000
    idle_seconds: float = 120  # pooled clients race shorter ones
    request_seconds: float = 30
    answer_seconds: float = 30


def raise_open_files(most: int) -> None:
    """Let the process open as many files as that many connections need, as far as it may."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = most + _BACKLOG + 512  # a burst is accepted before any of it can be refused
        if soft != resource.RLIM_INFINITY and soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted if hard < 0 else min(wanted, hard), hard))


class ConnectionConfig(uvicorn.Config):
    """How an application is served to clients that nobody vouches for; `waiting` are connections that owe a request."""

    def __init__(self, app: ASGIApp, limits: ConnectionLimits, **options: Any) -> None:
        self.limits = limits
        self.waiting: dict[ClockedConnection, None] = {}  # in the order in which they began to wait
        super().__init__(
            app,
            http=ClockedConnection,
            ws="none",
            backlog=_BACKLOG,
            timeout_keep_alive=limits.idle_seconds,  # type: ignore[arg-type]
            log_level="error",  # what clients do wrong is told to them, not to the log
            access_log=False,
            server_header=False,
            **options,
        )


class ClockedConnection(H11Protocol):
    """One client's connection, which is ended when the client keeps the server waiting.

    A request must be whole `request_seconds` after its first byte, or after the connection's opening. Of what was
    answered the client must take `LEAST_TAKEN` bytes, or all that is left, in each `answer_seconds`. Between two
    requests it may be idle for `idle_seconds`. Where there are too many connections, the one that has owed a request
    for longest makes room; the server's own work is never waited for with a clock.
    """

    def __init__(
        self,
        config: ConnectionConfig,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.conn: _Requests = _Requests()
        self._limits = config.limits
        self._waiting = config.waiting
        self._request_clock: asyncio.TimerHandle | None = None
        self._answer_clock: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self._limits.most:
            longest = next(iter(self._waiting), None)
            if longest is None:
                self._refuse(503, f"The server has {self._limits.most} connections, its limit; try again.")
                return
            longest._abandon()
        self._waiting[self] = None
        self._start_request_clock()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        self._stop_answer_clock()
        self._unset_keepalive_if_required()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self._owes_request:
            self._start_request_clock()
        else:
            self._stop_waiting()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._owes_request:
            self._waiting.pop(self, None)
            self._waiting[self] = None
        self._start_answer_clock()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._start_answer_clock()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop_answer_clock()
        if self.cycle is not None and self.cycle.response_complete:
            self._start_answer_clock()

    def send_400_response(self, msg: str) -> None:
        if self.conn.pieces > MOST_PIECES:
            self._refuse(400, f"The body comes in more than {MOST_PIECES:,} pieces; send larger ones.")
        else:
            self._refuse(400, "The request is not valid HTTP/1.1, or its head is too large.")

    def shutdown(self) -> None:
        if self in self._waiting:
            self._close()
        else:
            super().shutdown()

    @property
    def _owes_request(self) -> bool:
        return self.conn.their_state in (h11.IDLE, h11.SEND_BODY)

    def _start_request_clock(self) -> None:
        if self._request_clock is None:
            self._request_clock = self.loop.call_later(self._limits.request_seconds, self._end_request)

    def _stop_waiting(self) -> None:
        self._waiting.pop(self, None)
        if self._request_clock is not None:
            self._request_clock.cancel()
            self._request_clock = None

    def _end_request(self) -> None:
        if self.conn.their_state is h11.IDLE and not self.conn.trailing_data[0]:
            self._close()  # nothing was asked, so there is nothing to answer
        else:
            self._refuse(408, f"The request was not whole after {self._limits.request_seconds:g} seconds.")

    def _start_answer_clock(self) -> None:
        left = self.transport.get_write_buffer_size()
        if left and self._answer_clock is None:
            self._answer_clock = self.loop.call_later(self._limits.answer_seconds, self._check_answer, left)

    def _stop_answer_clock(self) -> None:
        if self._answer_clock is not None:
            self._answer_clock.cancel()
            self._answer_clock = None

    def _check_answer(self, left: int) -> None:
        self._answer_clock = None
        if self.transport.get_write_buffer_size() > max(0, left - LEAST_TAKEN):
            self._abandon()
        else:
            self._start_answer_clock()

    def _refuse(self, status: int, sentence: str) -> None:
        """Answer a request that the application will not answer, unless it has begun to, and end the connection."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            body = json.dumps({"error": sentence}).encode()
            length = str(len(body)).encode()
            head = [(b"content-type", b"application/json"), (b"content-length", length), (b"connection", b"close")]
            response = h11.Response(status_code=status, headers=head, reason=HTTPStatus(status).phrase)
            for event in (response, h11.Data(data=body), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self._close()

    def _close(self) -> None:
        self._forget_request()
        self.transport.close()
        self._start_answer_clock()

    def _abandon(self) -> None:
        self._forget_request()
        self.transport.abort()

    def _forget_request(self) -> None:
        self._stop_waiting()
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()


class _Requests(h11.Connection):
    """The parser of one client's requests; `pieces` are the chunks, and parts of them, that the body has so far."""

    def __init__(self) -> None:
        super().__init__(h11.SERVER)
        self.pieces = 0

    def next_event(self) -> Any:
        """Errors: h11.RemoteProtocolError for what is not HTTP, and for a body of more than `MOST_PIECES`."""
        event = super().next_event()
        if isinstance(event, h11.Request):
            self.pieces = 0
        elif isinstance(event, h11.Data):
            self.pieces += 1
            if self.pieces > MOST_PIECES:
                raise h11.RemoteProtocolError("The body comes in too many pieces.")
        return event
