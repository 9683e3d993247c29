"""How calls reach the world: what an odd call is answered, and an episode over stdio."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from runtime.domain.domain import Domain
from runtime.environment import python_command
from runtime.harness.agents.reference import ReferenceAgent
from runtime.harness.connection import Connect, Connection, answer_call
from runtime.harness.conversation import AssistantTurn, ToolCall
from runtime.harness.episode import ToolAnswer
from runtime.harness.mcp_connection import over_stdio
from runtime.session.session import Session
from runtime.session.world import World
from tests.conftest import LIBRARY
from tests.runtime.harness.acting import NORA, RENEW, Doing, calls, play_one, says


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
    "a number as a name": (5, {}),
    "a number as an argument's name": ("find_member", {1: 2}),
    "a set": ("find_member", {"email": {1}}),
    "an endless list": ("find_member", {"email": nested(100_000)}),
    "a long text": ("find_member", {"email": "x" * 600_000}),
    "a NUL": ("find_member", {"email": "\0"}),
}


@pytest.fixture(scope="module")
def stdio() -> Connect:
    """A server process for each episode."""
    return over_stdio((*python_command("runtime.main"), "serve", str(LIBRARY)))


def answer_directly(session: Session) -> dict[str, ToolAnswer]:
    return {what: answer_call(session, ToolCall("c", *call)) for what, call in ODD_CALLS.items()}


def test_nothing_that_an_agent_can_send_is_more_than_an_error_it_reads(library: Domain, world: World) -> None:
    with Session(library, world) as session:
        answered = answer_directly(session)
    for what, answer in answered.items():
        assert answer.is_error, what
        assert answer.text.split(":")[0] in ("INVALID_ARGUMENT", "NOT_FOUND"), what
    assert answered["a list"].text.startswith("INVALID_ARGUMENT: The arguments must be a JSON object")


def test_a_server_over_stdio_answers_as_the_session_does(library: Domain, world: World, stdio: Connect) -> None:
    async def answer_all(connection: Connection) -> dict[str, ToolAnswer]:
        return {what: await connection.call(ToolCall("c", *call)) for what, call in ODD_CALLS.items()}

    async def run() -> dict[str, ToolAnswer]:
        async with stdio(library, world, None) as connection:
            return await answer_all(connection)

    with Session(library, world) as session:
        assert asyncio.run(run()) == answer_directly(session)
    assert play_one(library, world, ReferenceAgent(), connect=stdio).reward == 1


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


def test_a_server_killed_mid_episode_voids_it_and_leaves_nothing(library: Domain, world: World, stdio: Connect) -> None:
    before = children()

    async def kill() -> AssistantTurn:
        (server,) = children() - before
        os.kill(server, signal.SIGKILL)
        return calls(("find_member", NORA))

    record = play_one(library, world, Doing(calls(("renew_loan", RENEW)), kill, says("Done.")), connect=stdio)
    assert (record.end, record.reward, record.fault) == ("void", None, "environment")
    assert (record.reason, record.calls) == ("the world's server died", 2)
    assert children() == before
