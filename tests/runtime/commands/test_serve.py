"""`worldsmith serve`: what it refuses in one line, the worlds it starts from, states that last, and how it ends."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import StdioServerParameters
from mcp.client import Client

from generator.main import main
from runtime.domain.domain import Domain
from runtime.server.launch import open_session
from runtime.session.world import World
from tests.conftest import LIBRARY
from tests.making import SCHEMA, make_domain, write_domain
from tests.runtime.server.chain import play_chain
from tests.runtime.server.running import ADMIN, MCP, TOKEN, initialize, request, until

SERVE = [sys.executable, "-m", "generator", "serve"]
START = ["--seed", "3", "--size", "100"]
SECONDS = 30  # until a process that should end is taken to hang


def refusal(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The one line that `serve` says when it refuses to start."""
    assert main(["serve", *words]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("error: ")
    assert said.err.count("\n") == 1
    return said.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        pytest.param([str(LIBRARY), "library"], "stdio serves one domain; add --http", id="two_on_stdio"),
        pytest.param(["library", "--session", "x"], "--session names a session in a folder", id="session_alone"),
        pytest.param(["library", "--task", "keep-a-book", "--seed", "3"], "pass one of", id="task_and_seed"),
        pytest.param(["library", "--task", "x"], "has no task 'x'; have: keep-a-book", id="unknown_task"),
        pytest.param(["library", "--http", "--port", "99999"], "--port is 99999", id="port"),
        pytest.param(["library", "--http", "--allow-host", "http://a"], "--allow-host is 'http://a'", id="allow_host"),
        pytest.param(["library", "--http", "--host", "no.such.host.invalid"], "cannot listen on", id="host"),
    ],
)
def test_a_bad_option_is_one_line_and_exit_status_2(
    words: list[str], sentence: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert sentence in refusal(capsys, *words)
    assert list(tmp_path.iterdir()) == []


def with_stdio(words: list[str], claim: Callable[[Client], Awaitable[Any]]) -> Any:
    """Start a server on stdio, and run something with its client."""

    async def connect() -> Any:
        async with Client(StdioServerParameters(command=SERVE[0], args=[*SERVE[1:], *words])) as client:
            return await claim(client)

    return asyncio.run(connect())


def test_a_task_is_played_on_stdio_in_a_state_that_lasts_and_is_judged(tmp_path: Path, library: Domain) -> None:
    words = ["library", "--task", "late-and-next", "--state", str(tmp_path), "--session", "mine"]
    told = with_stdio(words, lambda client: play_chain(client, library, "late-and-next"))
    state = str(tmp_path / "mine" / "state.db")
    judged = [
        "verify",
        "--domain",
        str(LIBRARY),
        "--task",
        "late-and-next",
        *(f"--told={name}={value}" for name, value in told.items()),
    ]
    assert main([*judged, state]) == 0


def test_the_policy_is_left_out_and_the_debug_tools_are_added_by_their_options() -> None:
    async def look(client: Client) -> tuple[bool, bool]:
        names = [tool.name for tool in (await client.list_tools()).tools]
        return "at most 5 books checked out at a time" in (client.instructions or ""), "debug_verify" in names

    assert with_stdio(["library"], look) == (True, False)
    assert with_stdio(["library", "--no-policy", "--debug"], look) == (False, True)


@pytest.mark.parametrize(
    ("how", "status"),
    [
        pytest.param(None, 0, id="closing_stdin"),
        pytest.param(signal.SIGTERM, -signal.SIGTERM, id="sigterm"),
        pytest.param(signal.SIGINT, -signal.SIGINT, id="sigint"),
    ],
)
def test_a_server_on_stdio_ends_within_seconds(how: signal.Signals | None, status: int, tmp_path: Path) -> None:
    words = ["library", *START, "--state", str(tmp_path), "--session", "mine"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([*SERVE, *words], **pipes) as server:  # type: ignore[call-overload]
        server.stdin.write(json.dumps(initialize()).encode() + b"\n")
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["result"]["serverInfo"]["name"] == "library"
        if how is not None:
            server.send_signal(how)
            assert server.wait(10) == status
        said = server.communicate(timeout=10)[1].decode()
    assert server.returncode == status, said
    assert "Traceback" not in said


@pytest.fixture
def port() -> int:
    """A port that is free now."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


@pytest.mark.parametrize(
    ("how", "status"),
    [pytest.param(signal.SIGTERM, -signal.SIGTERM, id="sigterm"), pytest.param(signal.SIGINT, 130, id="sigint")],
)
def test_a_server_over_http_serves_several_domains_and_ends_within_seconds(
    how: signal.Signals, status: int, port: int, tmp_path: Path, world: World
) -> None:
    words = ["library", str(write_domain(tmp_path)), "--http", "--port", str(port), *START]
    process = subprocess.Popen(
        [*SERVE, *words], stderr=subprocess.PIPE, env={**os.environ, "WORLDSMITH_ADMIN_TOKEN": TOKEN}
    )
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=SECONDS, trust_env=False) as plain:
            until(lambda: answers(port))
            assert [domain["name"] for domain in plain.get("/").json()["domains"]] == ["library", "small"]
            assert plain.post("/small/mcp", json=initialize(), headers=MCP).status_code == 200
            made = plain.post("/sessions", json={"domain": "library"}, headers=ADMIN).json()
            url, session_path = made["url"], f"/sessions/{made['id']}"
            assert plain.get(session_path, headers=ADMIN).json()["digest"] == f"{world.digest:032x}"
            task = plain.post("/sessions", json={"domain": "library", "task": "keep-a-book"}, headers=ADMIN)
            assert task.status_code == 201, "--seed and --size are defaults that a task replaces"
            call = request("tools/call", name="find_member", arguments={"email": "nora.moreno9@example.org"})
            assert plain.post(url, json=call, headers=MCP).json()["result"]["isError"] is False
            started = time.monotonic()
            process.send_signal(how)  # while a client keeps its connection open
            ended = process.wait(SECONDS)
        assert process.stderr is not None
        said = process.stderr.read().decode()
        assert ended == status, said
        assert time.monotonic() - started < 10
        assert "Traceback" not in said
        assert f"http://127.0.0.1:{port}/library/mcp\n" in said
        assert TOKEN not in said
    finally:
        process.kill()
        process.wait()
        assert process.stderr is not None
        process.stderr.close()


def answers(port: int) -> bool:
    """Whether somebody listens."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
    except OSError:
        return False
    return True


@pytest.mark.parametrize("renamed", ["thing to things", ["a"], {"thing": 3, "thing.id": ["x"]}, None])
def test_a_provenance_of_any_form_does_not_hinder_a_world_of_ones_own(tmp_path: Path, renamed: Any) -> None:
    domain = make_domain(tmp_path, provenance={"renamed": renamed})
    with closing(sqlite3.connect(tmp_path / "own.db")) as connection:
        connection.executescript(SCHEMA)
    settings = {"world": tmp_path / "own.db", "faults": None, "real_time": False, "fault_seed": 1, "strict": False}
    asked = argparse.Namespace(**settings, seed=None, size=None, state=None, session=None)
    with closing(open_session(asked, domain)) as session:
        assert session.world.origin == {"file": "own.db"}
