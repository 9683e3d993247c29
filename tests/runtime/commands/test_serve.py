"""`worldsmith serve`: the worlds it starts from, states that last, the tools for people, and how it ends."""

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

from runtime.domain.domain import Domain
from runtime.server.launch import open_session
from runtime.session.world import World
from tests.conftest import LIBRARY, Cli, until
from tests.making import SCHEMA, make_domain, write_domain
from tests.runtime.server.chain import play_chain
from tests.runtime.server.running import ADMIN, MCP, TOKEN, initialize, request

SERVE = [sys.executable, "-m", "generator", "serve"]
START = ["--seed", "3", "--size", "100"]
SECONDS = 30  # until a process that should end is taken to hang
CARD = {"name": "Ada Byron", "email": "ada@example.org"}


def with_stdio(words: list[str], claim: Callable[[Client], Awaitable[Any]]) -> Any:
    """Start a server on stdio, and run something with its client."""

    async def connect() -> Any:
        async with Client(StdioServerParameters(command=SERVE[0], args=[*SERVE[1:], *words])) as client:
            return await claim(client)

    return asyncio.run(connect())


def text_of(called: Any) -> str:
    """What a debug tool said."""
    return "".join(part.text for part in called.content)


def test_a_task_is_played_in_a_state_that_lasts_judged_and_started_again_while_a_browser_looks_on(
    tmp_path: Path, library: Domain, cli: Cli
) -> None:
    words = ["library", "--task", "keep-a-book", "--state", str(tmp_path), "--session", "mine", "--debug"]
    state = tmp_path / "mine" / "state.db"

    async def play(client: Client) -> dict[str, str]:
        assert "at most 5 books checked out at a time" in (client.instructions or "")
        told = await play_chain(client, library, "keep-a-book")
        with closing(sqlite3.connect(f"{state.as_uri()}?mode=ro", uri=True)) as browser:
            due = browser.execute("SELECT due_on FROM loan WHERE loan_id = 'LOAN-0016'").fetchone()
        assert due == ("2026-04-03",)
        assert text_of(await client.call_tool("debug_verify", {"told": told})).startswith("Reward 1")
        return dict(told)

    async def start_again(client: Client) -> None:
        assert "debug_verify" in [tool.name for tool in (await client.list_tools()).tools]
        assert "at most 5 books" not in (client.instructions or "")
        assert "2 rows differ" in text_of(await client.call_tool("debug_show_changes"))
        other = await client.call_tool("debug_start_task", {"task": "late-and-next"})
        assert other.is_error
        assert "serve with --task late-and-next, or without --state, to start it" in text_of(other)
        assert not (await client.call_tool("debug_start_task", {"task": "keep-a-book"})).is_error
        assert text_of(await client.call_tool("debug_show_changes")) == "Nothing has changed."

    told = with_stdio(words, play)
    answers = [f"--told={name}={value}" for name, value in told.items()]
    assert "Reward 1" in cli("verify", "--domain", LIBRARY, "--task", "keep-a-book", *answers, state)
    with_stdio([*words, "--no-policy"], start_again)


def test_a_stored_session_is_forked_and_what_a_browser_writes_is_kept(tmp_path: Path) -> None:
    words = ["library", *START, "--state", str(tmp_path), "--session", "mine", "--debug"]

    def count() -> int:
        with closing(sqlite3.connect(tmp_path / "mine" / "state.db")) as browser:
            return int(browser.execute("SELECT count(*) FROM member WHERE name LIKE 'Ada%'").fetchone()[0])

    async def fork(client: Client) -> None:
        await client.call_tool("register_member", CARD)
        with closing(sqlite3.connect(tmp_path / "mine" / "state.db")) as browser, browser:
            browser.execute("INSERT INTO member VALUES ('OWN-1', 'Ada Own', 'own@example.org', NULL, 'active', 0)")
        assert "This is branch 'try' now" in text_of(await client.call_tool("debug_fork", {"branch": "try"}))
        await client.call_tool("register_member", {**CARD, "email": "ada2@example.org"})
        assert count() == 3
        await client.call_tool("debug_switch", {"branch": "main"})
        assert count() == 2
        await client.call_tool("debug_switch", {"branch": "try"})
        assert count() == 3

    with_stdio(words, fork)


@pytest.mark.parametrize(("how", "status"), [(None, 0), (signal.SIGTERM, -signal.SIGTERM), (signal.SIGINT, -2)])
def test_a_server_on_stdio_ends_within_seconds(how: signal.Signals | None, status: int, tmp_path: Path) -> None:
    words = ["library", *START, "--state", str(tmp_path), "--session", "mine"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([*SERVE, *words], **pipes) as server:  # type: ignore[call-overload]
        server.stdin.write(json.dumps(initialize()).encode() + b"\n")
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["result"]["serverInfo"]["name"] == "library"
        if how is not None:
            server.send_signal(how)
            assert server.wait(SECONDS) == status
        said = server.communicate(timeout=SECONDS)[1].decode()
    assert server.returncode == status, said
    assert "Traceback" not in said


@pytest.mark.parametrize(("how", "status"), [(signal.SIGTERM, -signal.SIGTERM), (signal.SIGINT, 130)])
def test_a_server_over_http_serves_several_domains_and_ends_within_seconds(
    how: signal.Signals, status: int, tmp_path: Path, world: World
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = int(probe.getsockname()[1])
    words = [*SERVE, "library", str(write_domain(tmp_path)), "--http", "--port", str(port), *START]
    environment = {**os.environ, "WORLDSMITH_ADMIN_TOKEN": TOKEN}
    with subprocess.Popen(words, stderr=subprocess.PIPE, env=environment, text=True) as process:
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=SECONDS, trust_env=False) as plain:
                until(lambda: _answers(port))
                assert [domain["name"] for domain in plain.get("/").json()["domains"]] == ["library", "small"]
                assert plain.post("/small/mcp", json=initialize(), headers=MCP).status_code == 200
                made = plain.post("/sessions", json={"domain": "library"}, headers=ADMIN).json()
                session = plain.get(f"/sessions/{made['id']}", headers=ADMIN).json()
                assert session["digest"] == f"{world.digest:032x}"
                task = plain.post("/sessions", json={"domain": "library", "task": "keep-a-book"}, headers=ADMIN)
                assert task.status_code == 201, "--seed and --size are defaults that a task replaces"
                call = request("tools/call", name="find_member", arguments={"email": "nora.moreno9@example.org"})
                assert plain.post(made["url"], json=call, headers=MCP).json()["result"]["isError"] is False
                started = time.monotonic()
                process.send_signal(how)  # while a client keeps its connection open
                said = process.communicate(timeout=SECONDS)[1]
            assert (process.returncode, time.monotonic() - started < 10) == (status, True), said
            assert "Traceback" not in said
            assert f"http://127.0.0.1:{port}/library/mcp\n" in said
            assert TOKEN not in said
        finally:
            process.kill()


def _answers(port: int) -> bool:
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
