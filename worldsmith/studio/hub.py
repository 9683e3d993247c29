"""Server-sent events: what happens is told to every open page; one that missed something is told to read anew."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from starlette.requests import Request
from starlette.responses import StreamingResponse

_LAG = 100  # events that wait for a slow page
_ALIVE_SECONDS = 15
_END = ""  # of a stream


class Hub:
    """All pages that listen; used on one event loop."""

    def __init__(self) -> None:
        self._queues: set[asyncio.Queue[str]] = set()
        self._closing = False

    def tell(self, kind: str, data: Any) -> None:
        """Tell every page."""
        for queue in self._queues:
            if queue.full():
                _replace(queue, _written("reload", None))
            else:
                queue.put_nowait(_written(kind, data))

    def close(self) -> None:
        """End all streams; a server that is to stop waits for them."""
        self._closing = True
        for queue in self._queues:
            _replace(queue, _END)

    async def stream(self, request: Request) -> StreamingResponse:
        """Answer a page with events from now on; one that was connected before reads everything anew first."""
        return StreamingResponse(self._lines("last-event-id" in request.headers), media_type="text/event-stream")

    async def _lines(self, was_connected: bool) -> AsyncIterator[str]:
        queue: asyncio.Queue[str] = asyncio.Queue(_LAG)
        self._queues.add(queue)
        try:
            yield "retry: 1000\nid: 0\n" + _written("reload" if was_connected else "hello", None)
            while not self._closing:
                try:
                    event = await asyncio.wait_for(queue.get(), _ALIVE_SECONDS)
                except TimeoutError:
                    event = ": alive\n\n"  # a page that is gone is noticed by writing to it
                if event == _END:
                    break
                yield event
        finally:
            self._queues.discard(queue)


def _written(kind: str, data: Any) -> str:
    return f"event: {kind}\ndata: {json.dumps(data)}\n\n"


def _replace(queue: asyncio.Queue[str], event: str) -> None:
    while not queue.empty():
        queue.get_nowait()
    queue.put_nowait(event)
