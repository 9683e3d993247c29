"""Sessions over HTTP: their two URLs, both protocol eras, and the plain calls that make, show and end them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client

from generator.main import main
from runtime.commands.serve import open_asked_session
from runtime.domain.domain import Domain
from runtime.session.world import World, WorldCache
from runtime.task.task_file import read_tasks
from tests.conftest import LIBRARY, until
from tests.making import make_domain
from tests.runtime.server.chain import play_chain
from tests.runtime.server.running import ADMIN, MCP, TOKEN, Running, initialize, request, running

CARD = {"name": "Ada Byron", "email": "ada@example.org"}


@pytest.fixture(scope="module")
def served(library: Domain) -> Iterator[Running]:
    """One server for the tests that need no settings of their own."""
    with running(library) as server:
        yield server


@pytest.fixture
def alone(served: Running) -> Iterator[Running]:
    """The same server; what a test leaves behind is ended."""
    before = set(served.pool._sessions)
    yield served
    for session_id in set(served.pool._sessions) - before:
        served.plain.delete(f"/sessions/{session_id}", headers=ADMIN)


def with_client(url: str, claim: Callable[[Client], Awaitable[Any]], mode: Any = "auto") -> Any:
    """Connect, and run something with the client."""

    async def connect() -> Any:
        async with Client(url, mode=mode) as client:
            return await claim(client)

    return asyncio.run(connect())


def test_both_eras_share_the_state_of_a_session_url(alone: Running) -> None:
    url = alone.mcp(alone.make())

    async def check() -> None:
        async with Client(url) as newer, Client(url, mode="legacy") as older:
            assert (newer.protocol_version, older.protocol_version) == ("2026-07-28", "2025-11-25")
            assert newer.instructions == older.instructions
            assert (await newer.list_tools()).tools == (await older.list_tools()).tools
            assert not (await newer.call_tool("register_member", CARD)).is_error
            found = await older.call_tool("find_member", {"email": CARD["email"]})
            assert found.structured_content is not None
            assert found.structured_content["name"] == "Ada Byron"
            other = {"name": "Charles B", "email": "charles@example.org"}
            assert not (await older.call_tool("register_member", other)).is_error
            assert not (await newer.call_tool("find_member", {"email": other["email"]})).is_error

    asyncio.run(check())


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_each_client_of_a_domain_url_has_a_session_of_its_own(alone: Running, mode: Any) -> None:
    url = f"{alone.url}/library/mcp"

    async def check() -> None:
        async with Client(url, mode=mode) as one, Client(url, mode=mode) as two:
            assert one.protocol_version == two.protocol_version == "2025-11-25"
            assert not (await one.call_tool("register_member", CARD)).is_error
            assert (await two.call_tool("find_member", {"email": CARD["email"]})).is_error
            assert not (await one.call_tool("find_member", {"email": CARD["email"]})).is_error

    before = len(alone.pool)
    asyncio.run(check())
    assert len(alone.pool) == before, "a client that leaves ends its session"


def test_two_session_urls_never_share_changes(alone: Running) -> None:
    one, two = alone.make(), alone.make()
    with_client(alone.mcp(one), lambda client: client.call_tool("register_member", CARD))
    assert with_client(
        alone.mcp(two), lambda client: client.call_tool("find_member", {"email": CARD["email"]})
    ).is_error
    assert [change["kind"] for change in alone.show(one)["changes"]] == ["added"]
    assert alone.show(two)["changes"] == []
    assert alone.show(one)["digest"] != alone.show(two)["digest"]


def test_a_session_header_lives_until_it_is_deleted(alone: Running) -> None:
    opened = alone.plain.post("/library/mcp", json=initialize(), headers=MCP)
    assert opened.status_code == 200
    assert opened.json()["result"]["protocolVersion"] == "2025-11-25"
    headers = {**MCP, "Mcp-Session-Id": opened.headers["mcp-session-id"], "MCP-Protocol-Version": "2025-11-25"}
    call = request("tools/call", name="register_member", arguments=CARD)
    assert alone.plain.post("/library/mcp", json=call, headers=headers).json()["result"]["isError"] is False
    assert alone.plain.get("/library/mcp", headers=headers).status_code == 405
    assert alone.plain.delete("/library/mcp", headers=headers).status_code == 204
    for method in ("POST", "DELETE"):
        gone = alone.plain.request(method, "/library/mcp", json=call, headers=headers)
        assert gone.status_code == 404, method
        assert "error" in gone.json()


def test_a_header_of_another_domain_is_unknown(tmp_path: Path, library: Domain) -> None:
    with running(library, make_domain(tmp_path)) as server:
        opened = server.plain.post("/small/mcp", json=initialize(), headers=MCP)
        headers = {**MCP, "Mcp-Session-Id": opened.headers["mcp-session-id"]}
        assert server.plain.post("/small/mcp", json=request("tools/list"), headers=headers).status_code == 200
        assert server.plain.post("/library/mcp", json=request("tools/list"), headers=headers).status_code == 404
        assert server.plain.delete("/library/mcp", headers=headers).status_code == 404
        assert server.plain.post("/hotel/mcp", json=initialize(), headers=MCP).status_code == 404
        assert {domain["name"] for domain in server.plain.get("/").json()["domains"]} == {"library", "small"}


def test_the_newer_protocol_on_a_domain_url_is_told_which_one_it_supports(alone: Running) -> None:
    newer = {**MCP, "MCP-Protocol-Version": "2026-07-28"}
    refused = alone.plain.post("/library/mcp", json=request("tools/list", 7), headers=newer)
    assert refused.status_code == 400
    assert refused.json()["id"] == 7
    assert refused.json()["error"]["data"] == {"supported": ["2025-11-25"], "requested": "2026-07-28"}


@pytest.mark.parametrize(
    "message",
    [
        pytest.param(request("tools/list"), id="another_request"),
        pytest.param({"jsonrpc": "2.0", "id": 1, "method": "initialize"}, id="initialize_without_params"),
        pytest.param([initialize()], id="batch"),
    ],
)
def test_only_a_valid_initialize_makes_a_session(alone: Running, message: Any) -> None:
    before = len(alone.pool)
    refused = alone.plain.post("/library/mcp", json=message, headers=MCP)
    assert refused.status_code == 400
    assert "initialize" in refused.json()["error"]
    assert "mcp-session-id" not in refused.headers
    assert len(alone.pool) == before


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": f"Bearer {TOKEN}x"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": "Bearer \xfc".encode("latin-1")},
    ],
    ids=["none", "wrong", "longer", "basic", "not_ascii"],
)
def test_the_admin_calls_need_the_token(alone: Running, headers: dict[str, Any]) -> None:
    session_id = alone.make()
    for method, path in (
        ("POST", "/sessions"),
        ("GET", f"/sessions/{session_id}"),
        ("GET", f"/sessions/{session_id}/state"),
        ("DELETE", f"/sessions/{session_id}"),
        ("GET", "/sessions/unknown"),
    ):
        before = len(alone.pool)
        refused = alone.plain.request(method, path, headers=headers)
        assert refused.status_code == 401, path
        assert TOKEN not in refused.text
        assert len(alone.pool) == before


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        pytest.param(b"{", "The body: Invalid JSON", id="bad_json"),
        pytest.param(b'{"domain": "hotel"}', "No domain 'hotel'; have: library.", id="unknown_domain"),
        pytest.param(
            b'{"colour": "red"}', "colour: Extra inputs are not permitted; have: domain, seed", id="unknown_key"
        ),
        pytest.param(b'{"seed": "x"}', "seed: Input should be a valid integer", id="seed_text"),
        pytest.param(b'{"size": -1}', "World size -1 is out of range", id="size_negative"),
        pytest.param(b'{"task": "x"}', "has no task 'x'; have: keep-a-book", id="unknown_task"),
        pytest.param(b'{"task": "keep-a-book", "seed": 5}', "say task, or seed and size", id="task_and_seed"),
    ],
)
def test_a_session_asked_for_wrongly_is_refused_in_one_sentence(alone: Running, body: bytes, sentence: str) -> None:
    before = len(alone.pool)
    refused = alone.plain.post("/sessions", content=body, headers=ADMIN)
    assert refused.status_code == 400
    assert list(refused.json()) == ["error"]
    assert sentence in refused.json()["error"]
    assert "\n" not in refused.json()["error"]
    assert "Traceback" not in refused.text
    assert len(alone.pool) == before


def test_a_session_says_where_it_is_and_what_it_holds(alone: Running, world: World) -> None:
    made = alone.plain.post("/sessions", json={"domain": "library", "seed": 3, "size": 100}, headers=ADMIN).json()
    assert made == {"id": made["id"], "domain": "library", "url": alone.mcp(made["id"])}
    assert len(made["id"]) >= 32
    shown = {"id": made["id"], "domain": "library", "calls": 0, "digest": f"{world.digest:032x}", "changes": []}
    assert alone.show(made["id"]) == shown
    with_client(made["url"], lambda client: client.call_tool("register_member", CARD))
    shown = alone.show(made["id"])
    assert shown["calls"] == 1
    (change,) = shown["changes"]
    assert (change["table"], change["kind"], change["after"]["email"]) == ("member", "added", "ada@example.org")


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("task_id", ["keep-a-book", "card-and-queue", "late-and-next"])
def test_a_task_played_over_http_is_judged_from_its_state(
    alone: Running, library: Domain, task_id: str, mode: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session_id = alone.make(task=task_id)
    assert alone.show(session_id)["digest"] == read_tasks(library)[task_id].world.digest
    state, verify = tmp_path / "state.db", ["verify", "--domain", str(LIBRARY), "--task", task_id]
    state.write_bytes(alone.plain.get(f"/sessions/{session_id}/state", headers=ADMIN).content)
    assert main([*verify, str(state)]) == 1, "nothing was done"
    told = with_client(alone.mcp(session_id), lambda client: play_chain(client, library, task_id), mode)
    answer = alone.plain.get(f"/sessions/{session_id}/state", headers=ADMIN)
    assert answer.headers["content-type"] == "application/vnd.sqlite3"
    state.write_bytes(answer.content)
    status = main([*verify, *(f"--told={name}={value}" for name, value in told.items()), str(state)])
    assert status == 0, capsys.readouterr().out


def test_an_ended_session_is_gone_everywhere(alone: Running) -> None:
    session_id, other = alone.make(), alone.make()
    assert alone.plain.delete(f"/sessions/{session_id}", headers=ADMIN).status_code == 204
    for name in (session_id, "never-was", f"{other}x", other[:-1]):
        for path in (f"/sessions/{name}", f"/sessions/{name}/state"):
            assert alone.plain.get(path, headers=ADMIN).status_code == 404
        assert alone.plain.delete(f"/sessions/{name}", headers=ADMIN).status_code == 404
        gone = alone.plain.post(f"/s/{name}/mcp", json=request("tools/list"), headers=MCP)
        assert gone.status_code == 404
        assert "error" in gone.json()
    assert alone.show(other)["id"] == other


def test_room_is_made_by_ending_a_session(library: Domain) -> None:
    with running(library, most_sessions=2) as server:
        first, _ = server.make(), server.make()
        full = server.plain.post("/sessions", headers=ADMIN)
        assert full.status_code == 503
        assert full.json() == {"error": "The server has 2 sessions, its limit; end one first."}
        assert server.plain.post("/library/mcp", json=initialize(), headers=MCP).status_code == 503
        assert server.plain.delete(f"/sessions/{first}", headers=ADMIN).status_code == 204
        server.make()
        assert len(server.pool) == 2


def test_idle_sessions_are_ended_and_used_ones_are_not(library: Domain) -> None:
    with running(library, idle_seconds=1.5) as server:
        idle, used = server.make(), server.make()
        opened = server.plain.post("/library/mcp", json=initialize(), headers=MCP)
        ping = request("tools/call", name="search_books", arguments={"words": "the"})

        def idle_is_gone() -> bool:
            assert server.plain.post(f"/s/{used}/mcp", json=ping, headers=MCP).status_code == 200
            return server.pool.find(idle) is None and server.pool.find(opened.headers["mcp-session-id"]) is None

        until(idle_is_gone)
        assert server.plain.post(f"/s/{idle}/mcp", json=ping, headers=MCP).status_code == 404
        assert server.plain.get(f"/sessions/{used}", headers=ADMIN).status_code == 200


def test_a_world_that_cannot_be_built_is_the_servers_fault_in_one_sentence(tmp_path: Path) -> None:
    broken = make_domain(tmp_path, world='"""Crash."""\n\n\ndef populate(world):\n    return 1 // (world.seed - 1)\n')
    with running(broken, open_session=partial(open_asked_session, WorldCache())) as server:
        for answer in (
            server.plain.post("/sessions", headers=ADMIN),
            server.plain.post("/small/mcp", json=initialize(), headers=MCP),
        ):
            assert answer.status_code == 500
            assert answer.json() == {"error": "The world of 'small' cannot be built; the server's log says why."}
        assert len(server.pool) == 0
        assert server.plain.post("/sessions", json={"seed": 4}, headers=ADMIN).status_code == 201
