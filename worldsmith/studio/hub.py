"""Server-sent events: what happens is told to every open page, and a page that missed too much is told to read anew."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import StreamingResponse

_KEPT = 200  # events that a page can catch up on
_LAG = 100  # events that wait for a slow page
_ALIVE_SECONDS = 15


class Event(NamedTuple):
    """One event of the server's run; its number is the place among all."""

    number: int
    kind: str
    data: Any


class Hub:
    """All pages that listen; used on one event loop."""

    def __init__(self) -> None:
        self._run = secrets.token_hex(4)  # in the ids of events, so that those of an earlier server are known
        self._last = 0
        self._kept: list[Event] = []
        self._queues: set[asyncio.Queue[Event | None]] = set()
        self._closing = False

    def tell(self, kind: str, data: Any) -> None:
        """Tell every page."""
        self._last += 1
        event = Event(self._last, kind, data)
        self._kept = [*self._kept[1 - _KEPT :], event]
        for queue in self._queues:
            if queue.full():
                _empty(queue)
                event = self._reload()
            queue.put_nowait(event)

    def close(self) -> None:
        """End all streams; a server that is to stop waits for them."""
        self._closing = True
        for queue in self._queues:
            _empty(queue)
            queue.put_nowait(None)

    async def stream(self, request: Request) -> StreamingResponse:
        """Answer a page with events from now on, first those that it missed since the last one that it names."""
        seen = request.headers.get("last-event-id", "")
        headers = {"X-Accel-Buffering": "no"}
        return StreamingResponse(self._lines(seen), media_type="text/event-stream", headers=headers)

    async def _lines(self, seen: str) -> AsyncIterator[str]:
        queue: asyncio.Queue[Event | None] = asyncio.Queue(_LAG)
        missed = self._missed(seen)
        self._queues.add(queue)
        try:
            yield "retry: 1000\n\n"
            for each in missed:
                yield self._written(each)
            while not self._closing:
                try:
                    event = await asyncio.wait_for(queue.get(), _ALIVE_SECONDS)
                except TimeoutError:
                    yield ": alive\n\n"  # a page that is gone is noticed by writing to it
                    continue
                if event is None:
                    break
                yield self._written(event)
        finally:
            self._queues.discard(queue)

    def _missed(self, seen: str) -> list[Event]:
        """The events after one, or one that has the page read everything anew."""
        if not seen:
            return []
        run, _, number = seen.partition("-")
        missed = self._last - int(number) if number.isdecimal() else -1
        if run != self._run or not 0 <= missed <= len(self._kept):
            return [self._reload()]
        return self._kept[len(self._kept) - missed :]

    def _reload(self) -> Event:
        return Event(self._last, "reload", None)

    def _written(self, event: Event) -> str:
        return f"id: {self._run}-{event.number}\nevent: {event.kind}\ndata: {json.dumps(event.data)}\n\n"


def _empty(queue: asyncio.Queue[Event | None]) -> None:
    while not queue.empty():
        queue.get_nowait()
