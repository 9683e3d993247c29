"""A Messages API on a real socket that replies by a list or a function and keeps what it was sent."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """One reply: a status with a JSON error, a page, or a stream of events that may be cut after some of them."""

    status: int = 200
    error: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    events: Sequence[Mapping[str, Any]] = ()
    cut: bool = False  # close the socket in the middle of the body
    hold: threading.Event | None = None  # wait for it before replying
    page: str | None = None  # of HTML, or whatever the headers say


def said(words: str, **options: Any) -> Reply:
    """A streamed text, in two pieces, after a block of thinking; the options are those of `turned`."""
    return turned({"type": "thinking", "thinking": "{hm", "signature": ""}, text(words), **options)


def turned(
    *blocks: Mapping[str, Any],
    stop: str | None = None,
    prompt: int = 100,
    written: int = 0,
    cached: int = 0,
    completion: int = 7,
    details: Mapping[str, Any] | None = None,
    **options: Any,
) -> Reply:
    """A streamed turn of any blocks; the input of a call may be a text that is no JSON, or less than a call has."""
    usage = {
        "input_tokens": prompt,
        "cache_creation_input_tokens": written,
        "cache_read_input_tokens": cached,
        "output_tokens": 1,
    }
    message = {"id": "m", "type": "message", "role": "assistant", "model": "stub", "content": [], "usage": usage}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": message | {"stop_reason": None, "stop_sequence": None}}
    ]
    for index, block in enumerate(blocks):
        start, deltas = _streamed(block)
        events += [
            {"type": "content_block_start", "index": index, "content_block": start},
            *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
            {"type": "content_block_stop", "index": index},
        ]
    called = any(block["type"] == "tool_use" for block in blocks)
    delta = {"stop_reason": stop or ("tool_use" if called else "end_turn"), "stop_sequence": None}
    events += [
        {"type": "message_delta", "delta": delta | {"stop_details": details}, "usage": {"output_tokens": completion}},
        {"type": "message_stop"},
    ]
    return Reply(events=events, **options)


def text(words: str) -> dict[str, Any]:
    """A block of words."""
    return {"type": "text", "text": words}


def use(call_id: str, name: str, arguments: Any) -> dict[str, Any]:
    """A block that calls a tool."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def _streamed(block: Mapping[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """How a block begins, and what comes of it bit by bit."""
    match block["type"]:
        case "text":
            half = len(block["text"]) // 2
            parts = [part for part in (block["text"][:half], block["text"][half:]) if part]
            return {"type": "text", "text": ""}, [{"type": "text_delta", "text": part} for part in parts]
        case "thinking":
            return {"type": "thinking", "thinking": "", "signature": ""}, [
                {"type": "thinking_delta", "thinking": block["thinking"]},
                {"type": "signature_delta", "signature": block["signature"]},
            ]
        case "tool_use":
            written = block["input"] if isinstance(block["input"], str) else json.dumps(block["input"])
            parts = ["", *(written[place : place + 20] for place in range(0, len(written), 20))]
            return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": part} for part in parts]
    return dict(block), []


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


Answering = Callable[[Mapping[str, Any]], Reply]  # takes the body of a request


@contextmanager
def serve_messages(*replies: Reply | Answering) -> Iterator[MessagesApi]:
    """Serve the replies in order, the last one for ever; one that is a function is asked for the reply to a body."""
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
                chosen = waiting.pop(0) if len(waiting) > 1 else waiting[0]
                reply = chosen if isinstance(chosen, Reply) else chosen(body)
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
            kind = "application/json" if reply.error else "text/event-stream"
            if reply.page is not None:
                content, kind = reply.page.encode(), "text/html"
            self.send_response(reply.status)
            self.send_header("content-length", str(len(content) + (50 if reply.cut else 0)))
            for name, value in {"content-type": kind, **reply.headers}.items():
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
