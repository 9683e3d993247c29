"""Tasks with a clock that moves, wherever sessions are served: clients, HTTP, compiled servers, training, people."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from mcp import StdioServerParameters
from mcp.client import Client

from runtime.commands.serve import open_asked_session
from runtime.compiling import compile_domain, write_place
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.harness.choose import choose_agent
from runtime.harness.connection import Connect, open_session
from runtime.harness.mcp_connection import over_stdio
from runtime.harness.play import Setting, play
from runtime.harness.users.scripted import ScriptedKind
from runtime.session.clock import ClockPlan
from runtime.session.faults import FAULT_PLANS
from runtime.session.session import Session, open_stored_session
from runtime.session.world import WorldCache
from runtime.task.task import Step, Task, bind, replay, start_world
from runtime.task.task_file import parse_task, read_tasks, task_line
from runtime.task.values import told_value
from tests.conftest import SHIPPED, SHIPPED_LIBRARY, refused
from tests.runtime.harness.test_connections import children
from tests.runtime.server.running import running
from worldsmith import Rollout, tasks
from worldsmith.evaluate import judge_final
from worldsmith.studio.plays import Plays

SETS = {name: folder for name, folder in SHIPPED.items() if (folder / "tasks" / "time.jsonl").is_file()}
NEVER_REWARDED = ("idle", "waiter", "eager", "sleeper", "claimer")
SERVE = (sys.executable, "-m", "generator", "serve", str(SHIPPED_LIBRARY))


@pytest.fixture(scope="module")
def shipped() -> Domain:
    return load_domain(SHIPPED_LIBRARY)


@pytest.fixture(scope="module")
def of_form(shipped: Domain) -> Mapping[str, Task]:
    """One task of each form, the first ones."""
    every = read_tasks(shipped, file=Path("time")).values()
    return {task.user.wishes[0].form: task for task in reversed(every)}


FORMS = ("later", "if_it_happens", "before_it_closes")


def reward_of(task: Task, domain: Domain, agent: str, connect: Connect = open_session, faults: str = "") -> Any:
    setting = Setting(choose_agent(agent), ScriptedKind(), connect=connect, faults=FAULT_PLANS.get(faults))
    return asyncio.run(play(task, domain, start_world(task, domain), 0, setting)).reward


@pytest.mark.parametrize("name", SETS)
def test_the_reference_wins_each_task_and_who_ignores_time_wins_none(name: str) -> None:
    domain = load_domain(SETS[name])
    for task in [*read_tasks(domain, file=Path("time")).values()][::4]:
        assert task.clock is not None
        assert reward_of(task, domain, "reference") == 1, task.id
        assert reward_of(task, domain, "careful", faults="harsh") == 1, task.id
        assert {reward_of(task, domain, agent) for agent in NEVER_REWARDED} == {0}, task.id
        assert task_line(parse_task(task_line(task))) == task_line(task)


def undisturbed(task: Task, domain: Domain) -> str:
    """The digest in which the chain ends, once the clock has come to its end."""
    with Session(domain, start_world(task, domain)) as session:
        replay(session, task.chain)
        session.settle()
        return session.digest()


async def play_steps(client: Client, steps: Sequence[Step], results: list[Mapping[str, Any]]) -> None:
    for step in steps:
        called = await client.call_tool(step.tool, bind(step.arguments, results), read_timeout_seconds=30)
        assert not called.is_error, called.content
        results.append(called.structured_content or {})


@pytest.mark.parametrize("form", FORMS)
def test_a_plain_client_plays_a_task_whose_server_is_killed_after_the_wait(
    form: str, of_form: Mapping[str, Task], shipped: Domain, tmp_path: Path
) -> None:
    task = of_form[form]
    wait = next(number for number, step in enumerate(task.chain) if step.tool == "wait")
    words = ["--tasks", "time", "--task", task.id, "--state", str(tmp_path), "--session", "mine", "--debug"]
    results: list[Mapping[str, Any]] = []
    told_by_heart = {answer.name: told_value(answer) for answer in task.answers}
    server = StdioServerParameters(command=SERVE[0], args=[*SERVE[1:], *words])

    async def begin() -> None:
        before = children()
        async with Client(server) as client:
            assert "it moves when you call `wait`" in (client.instructions or "")
            assert {"wait", "notices"} < {tool.name for tool in (await client.list_tools()).tools}
            await play_steps(client, task.chain[: wait + 1], results)
            assert results[-1]["now"] > shipped.now
            told = (await client.call_tool("notices")).structured_content or {}
            assert told["notices"][-len(results[-1]["notices"]) :] == results[-1]["notices"]
            (process,) = children() - before
            os.kill(process, signal.SIGKILL)

    async def go_on() -> None:
        async with Client(server) as client:
            told = (await client.call_tool("notices")).structured_content or {}
            assert told["now"] == results[-1]["now"]
            await play_steps(client, task.chain[wait + 1 :], results)
            verdict = await client.call_tool("debug_verify", {"told": told_by_heart})
            assert "Reward 1" in str(verdict.content)

    with contextlib.suppress(Exception):  # whatever the client makes of a server that is gone
        asyncio.run(begin())
    assert len(results) == wait + 1
    asyncio.run(go_on())
    with open_stored_session(shipped, tmp_path, "mine", lambda: start_world(task, shipped), {}) as session:
        session.settle()
        assert session.digest() == undisturbed(task, shipped)


def test_over_http_each_session_has_the_tools_and_the_words_of_its_own_clock(
    of_form: Mapping[str, Task], shipped: Domain
) -> None:
    task = of_form["later"]

    def open_asked(domain: Domain, asked: Mapping[str, Any]) -> Session:
        return open_asked_session(WorldCache(), domain, asked, tasks=Path("time"))

    async def play_over(url: str) -> str:
        results: list[Mapping[str, Any]] = []
        async with Client(url) as client:
            assert "it moves when you call `wait`" in (client.instructions or "")
            await play_steps(client, task.chain, results)
        return str(results[-1])

    async def look_at(url: str) -> None:
        async with Client(url) as client:
            assert "it does not advance" in (client.instructions or "")
            assert not {"wait", "notices"} & {tool.name for tool in (await client.list_tools()).tools}

    with running(shipped, open_session=open_asked) as server:
        timed, other = server.make(task=task.id), server.make(seed=3, size=100)
        asyncio.run(play_over(server.mcp(timed)))
        asyncio.run(look_at(server.mcp(other)))
        found = server.pool.find(timed)
        assert found is not None
        with found.session.settled() as ended:
            assert ended.digest() == undisturbed(task, shipped)


def test_a_compiled_server_plays_it_from_the_file_of_its_world(
    of_form: Mapping[str, Task], shipped: Domain, tmp_path: Path
) -> None:
    write_place(tmp_path / "library", compile_domain(shipped))
    compiled = over_stdio((sys.executable, str(tmp_path / "library" / "server.py")))
    for form in FORMS:
        assert reward_of(of_form[form], shipped, "reference", compiled) == 1, form
        assert reward_of(of_form[form], shipped, "sleeper", compiled) == 0, form


@pytest.mark.parametrize("form", FORMS)
def test_a_rollout_waits_is_forked_and_is_judged_at_the_end_of_the_day(form: str, of_form: Mapping[str, Task]) -> None:
    (task,) = [each for each in tasks("library", file="time") if each.id == of_form[form].id]
    with Rollout(task).sync() as rollout:
        rollout.open()
        assert {"wait", "notices"} < {tool["function"]["name"] for tool in rollout.tools}
        assert "It moves only when you call `wait`" in rollout.messages[0]["content"]
        say = rollout.seat("reference")
        while not rollout.done:
            turn = say()
            if any(call["function"]["name"] == "wait" for call in turn.get("tool_calls", ())):
                with rollout.fork() as other:  # which does not wait, and ends with nothing
                    other.take({"content": "Done."})
                    assert other.verdict().reward == 0
            rollout.take(turn)
        assert rollout.session.clock.now < of_form[form].clock.until  # type: ignore[union-attr]
        assert (rollout.verdict().reward, rollout.record().reward) == (1, 1)
        assert judge_final(task, rollout.final()).reward == 1


def test_a_play_in_the_studio_is_forked_at_a_wait(of_form: Mapping[str, Task]) -> None:
    task = of_form["before_it_closes"]

    async def go() -> None:
        play = await Plays(lambda *_: None).start({"domain": "library", "task": task.id})
        at = 0
        waited = None
        while not play.steps[at].told["done"]:
            step = await play.watch(at, "reference")
            waited = step if step.told.get("tool") == "wait" else waited
            at = step.number
        assert waited is not None
        assert play.verdict(at)["reward"] == 1
        assert waited.told["time"]["now"] > play.steps[0].told["time"]["now"]
        assert "handed-in" in [each["event"] for each in waited.told["time"]["events"]]
        slept = await play.call(waited.parent or 0, "wait", {"minutes": 800, "until_notice": False})
        assert play.verdict(slept.number)["reward"] == 0

    asyncio.run(go())


@pytest.mark.parametrize(
    ("event", "said"),
    [
        ({"at": "2026-03-17 10:00:00", "notice": "Hm."}, "at 2026-03-17 10:00:00, which is not after"),
        ({"at": "2026-03-16 10:00:00", "call": {"tool": "fly"}}, "about tool 'fly', which the domain does not have"),
        ({"when": {"sql": "SELECT 1"}, "notice": "Hm."}, "has the event 'x', whose SELECT reads no table"),
        ({"when": {"sql": "DELETE FROM loan"}, "notice": "Hm."}, "whose SELECT SQLite does not accept"),
        (
            {"at": "2026-03-16 10:00:00", "rows": [{"table": "lone", "kind": "removed", "key": ["L"]}]},
            "names lone, which the schema does not have",
        ),
    ],
)
def test_a_line_whose_plan_does_not_fit_its_domain_is_refused(
    event: dict[str, Any], said: str, of_form: Mapping[str, Task], shipped: Domain, tmp_path: Path
) -> None:
    plan = {"until": "2026-03-16 18:00:00", "events": [{"id": "x", **event}]}
    line = of_form["later"].model_copy(update={"clock": ClockPlan.model_validate(plan)})
    (tmp_path / "one.jsonl").write_text(task_line(line))
    with refused(said):
        read_tasks(shipped, file=tmp_path / "one.jsonl")
