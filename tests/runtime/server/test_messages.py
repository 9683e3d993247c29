"""Messages as no client writes them, in both eras: one sentence each, nothing performed, nothing logged."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.runtime.server.process import ADMIN, NEWER, OLDER, Process, call_of, headers_of, of_era, serving
from tests.runtime.server.running import initialize, request

ERAS = [pytest.param(OLDER, id="older"), pytest.param(NEWER, id="newer")]


@pytest.fixture(scope="module")
def served() -> Iterator[Process]:
    with serving() as process:
        yield process


@pytest.fixture(scope="module")
def session_id(served: Process) -> str:
    return served.make()


def register(era: str, **changes: Any) -> dict[str, Any]:
    """A call that writes."""
    arguments = {"name": "Ada Byron", "email": "ada@example.org"}
    return {**of_era(request("tools/call", name="register_member", arguments=arguments), era), **changes}


REFUSED = [
    pytest.param({"id": 1.5}, "id", id="id_float"),
    pytest.param({"id": True}, "id", id="id_boolean"),
    pytest.param({"id": None}, "id", id="id_null"),
    pytest.param({"id": [1]}, "id", id="id_list"),
    pytest.param({"id": {}}, "id", id="id_object"),
    pytest.param({"jsonrpc": "1.0"}, "jsonrpc", id="other_jsonrpc"),
    pytest.param({"jsonrpc": 2.0}, "jsonrpc", id="jsonrpc_number"),
    pytest.param({"method": None}, "method", id="method_null"),
    pytest.param({"method": ["tools/call"]}, "method", id="method_list"),
    pytest.param({"params": [1]}, "params", id="params_list"),
    pytest.param({"params": "x"}, "params", id="params_text"),
]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(("changes", "named"), REFUSED)
def test_a_message_of_the_wrong_form_is_refused_with_what_is_wrong(
    served: Process, session_id: str, era: str, changes: dict[str, Any], named: str
) -> None:
    answer = served.call(session_id, json.dumps(register(era, **changes)).encode(), era)
    assert answer.status == 400
    assert named in answer.sentence
    assert served.count(session_id) == 0


def deep(levels: int) -> bytes:
    """An array in an array, and so on."""
    return b"[" * levels + b"]" * levels


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda body: b"", id="empty"),
        pytest.param(lambda body: body[:-1], id="cut_off"),
        pytest.param(lambda body: body + b"{}", id="two_messages"),
        pytest.param(lambda body: b"[" + body + b"]", id="batch"),
        pytest.param(lambda body: b"[" + body + b"," + body + b"]", id="batch_of_two"),
        pytest.param(lambda body: deep(10_000), id="deep"),
        pytest.param(lambda body: body.replace(b'"Ada Byron"', deep(10_000)), id="deep_argument"),
        pytest.param(lambda body: body.replace(b'"Ada Byron"', b"9" * 5_000), id="huge_integer"),
        pytest.param(lambda body: body.replace(b"Ada", b"\xff"), id="invalid_utf8"),
        pytest.param(lambda body: body.decode().encode("utf-16"), id="utf16"),
        pytest.param(lambda body: b"\xef\xbb\xbf" + body, id="byte_order_mark"),
        pytest.param(lambda body: gzip.compress(body), id="gzip_unnamed"),
        pytest.param(lambda body: body.replace(b'"2.0"', b"'2.0'"), id="other_quotes"),
    ],
)
def test_a_body_that_is_not_one_message_is_refused(served: Process, session_id: str, era: str, damage: Any) -> None:
    answer = served.call(session_id, damage(json.dumps(register(era)).encode()), era)
    assert answer.status == 400
    assert "\n" not in answer.sentence
    assert answer.sentence.endswith(".")
    assert served.count(session_id) == 0


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("value", [b"NaN", b"-Infinity", b"1e999", deep(150), b"9" * 4_000, b'"\\u0000"'])
def test_a_value_that_is_no_argument_is_a_rejection_and_no_fault(served: Process, era: str, value: bytes) -> None:
    session_id = served.make()
    body = json.dumps(register(era)).encode().replace(b'"Ada Byron"', value)
    answer = served.call(session_id, body, era)
    assert answer.status == 200
    result = json.loads(answer.body)["result"]
    assert result["isError"] is True
    assert result["content"][0]["text"].startswith("INVALID_ARGUMENT: ")


@pytest.mark.parametrize("era", ERAS)
def test_of_a_key_that_appears_twice_the_last_one_counts(served: Process, session_id: str, era: str) -> None:
    body = json.dumps(of_era(request("tools/list"), era)).encode().replace(b'"id": 1', b'"id": 1, "id": 2')
    answer = served.call(session_id, body, era)
    assert (answer.status, json.loads(answer.body)["id"]) == (200, 2)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("name", ["", 7, 10**400, "x" * 100_000, "-1", "\x00"])
def test_an_id_comes_back_as_it_was(served: Process, session_id: str, era: str, name: int | str) -> None:
    answer = served.call(session_id, json.dumps({**of_era(request("tools/list"), era), "id": name}).encode(), era)
    assert answer.status == 200
    assert json.loads(answer.body)["id"] == name


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    "method", ["evil/x", "", "tools/call/x", "__class__", "subscriptions/listen", "logging/setLevel", "x" * 5_000]
)
def test_a_method_that_is_not_served_is_named(served: Process, session_id: str, era: str, method: str) -> None:
    answer = served.call(session_id, json.dumps(of_era(request(method), era)).encode(), era)
    assert json.loads(answer.body)["error"]["code"] in (-32601, -32602)
    assert b"Traceback" not in answer.body


@pytest.mark.parametrize("era", ERAS)
def test_a_notification_of_any_kind_does_nothing(served: Process, session_id: str, era: str) -> None:
    for method, params in (
        ("notifications/cancelled", {"requestId": []}),
        ("notifications/cancelled", {"requestId": 1}),
        ("notifications/initialized", {}),
        ("tools/call", {"name": "register_member", "arguments": {}}),
        ("evil/x", {"a": 1}),
    ):
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode()
        assert served.call(session_id, body, era).status == 202
    assert served.count(session_id) == 0


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        (["Accept: text/html", "Content-Type: application/json"], 406),
        (["Content-Type: application/json"], 406),
        (["Accept: */*", "Content-Type: text/plain"], 415),
        (["Accept: */*"], 415),
        (["Accept: */*", "Content-Type: application/jsonp"], 415),
        (["Accept: */*", "Content-Type: multipart/form-data; x=application/json"], 415),
        (["Accept: */*", "Content-Type: application/json; charset=utf-8"], 200),
    ],
)
def test_only_json_is_taken_and_given(served: Process, session_id: str, lines: list[str], status: int) -> None:
    opening = json.dumps(initialize()).encode()
    for path in (f"/s/{session_id}/mcp", "/library/mcp"):
        answer = served.ask("POST", path, opening, lines)
        assert answer.status == status
        assert status == 200 or answer.sentence.endswith(".")


def test_a_session_ends_for_whoever_opened_it_and_nobody_else(served: Process) -> None:
    made = served.make()
    opening = json.dumps(initialize()).encode()
    opened = served.ask("POST", "/library/mcp", opening, headers_of(OLDER, opening))
    own = next(line for line in opened.head.splitlines() if line.lower().startswith("mcp-session-id:"))
    call = call_of("search_books", {"words": "the"})
    for era in (OLDER, NEWER):
        headers = headers_of(era, b"")
        refused = served.ask("DELETE", f"/s/{made}/mcp", b"", headers)
        assert (refused.status, refused.sentence) == (405, "This URL serves POST.")
        assert served.ask("DELETE", "/library/mcp", b"", [*headers, f"Mcp-Session-Id: {made}"]).status in (400, 404)
    for method, path, headers in (
        ("DELETE", "/library/mcp", [f"Mcp-Session-Id: {made}"]),
        ("POST", "/library/mcp", [*headers_of(OLDER, call), f"Mcp-Session-Id: {made}"]),
        ("DELETE", f"/sessions/{made}", []),
        ("DELETE", f"/sessions/{made}", [f"Mcp-Session-Id: {made}"]),
    ):
        assert served.ask(method, path, call if method == "POST" else b"", headers).status in (401, 404)
    assert served.call(made, call).status == 200, "it lives"
    assert served.ask("DELETE", "/library/mcp", b"", [own]).status == 204, "its client ends it"
    assert served.ask("POST", "/library/mcp", call, [*headers_of(OLDER, call), own]).status == 404
    assert served.ask("DELETE", f"/sessions/{made}", headers=[ADMIN]).status == 204


@pytest.mark.parametrize(
    "session_name", ["", " ", "x", "\xff\xfe", "'; DROP TABLE session; --", "../../sessions", "a" * 10_000, "\u20ac"]
)
def test_a_session_id_that_is_guessed_or_odd_leads_nowhere(served: Process, session_name: str) -> None:
    line = f"Mcp-Session-Id: {session_name}".encode().decode("latin-1")
    call = call_of("search_books", {"words": "the"})
    for method in ("POST", "GET", "DELETE"):
        answer = served.ask(method, "/library/mcp", call if method == "POST" else b"", [*headers_of(OLDER, call), line])
        assert (answer.status, answer.sentence) == (404, "Session not found; initialize a new one.")
