"""A session's own thread: aiosqlite's, on which every job of the session runs whole."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any, TypeVar

import aiosqlite

from runtime.session.session import Session

Result = TypeVar("Result")


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
        """Run a function on the thread and return what it returns."""
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
