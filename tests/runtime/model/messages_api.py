"""A Messages API on a real socket that replies by a script and keeps what it was sent."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """One reply: a status with a JSON error, or a stream of events that may be cut after some of them."""

    status: int = 200
    error: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    events: Sequence[Mapping[str, Any]] = ()
    cut: bool = False  # close the socket in the middle of the body
    hold: threading.Event | None = None  # wait for it before replying


def said(
    text: str,
    *,
    stop: str = "end_turn",
    tokens: Mapping[str, int] | None = None,
    details: Mapping[str, Any] | None = None,
    completion: int = 7,
    **options: Any,
) -> Reply:
    """A streamed text, in two pieces, after a block of thinking."""
    usage = {"input_tokens": 100, "output_tokens": 1} | dict(tokens or {})
    message = {"id": "m", "type": "message", "role": "assistant", "model": "stub", "content": [], "usage": usage}
    half = len(text) // 2
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": message | {"stop_reason": None, "stop_sequence": None}},
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {"type": "thinking", "thinking": "", "signature": ""},
        },
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "{hm"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
        *(
            {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": part}}
            for part in (text[:half], text[half:])
        ),
        {"type": "content_block_stop", "index": 1},
        {
            "type": "message_delta",
            "delta": {"stop_reason": stop, "stop_sequence": None, "stop_details": details},
            "usage": {"output_tokens": completion},
        },
        {"type": "message_stop"},
    ]
    return Reply(events=events, **options)


def refused(status: int, kind: str, message: str, **headers: str) -> Reply:
    """An error of the API; `retry_after` and the like become headers."""
    error = {"type": "error", "error": {"type": kind, "message": message}}
    return Reply(status, error, {name.replace("_", "-"): value for name, value in headers.items()})


def cut_short(reply: Reply, after: int) -> Reply:
    """The same stream, the connection closed after so many events."""
    return Reply(events=reply.events[:after], cut=True)


@dataclass
class MessagesApi:
    """What the stub was sent: bodies and headers, in the order in which they came."""

    url: str
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    most_at_once: int = 0


@contextmanager
def serve_messages(*replies: Reply) -> Iterator[MessagesApi]:
    """Serve the replies in order, the last one for ever."""
    waiting = list(replies)
    guard = threading.Lock()
    at_once = 0

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            nonlocal at_once
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            with guard:
                api.bodies.append({"path": self.path, **body})
                api.headers.append({name.lower(): value for name, value in self.headers.items()})
                reply = waiting.pop(0) if len(waiting) > 1 else waiting[0]
                at_once += 1
                api.most_at_once = max(api.most_at_once, at_once)
            if reply.hold is not None:
                reply.hold.wait(10)
            with guard:
                at_once -= 1
            self._reply(reply)

        def _reply(self, reply: Reply) -> None:
            content = json.dumps(reply.error).encode()
            if reply.error is None:
                content = b"".join(
                    f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in reply.events
                )
            self.send_response(reply.status)
            self.send_header("content-type", "application/json" if reply.error else "text/event-stream")
            self.send_header("content-length", str(len(content) + (50 if reply.cut else 0)))
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)
            if reply.cut:
                self.close_connection = True

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        api = MessagesApi(f"http://127.0.0.1:{server.server_address[1]}")
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield api
        finally:
            server.shutdown()
            thread.join()
