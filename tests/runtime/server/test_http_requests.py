"""Requests that no client should send: each is refused, creates nothing, and leaves the server serving."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from runtime.domain.domain import Domain
from runtime.errors import UsageError
from runtime.server.http import HttpServer, HttpSettings
from tests.runtime.server.running import ADMIN, LATE, MCP, Running, initialize, open_from_start, request, running

NEWER = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"}


@pytest.fixture(scope="module")
def served(library: Domain) -> Iterator[Running]:
    """One server for all; a test must leave its pool as it was."""
    with running(library, body_bytes=300_000, allowed_hosts=("worlds.example", "proxied.example:8443")) as server:
        yield server


@pytest.fixture(scope="module")
def session_id(served: Running) -> str:
    """A session that nothing malformed may reach."""
    return served.make()


def ways_in(session_id: str) -> list[tuple[str, str, dict[str, str]]]:
    """The admin's requests, a session's URL, and a domain's URL; the last one would end the session."""
    return [
        ("GET", "/", {}),
        ("POST", "/sessions", ADMIN),
        ("GET", f"/sessions/{session_id}", ADMIN),
        ("GET", f"/sessions/{session_id}/state", ADMIN),
        ("POST", f"/s/{session_id}/mcp", MCP),
        ("POST", "/library/mcp", MCP),
        ("POST", "/library/mcp", {**MCP, **NEWER}),
        ("DELETE", f"/sessions/{session_id}", ADMIN),
    ]


def ask(served: Running, method: str, path: str, headers: dict[str, Any]) -> Any:
    """Ask with an initialize as the body where MCP is spoken."""
    body = json.dumps(initialize()) if "Accept" in headers else ""
    return served.plain.request(method, path, content=body, headers=headers)


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil", "", "proxied.example", "xworlds.example"]
)
def test_a_host_that_is_not_the_servers_reaches_nothing(served: Running, session_id: str, host: str) -> None:
    before = set(served.pool._sessions)
    for method, path, headers in ways_in(session_id):
        refused = ask(served, method, path, {**headers, "Host": host})
        assert refused.status_code == 421, (method, path)
        assert refused.json()["error"] == f"{host!r} is not a name of this server; --allow-host adds one."
    assert set(served.pool._sessions) == before


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost.evil.example", "file://"])
def test_a_page_from_elsewhere_reaches_nothing(served: Running, session_id: str, origin: str) -> None:
    before = set(served.pool._sessions)
    for method, path, headers in ways_in(session_id):
        refused = ask(served, method, path, {**headers, "Origin": origin})
        assert refused.status_code == 403, (method, path)
        assert "--allow-host adds their host" in refused.json()["error"]
    assert set(served.pool._sessions) == before


def test_the_servers_own_names_and_the_allowed_ones_are_served(served: Running) -> None:
    port = served.url.rpartition(":")[2]
    for host in (f"localhost:{port}", f"[::1]:{port}", "worlds.example", "worlds.example:81", "proxied.example:8443"):
        assert served.plain.get("/", headers={"Host": host}).status_code == 200, host
    for origin in (served.url, "https://worlds.example", "http://proxied.example:8443"):
        answer = served.plain.get("/", headers={"Origin": origin})
        assert answer.status_code == 200, origin
        assert answer.headers["access-control-allow-origin"] == origin
    assert "access-control-allow-origin" not in served.plain.get("/").headers


@pytest.mark.parametrize("origin", ["https://worlds.example", "http://proxied.example:8443", "http://localhost:6274"])
def test_a_page_of_an_allowed_name_may_open_a_session_and_read_its_id(served: Running, origin: str) -> None:
    wanted = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type, mcp-session-id"}
    allowed = served.plain.options("/library/mcp", headers={"Origin": origin, **wanted})
    assert (allowed.status_code, allowed.headers["access-control-allow-origin"]) == (200, origin)
    assert "POST" in allowed.headers["access-control-allow-methods"]
    assert allowed.headers["access-control-allow-headers"] == "content-type, mcp-session-id"
    opened = served.plain.post("/library/mcp", json=initialize(), headers={**MCP, "Origin": origin})
    assert "Mcp-Session-Id" in opened.headers["access-control-expose-headers"]
    session = {"Mcp-Session-Id": opened.headers["mcp-session-id"], "Origin": origin}
    assert served.plain.delete("/library/mcp", headers=session).status_code == 204


