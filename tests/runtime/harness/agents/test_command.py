"""The agent `command:...`: real programs in processes of their own, over real HTTP, and what is left of them."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from runtime.domain.domain import Domain
from runtime.errors import UsageError
from runtime.harness.agents.command import CommandAgent
from runtime.harness.agents.folder import Folder
from runtime.harness.agents.program import passed_environment
from runtime.harness.agents.talk import OVER, TALK, Talk
from runtime.harness.episode import GREETING, EpisodeLimits
from runtime.harness.messages import Message, ToolCall
from runtime.harness.play import Setting, play
from runtime.harness.user import UserReply
from runtime.harness.users.none import NoUser
from runtime.session.world import World
from runtime.task.task import Task, find_task
from tests.runtime.harness.driving import BYE, SYSTEM, Driven, drive, seat_at

CHAIN = Path(__file__).parent / "programs" / "chain.py"
LATE = ["calculate_late_fee", {"due_on": "2026-03-15", "returned_on": "2026-03-16"}]
GONE = ["list_loans", {"member_id": "MEMBER-9999"}]
LIBRARY_TASKS = ("keep-a-book", "card-and-queue", "late-and-next")
ASKS = (UserReply("What is due?"), BYE)


@pytest.fixture
def task(library: Domain) -> Task:
    """A new card, and a place in a queue."""
    return find_task(library, "card-and-queue")


@pytest.fixture
def run(library: Domain, world: World, task: Task) -> Callable[..., Driven]:
    """Play an episode with a program; the user asks one thing and thanks."""

    def run_one(command: str, said: Sequence[UserReply] | None = ASKS, limits: EpisodeLimits | None = None) -> Driven:
        return asyncio.run(drive(CommandAgent(command), library, task, world, said, limits=limits))

    return run_one


@pytest.fixture
def scripted(tmp_path: Path) -> Callable[..., str]:
    """The command of a program that says and calls the steps of a script."""

    def make(*steps: Any, name: str = "script") -> str:
        script = tmp_path / f"{name}.json"
        script.write_text(json.dumps(steps))
        return shlex.join([sys.executable, str(CHAIN), "{config}", str(script)])

    return make


@pytest.fixture
def shell(tmp_path: Path) -> Callable[[str], str]:
    """The command of a shell script, which finds its own test's folder in `$1` and then what it is given."""

    def make(text: str) -> str:
        script = tmp_path / "program.sh"
        script.write_text(text)
        return shlex.join(["sh", str(script), str(tmp_path)])

    return make


def reference(task: Task) -> list[Any]:
    """The steps of the reference chain between the words that a user waits for."""
    answers = [f"The {answer.name} is {answer.value}." for answer in task.answers]
    steps: list[Any] = ["Hello!"]
    for wish in range(len(task.user.words)):
        steps += [[step.tool, step.arguments] for step in task.chain if step.wish == wish]
        steps.append(" ".join(["That is done.", *answers]))
    return [*steps, "Goodbye!"]


def heard_by(folder: Path, name: str = "script") -> list[dict[str, Any]]:
    """What the program was answered."""
    return [json.loads(line) for line in (folder / f"{name}.out").read_text().splitlines()]


def alive(*pids: int) -> list[int]:
    """Those of the processes that still run."""
    return [pid for pid in pids if Path(f"/proc/{pid}").exists() or _answers(pid)]


