"""Requests that no client should send: each is refused, creates nothing, and leaves the server serving."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from runtime.domain.domain import Domain
from tests.runtime.server.running import ADMIN, LATE, MCP, Running, initialize, request, running

NEWER = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"}


@pytest.fixture(scope="module")
def served(library: Domain) -> Iterator[Running]:
    """One server for all; a test must leave its pool as it was."""
    with running(library, body_bytes=300_000) as server:
        yield server


@pytest.fixture(scope="module")
def session_id(served: Running) -> str:
    """A session that nothing malformed may reach."""
    return served.make()


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil", ""])
def test_a_host_that_is_not_the_servers_reaches_nothing(served: Running, host: str) -> None:
    session_id = served.make()
    opened = served.plain.post("/library/mcp", json=initialize(), headers=MCP)
    header = {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
    before = set(served.pool._sessions)
    for method, path, headers in (
        ("GET", "/", {}),
        ("POST", "/sessions", ADMIN),
        ("GET", f"/sessions/{session_id}", ADMIN),
        ("GET", f"/sessions/{session_id}/state", ADMIN),
        ("DELETE", f"/sessions/{session_id}", ADMIN),
        ("POST", f"/s/{session_id}/mcp", MCP),
        ("GET", f"/s/{session_id}/mcp", MCP),
        ("DELETE", f"/s/{session_id}/mcp", MCP),
        ("POST", "/s/unknown/mcp", MCP),
        ("POST", "/library/mcp", MCP),
        ("POST", "/library/mcp", {**MCP, **NEWER}),
        ("POST", "/library/mcp", {**MCP, **header}),
        ("DELETE", "/library/mcp", {**MCP, **header}),
    ):
        body = json.dumps(initialize()) if headers is not ADMIN and method == "POST" else ""
        refused = served.plain.request(method, path, content=body, headers={**headers, "Host": host})
        assert refused.status_code == 421, (method, path)
        assert set(served.pool._sessions) == before
    for session in (session_id, header["Mcp-Session-Id"]):
        served.plain.delete(f"/sessions/{session}", headers=ADMIN)


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost.evil.example", "file://"])
def test_a_page_from_elsewhere_reaches_nothing(served: Running, origin: str) -> None:
    session_id = served.make()
    for method, path, headers in (
        ("GET", "/", {}),
        ("POST", "/sessions", ADMIN),
        ("DELETE", f"/sessions/{session_id}", ADMIN),
        ("POST", f"/s/{session_id}/mcp", MCP),
        ("POST", "/library/mcp", MCP),
    ):
        before = len(served.pool)
        body = json.dumps(initialize()) if headers is MCP else ""
        refused = served.plain.request(method, path, content=body, headers={**headers, "Origin": origin})
        assert refused.status_code == 403, (method, path)
        assert len(served.pool) == before
    local = {**MCP, "Origin": served.url}
    assert served.plain.post(f"/s/{session_id}/mcp", json=initialize(), headers=local).status_code == 200
    served.plain.delete(f"/sessions/{session_id}", headers=ADMIN)


def call_with(argument: bytes) -> bytes:
    """A call whose one argument is written by hand."""
    head = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find_member","arguments":{"email":'
    return head + argument + b"}}}"


MALFORMED = [
    pytest.param(b"", id="empty"),
    pytest.param(b"{", id="cut_off"),
    pytest.param(b"null", id="null"),
    pytest.param(b"[]", id="empty_batch"),
    pytest.param(json.dumps([request("tools/list")] * 2).encode(), id="batch"),
    pytest.param(b"[" * 100_000, id="nested_lists"),
    pytest.param(b'{"a":' * 50_000, id="nested_objects"),
    pytest.param(call_with(b"[" * 100_000 + b"]" * 100_000), id="nested_argument"),
    pytest.param(b"\xff\xfe\x00", id="no_utf8"),
    pytest.param(call_with(b'"\xff"'), id="no_utf8_inside"),
    pytest.param(call_with(b"1" + b"0" * 5_000), id="endless_number"),
    pytest.param(b'{"jsonrpc":"2.0"}', id="no_method"),
    pytest.param(b'{"jsonrpc":"1.0","id":1,"method":"tools/list"}', id="older_jsonrpc"),
    pytest.param(b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', id="lone_surrogate"),
    pytest.param(b'{"jsonrpc":"2.0","id":1,"method":7}', id="method_number"),
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
        pytest.param({**MCP, "Accept": ""}, id="accept_nothing"),
        pytest.param({**MCP, "Content-Type": "text/plain"}, id="plain_text"),
        pytest.param({**MCP, "Content-Type": "multipart/form-data"}, id="form"),
        pytest.param({"Accept": MCP["Accept"]}, id="no_content_type"),
        pytest.param({**MCP, "MCP-Protocol-Version": "1999-01-01"}, id="unknown_version"),
        pytest.param({**MCP, "MCP-Protocol-Version": "\xfc".encode("latin-1")}, id="version_not_ascii"),
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
    assert "Traceback" not in refused.text
    error = refused.json()["error"]
    sentence = error["message"] if isinstance(error, dict) else error
    assert "\n" not in sentence
    assert len(served.pool) == before
    assert session.call_count == calls
    called = request("tools/call", name="calculate_late_fee", arguments=LATE)
    assert served.plain.post(f"/s/{session_id}/mcp", json=called, headers=MCP).json()["result"]["isError"] is False


@pytest.mark.parametrize(
    "argument", [b"NaN", b"-Infinity", b"1e400", b"[" * 100 + b"]" * 100, b'"\\u0000"', b"9" * 400, b"null"]
)
def test_odd_values_that_are_json_to_a_lenient_reader_are_rejections(served: Running, argument: bytes) -> None:
    session_id = served.make()
    answer = served.plain.post(f"/s/{session_id}/mcp", content=call_with(argument), headers=MCP)
    assert answer.status_code == 200
    result = answer.json()["result"]
    assert result["isError"] is True
    assert result["content"][0]["text"].startswith("INVALID_ARGUMENT: ")
    served.plain.delete(f"/sessions/{session_id}", headers=ADMIN)


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_that_is_too_large_is_refused(served: Running, chunked: bool) -> None:
    session_id = served.make()

    def pieces() -> Iterator[bytes]:
        for _ in range(40):
            yield b" " * 10_000

    for path, headers in (("/sessions", ADMIN), ("/library/mcp", MCP), (f"/s/{session_id}/mcp", MCP)):
        before = len(served.pool)
        content: Any = pieces() if chunked else b" " * 400_000
        assert served.plain.post(path, content=content, headers=headers).status_code == 413
        assert len(served.pool) == before
    served.plain.delete(f"/sessions/{session_id}", headers=ADMIN)
    served.lives()


def test_methods_and_paths_that_do_not_exist_are_refused(served: Running) -> None:
    session_id = served.make()
    for method in ("GET", "PUT", "PATCH", "HEAD", "OPTIONS", "DELETE"):
        assert served.plain.request(method, "/sessions", headers=ADMIN).status_code == 405
        assert 400 <= served.plain.request(method, f"/s/{session_id}/mcp", headers=MCP).status_code < 500
        assert 400 <= served.plain.request(method, "/library/mcp", headers=MCP).status_code < 500
    for path in ("/mcp", "/s//mcp", "/s/../sessions", "/library", "/library/mcp/x", "/%2e%2e/mcp", "/s/%00/mcp"):
        assert 400 <= served.plain.post(path, json=initialize(), headers=MCP).status_code < 500, path
    assert served.show(session_id)["calls"] == 0
    served.plain.delete(f"/sessions/{session_id}", headers=ADMIN)
    served.lives()