@pytest.mark.parametrize("origin", ["https://evil.example", "http://proxied.example:1", "null"])
def test_a_page_from_elsewhere_is_allowed_nothing(served: Running, origin: str) -> None:
    wanted = {"Origin": origin, "Access-Control-Request-Method": "POST"}
    refused = served.plain.options("/library/mcp", headers=wanted)
    assert refused.status_code == 403
    assert not [name for name in refused.headers if name.startswith("access-control")]


@pytest.mark.parametrize("token", ["", "two words", "caf\xe9", "line\n"])
def test_a_token_that_no_header_can_carry_is_refused_at_the_start(library: Domain, token: str) -> None:
    with pytest.raises(UsageError, match="ASCII characters without spaces"):
        HttpServer({library.name: library}, open_from_start, HttpSettings(admin_token=token))


def call_with(argument: bytes) -> bytes:
    """A call whose one argument is written by hand."""
    head = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find_member","arguments":{"email":'
    return head + argument + b"}}}"


MALFORMED = [
    pytest.param(b"{", id="cut_off"),
    pytest.param(json.dumps([request("tools/list")] * 2).encode(), id="batch"),
    pytest.param(call_with(b"[" * 100_000 + b"]" * 100_000), id="nested_argument"),
    pytest.param(b"\xff\xfe\x00", id="no_utf8"),
    pytest.param(b'{"jsonrpc":"1.0","id":1,"method":"tools/list"}', id="older_jsonrpc"),
]
PATHS = ["session", "domain"]


@pytest.mark.parametrize("where", PATHS)
@pytest.mark.parametrize("era", [pytest.param({}, id="older"), pytest.param(NEWER, id="newer")])
@pytest.mark.parametrize("body", MALFORMED)
def test_a_malformed_message_is_refused_and_the_server_lives(
    served: Running, session_id: str, where: str, era: dict[str, str], body: bytes
) -> None:
    assert_refused(served, session_id, where, body, {**MCP, **era})


@pytest.mark.parametrize("where", PATHS)
@pytest.mark.parametrize(
    "headers",
    [
        pytest.param({**MCP, "Accept": "text/html"}, id="accept_html"),
        pytest.param({**MCP, "Content-Type": "text/plain"}, id="plain_text"),
        pytest.param({**MCP, "MCP-Protocol-Version": "1999-01-01"}, id="unknown_version"),
    ],
)
def test_wrong_headers_are_refused_and_the_server_lives(
    served: Running, session_id: str, where: str, headers: dict[str, Any]
) -> None:
    assert_refused(served, session_id, where, json.dumps(initialize()).encode(), headers)


def assert_refused(served: Running, session_id: str, where: str, body: bytes, headers: dict[str, Any]) -> None:
    """A 4xx without a traceback that makes no session and reaches none."""
    session = served.pool._sessions[session_id].session
    before, calls = len(served.pool), session.call_count
    path = f"/s/{session_id}/mcp" if where == "session" else "/library/mcp"
    refused = served.plain.post(path, content=body, headers=headers)
    assert 400 <= refused.status_code < 500, refused.text
    assert refused.text
    assert "Traceback" not in refused.text
    assert len(served.pool) == before
    assert session.call_count == calls
    called = request("tools/call", name="calculate_late_fee", arguments=LATE)
    assert served.plain.post(f"/s/{session_id}/mcp", json=called, headers=MCP).json()["result"]["isError"] is False


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_that_is_too_large_is_refused(served: Running, session_id: str, chunked: bool) -> None:
    def pieces() -> Iterator[bytes]:
        for _ in range(40):
            yield b" " * 10_000

    for path, headers in (("/sessions", ADMIN), ("/library/mcp", MCP), (f"/s/{session_id}/mcp", MCP)):
        before = len(served.pool)
        content: Any = pieces() if chunked else b" " * 400_000
        refused = served.plain.post(path, content=content, headers=headers)
        assert (refused.status_code, refused.json()["error"]) == (413, "The body is larger than 300000 bytes.")
        assert len(served.pool) == before
    served.lives()


def test_one_connection_too_many_is_refused_and_the_others_are_served(library: Domain) -> None:
    with running(library, most_connections=4) as server, ExitStack() as stack:
        server.lives()  # one connection, which stays open
        address = ("127.0.0.1", int(server.url.rpartition(":")[2]))
        opened = [stack.enter_context(socket.create_connection(address, timeout=20)) for _ in range(4)]
        opened[3].sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert opened[3].recv(65_536).startswith(b"HTTP/1.1 503 ")
        opened[3].close()
        opened[2].sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert opened[2].recv(65_536).startswith(b"HTTP/1.1 200 ")
