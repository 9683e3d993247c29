"""`worldsmith serve --debug` with a state folder: judged, started again and forked, while a SQLite browser looks on."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from mcp.client import Client

from runtime.domain.domain import Domain
from tests.runtime.commands.test_serve import START, with_stdio
from tests.runtime.server.chain import play_chain

CARD = {"name": "Ada Byron", "email": "ada@example.org"}


def text_of(called: Any) -> str:
    """What a debug tool said."""
    return "".join(part.text for part in called.content)


def test_a_stored_task_is_judged_and_started_again_while_a_browser_looks_on(tmp_path: Path, library: Domain) -> None:
    words = ["library", "--task", "keep-a-book", "--state", str(tmp_path), "--session", "mine", "--debug"]

    async def play(client: Client) -> None:
        told = await play_chain(client, library, "keep-a-book")
        state = f"{(tmp_path / 'mine' / 'state.db').as_uri()}?mode=ro"
        with closing(sqlite3.connect(state, uri=True)) as browser:
            due = browser.execute("SELECT due_on FROM loan WHERE loan_id = 'LOAN-0016'").fetchone()
        assert due == ("2026-04-03",)
        assert text_of(await client.call_tool("debug_verify", {"told": told})).startswith("Reward 1")

    async def start_again(client: Client) -> None:
        assert "2 rows differ" in text_of(await client.call_tool("debug_show_changes"))
        other = await client.call_tool("debug_start_task", {"task": "late-and-next"})
        assert other.is_error
        assert "serve with --task late-and-next, or without --state, to start it" in text_of(other)
        assert not (await client.call_tool("debug_start_task", {"task": "keep-a-book"})).is_error
        assert text_of(await client.call_tool("debug_show_changes")) == "Nothing has changed."

    with_stdio(words, play)
    with_stdio(words, start_again)


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
