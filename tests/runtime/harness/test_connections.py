from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from runtime.domain.domain import Domain
from runtime.harness import mcp_connection
from runtime.harness.agents.reference import ReferenceAgent
from runtime.harness.connection import TRANSPORTS, Connection, Transport
from runtime.harness.conversation import AssistantTurn, ToolCall
from runtime.harness.episode import ToolAnswer
from runtime.harness.play import Setting, open_connection, play
from runtime.session.pool import ServedSession
from runtime.session.world import World
from runtime.task.task import start_world
from runtime.task.task_file import read_tasks
from tests.runtime.harness.acting import NORA, RENEW, Doing, calls, play_one, says
from tests.runtime.harness.wishes import WishfulUser


def on_wire(transport: Transport, domain: Domain, world: World, act: Callable[[Connection], Awaitable[Any]]) -> Any:
    """What an action on a fresh connection returns."""

    async def run() -> Any:
        async with open_connection(transport, domain, world) as connection:
            return await act(connection)

    return asyncio.run(run())


def nested(levels: int) -> Any:
    """A list in a list in a list."""
    value: Any = []
    for _ in range(levels):
        value = [value]
    return value


ODD_CALLS: dict[str, tuple[Any, Any]] = {
    "unknown tool": ("fly_home", {}),
    "a list": ("find_member", ["nora"]),
    "a missing argument": ("find_member", {}),
    "an unknown loan": ("renew_loan", {"loan_id": "LOAN-9999"}),
    "NaN": ("find_member", {"email": float("nan")}),
    "half of a pair": ("find_member", {"email": "\ud800"}),
    "a name longer than a header may be": ("x" * 20_000, {}),
    "a name that ends a header": ("find_member\r\nHost: x", {}),
    "a number as a name": (5, {}),
    "a number as an argument's name": ("find_member", {1: 2}),
    "a set": ("find_member", {"email": {1}}),
    "an endless list": ("find_member", {"email": nested(100_000)}),
    "a long text": ("find_member", {"email": "x" * 600_000}),
    "a NUL": ("find_member", {"email": "\0"}),
}


async def answer_all(connection: Connection) -> tuple[list[Mapping[str, Any]], dict[str, ToolAnswer], int]:
    odd = {what: await connection.call(ToolCall("c", name, arguments)) for what, (name, arguments) in ODD_CALLS.items()}
    assert not (await connection.call(ToolCall("c", "renew_loan", RENEW))).is_error
    return list(connection.tools), odd, len((await connection.final()).changes.rows)


@pytest.fixture(scope="module")
def directly(library: Domain, world: World) -> Any:
    return on_wire("session", library, world, answer_all)


@pytest.mark.parametrize("transport", [each for each in TRANSPORTS if each != "session"])
def test_every_wire_lists_and_answers_as_the_session_does(
    transport: Transport, library: Domain, world: World, directly: Any
) -> None:
    tools, odd, changed = on_wire(transport, library, world, answer_all)
    assert tools == directly[0]
    assert odd == directly[1]
    assert changed == directly[2] == 1


def test_nothing_that_an_agent_can_send_is_more_than_an_error_it_reads(directly: Any) -> None:
    for what, answer in directly[1].items():
        assert answer.is_error, what
        assert answer.text.split(":")[0] in ("INVALID_ARGUMENT", "NOT_FOUND"), what
    assert directly[1]["a list"].text.startswith("INVALID_ARGUMENT: The arguments must be a JSON object")


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_the_reference_agent_is_rewarded_over_every_wire(transport: Transport, library: Domain) -> None:
    async def run() -> list[int | None]:
        setting = Setting(ReferenceAgent(), WishfulUser(), transport)
        tasks = read_tasks(library).values()
        records = await asyncio.gather(*(play(task, library, start_world(task, library), 0, setting) for task in tasks))
        return [record.reward for record in records]

    assert asyncio.run(run()) == [1, 1, 1]


def children() -> set[int]:
    """The processes that this one started and that still live."""
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if int(parent) == os.getpid() and state != "Z":
            found.add(int(stat.parent.name))
    return found


def test_a_server_killed_mid_episode_voids_it_and_leaves_nothing(library: Domain, world: World) -> None:
    before = children()

    async def kill() -> AssistantTurn:
        (server,) = children() - before
        os.kill(server, signal.SIGKILL)
        return calls(("find_member", NORA))

    record = play_one(library, world, Doing(calls(("renew_loan", RENEW)), kill, says("Done.")), transport="stdio")
    assert (record.end, record.reward, record.fault) == ("void", None, "environment")
    assert record.reason == "the world's server died"
    assert record.calls == 2
    assert children() == before


def test_a_server_that_does_not_answer_voids_the_episode(
    library: Domain, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hang(*_: Any) -> None:
        await asyncio.sleep(60)

    monkeypatch.setattr(mcp_connection, "SECONDS", 0.3)
    monkeypatch.setattr(ServedSession, "run", hang)
    record = play_one(library, world, Doing(calls(("find_member", NORA)), says("Hm.")), transport="memory")
    assert (record.end, record.fault, record.reason) == ("void", "environment", "the world's server died")
    assert "find_member" in record.why
