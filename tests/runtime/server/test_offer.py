"""A domain over MCP, in memory and over stdio: what is listed, what a call comes to, and what no call can reach."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import StdioServerParameters
from mcp.client import Client
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPError

from runtime.domain.domain import Domain
from runtime.server.offer import serving
from runtime.session.faults import FaultPlan, FaultSource
from runtime.session.pool import ServedSession
from runtime.session.session import Session
from runtime.session.world import World
from tests.conftest import LIBRARY
from tests.making import make_domain, world_of
from tests.runtime.server.chain import text_of

POLICY = "A member can have at most 5 books checked out"
CRASH = '''
@tool(writes=["thing"])
def share_out(db: Database, people: Annotated[int, "Among how many"]) -> Done:
    """Write a thing, then share it."""
    db.insert("thing", thing_id=db.new_id("thing"), label="SECRET-LABEL", amount=12)
    return {"done": 12 // people > 0}


@tool(reads=["thing"])
def answer_wrongly(db: Database) -> Done:
    """Return what the result type does not allow."""
    return {"done": "SECRET-LABEL"}
'''


@asynccontextmanager
async def in_memory(domain: Domain, world: World, mode: Any = "auto") -> AsyncIterator[tuple[Client, ServedSession]]:
    """A client of a session in this process."""
    async with serving(domain, lambda: Session(domain, world)) as (server, served), Client(server, mode=mode) as client:
        yield client, served


def over(transport: str, library: Domain, world: World, claim: Callable[[Client], Awaitable[None]]) -> None:
    """Check a claim with a client over a transport, in the older era or in the one it settles on by itself."""

    async def check() -> None:
        if transport == "stdio":
            words = ["-m", "generator", "serve", str(LIBRARY), "--seed", "3", "--size", "100", "--no-policy"]
            process = stdio_client(StdioServerParameters(command=sys.executable, args=words))
            async with Client(process) as client:
                await claim(client)
        else:
            async with in_memory(library, world, "legacy" if transport == "legacy" else "auto") as (client, _):
                await claim(client)

    asyncio.run(check())


every_transport = pytest.mark.parametrize("transport", ["in_memory", "legacy", "stdio"])


@every_transport
def test_a_page_of_tools_that_was_never_offered_is_refused(transport: str, library: Domain, world: World) -> None:
    async def claim(client: Client) -> None:
        for cursor in ("2", "", "eyJwYWdlIjoyfQ=="):
            with pytest.raises(MCPError, match="all tools are on one page") as refused:
                await client.list_tools(cursor=cursor)
            assert refused.value.code == types.INVALID_PARAMS

    over(transport, library, world, claim)


@pytest.mark.parametrize("calls", [0, 1, 30])
def test_requests_are_answered_though_stdin_closes_right_behind_them(calls: int) -> None:
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "printf", "version": "1"}}
    call = {"name": "find_member", "arguments": {"email": "nobody@example.org"}}
    asked = [("initialize", client), *[("tools/call", call)] * calls, ("tools/list", {}), ("ping", {})]
    lines = [
        {"jsonrpc": "2.0", "id": at, "method": method, "params": given} for at, (method, given) in enumerate(asked)
    ]
    lines.insert(1, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    served = subprocess.run(
        [sys.executable, "-m", "generator", "serve", str(LIBRARY)],
        input="".join(f"{json.dumps(line)}\n" for line in lines),
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    answers = [json.loads(line) for line in served.stdout.splitlines()]
    assert sorted(answer["id"] for answer in answers) == list(range(calls + 3))
    assert all("result" in answer for answer in answers)


@every_transport
def test_tools_are_listed_called_and_rejected_alike_on_every_transport(
    transport: str, library: Domain, world: World
) -> None:
    async def claim(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(tools) == list(library.tools)
        for name, tool in tools.items():
            assert tool.input_schema == library.tools[name].arguments.schema
            assert tool.output_schema == library.tools[name].result.schema
            assert tool.description == library.tools[name].description
        found = await client.call_tool("find_member", {"email": "nora.moreno9@example.org"})
        assert not found.is_error
        assert found.structured_content is not None
        assert found.structured_content["member_id"] == "MEMBER-0009"
        assert json.loads(text_of(found)) == found.structured_content
        rejected = await client.call_tool("find_member", {"email": "nobody@example.org"})
        assert rejected.is_error
        assert rejected.structured_content is None
        assert text_of(rejected) == "NOT_FOUND: No member has the e-mail address 'nobody@example.org'."
        whole = await client.call_tool("forgive_debt", {"member_id": "nobody", "cents": 1900.0})
        assert text_of(whole).startswith("NOT_FOUND: ")  # a float without a fraction is an integer in JSON Schema
        unknown = await client.call_tool("fly", {})
        assert unknown.is_error
        assert text_of(unknown).startswith("NOT_FOUND: No tool 'fly' exists; have: ")
        assert client.instructions is not None
        assert "The current date and time is 2026-03-16 09:30:00" in client.instructions
        assert POLICY not in client.instructions

    over(transport, library, world, claim)


@pytest.mark.parametrize(
    ("name", "read_only", "destructive"),
    [
        pytest.param("find_member", True, False, id="reads_a_table"),
        pytest.param("borrow_book", False, False, id="inserts_only"),
        pytest.param("cancel_hold", False, True, id="updates"),
    ],
)
def test_annotations_follow_what_a_tool_writes(
    library: Domain, world: World, name: str, read_only: bool, destructive: bool
) -> None:
    async def annotations() -> types.ToolAnnotations | None:
        async with in_memory(library, world) as (client, _):
            return next(tool.annotations for tool in (await client.list_tools()).tools if tool.name == name)

    hints = asyncio.run(annotations())
    assert hints is not None
    assert (hints.read_only_hint, hints.destructive_hint) == (read_only, destructive)
    assert hints.idempotent_hint is read_only
    assert hints.open_world_hint is False


@pytest.mark.parametrize("with_policy", [False, True])
def test_the_policy_is_in_the_instructions_only_where_asked_for(
    library: Domain, world: World, with_policy: bool
) -> None:
    async def instructions() -> str | None:
        opened = serving(library, lambda: Session(library, world), with_policy=with_policy)
        async with opened as (server, _), Client(server) as client:
            return client.instructions

    said = asyncio.run(instructions())
    assert said is not None
    assert "The current date and time is 2026-03-16 09:30:00; it does not advance." in said
    assert (POLICY in said) is with_policy


@pytest.mark.parametrize(
    "name",
    [
        *("__class__", "_loan_that_is_out", "populate", "", "FIND_MEMBER", "library:find_member"),
        *("debug_verify", "debug_reset", "debug_start_task", "debug_show_changes", "x" * 5_000, "\0", "📚"),
    ],
)
def test_nothing_but_a_declared_tool_can_be_called(library: Domain, world: World, name: str) -> None:
    async def call() -> types.CallToolResult:
        async with in_memory(library, world) as (client, _):
            return await client.call_tool(name, {})

    called = asyncio.run(call())
    assert called.is_error
    assert text_of(called).startswith("NOT_FOUND: No tool ")
    assert "\n" not in text_of(called)
    assert len(text_of(called)) < 500


@pytest.mark.parametrize("transport", ["in_memory", "legacy"])
@pytest.mark.parametrize(("tool", "arguments"), [("share_out", {"people": 0}), ("answer_wrongly", {})])
def test_a_crash_in_a_tool_is_an_environment_fault_that_changes_nothing(
    tmp_path: Path, transport: str, tool: str, arguments: dict[str, Any]
) -> None:
    domain = make_domain(tmp_path, tools=CRASH)
    world = world_of(domain, 1, 1)

    async def crash() -> None:
        async with in_memory(domain, world, "legacy" if transport == "legacy" else "auto") as (client, served):
            before = served.session.digest()
            with pytest.raises(MCPError) as crashed:
                await client.call_tool(tool, arguments)
            error = crashed.value.error
            assert error.data["kind"] == "environment_fault"
            assert error.data["tool"] == tool
            for secret in ("Traceback", "ZeroDivision", "division", "SECRET-LABEL", "things.py", "Error:"):
                assert secret not in f"{error.message} {error.data}"
            assert served.session.digest() == before
            assert served.session.diff() == []
            called = await client.call_tool("share_out", {"people": 3})
            assert called.structured_content == {"done": True}
            assert [difference.key for difference in served.session.diff()] == [("THING-0001",)]

    asyncio.run(crash())


def test_a_slow_call_takes_its_seconds_where_the_plan_runs_in_real_time(library: Domain, world: World) -> None:
    plan = FaultPlan(slow=1.0, slow_seconds=(0.4, 0.4), real_time=True)
    session = Session(library, world, faults=FaultSource(plan, 1))

    async def check() -> float:
        async with serving(library, lambda: session, faults=plan) as (server, _), Client(server) as client:
            start = time.monotonic()
            await client.call_tool("find_member", {"email": "nora.moreno9@example.org"})
            return time.monotonic() - start

    assert asyncio.run(check()) >= 0.4


def test_a_session_replaced_while_a_call_waits_answers_from_the_new_one(library: Domain, world: World) -> None:
    async def check() -> None:
        async with in_memory(library, world) as (client, served):
            asked = ("find_member", {"email": "nora.moreno9@example.org"})
            await client.call_tool(*asked)
            replacing = asyncio.create_task(served.replace(lambda: Session(library, world)))
            calls = await asyncio.gather(*(client.call_tool(*asked) for _ in range(5)))
            await replacing
            assert not any(called.is_error for called in calls)
            assert served.session.call_count == 5

    asyncio.run(check())


def test_an_ended_session_answers_with_an_error_that_says_so(library: Domain, world: World) -> None:
    async def check() -> None:
        async with in_memory(library, world) as (client, served):
            await served.close()
            with pytest.raises(MCPError, match="ended") as refused:
                await client.call_tool("find_member", {"email": "nora.moreno9@example.org"})
            assert refused.value.error.data["kind"] == "environment_fault"

    asyncio.run(check())
