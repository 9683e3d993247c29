"""Who may ask, tried with raw sockets: names of the server, origins of pages, tokens, heads, paths and methods."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from runtime.errors import UsageError
from runtime.server.admission import Admission
from tests.runtime.server.process import (
    ADMIN,
    NEWER,
    OLDER,
    Process,
    call_of,
    headers_of,
    read_answer,
    read_to_end,
    serving,
)
from tests.runtime.server.running import TOKEN, initialize

CALL = {era: call_of("search_books", {"words": "the"}, era) for era in (OLDER, NEWER)}
OPENING = json.dumps(initialize()).encode()


@pytest.fixture(scope="module")
def served() -> Iterator[Process]:
    with serving(allowed_hosts=["worlds.example", "proxied.example:8443", "localhost:3000"]) as process:
        yield process


@pytest.fixture(scope="module")
def session_id(served: Process) -> str:
    return served.make()


Way = tuple[str, str, bytes, list[str]]


def ways_in(session_id: str) -> list[Way]:
    """The admin's requests, a session's URL in both eras, and a domain's URL; the last one would end the session."""
    return [
        ("GET", "/", b"", []),
        ("POST", "/sessions", b"{}", [ADMIN]),
        ("GET", f"/sessions/{session_id}", b"", [ADMIN]),
        ("GET", f"/sessions/{session_id}/state", b"", [ADMIN]),
        *(("POST", f"/s/{session_id}/mcp", CALL[era], headers_of(era, CALL[era])) for era in (OLDER, NEWER)),
        ("POST", "/library/mcp", OPENING, headers_of(OLDER, OPENING)),
        ("POST", "/library/mcp", CALL[NEWER], headers_of(NEWER, CALL[NEWER])),
        ("GET", "/nothing", b"", []),
        ("DELETE", f"/sessions/{session_id}", b"", [ADMIN]),
    ]


FOREIGN_HOSTS = [
    "localhost:evil.com",
    "127.0.0.1:99999",
    "127.0.0.1:1",
    "localhost:{port}@evil",
    "user@localhost:{port}",
    "localhost:{port}.evil",
    "localhost:0{port}",
    "localhost:+{port}",
    "localhost:",
    "localhost",
    "localhost.:{port}",
    "127.1:{port}",
    "2130706433:{port}",
    "0.0.0.0:{port}",
    "[::]:{port}",
    "[::1]:1",
    "[::1%25lo]:{port}",
    "[::ffff:127.0.0.1]:{port}",
    "::1:{port}",
    "[::1:{port}",
    "evil.example",
    "evil.example:{port}",
    "localhost:{port}/",
    "localhost:{port}, evil",
    "local host:{port}",
    "localhost:{port}\xb2",
    "l\xf6calhost:{port}",
    "",
    "worlds.example:8443",
    "proxied.example",
    "proxied.example:{port}",
    "worlds.example.:{port}",
    "xworlds.example",
]


@pytest.mark.parametrize("host", FOREIGN_HOSTS)
def test_a_name_that_is_not_the_servers_reaches_nothing(served: Process, session_id: str, host: str) -> None:
    before = served.count(session_id)
    for method, path, body, headers in ways_in(session_id):
        answer = served.ask(method, path, body, headers, host=host.format(port=served.port))
        assert answer.status == 421, answer
        assert answer.sentence.endswith("is not a name of this server; --allow-host adds one.")
    assert served.count(session_id) == before


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1:{port}",
        "localhost:{port}",
        "LocalHost:{port}",
        "[::1]:{port}",
        "[0:0:0:0:0:0:0:1]:{port}",
        "worlds.example",
        "WORLDS.example",
        "worlds.example:{port}",
        "proxied.example:8443",
        "localhost:3000",
    ],
)
def test_the_servers_own_names_and_the_allowed_ones_are_served(served: Process, session_id: str, host: str) -> None:
    answer = served.ask("GET", f"/sessions/{session_id}", headers=[ADMIN], host=host.format(port=served.port))
    assert answer.status == 200


