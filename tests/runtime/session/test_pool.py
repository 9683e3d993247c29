"""Many sessions over few threads: order within a session, callers that go away, ends, limits, nothing left behind."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from runtime.domain.domain import Domain
from runtime.session.pool import ServedSession, SessionPool
from runtime.session.session import Session, open_stored_session
from runtime.session.world import World

Scenario = Callable[[SessionPool], Coroutine[Any, Any, None]]


def descriptors() -> list[str]:
    return sorted(os.listdir("/proc/self/fd")) if sys.platform == "linux" else []


def run(scenario: Scenario, **options: Any) -> None:
    """Run a scenario on a pool and see that no thread and no descriptor is left."""

    async def whole() -> None:
        pool = SessionPool(**options)
        try:
            await scenario(pool)
        finally:
            await pool.close()
        assert (len(pool), len(pool._open)) == (0, 0)

    before = threading.active_count(), descriptors()
    asyncio.run(asyncio.wait_for(whole(), timeout=120))
    gc.collect()
    assert (threading.active_count(), descriptors()) == before


def register(session: Session, number: int) -> str:
    email = f"ada{number}@example.org"
    return session.perform("register_member", {"name": "Ada Park", "email": email}).text


def numbers(session: Session) -> list[int]:
    """The registrations of a session in their order."""
    return [
        int(str(line.after["email"]).removeprefix("ada").partition("@")[0])
        for line in session.diff()
        if line.table == "member" and line.after is not None
    ]


class Gate:
    """A job that stands in the middle of its work until it is let go."""

    def __init__(self) -> None:
        self.entered = threading.Event()
        self.leave = threading.Event()

    def hold(self, session: Session, number: int) -> str:
        self.entered.set()
        self.leave.wait(60)
        return register(session, number)

    async def wait_until_entered(self) -> None:
        await asyncio.to_thread(self.entered.wait, 60)


async def turns(count: int = 20) -> None:
    """Let everything that is ready go on."""
    for _ in range(count):
        await asyncio.sleep(0)


@pytest.fixture
def make(library: Domain, world: World) -> Callable[[], Session]:
    return lambda: Session(library, world)


def test_calls_of_one_session_run_in_the_order_in_which_they_came(make: Callable[[], Session]) -> None:
    async def scenario(pool: SessionPool) -> None:
        served = pool.add(make())
        await asyncio.gather(*(served.run(register, served.session, number) for number in range(100)))
        assert numbers(served.session) == list(range(100))

    run(scenario)


def test_sessions_take_turns_over_one_thread(make: Callable[[], Session]) -> None:
    async def scenario(pool: SessionPool) -> None:
        sessions = [pool.add(make()) for _ in range(5)]
        for number in range(4):
            await asyncio.gather(*(served.run(register, served.session, number) for served in sessions))
            assert len(pool._open) == 1
        assert [numbers(served.session) for served in sessions] == [list(range(4))] * 5

    run(scenario, most_open=1)


def test_a_caller_that_goes_away_at_any_moment_breaks_nothing(make: Callable[[], Session]) -> None:
    """Cancel after each number of turns of the loop: while opening, parking another, calling, waiting for room."""

    async def scenario(pool: SessionPool) -> None:
        first, second = pool.add(make()), pool.add(make())
        for patience in range(40):
            for served in (first, second):
                caller = asyncio.ensure_future(served.run(register, served.session, patience))
                await turns(patience)
                caller.cancel()
                await asyncio.wait([caller])
            for served in (first, second):
                await served.run(register, served.session, 1_000 + patience)
                assert len(pool._open) == 1
        for served in (first, second):
            whole = await served.run(lambda served=served: served.session.scanned())
            assert whole == (served.session.changes, served.session.digest())
            assert [number for number in numbers(served.session) if number >= 1_000] == list(range(1_000, 1_040))

    run(scenario, most_open=1)


def test_only_idle_sessions_end_for_being_idle(make: Callable[[], Session]) -> None:
    async def scenario(pool: SessionPool) -> None:
        idle, busy, gate = pool.add(make()), pool.add(make()), Gate()
        await idle.run(register, idle.session, 1)
        call = asyncio.ensure_future(busy.run(gate.hold, busy.session, 1))
        await gate.wait_until_entered()
        pool.idle_seconds = 3_600
        assert await pool.end_idle() == 0
        pool.idle_seconds = -1  # everything is idle for longer than that
        assert await pool.end_idle() == 1
        assert (pool.find(idle.id), pool.find(busy.id)) == (None, busy)
        gate.leave.set()
        await call

    run(scenario)


def test_a_stored_session_in_a_pool_is_released_with_it(library: Domain, world: World, tmp_path: Path) -> None:
    def open_stored() -> Session:
        return open_stored_session(library, tmp_path, "one", lambda: world, {})

    async def scenario(pool: SessionPool) -> None:
        served: ServedSession = pool.add(open_stored())
        await served.run(register, served.session, 1)
        await served.park()
        await served.run(register, served.session, 2)

    run(scenario)
    with open_stored() as session:
        assert numbers(session) == [1, 2]
