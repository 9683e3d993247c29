"""Serve many sessions with few open connections: each on its own thread while in use, parked while idle."""

from __future__ import annotations

import asyncio
import secrets
import sqlite3
import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import aiosqlite

from runtime.errors import UsageError
from runtime.session.session import Session

Result = TypeVar("Result")


class ServedSession:
    """A session in a pool: its jobs run one after another, in the order in which they came.

    `by_client` says that an agent's client opened it for itself.
    """

    def __init__(self, pool: SessionPool, session_id: str, session: Session, *, by_client: bool = False) -> None:
        self.id = session_id
        self.session = session
        self.by_client = by_client
        self.last_used = time.monotonic()
        self._pool = pool
        self._lock = asyncio.Lock()
        self._thread: SessionThread | None = None

    async def run(self, job: Callable[..., Result], *arguments: Any) -> Result:
        try:
            async with self._lock:
                self.last_used = time.monotonic()
                if not (self._pool.threads or self.session.is_stored):
                    return job(*arguments)
                if self._thread is None:
                    await self._start()
                self._pool._open.move_to_end(self.id)
                # A caller that goes away does not interrupt a call: it is finished, then forgotten.
                assert self._thread is not None
                return await self._thread.run(job, *arguments)
        finally:
            self._pool._freed.set()  # a session may be idle now

    async def replace(self, make: Callable[[], Session]) -> None:
        """Go on with another session in this one's place."""
        async with self._lock:
            await self._stop()
            self.session.close()
            self.session = make()

    async def park(self) -> None:
        """Give the connection and the thread back."""
        async with self._lock:
            await self._stop()

    async def close(self) -> None:
        async with self._lock:
            try:
                await self._stop()
            finally:
                self.session.close()

    @property
    def busy(self) -> bool:
        return self._lock.locked()

    async def _start(self) -> None:
        await self._pool.make_room(self)
        try:
            await _finish(self._open_thread())
        finally:
            if self._thread is None:
                self._give_back()

    async def _open_thread(self) -> None:
        thread = SessionThread(self.session)
        await thread.start()
        self._thread = thread

    async def _stop(self) -> None:
        if self._thread is not None:
            thread, self._thread = self._thread, None
            try:
                await _finish(thread.end())
            finally:
                self._give_back()

    def _give_back(self) -> None:
        self._pool._open.pop(self.id, None)
        self._pool._freed.set()


class ServedPart:
    """A session that is one of several in a served one: its jobs wait for those of the others."""

    def __init__(self, whole: ServedSession, session: Session) -> None:
        self.id = whole.id
        self.session = session
        self.run = whole.run


class SessionPool:
    """All sessions of a server: at most `most_sessions`, of which `most_open` have a thread; idle ones are ended.

    Threads keep the sessions of many agents from waiting for each other. Without `threads`, for a server of one session
    in memory, jobs run where they are asked for, which saves two switches between threads for each call.
    """

    def __init__(
        self,
        *,
        most_sessions: int = 10_000,
        most_open: int = 256,
        idle_seconds: float = 1_800,
        threads: bool = True,
    ) -> None:
        self.threads = threads
        self.most_sessions = most_sessions
        self.most_open = most_open
        self.idle_seconds = idle_seconds
        self._sessions: dict[str, ServedSession] = {}
        self._open: OrderedDict[str, ServedSession] = OrderedDict()
        self._freed = asyncio.Event()

    def __len__(self) -> int:
        return len(self._sessions)

    def add(self, session: Session, *, by_client: bool = False) -> ServedSession:
        """Serve a session under a new unguessable id; errors: UsageError if the pool is full.

        Clients that open sessions for themselves cannot use the last tenth.
        """
        kept = self.most_sessions // 10 if by_client else 0
        if len(self._sessions) >= self.most_sessions - kept:
            session.close()
            raise UsageError(f"The server has {len(self._sessions)} sessions, its limit; end one first.")
        served = ServedSession(self, secrets.token_urlsafe(24), session, by_client=by_client)
        self._sessions[served.id] = served
        return served

    def find(self, session_id: str) -> ServedSession | None:
        return self._sessions.get(session_id)

    async def end(self, session_id: str) -> bool:
        """End a session; False if there is none."""
        served = self._sessions.pop(session_id, None)
        if served is not None:
            await _finish(served.close())
        return served is not None

    async def end_idle(self) -> int:
        """End every session that was idle too long, and return how many."""
        now = time.monotonic()
        idle = [
            served.id
            for served in self._sessions.values()
            if not served.busy and now - served.last_used > self.idle_seconds
        ]
        return sum([await self.end(session_id) for session_id in idle])

    async def close(self) -> None:
        for session_id in list(self._sessions):
            await self.end(session_id)

    async def make_room(self, served: ServedSession) -> None:
        """Take a place for a thread as soon as there is one, parking the session that was idle longest if need be."""
        while len(self._open) >= self.most_open:
            idle = next((other for other in self._open.values() if not other.busy), None)
            if idle is not None:
                await idle.park()
            else:
                self._freed.clear()
                await self._freed.wait()
        self._open[served.id] = served


async def _finish(work: Coroutine[Any, Any, Result]) -> Result:
    """Wait for something that must not stay half done, even if the caller is cancelled meanwhile."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled
    return task.result()


class SessionThread(aiosqlite.Connection):
    """An aiosqlite connection that runs functions on its thread, one hop each, instead of statements.

    aiosqlite has no public way to do so; this subclass is the one place that uses its private `_execute` and `_thread`.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(lambda: _connection_of(session), iter_chunk_size=64)
        self._session = session

    async def start(self) -> None:
        """Start the thread and open the session on it; if that fails, the thread is gone."""
        try:
            await self
        except BaseException:
            self._thread.join()
            raise

    async def run(self, function: Callable[..., Result], *arguments: Any) -> Result:
        result: Result = await self._execute(function, *arguments)  # type: ignore[no-untyped-call]
        return result

    async def end(self) -> None:
        """Park the session, stop the thread and wait until it is gone."""
        await self._execute(self._session.park)  # type: ignore[no-untyped-call]
        await self.close()
        self._thread.join()


def _connection_of(session: Session) -> sqlite3.Connection:
    """Open the session on the thread that asks; aiosqlite wants the connection to know that it is open."""
    session.open()
    assert session.connection is not None
    return session.connection
