"""Programs and what is left of them: where they start, what they are given, and that nothing outlives them."""

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
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runtime.domain.domain import Domain
from runtime.errors import UsageError
from runtime.harness.agents.command import CommandAgent
from runtime.harness.agents.folder import TALK, Folder
from runtime.harness.agents.given import Given, environment_of
from runtime.harness.episode import EpisodeLimits
from runtime.harness.messages import Message
from runtime.harness.user import UserReply
from runtime.session.world import World
from runtime.task.task import Task
from tests.runtime.harness.driving import BYE, SYSTEM, Driven, drive, seat_at

ASKS = (UserReply("What is due?"), BYE)


STUBBORN = """
trap '' TERM INT HUP
setsid sh -c "trap '' TERM; echo \\$\\$ >> $1/pids; while :; do sleep 1; done" &
sh -c "trap '' TERM; echo \\$\\$ >> $1/pids; while :; do sleep 1; done" &
while [ "$(wc -l < $1/pids)" != 2 ]; do sleep 0.02; done
echo $$ >> $1/pids
echo ready > $1/ready
while :; do sleep 1; done
"""


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
    await Program.start({shlex.split(shell(STUBBORN))!r}, Path({str(tmp_path)!r}), {{"PATH": "/usr/bin:/bin"}})
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
    folder = Folder()
    try:
        folder.write("http://127.0.0.1:1/s/x/mcp", [Message("system", "Use {url}.")])
        words = folder.fill(["{config}", "--url={url}", "{folder}/TASK.md", '{"a": {config}}', "{other}"])
        path = str(folder.path)
        url = "http://127.0.0.1:1/s/x/mcp"
        assert words == [f"{path}/mcp.json", f"--url={url}", f"{path}/TASK.md", f'{{"a": {path}/mcp.json}}', "{other}"]
        assert "Use {url}." in folder.fill(["{prompt}"])[0]
        assert folder.path.stat().st_mode & 0o077 == 0
    finally:
        folder.remove()


ENVIRONMENT = {
    "PATH": "/bin",
    "EDITOR": "vi",
    "MONKEY": "no key",
    "OPENAI_API_KEY": "k",
    "GITHUB_TOKEN": "t",
    "AWS_SECRET_ACCESS_KEY": "s",
    "WORLDSMITH_ADMIN_TOKEN": "t",
    "PWD": "/where/the/store/is",
    "no_proxy": "example.org",
}
ON_THE_WAY = {"NO_PROXY": "127.0.0.1", "no_proxy": "example.org,127.0.0.1", "PWD": "/f"}


@pytest.mark.parametrize(
    ("given", "unlike"),
    [
        pytest.param(Given(), {"EDITOR": "vi", "MONKEY": "no key"}, id="usually"),
        pytest.param(
            Given(pass_env=("OPENAI_API_KEY",)),
            {"EDITOR": "vi", "MONKEY": "no key", "OPENAI_API_KEY": "k"},
            id="with_its_own_key",
        ),
        pytest.param(
            Given(isolate=True, pass_env=("GITHUB_TOKEN",)),
            {"GITHUB_TOKEN": "t", "HOME": "/f", "TMPDIR": "/tmp", "no_proxy": "127.0.0.1"},
            id="isolated",
        ),
    ],
)
def test_a_program_is_given_no_secret_but_those_that_are_named(given: Given, unlike: dict[str, str]) -> None:
    assert environment_of(given, ENVIRONMENT, Path("/f")) == {"PATH": "/bin", **ON_THE_WAY, **unlike}


def test_a_variable_that_is_not_set_cannot_be_given() -> None:
    with pytest.raises(UsageError, match=r"^--pass-env 'MY_KEY' names a variable that is not set\.$"):
        environment_of(Given(pass_env=("MY_KEY",)), ENVIRONMENT, Path("/f"))


def test_the_environment_reaches_the_program_so(
    run: Callable[..., Driven], shell: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORLDSMITH_ADMIN_TOKEN", "secret")
    monkeypatch.setenv("MY_AGENTS_SETTING", "its own")
    run(shell("env > $1/env"))
    given = (tmp_path / "env").read_text()
    assert "MY_AGENTS_SETTING=its own" in given
    assert "WORLDSMITH" not in given


def test_an_agent_whose_episode_never_began_leaves_nothing(library: Domain, world: World, task: Task) -> None:
    async def seat_and_leave() -> None:
        agent = CommandAgent("sh").begin(seat_at(library, task, world))
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
    driven = run(shell("echo $$ > $1/pid; sleep 1; kill -9 $PPID; exec sleep 60"))
    assert driven.episode.why == "The program ended in a way that nobody saw."
    pid = int((tmp_path / "pid").read_text())
    latest = time.monotonic() + 10
    while alive(pid) and time.monotonic() < latest:  # until whoever adopted it has noticed
        time.sleep(0.02)
    assert alive(pid) == []
