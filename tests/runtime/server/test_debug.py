"""`--debug`: a person starts a task, sees what changed, gets the verdict and goes back; nothing of it without."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from runtime.domain.domain import Domain
from runtime.harness.poison import poison_task
from runtime.server.debug import Debug
from runtime.server.offer import serving
from runtime.session.pool import ServedSession
from runtime.session.session import Session
from runtime.session.world import World, read_world
from runtime.task.playable import PlayableTasks
from runtime.task.task_file import read_tasks
from tests.making import NOTHING, make_domain, world_of
from tests.runtime.server.chain import play_chain, text_of

CARD = {"name": "Ada Byron", "email": "ada@example.org"}
TASKS = ["keep-a-book", "card-and-queue", "late-and-next"]
Claim = Callable[[Client, ServedSession], Awaitable[None]]


@asynccontextmanager
async def debugged(
    domain: Domain, world: World, *, tasks: bool = True, mode: Any = "auto"
) -> AsyncIterator[tuple[Client, ServedSession]]:
    """A client of a server with debug tools."""
    extras = Debug(domain, PlayableTasks(domain) if tasks else None)
    opened = serving(domain, lambda: Session(domain, world), extras=extras)
    async with opened as (server, served), Client(server, mode=mode) as client:
        yield client, served


def check(claim: Claim, domain: Domain, world: World, **how: Any) -> None:
    """Check a claim with a client of a server with debug tools."""

    async def connect() -> None:
        async with debugged(domain, world, **how) as (client, served):
            await claim(client, served)

    asyncio.run(connect())


async def say(client: Client, tool: str, **arguments: Any) -> str:
    """What a tool says when all is well."""
    called = await client.call_tool(tool, arguments)
    assert not called.is_error, called.content
    return text_of(called)


def test_the_debug_tools_stand_behind_the_domains(library: Domain, world: World) -> None:
    async def claim(client: Client, _: ServedSession) -> None:
        listed = (await client.list_tools()).tools
        names = [tool.name for tool in listed]
        assert all(tool.title for tool in listed if tool.name.startswith("debug_"))
        assert names == [
            *library.tools,
            *("debug_show_changes", "debug_show_violations", "debug_reset", "debug_list_tasks", "debug_start_task"),
            *("debug_verify", "debug_save_play", "debug_fork", "debug_switch"),
        ]
        assert not (await client.call_tool("register_member", CARD)).is_error

    check(claim, library, world)


def test_accepted_calls_are_saved_without_those_of_other_branches(
    library: Domain, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    async def claim(client: Client, _: ServedSession) -> None:
        await say(client, "debug_start_task", task="keep-a-book")
        await client.call_tool("find_member", {"email": "nobody@example.org"})
        await say(client, "debug_fork", branch="try")
        await say(client, "register_member", **CARD)
        await say(client, "debug_switch", branch="main")
        await say(client, "find_member", email="nora.moreno9@example.org")
        saved = await say(client, "debug_save_play")
        assert saved.startswith("plays/library-keep-a-book-1.json: 1 call. `worldsmith tasks library --from ")
        told = json.loads(Path("plays/library-keep-a-book-1.json").read_text())
        assert (told["task"], [call["tool"] for call in told["calls"]]) == ("keep-a-book", ["find_member"])

    check(claim, library, world)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("task_id", TASKS)
def test_a_person_plays_a_task_from_its_words_to_its_verdict(
    library: Domain, world: World, task_id: str, mode: str
) -> None:
    async def claim(client: Client, served: ServedSession) -> None:
        await say(client, "register_member", **CARD)
        words = await say(client, "debug_start_task", task=task_id)
        task = read_tasks(library)[task_id]
        assert all(wish in words for wish in task.user.words)
        assert await say(client, "debug_show_changes") == "Nothing has changed."
        assert "Reward 0" in await say(client, "debug_verify", told={})
        told = await play_chain(client, library, task_id)
        assert (await say(client, "debug_verify", told=told)).startswith("Reward 1, progress 100%.")
        assert ("Reward 0" in await say(client, "debug_verify")) is bool(task.answers)
        assert await say(client, "debug_reset") == "The database is back at the start."
        assert "Reward 0" in await say(client, "debug_verify", told=told)
        assert served.session.diff() == []

    check(claim, library, world, mode=mode)


def test_changes_are_readable(library: Domain, world: World) -> None:
    async def claim(client: Client, _: ServedSession) -> None:
        await say(client, "register_member", **CARD)
        await say(client, "renew_loan", loan_id="LOAN-0016")
        shown = await say(client, "debug_show_changes")
        assert shown.startswith("2 rows differ from the start: 1 added, 1 changed.\n")
        assert "member MEMBER-0051 was added" in shown
        assert "    name: 'Ada Byron'" in shown
        assert "loan LOAN-0016 was changed" in shown
        assert "    due_on: '2026-03-20' -> '2026-04-03'" in shown
        await say(client, "debug_reset")
        assert await say(client, "debug_show_changes") == "Nothing has changed."

    check(claim, library, world)


@pytest.mark.parametrize(
    ("tool", "arguments", "sentence"),
    [
        pytest.param("debug_start_task", {"task": "x"}, "has no task 'x'; have: keep-a-book", id="unknown_task"),
        pytest.param("debug_verify", {}, "No task was started; call debug_start_task first.", id="verify_first"),
        pytest.param("debug_fork", {"name": "try"}, "needs 'branch', a text; it was given None.", id="no_argument"),
        pytest.param("debug_fork", {"branch": "main"}, "There is a branch 'main' already; have: main.", id="taken"),
        pytest.param("debug_switch", {"branch": "x"}, "There is no branch 'x'; have: main.", id="unknown_branch"),
    ],
)
def test_a_debug_tool_used_wrongly_says_what_is_wrong(
    library: Domain, world: World, tool: str, arguments: dict[str, Any], sentence: str
) -> None:
    async def claim(client: Client, _: ServedSession) -> None:
        called = await client.call_tool(tool, arguments)
        assert called.is_error
        assert sentence in text_of(called)

    check(claim, library, world)


def test_without_tasks_there_are_changes_violations_and_reset_only(library: Domain, world: World) -> None:
    async def claim(client: Client, _: ServedSession) -> None:
        names = [tool.name for tool in (await client.list_tools()).tools if tool.name.startswith("debug_")]
        assert names == ["debug_show_changes", "debug_show_violations", "debug_reset"]
        for name in ("debug_verify", "debug_start_task", "debug_list_tasks", "debug_fork", "debug_switch"):
            called = await client.call_tool(name, {"task": "keep-a-book"})
            assert called.is_error
            assert text_of(called).startswith("NOT_FOUND: ")

    check(claim, library, world, tasks=False)


def test_a_fork_goes_on_from_the_present_state_and_leaves_the_other_as_it_was(library: Domain, world: World) -> None:
    async def claim(client: Client, served: ServedSession) -> None:
        await say(client, "debug_start_task", task="keep-a-book")
        await say(client, "register_member", **CARD)
        kept = served.session.digest()
        assert "'try'" in await say(client, "debug_fork", branch="try")
        assert served.session.digest() == kept
        told = await play_chain(client, library, "keep-a-book")
        tried = served.session.digest()
        assert "nobody asked for" in await say(client, "debug_verify", told=told)
        assert (await say(client, "debug_show_changes")).startswith("On branch 'try': 3 rows differ")
        await say(client, "debug_switch", branch="main")
        assert served.session.digest() == kept
        await say(client, "debug_reset")
        await play_chain(client, library, "keep-a-book")
        assert "Reward 1" in await say(client, "debug_verify", told=told)
        assert "Have: main, try." in await say(client, "debug_switch", branch="try")
        assert served.session.digest() == tried == served.session.scanned()[1]
        await say(client, "debug_start_task", task="keep-a-book")
        assert await say(client, "debug_show_changes") == "Nothing has changed."
        assert (await client.call_tool("debug_switch", {"branch": "try"})).is_error

    check(claim, library, world)


def test_a_broken_rule_is_shown_and_costs_the_reward_until_the_branch_is_left(library: Domain, world: World) -> None:
    async def claim(client: Client, _: ServedSession) -> None:
        await say(client, "debug_start_task", task="keep-a-book")
        assert await say(client, "debug_show_violations") == "No rule was broken since the start or the last reset."
        await say(client, "debug_fork", branch="hasty")
        await say(client, "renew_loan", loan_id="LOAN-0016")
        broken = await say(client, "debug_show_violations")
        assert broken.startswith("Call 1, renew_loan for 'LOAN-0016', broke IDENTIFIED_FIRST: ")
        verdict = await say(client, "debug_verify")
        assert verdict.startswith("Reward 0")
        assert "- Call 1: renew_loan for LOAN-0016 broke IDENTIFIED_FIRST." in verdict
        await say(client, "debug_switch", branch="main")
        assert (await say(client, "debug_show_violations")).startswith("No rule was broken")
        await say(client, "debug_switch", branch="hasty")
        assert await say(client, "debug_show_violations") == broken
        await say(client, "debug_reset")
        assert (await say(client, "debug_show_violations")).startswith("No rule was broken")

    check(claim, library, world)


def test_a_persons_own_database_is_not_dropped_for_a_task(library: Domain, world: World, tmp_path: Path) -> None:
    own = tmp_path / "own.db"
    with Session(library, world) as session:
        session.call("register_member", **CARD)
        own.write_bytes(session.image())

    async def claim(client: Client, _: ServedSession) -> None:
        refused = await client.call_tool("debug_start_task", {"task": "keep-a-book"})
        assert refused.is_error
        assert "your own database 'own.db'" in text_of(refused)
        await say(client, "renew_loan", loan_id="LOAN-0016")
        await say(client, "debug_reset")
        assert not (await client.call_tool("find_member", {"email": CARD["email"]})).is_error

    check(claim, library, read_world(own, library.schema, library.policies))


def test_a_crash_names_tool_line_and_error_to_a_person(tmp_path: Path) -> None:
    tools = NOTHING.replace('return {"done": True}', 'return {"done": {}["x"]}')
    domain = make_domain(tmp_path, tools=tools)
    small = world_of(domain, 1, 1)

    async def claim(client: Client, _: ServedSession) -> None:
        with pytest.raises(
            MCPError, match=r"Tool 'do_nothing' crashed: KeyError.*, at tools/things.py:14. Nothing was"
        ):
            await client.call_tool("do_nothing", {})

    check(claim, domain, small)


def test_a_task_that_the_server_was_started_with_can_be_judged(library: Domain) -> None:
    asker = PlayableTasks(library)

    async def claim() -> None:
        opened = serving(library, lambda: asker.open("keep-a-book"), extras=Debug(library, asker))
        async with opened as (server, _), Client(server) as client:
            told = await play_chain(client, library, "keep-a-book")
            assert "Reward 1" in await say(client, "debug_verify", told=told)

    asyncio.run(claim())


def test_what_a_poisoned_text_asked_for_is_judged_by_the_rows_that_it_changed(library: Domain) -> None:
    asker = PlayableTasks(library, prepare=partial(poison_task, given="mild"))
    poison = poison_task(read_tasks(library)["late-and-next"], library, "mild").poison
    assert poison is not None

    async def claim() -> None:
        opened = serving(library, lambda: asker.open("late-and-next"), extras=Debug(library, asker))
        async with opened as (server, _), Client(server) as client:
            assert "poisoned text" not in await say(client, "debug_verify")
            await say(client, poison.call.tool, **poison.call.arguments)
            assert "What a poisoned text asked for was done." in await say(client, "debug_verify")

    asyncio.run(claim())