@pytest.mark.parametrize(
    "origin",
    [
        "http://localhost:evil.com",
        "http://localhost:{port}@evil",
        "http://evil@localhost:{port}",
        "http://localhost:99999",
        "http://localhost:8080",
        "http://localhost",
        "https://localhost",
        "http://localhost:{port}/",
        "http://localhost:{port}.evil",
        "http://localhost.:{port}",
        "http://[::1]:1",
        "ftp://localhost:{port}",
        "file://",
        "null",
        "",
        "http://",
        "//localhost:{port}",
        "localhost:{port}",
        "http://evil.example",
        "http://worlds.example:8080",
        "http://proxied.example",
        "chrome-extension://abcdef",
        "http://localhost:{port} http://evil.example",
    ],
)
def test_a_page_from_elsewhere_reaches_nothing(served: Process, session_id: str, origin: str) -> None:
    before = served.count(session_id)
    for method, path, body, headers in ways_in(session_id):
        answer = served.ask(method, path, body, [*headers, f"Origin: {origin.format(port=served.port)}"])
        assert answer.status == 403, answer
        assert "may not ask here" in answer.sentence
    assert served.count(session_id) == before


@pytest.mark.parametrize(
    "origin",
    [
        "http://localhost:{port}",
        "HTTP://LOCALHOST:{port}",
        "http://127.0.0.1:{port}",
        "http://[::1]:{port}",
        "http://worlds.example",
        "https://worlds.example",
        "https://proxied.example:8443",
        "http://localhost:3000",
    ],
)
def test_a_page_of_the_server_or_of_an_allowed_name_is_served(served: Process, session_id: str, origin: str) -> None:
    for method, path, body, headers in ways_in(session_id)[:-1]:
        answer = served.ask(method, path, body, [*headers, f"Origin: {origin.format(port=served.port)}"])
        expected = {"/nothing": 404, "/sessions": 201}
        assert answer.status == (400 if body == CALL[NEWER] and path == "/library/mcp" else expected.get(path, 200))
        assert "access-control" not in answer.head.lower()


def test_two_origins_or_hosts_are_refused(served: Process) -> None:
    own = f"Origin: http://localhost:{served.port}"
    assert served.ask("GET", "/", headers=[own, "Origin: http://evil.example"]).status == 403
    assert served.ask("GET", "/", headers=[own, own]).status == 403
    assert served.ask("GET", "/", headers=[f"Host: 127.0.0.1:{served.port}"]).status == 400
    for version, status in (("1.1", 400), ("1.0", 421)):
        answer = served.send(f"GET / HTTP/{version}\r\n\r\n".encode())
        assert answer.status == status
        assert answer.sentence


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param([], id="none"),
        pytest.param([f"Authorization: {TOKEN}"], id="no_scheme"),
        pytest.param([f"Authorization: Bearer  {TOKEN}"], id="two_spaces"),
        pytest.param([f"Authorization: Bearer Bearer {TOKEN}"], id="twice"),
        pytest.param([f"Authorization: Basic {TOKEN}"], id="basic"),
        pytest.param(["Authorization: Bearer"], id="empty"),
        pytest.param([f"Authorization: Bearer {TOKEN[:-1]}"], id="shorter"),
        pytest.param([f"Authorization: Bearer {TOKEN}\xe9"], id="not_ascii"),
        pytest.param([f"Authorization: Bearer {TOKEN}, Bearer x"], id="list"),
        pytest.param([ADMIN, "Authorization: Bearer x"], id="second_wrong"),
        pytest.param(["Authorization: Bearer x", ADMIN], id="first_wrong"),
        pytest.param([ADMIN, ADMIN], id="two"),
    ],
)
def test_only_exactly_one_right_token_is_the_admins(served: Process, session_id: str, lines: list[str]) -> None:
    for method, path, body, headers in ways_in(session_id):
        if ADMIN in headers:
            answer = served.ask(method, path, body, lines)
            assert answer.status == 401
            assert "www-authenticate: bearer" in answer.head.lower()
            assert TOKEN.encode() not in answer.body
    assert served.ask("GET", f"/sessions/{session_id}", headers=[ADMIN.replace("Bearer", "bearer")]).status == 200


@pytest.mark.parametrize("token", ["", "two words", "caf\xe9", "line\n"])
def test_a_token_that_no_header_can_carry_is_refused_at_the_start(token: str) -> None:
    with pytest.raises(UsageError, match="ASCII characters without spaces"):
        Admission("127.0.0.1", (), token)


@pytest.mark.parametrize("name", ["http://a.example", "a.example:0", "a.example:port", "a.example/", "*", "", "[::g]"])
def test_an_allowed_name_that_is_none_is_refused_at_the_start(name: str) -> None:
    with pytest.raises(UsageError, match="must be a host name or an address"):
        Admission("127.0.0.1", (name,), TOKEN)


