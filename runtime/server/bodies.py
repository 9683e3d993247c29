"""Read a request's body whole before anything is done with it: how large it may be, and what becomes of half a one."""

from __future__ import annotations

from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from runtime.server.admission import refuse

LARGE = 65_536
MOST_LARGE = 64


class WholeBodies:
    """An application that is called only with requests that arrived whole, of at most `most_bytes`.

    A client that goes away before that is forgotten. At most `MOST_LARGE` bodies beyond `LARGE` bytes are held at once.
    """

    def __init__(self, app: ASGIApp, refuse_head: Callable[[Scope], Response | None], most_bytes: int) -> None:
        self._app = app
        self._refuse_head = refuse_head
        self._most_bytes = most_bytes
        self._large = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refused = self._refuse_head(scope)
        if refused is None and int(Headers(scope=scope).get("content-length", "0")) > self._most_bytes:
            refused = self._refuse_size()
        if refused is not None:
            await refused(scope, receive, send)
            return
        body, is_large = bytearray(), False
        try:
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    return
                body += message.get("body", b"")
                if len(body) > LARGE and not is_large:
                    is_large = True
                    self._large += 1
                if len(body) > self._most_bytes:
                    refused = self._refuse_size()
                elif is_large and self._large > MOST_LARGE:
                    refused = refuse(503, f"The server holds {MOST_LARGE} large requests, its limit; try again.")
                if refused is not None:
                    await refused(scope, receive, send)
                    return
                if not message.get("more_body", False):
                    break
            await self._app(scope, replay(bytes(body), receive), send)
        finally:
            self._large -= is_large

    def _refuse_size(self) -> Response:
        return refuse(413, f"The body is larger than {self._most_bytes} bytes.")


def replay(body: bytes, receive: Receive) -> Receive:
    """Give a body that was read already to whoever reads it next."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return messages.pop() if messages else await receive()

    return receive_again