def _answers(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_for(path: Path) -> str:
    """The text of a file as soon as it is whole."""
    latest = time.monotonic() + 20
    while not (path.exists() and path.read_text().endswith("\n")):
        assert time.monotonic() < latest, f"{path.name} did not come about"
        time.sleep(0.02)
    return path.read_text()


@pytest.mark.parametrize("task_id", LIBRARY_TASKS)
def test_a_program_of_its_own_is_rewarded_for_a_task(
    library: Domain, world: World, scripted: Callable[..., str], task_id: str
) -> None:
    task = find_task(library, task_id)
    said = [*map(UserReply, task.user.words), BYE]
    driven = asyncio.run(drive(CommandAgent(scripted(*reference(task))), library, task, world, said))
    assert (driven.reward, driven.episode.ended) == (1, "done")
    assert driven.episode.calls_made == len(task.chain)
    assert driven.episode.told[-1] == "Goodbye!"


def test_the_conversation_is_recorded_as_that_of_any_agent(
    run: Callable[..., Driven], scripted: Callable[..., str], tmp_path: Path
) -> None:
    driven = run(scripted("Hi!", "One moment.", LATE, "25 cents."), [UserReply("What is due?"), UserReply("Yes?"), BYE])
    fee = '{"days_late":1,"fee_cents":25}'
    assert driven.episode.messages == [
        Message("system", SYSTEM),
        Message("assistant", GREETING),
        Message("user", "What is due?"),
        Message("assistant", "One moment.", by_agent=True),
        Message("user", "Yes?"),
        Message("assistant", "", (ToolCall("call_1", *LATE),), by_agent=True),
        Message("tool", fee, call_id="call_1"),
        Message("assistant", "25 cents.", by_agent=True),
        Message("user", BYE.text),
    ]
    assert [each["said"] for each in heard_by(tmp_path)] == ["What is due?", "Yes?", fee, BYE.text]
    assert (driven.episode.ended, driven.episode.turns, driven.episode.calls_made) == ("done", 4, 1)


def test_calls_made_at_once_are_one_turn_or_more_and_each_gets_its_own_answer(
    run: Callable[..., Driven], scripted: Callable[..., str], tmp_path: Path
) -> None:
    days = [["calculate_late_fee", {"due_on": f"2026-03-0{day}", "returned_on": "2026-03-10"}] for day in range(1, 9)]
    driven = run(scripted("Hi!", days, ["calculate_late_fee", LATE[1]], "Done."))
    asked = {call.id: call.arguments["due_on"] for each in driven.episode.messages for call in each.calls}
    told = {each.call_id: json.loads(each.text)["days_late"] for each in driven.episode.messages if each.call_id}
    assert {asked[call]: told[call] for call in asked} == {
        **{f"2026-03-0{day}": 10 - day for day in range(1, 9)},
        "2026-03-15": 1,
    }
    assert len(heard_by(tmp_path)) == 1 + 8 + 1 + 1


def test_a_rejection_is_an_error_to_the_program(
    run: Callable[..., Driven], scripted: Callable[..., str], tmp_path: Path
) -> None:
    driven = run(scripted("Hi!", GONE, ["no_such_tool", {}], "Nothing."))
    _, gone, unknown, _ = heard_by(tmp_path)
    assert (gone["is_error"], unknown["is_error"]) == (True, True)
    assert gone["said"].startswith("NOT_FOUND: ")
    assert [each.is_error for each in driven.episode.messages if each.role == "tool"] == [True, True]
    assert driven.episode.ended == "done"


def test_words_that_are_none_are_turned_down_and_are_no_turn(
    run: Callable[..., Driven], scripted: Callable[..., str], tmp_path: Path
) -> None:
    driven = run(scripted("Hi!", [TALK, {"text": "Done."}], " ", "Done."))
    assert [(each["is_error"], each["said"][:16]) for each in heard_by(tmp_path)[1:3]] == [
        (True, "INVALID_ARGUMENT")
    ] * 2
    assert (driven.episode.turns, driven.episode.told) == (2, ["Done."])


def test_where_nobody_answers_the_prompt_holds_the_words_and_one_report_ends_it(
    library: Domain, world: World, task: Task, scripted: Callable[..., str], tmp_path: Path
) -> None:
    steps = [[step.tool, step.arguments] for step in task.chain]
    driven = asyncio.run(drive(CommandAgent(scripted(*steps, "All done.")), library, task, world))
    assert (driven.reward, driven.episode.ended, driven.episode.told) == (1, "done", ["All done."])
    assert heard_by(tmp_path)[-1] == {"said": OVER, "is_error": False}


@pytest.mark.parametrize("transport", ["memory", "session", "http"])
def test_the_record_of_a_program_is_judged_by_the_sessions_own_database(
    library: Domain, world: World, task: Task, scripted: Callable[..., str], transport: Any
) -> None:
    agent = CommandAgent(scripted(*([step.tool, step.arguments] for step in task.chain), "All done."))
    record = asyncio.run(play(task, library, world, 0, Setting(agent, NoUser(), transport)))
    assert (record.end, record.reward, record.fault) == ("done", 1, None)
    assert (record.calls, record.turns, record.cost) == (3, 4, None)
    assert {change["table"] for change in record.final} == {"member", "hold"}
    assert record.own_seconds < record.seconds / 2


def test_a_program_that_ends_before_the_user_is_done_gave_up(run: Callable[..., Driven], shell: Any) -> None:
    driven = run(shell("echo working; echo 'no such model: x' >&2; exit 3"))
    assert (driven.episode.ended, driven.reward) == ("gave_up", 0)
    assert driven.episode.why == "The program ended with exit status 3: no such model: x."
    driven = run(shell("kill -9 $$"))
    assert driven.episode.why == "The program ended by SIGKILL."


def test_a_program_may_end_after_the_goodbye_whatever_its_exit_status(
    run: Callable[..., Driven], scripted: Callable[..., str], shell: Any
) -> None:
    wrapped = shell('shift; "$@"; exit 4')
    driven = run(f"{wrapped} {scripted('Hi!', 'Done.')}")
    assert driven.episode.ended == "done"


def test_calls_beyond_the_limit_are_refused_and_the_program_is_ended(
    run: Callable[..., Driven], scripted: Callable[..., str], tmp_path: Path
) -> None:
    began = time.monotonic()
    driven = run(scripted("Hi!", *[LATE] * 1_000), limits=EpisodeLimits(calls=5))
    assert (driven.episode.ended, driven.episode.calls_made) == ("out_of_calls", 5)
    answers = heard_by(tmp_path)[1:]
    assert [each["is_error"] for each in answers[:5]] == [False] * 5
    assert {(each["said"], each["is_error"]) for each in answers[5:]} <= {(OVER, True)}
    assert len(answers) < 1_000
    assert time.monotonic() - began < 20


def test_turns_beyond_the_limit_end_the_program(run: Callable[..., Driven], scripted: Callable[..., str]) -> None:
    driven = run(scripted("Hi!", *[LATE] * 1_000), limits=EpisodeLimits(turns=4))
    assert (driven.episode.ended, driven.episode.turns) == ("out_of_turns", 4)


STUBBORN = """
trap '' TERM INT HUP
setsid sh -c "trap '' TERM; echo \\$\\$ >> $1/pids; while :; do sleep 1; done" &
sh -c "trap '' TERM; echo \\$\\$ >> $1/pids; while :; do sleep 1; done" &
while [ "$(wc -l < $1/pids)" != 2 ]; do sleep 0.02; done
echo $$ >> $1/pids
echo ready > $1/ready
while :; do sleep 1; done
"""


def test_nothing_is_left_of_a_program_that_will_not_end_and_has_children(
    run: Callable[..., Driven], shell: Any, tmp_path: Path
) -> None:
    (tmp_path / "pids").touch()
    driven = run(shell(STUBBORN), limits=EpisodeLimits(seconds=1.5))
    assert driven.episode.ended == "out_of_time"
    pids = [int(line) for line in (tmp_path / "pids").read_text().split()]
    assert len(pids) == 3
    assert alive(*pids) == []


def test_nothing_is_left_of_a_program_whose_evaluation_was_killed(shell: Any, tmp_path: Path) -> None:
    (tmp_path / "pids").touch()
    code = f"""
import asyncio
from pathlib import Path
from runtime.harness.agents.program import Program

async def evaluate():
    await Program.start({shlex.split(shell(STUBBORN))!r}, Path({str(tmp_path)!r}))
    await asyncio.sleep(60)

asyncio.run(evaluate())
"""
    evaluation = subprocess.Popen([sys.executable, "-c", code])
    try:
        wait_for(tmp_path / "ready")
        pids = [int(line) for line in (tmp_path / "pids").read_text().split()]
        assert alive(*pids) == pids
    finally:
        evaluation.send_signal(signal.SIGKILL)
        evaluation.wait(10)
    latest = time.monotonic() + 10
    while alive(*pids) and time.monotonic() < latest:
        time.sleep(0.02)
    assert alive(*pids) == []


def test_what_a_program_leaves_running_is_ended_with_it(run: Callable[..., Driven], shell: Any, tmp_path: Path) -> None:
    driven = run(
        shell('setsid sh -c "echo \\$\\$ > $1/left; exec sleep 60" & while [ ! -s $1/left ]; do sleep 0.02; done')
    )
    assert driven.episode.why == "The program ended with exit status 0."
    assert alive(int((tmp_path / "left").read_text())) == []


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        pytest.param("no-such-program {config}", "Agent program 'no-such-program' cannot be started", id="unknown"),
        pytest.param("", "names no program", id="nothing"),
        pytest.param("sh -c 'half", "cannot be split into words: No closing quotation", id="half_a_quote"),
        pytest.param(str(CHAIN), "chain.py. cannot be started: there is no such program", id="not_executable"),
    ],
)
def test_a_command_that_is_none_is_said_before_anything_is_played(command: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        CommandAgent(command)


def test_a_program_that_the_system_will_not_start_is_named(run: Callable[..., Driven], tmp_path: Path) -> None:
    script = tmp_path / "agent"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    with pytest.raises(UsageError, match=r"cannot be started: No such file or directory\.$"):
        run(str(script))


def test_the_folder_holds_the_config_and_the_task_and_is_gone_afterwards(
    run: Callable[..., Driven], shell: Any, tmp_path: Path
) -> None:
    look = "pwd > $1/where; ls -A > $1/held; cp mcp.json TASK.md $1; touch own.txt; printf '%s.' \"$2\" > $1/prompt"
    run(f"{shell(look)} {{prompt}}")
    assert (tmp_path / "held").read_text().split() == ["TASK.md", "mcp.json"]
    assert not Path((tmp_path / "where").read_text().strip()).exists()
    server = json.loads((tmp_path / "mcp.json").read_text())["mcpServers"]["world"]
    assert server["type"] == "http"
    assert server["url"].startswith("http://127.0.0.1:")
    prompt = (tmp_path / "TASK.md").read_text()
    assert (tmp_path / "prompt").read_text() == f"{prompt}."
    assert prompt.startswith(SYSTEM)
    assert TALK in prompt
    assert "What is due?" not in prompt


def test_the_words_of_a_user_who_does_not_answer_stand_in_the_prompt(
    library: Domain, world: World, task: Task, shell: Any, tmp_path: Path
) -> None:
    asyncio.run(drive(CommandAgent(shell("cp TASK.md $1")), library, task, world))
    assert "\n\n".join(task.user.words) in (tmp_path / "TASK.md").read_text()


def test_placeholders_are_filled_in_and_other_braces_stay() -> None:
    folder = Folder("http://127.0.0.1:1/s/x/mcp", [Message("system", "Use {url}.")])
    try:
        words = folder.fill(["{config}", "--url={url}", "{folder}/TASK.md", '{"a": {config}}', "{other}"])
        path = str(folder.path)
        url = "http://127.0.0.1:1/s/x/mcp"
        assert words == [f"{path}/mcp.json", f"--url={url}", f"{path}/TASK.md", f'{{"a": {path}/mcp.json}}', "{other}"]
        assert "Use {url}." in folder.fill(["{prompt}"])[0]
        assert folder.path.stat().st_mode & 0o077 == 0
    finally:
        folder.remove()


def test_a_program_is_given_the_environment_without_worldsmiths_own() -> None:
    environment = {"PATH": "/bin", "OPENAI_API_KEY": "k", "WORLDSMITH_ADMIN_TOKEN": "t", "no_proxy": "example.org"}
    assert passed_environment(environment) == {
        "PATH": "/bin",
        "OPENAI_API_KEY": "k",
        "NO_PROXY": "127.0.0.1",
        "no_proxy": "example.org,127.0.0.1",
    }


def test_the_environment_reaches_the_program_so(
    run: Callable[..., Driven], shell: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORLDSMITH_ADMIN_TOKEN", "secret")
    monkeypatch.setenv("MY_AGENTS_KEY", "its own")
    run(shell("env > $1/env"))
    given = (tmp_path / "env").read_text()
    assert "MY_AGENTS_KEY=its own" in given
    assert "WORLDSMITH" not in given


def test_the_server_offers_the_tools_and_the_user_and_nothing_else(library: Domain, world: World) -> None:
    headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}

    def body(method: str, **params: Any) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}

    hello = body("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "t", "version": "1"})

    async def look() -> None:
        talk = Talk(library, world)
        await talk.open()
        base = talk.url.partition("/s/")[0]
        try:
            async with httpx.AsyncClient(headers=headers, trust_env=False) as client:
                listed = (await client.post(talk.url, json=body("tools/list"))).json()["result"]["tools"]
                assert {tool["name"] for tool in listed} == {*library.tools, TALK}
                for method, key in (("resources/list", "resources"), ("prompts/list", "prompts")):
                    assert (await client.post(talk.url, json=body(method))).json()["result"][key] == []
                assert (await client.post(f"{base}/sessions", json={"task": "card-and-queue"})).status_code == 401
                assert (await client.post(f"{base}/library/mcp", json=hello)).status_code == 400
                assert (await client.post(f"{base}/s/guessed/mcp", json=hello)).status_code == 404
                stranger = {"Host": "attacker.example", **headers}
                assert (await client.post(talk.url, json=hello, headers=stranger)).status_code == 421
        finally:
            await talk.close()
        async with httpx.AsyncClient(trust_env=False) as client:
            with pytest.raises(httpx.ConnectError):
                await client.get(base)

    asyncio.run(look())


def test_a_domain_whose_own_tool_has_the_name_is_refused(library: Domain, world: World, task: Task) -> None:
    tools = {**library.tools, TALK: next(iter(library.tools.values()))}
    with pytest.raises(UsageError, match=f"has a tool '{TALK}'"):
        CommandAgent("sh").seat(seat_at(replace(library, tools=tools), task, world))


def test_programs_at_once_do_not_mix(library: Domain, world: World, scripted: Callable[..., str]) -> None:
    tasks = [find_task(library, name) for name in LIBRARY_TASKS]

    async def all_at_once() -> list[Driven]:
        return await asyncio.gather(
            *(
                drive(
                    CommandAgent(scripted(*reference(task), name=task.id)),
                    library,
                    task,
                    world,
                    [*map(UserReply, task.user.words), BYE],
                )
                for task in tasks
            )
        )

    assert [(each.reward, each.episode.ended) for each in asyncio.run(all_at_once())] == [(1, "done")] * 3


def test_an_agent_whose_episode_never_began_leaves_nothing(library: Domain, world: World, task: Task) -> None:
    async def seat_and_leave() -> None:
        agent = CommandAgent("sh").seat(seat_at(library, task, world))
        await agent.close()
        await agent.close()

    before = threading.active_count()
    asyncio.run(seat_and_leave())
    assert threading.active_count() == before


def test_nothing_is_left_when_whoever_plays_is_interrupted(
    library: Domain, world: World, task: Task, shell: Any, tmp_path: Path
) -> None:
    (tmp_path / "pids").touch()

    async def interrupt() -> None:
        playing = asyncio.create_task(drive(CommandAgent(shell(STUBBORN)), library, task, world, ASKS))
        await asyncio.to_thread(wait_for, tmp_path / "ready")
        playing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await playing

    asyncio.run(interrupt())
    assert alive(*map(int, (tmp_path / "pids").read_text().split())) == []


def test_a_program_that_gets_rid_of_its_watcher_is_ended_all_the_same(
    run: Callable[..., Driven], shell: Any, tmp_path: Path
) -> None:
    driven = run(shell("echo $$ > $1/pid; kill -9 $PPID; exec sleep 60"))
    assert driven.episode.why == "The program ended in a way that nobody saw."
    pid = int((tmp_path / "pid").read_text())
    latest = time.monotonic() + 10
    while alive(pid) and time.monotonic() < latest:  # until whoever adopted it has noticed
        time.sleep(0.02)
    assert alive(pid) == []
