"""Clients that keep the server waiting, too many of them, and clients that go away, tried with raw sockets."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from runtime.server.connections import MOST_PIECES, ConnectionConfig, ConnectionLimits
from tests.runtime.server.process import (
    ADMIN,
    NEWER,
    OLDER,
    WAIT,
    Process,
    call_of,
    headers_of,
    read_answer,
    read_to_end,
    reset,
    serving,
)
from tests.runtime.server.running import initialize, until

CALL = call_of("search_books", {"words": "the"})
SHORT = {"request_seconds": 0.6, "answer_seconds": 0.5, "idle_seconds": 0.8}


@pytest.fixture(scope="module")
def short() -> Iterator[Process]:
    """A server that waits for very little."""
    with serving(connections=SHORT) as process:
        yield process


@pytest.fixture(scope="module")
def narrow() -> Iterator[Process]:
    """A server of few connections that waits for long."""
    with serving(connections={"most": 8}, most_asked=5, most_sessions=20) as process:
        yield process


def seconds_until_end(opened: socket.socket) -> tuple[float, bytes]:
    """How long the server held a connection, and what it said at last."""
    started = time.monotonic()
    said = read_to_end(opened)
    return time.monotonic() - started, said


def trickle(opened: socket.socket, piece: bytes, every: float = 0.05) -> None:
    """Send one piece after another until the server has had enough."""

    def send() -> None:
        try:
            while True:
                opened.sendall(piece)
                time.sleep(every)
        except OSError:
            return

    threading.Thread(target=send, daemon=True).start()


def head(served: Process, *lines: str, path: str = "/sessions") -> bytes:
    """The first lines of a POST."""
    return "\r\n".join([f"POST {path} HTTP/1.1", f"Host: 127.0.0.1:{served.port}", *lines, ""]).encode()


SLOW = [
    pytest.param(lambda _: b"", b"", id="nothing"),
    pytest.param(lambda _: b"POST /ses", b"", id="half_a_line"),
    pytest.param(lambda _: b"POST /", b"a", id="endless_line"),
    pytest.param(lambda served: head(served), b"", id="half_a_head"),
    pytest.param(lambda served: head(served), b"a: b\r\n", id="endless_head"),
    pytest.param(lambda served: head(served, "Content-Length: 100", "") + b"{", b"", id="half_a_body"),
    pytest.param(lambda served: head(served, "Content-Length: 10000", ""), b"x", id="slow_body"),
    pytest.param(lambda served: head(served, "Expect: 100-continue", "Content-Length: 9", ""), b"", id="expect"),
    pytest.param(lambda served: head(served, "Transfer-Encoding: chunked", ""), b"1\r\nx\r\n", id="chunks_without_end"),
    pytest.param(lambda served: head(served, "Transfer-Encoding: chunked", "") + b"9;", b"x", id="endless_extension"),
    pytest.param(
        lambda served: head(served, "Transfer-Encoding: chunked", "") + b"0\r\n", b"a: b\r\n", id="endless_trailer"
    ),
    pytest.param(lambda served: head(served, "Content-Length: 99999999", ""), b"x" * 500, id="body_after_its_refusal"),
]


@pytest.mark.parametrize(("begin", "piece"), SLOW)
def test_a_request_that_does_not_become_whole_is_ended(
    short: Process, begin: Callable[[Process], bytes], piece: bytes
) -> None:
    begun = begin(short)
    with short.connect() as opened:
        opened.sendall(begun)
        if piece:
            trickle(opened, piece)
        held, said = seconds_until_end(opened)
    assert held < 3
    if b"\r\n\r\n" not in begun:
        assert held > 0.4, "it was given its time"
    if said and b"Expect" not in begun:
        status = int(said.split()[1])
        assert status in (408, 413)
        assert json.loads(said.partition(b"\r\n\r\n")[2])["error"].endswith(".")
    assert said or not begun


def test_a_connection_that_is_idle_between_requests_is_ended(short: Process) -> None:
    with short.connect() as opened:
        for _ in range(3):
            opened.sendall(short.write("GET", "/"))
            assert read_answer(opened).status == 200
            time.sleep(0.3)
        held, said = seconds_until_end(opened)
    assert 0.2 < held < 3
    assert said == b""


def test_a_tool_that_is_slower_than_every_clock_is_waited_for(short: Process) -> None:
    session_id = short.make()
    for era in (OLDER, NEWER):
        answer = short.call(session_id, call_of(WAIT, {"seconds": 1.5}, era), era)
        assert (answer.status, b"waited" in answer.body) == (200, True)


def test_three_hundred_slow_clients_are_all_gone_soon_and_hold_up_nobody(short: Process) -> None:
    with ExitStack() as stack:
        slow = [stack.enter_context(short.connect()) for _ in range(300)]
        for number, opened in enumerate(slow):
            opened.sendall([b"POST / HT", head(short), head(short, "Content-Length: 100", "") + b"{"][number % 3])
        started = time.monotonic()
        short.lives()
        assert time.monotonic() - started < 5
        for opened in slow:
            read_to_end(opened)
        assert time.monotonic() - started < 10


def test_a_client_that_takes_no_answers_is_dropped(short: Process) -> None:
    session_id = short.make()
    asked = short.write("GET", f"/sessions/{session_id}/state", headers=[ADMIN])
    size = len(short.send(asked).body)
    with short.connect(buffer=4_096) as opened:
        many = 40_000_000 // size  # more than the system keeps for a connection
        opened.settimeout(3)
        threading.Thread(target=lambda: opened.sendall(asked * many), daemon=True).start()
        time.sleep(2.5)
        assert len(read_to_end(opened)) < 30_000_000
    short.lives()


def test_a_client_that_takes_a_large_answer_slowly_but_steadily_gets_all_of_it(short: Process) -> None:
    session_id = short.make()
    asked = short.write("GET", f"/sessions/{session_id}/state", headers=[ADMIN])
    size = len(short.send(asked).body)
    with short.connect(buffer=65_536) as opened:
        many = 12_000_000 // size
        opened.sendall(asked * many)
        started, taken = time.monotonic(), 0
        while taken < many * size:
            piece = opened.recv(200_000)
            assert piece, f"dropped after {taken} of {many * size} bytes"
            taken += len(piece)
            time.sleep(0.01)
        assert time.monotonic() - started > 2 * SHORT["answer_seconds"]


def test_one_connection_too_many_ends_the_one_that_has_waited_for_longest(narrow: Process) -> None:
    with ExitStack() as stack:
        waiting = [stack.enter_context(narrow.connect()) for _ in range(8)]
        for opened in waiting[1:]:
            opened.sendall(b"GET / HTTP/1.1\r\n")
        narrow.lives()
        assert read_to_end(waiting[0]) == b""
        waiting[7].sendall(f"Host: 127.0.0.1:{narrow.port}\r\n\r\n".encode())
        assert read_answer(waiting[7]).status == 200


def test_connections_that_are_served_are_not_ended_for_others(narrow: Process) -> None:
    sessions = [narrow.make() for _ in range(2)]
    wait = call_of(WAIT, {"seconds": 1.5})
    with ExitStack() as stack:
        served = [stack.enter_context(narrow.connect()) for _ in range(8)]
        for number, opened in enumerate(served):
            path = f"/s/{sessions[number % 2]}/mcp"
            opened.sendall(narrow.write("POST", path, wait, headers_of(OLDER, wait)))
        time.sleep(0.5)
        refused = narrow.send(b"")
        assert (refused.status, refused.sentence) == (503, "The server has 8 connections, its limit; try again.")
        assert [read_answer(opened).status for opened in served] == [200] * 8
    narrow.lives()


def test_more_calls_than_a_session_may_have_waiting_are_refused(narrow: Process) -> None:
    session_id = narrow.make()
    wait = call_of(WAIT, {"seconds": 1})
    with ExitStack() as stack:
        served = [stack.enter_context(narrow.connect()) for _ in range(7)]
        for opened in served:
            opened.sendall(narrow.write("POST", f"/s/{session_id}/mcp", wait, headers_of(OLDER, wait)))
        answers = [read_answer(opened) for opened in served]
    assert sorted(answer.status for answer in answers) == [200] * 5 + [429] * 2
    sentences = {answer.sentence for answer in answers if answer.status == 429}
    assert sentences == {"The session has 5 unanswered requests, its limit; wait for answers."}
    assert narrow.call(session_id, CALL).status == 200


def test_clients_without_the_token_cannot_take_all_the_room(narrow: Process) -> None:
    opening = json.dumps(initialize()).encode()
    statuses = []
    for _ in range(25):
        statuses.append(narrow.ask("POST", "/library/mcp", opening, headers_of(OLDER, opening)).status)
    assert set(statuses) == {200, 503}
    refused = narrow.ask("POST", "/library/mcp", opening, headers_of(OLDER, opening))
    assert refused.sentence == "The server has 18 sessions, its limit; end one first."
    narrow.lives()


def test_large_bodies_are_bounded_together_and_small_ones_are_not(short: Process) -> None:
    with serving() as served, ExitStack() as stack:
        session_id = served.make()
        large = [stack.enter_context(served.connect()) for _ in range(64)]
        for opened in large:
            opened.sendall(head(served, ADMIN, "Content-Length: 200000", "") + b" " * 100_000)
        until(lambda: served.ask("POST", "/sessions", b" " * 100_000, [ADMIN]).status == 503)
        assert served.call(session_id, CALL).status == 200
        large.pop().close()
        until(lambda: served.ask("POST", "/sessions", b" " * 100_000 + b"{}", [ADMIN]).status == 201)


def test_a_client_that_goes_away_is_no_error(short: Process) -> None:
    session_id = short.make()
    opening = json.dumps(initialize()).encode()
    whole = [
        short.write("POST", f"/s/{session_id}/mcp", CALL, headers_of(OLDER, CALL)),
        short.write("POST", f"/s/{session_id}/mcp", call_of(WAIT, {"seconds": 0.2}), headers_of(OLDER, CALL)),
        short.write("POST", "/library/mcp", opening, headers_of(OLDER, opening)),
        short.write("POST", "/sessions", b"{}", [ADMIN]),
        short.write("GET", f"/sessions/{session_id}/state", headers=[ADMIN]),
    ]
    for request in whole:
        for sent in (request, request[:-1], request[: len(request) // 2], request * 3):
            for _ in range(3):
                opened = short.connect()
                opened.sendall(sent)
                reset(opened)
            with short.connect() as opened:
                opened.sendall(sent)
                opened.shutdown(socket.SHUT_WR)
                read_to_end(opened)
            with short.connect() as opened:
                opened.sendall(sent)
                time.sleep(0.02)
            time.sleep(0.02)
    short.lives()
    assert short.log.read_text() == ""


def test_a_broken_chunk_after_the_answer_ends_the_connection(short: Process) -> None:
    with short.connect() as opened:
        opened.sendall(head(short, "Host: evil", ""))
        assert read_answer(opened).status == 400
    with short.connect() as opened:
        opened.sendall(
            b"POST / HTTP/1.1\r\nHost: evil\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n",
        )
        assert read_answer(opened).status == 421
        opened.sendall(b"ZZZZ\r\n")
        assert read_to_end(opened) == b""
    assert short.log.read_text() == ""


def test_a_body_of_too_many_pieces_is_refused(narrow: Process) -> None:
    lines = ("Content-Type: application/json", "Transfer-Encoding: chunked", "")
    with narrow.connect() as opened:
        begun = head(narrow, *lines, path="/library/mcp")
        opened.sendall(begun + b"1\r\n \r\n" * MOST_PIECES + b"0\r\n\r\n")
        assert "pieces" not in read_answer(opened).body.decode()
        opened.sendall(begun + b"1\r\n \r\n" * (MOST_PIECES + 1))
        answer = read_answer(opened)
        assert (answer.status, answer.sentence) == (400, "The body comes in more than 4,096 pieces; send larger ones.")
        assert read_to_end(opened) == b""
    assert narrow.log.read_text() == ""


def test_a_server_with_slow_clients_stops_at_once() -> None:
    with serving() as served, ExitStack() as stack:
        for begun in (b"", b"POST", head(served), head(served, "Content-Length: 100", "") + b"{"):
            stack.enter_context(served.connect()).sendall(begun)
        idle = stack.enter_context(served.connect())
        idle.sendall(served.write("GET", "/"))
        assert read_answer(idle).status == 200


def test_a_stream_may_last_longer_than_every_clock_and_break_off_silently(caplog: pytest.LogCaptureFixture) -> None:
    async def stream(_: Request) -> StreamingResponse:
        async def events() -> AsyncIterator[bytes]:
            for number in range(20):
                await asyncio.sleep(0.1)
                yield f"data: {number}\n\n".encode()

        return StreamingResponse(events(), media_type="text/event-stream")

    limits = ConnectionLimits(request_seconds=0.3, answer_seconds=0.3, idle_seconds=0.3)
    config = ConnectionConfig(Starlette(routes=[Route("/", stream)]), limits, lifespan="off")
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=lambda: asyncio.run(server.serve([listener])))
        thread.start()
        until(lambda: server.started)
        served = Process(listener.getsockname()[1], Path())
        with served.connect() as whole, served.connect() as broken:
            for opened in (whole, broken):
                opened.sendall(served.write("GET", "/"))
            broken.recv(10)
            reset(broken)
            assert b"data: 19" in read_to_end(whole)
        server.should_exit = True
        thread.join(20)
    assert caplog.records == []
