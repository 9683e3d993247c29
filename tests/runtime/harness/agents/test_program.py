"""The programs of `command:` agents: what they are given, what they cannot find, and that they end with the episode."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from generator.main import main
from runtime.errors import ModelFailed
from runtime.harness.agents.program import TALK
from runtime.harness.episode import EpisodeLimits
from tests.conftest import LIBRARY
from tests.runtime.harness.driving import SYSTEM, Driven

STUBBORN = """
trap '' TERM INT HUP
sh -c "trap '' TERM; echo \\$\\$ >> $1/pids; while :; do sleep 1; done" &
while [ "$(wc -l < $1/pids)" != 1 ]; do sleep 0.02; done
echo $$ >> $1/pids
echo ready > $1/ready
while :; do sleep 1; done
"""


def alive(*pids: int) -> list[int]:
    """The processes that still run; one that was killed and waits for whoever adopted it does not."""
    return [pid for pid in pids if _state(pid) not in ("", "Z")]


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return ""


def expect_gone(*pids: int) -> None:
    """Fail unless all of these processes end soon, or have ended."""
    latest = time.monotonic() + 5
    while alive(*pids) and time.monotonic() < latest:
        time.sleep(0.02)
    assert alive(*pids) == []


def test_a_program_that_will_not_end_is_killed_with_its_children(
    run: Callable[..., Driven], shell: Any, tmp_path: Path
) -> None:
    (tmp_path / "pids").touch()
    driven = run(shell(STUBBORN), limits=EpisodeLimits(seconds=1.5))
    assert driven.episode.ended == "out_of_time"
    pids = [int(line) for line in (tmp_path / "pids").read_text().split()]
    assert len(pids) == 2
    expect_gone(*pids)


def test_the_folder_holds_the_config_and_the_task_and_is_gone_afterwards(
    run: Callable[..., Driven], shell: Any, tmp_path: Path
) -> None:
    look = (
        "pwd > $1/where; stat -c %a . > $1/mode; ls -A > $1/held; cp mcp.json TASK.md $1; touch own.txt; "
        "printf '%s.' \"$2\" > $1/prompt"
    )
    with pytest.raises(ModelFailed):
        run(f"{shell(look)} {{prompt}}")
    assert (tmp_path / "held").read_text().split() == ["TASK.md", "mcp.json"]
    assert (tmp_path / "mode").read_text() == "700\n"
    assert not Path((tmp_path / "where").read_text().strip()).exists()
    server = json.loads((tmp_path / "mcp.json").read_text())["mcpServers"]["world"]
    assert server["type"] == "http"
    assert server["url"].startswith("http://127.0.0.1:")
    prompt = (tmp_path / "TASK.md").read_text()
    assert (tmp_path / "prompt").read_text() == f"{prompt}."
    assert prompt.startswith(SYSTEM)
    assert TALK in prompt
    assert "What is due?" not in prompt


def test_a_program_inherits_no_descriptor_no_secret_and_not_our_folder(
    run: Callable[..., Driven], shell: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "the-secret")
    (tmp_path / "store.db").touch()
    store = os.open(tmp_path / "store.db", os.O_RDWR)
    os.set_inheritable(store, True)
    try:
        with pytest.raises(ModelFailed):
            run(shell("ls -l /proc/self/fd > $1/fds; env > $1/env; pwd > $1/where"))
    finally:
        os.close(store)
    assert "store.db" not in (tmp_path / "fds").read_text()
    assert "the-secret" not in (tmp_path / "env").read_text()
    assert f"PWD={(tmp_path / 'where').read_text().strip()}" in (tmp_path / "env").read_text()
    assert str(Path.cwd()) not in (tmp_path / "where").read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--agent", "command:sh", "--pass-env", "NO_SUCH"], "--pass-env 'NO_SUCH' names a variable that is not set."),
    ],
)
def test_an_option_that_does_not_fit_is_refused_before_anything_is_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    store = tmp_path / "run.db"
    assert main(["eval", str(LIBRARY), "--user", "none", "--store", str(store), *words]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith(f"error: {said}")
    assert captured.err.count("\n") == 1
    assert not store.exists()