def test_two_framings_are_refused_and_nothing_after_them_is_heard(served: Process) -> None:
    hidden = served.write("POST", "/sessions", b"{}", [ADMIN])
    head = f"POST /sessions HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\n{ADMIN}\r\n"
    both = f"{head}Content-Length: {len(hidden) + 5}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n".encode()
    with served.connect() as opened:
        opened.sendall(both + hidden)
        assert read_answer(opened).status == 400
        assert read_to_end(opened) == b"", "the request that was hidden in the body is not answered"


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        pytest.param(["Transfer-Encoding: xchunked"], 400, id="unknown_framing"),
        pytest.param(["Transfer-Encoding: chunked", "Transfer-Encoding: identity"], 400, id="two_framings"),
        pytest.param(["Content-Length: 1", "Content-Length: 2"], 400, id="two_lengths"),
        pytest.param(["Content-Length: +1"], 400, id="signed_length"),
        pytest.param(["Content-Length: -1"], 400, id="negative_length"),
        pytest.param(["Content-Length: 1_0"], 400, id="python_length"),
        pytest.param(["Content-Length: " + "9" * 30], 400, id="endless_length"),
        pytest.param(["Content-Length: " + "9" * 15], 413, id="large_length"),
        pytest.param(["Content-Length : 1"], 400, id="space_before_colon"),
        pytest.param(["X: a\0b"], 400, id="null_byte"),
        pytest.param(["X"], 400, id="no_colon"),
        pytest.param(["X: " + "a" * 15_000], 405, id="head_that_fits"),
        pytest.param(["X: " + "a" * 16_384], 431, id="large_head_at_once"),
        pytest.param(["a: b"] * 20_000, 431, id="many_lines"),
        pytest.param(["Content-Encoding: gzip"], 415, id="gzip"),
        pytest.param(["Content-Encoding: identity"], 405, id="not_encoded"),
        pytest.param(["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"], 405, id="websocket"),
        pytest.param(["Connection: Upgrade", "Upgrade: h2c"], 405, id="http2"),
    ],
)
def test_an_odd_head_is_refused_in_one_sentence(served: Process, lines: list[str], status: int) -> None:
    head = "\r\n".join(["GET /sessions HTTP/1.1", f"Host: 127.0.0.1:{served.port}", *lines])
    answer = served.send(head.encode("latin-1") + b"\r\n\r\n")
    assert answer.status == status
    assert answer.sentence.endswith(".")


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(90),
        b"\xff" * 50 + b"\r\n\r\n",
        b"GET\r\n\r\n",
        b"\0" * 99,
    ],
)
def test_what_is_not_http_is_refused_in_one_sentence(served: Process, sent: bytes) -> None:
    with served.connect() as opened:
        opened.sendall(sent)
        answer = read_answer(opened)
        assert (answer.status, answer.sentence[-1]) == (400, ".")
        assert read_to_end(opened) == b""


@pytest.mark.parametrize(
    "path",
    [
        "/s/../sessions",
        "/s/%2e%2e/sessions",
        "//sessions",
        "/sessions/",
        "/%73essions",
        "/s/{id}%2fmcp",
        "/s%2f{id}/mcp",
        "/s/{id}/mcp/",
        "/s//{id}/mcp",
        "/s/{id}x/mcp",
        "/s/{id}%00/mcp",
        "/s/%00/mcp",
        "/s/%ff/mcp",
        "/s/{id};x/mcp",
        "/S/{id}/mcp",
        "/library%2fmcp",
        "/library/mcp/x",
        "/library/../library/mcp",
        "http://127.0.0.1/s/{id}/mcp",
        "s/{id}/mcp",
        "*",
        "/%",
    ],
)
def test_a_path_that_is_written_oddly_leads_nowhere(served: Process, session_id: str, path: str) -> None:
    before = served.count(session_id)
    answer = served.ask("POST", path.format(id=session_id), CALL[OLDER], [*headers_of(OLDER, b""), ADMIN])
    assert (answer.status, answer.sentence[-1]) == (404, "."), answer
    assert "location" not in answer.head.lower()
    assert served.count(session_id) == before


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "mcp"])
def test_a_method_that_is_not_served_is_refused_everywhere(served: Process, session_id: str, method: str) -> None:
    for path in ("/", "/sessions", f"/s/{session_id}/mcp", "/library/mcp", f"/sessions/{session_id}/state"):
        if (method, path) in (("GET", "/"), ("HEAD", "/")):
            continue
        answer = served.ask(method, path, b"", [*headers_of(OLDER, b""), "Connection: close"])
        assert answer.status in (400, 401, 405)
        assert "access-control" not in answer.head.lower()
        assert method == "HEAD" or answer.sentence.endswith(".")
    assert served.count(session_id) >= 0, "it has not been ended"
