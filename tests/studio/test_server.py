"""Who the studio's server answers: a browser on this machine that was given the link, and no other site's page."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest
from starlette.requests import Request

from runtime.errors import UsageError
from worldsmith.studio.command import listen
from worldsmith.studio.server import Hub, Studio, build_app

TOKEN = "secret"
COOKIE = f"worldsmith_studio_8770={TOKEN}"
OURS = {"cookie": COOKIE, "content-type": "application/json"}


def ask(method: str, path: str, headers: dict[str, str], content: bytes = b"") -> httpx.Response:
    async def go() -> httpx.Response:
        transport = httpx.ASGITransport(build_app(Studio(), 8770, TOKEN))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8770") as client:
            return await client.request(method, path, headers=headers, content=content)

    return asyncio.run(go())


def test_the_link_lets_a_browser_in_and_the_token_leaves_the_address() -> None:
    answer = ask("GET", f"/?token={TOKEN}", {})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert answer.headers["set-cookie"].startswith(COOKIE)
    assert "httponly" in answer.headers["set-cookie"].lower()
    page = ask("GET", "/", {"cookie": COOKIE})
    assert page.status_code == 200
    assert "script-src 'self'" in page.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", "/", {}, 403),
        ("GET", "/?token=guessed", {}, 403),
        ("GET", "/api/plays", {}, 403),
        ("GET", "/static/app.js", {"cookie": "worldsmith_studio_8770=guessed"}, 403),
        ("GET", "/api/plays", {"cookie": COOKIE, "host": "evil.example:8770"}, 421),
        ("POST", "/api/plays", {**OURS, "origin": "http://evil.example"}, 403),
        ("POST", "/api/plays", {**OURS, "sec-fetch-site": "same-site"}, 403),
        ("POST", "/api/plays", {"cookie": COOKIE, "content-type": "text/plain"}, 415),
        ("GET", "/static/..%2fpage.py", {"cookie": COOKIE}, 404),
        ("GET", "/static/lit-html.LICENSE", {"cookie": COOKIE}, 404),
    ],
)
def test_nobody_else_is_answered(method: str, path: str, headers: dict[str, str], status: int) -> None:
    answer = ask(method, path, headers)
    assert answer.status_code == status


@pytest.mark.parametrize(
    ("path", "body", "status", "said"),
    [
        ("/api/plays", b"[", 400, "must be a JSON object"),
        ("/api/plays", b"[" * 100_000, 400, "must be a JSON object"),
        ("/api/plays/none/say", b'{"at": 0, "text": "\\ud800"}', 400, "must be a JSON object"),
        ("/api/plays/none/call", b'{"at": 0, "tool": "a", "arguments": {"b": 1e999}}', 400, "must be a JSON object"),
        ("/api/plays/none/call", b'{"at": 0, "tool": "a", "arguments": {"b": NaN}}', 400, "must be a JSON object"),
        ("/api/plays", b"x" * 1_100_000, 413, "larger than 1,048,576 bytes"),
        ("/api/plays", b'{"domain": "nowhere"}', 400, "nowhere"),
        ("/api/plays/none/say", b'{"at": 0, "text": "Hi"}', 400, "no play 'none'"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(path: str, body: bytes, status: int, said: str) -> None:
    answer = ask("POST", path, OURS, body)
    assert answer.status_code == status
    assert said in answer.json()["error"]


@pytest.mark.parametrize("letter", ["x", "%25", "_", "%F0%9F%98%80"])
def test_a_text_of_any_length_is_looked_for(letter: str) -> None:
    for length in (200, 4_000):
        assert ask("GET", f"/api/domains/library/rows?table=book&find={letter * length}", OURS).json()["total"] == 0


def test_a_browser_that_goes_away_is_no_failure() -> None:
    async def go() -> list[Any]:
        sent: list[Any] = []
        headers = [(b"host", b"127.0.0.1:8770"), *((name.encode(), value.encode()) for name, value in OURS.items())]
        scope = {"type": "http", "method": "POST", "path": "/api/plays", "query_string": b"", "headers": headers}

        async def receive() -> Any:
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        await build_app(Studio(), 8770, TOKEN)(
            {**scope, "scheme": "http", "server": ("127.0.0.1", 8770)}, receive, send
        )
        return sent

    assert asyncio.run(go())[0]["status"] == 400


def test_a_page_that_is_too_slow_or_was_away_reads_everything_anew() -> None:
    async def go() -> None:
        hub = Hub()

        async def listening(*headers: tuple[bytes, bytes]) -> Any:
            return (await hub.stream(Request({"type": "http", "headers": headers}))).body_iterator

        slow, back = await listening(), await listening((b"last-event-id", b"0"))
        assert "event: reload" not in await anext(slow)
        assert "event: reload" in await anext(back)
        for number in range(1_000):
            hub.tell("play", number)
        assert "event: reload" in await anext(slow)
        hub.close()
        assert [line async for line in slow] == []

    asyncio.run(go())


def test_a_port_in_use_is_said_with_one_that_is_free() -> None:
    with listen(0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=rf"Port {port} is in use; (\d+) is free: --port \1"):
            listen(port)
