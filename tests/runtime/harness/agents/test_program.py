"""The agent `command:...`: a real program, over real HTTP; what it is given, cannot find, and that it ends."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runtime.domain.domain import Domain
from runtime.errors import UsageError
from runtime.harness.agents.program import OVER, TALK, CommandAgent
from runtime.harness.conversation import Message, ToolCall, system_message
from runtime.harness.episode import GREETING, EpisodeLimits
from runtime.harness.record import EpisodeRecord, read_record, write_record
from runtime.harness.users.scripted import NoUser
from runtime.session.world import World
from runtime.task.task import Task
from runtime.task.task_file import find_task
from runtime.task.values import told_value
from tests.conftest import until
from tests.runtime.harness.acting import WishfulUser, answers, play_one

Run = Callable[..., EpisodeRecord]
LATE = ["calculate_late_fee", {"due_on": "2026-03-15", "returned_on": "2026-03-16"}]
GONE = ["list_loans", {"member_id": "MEMBER-9999"}]
STUBBORN = """
trap '' TERM INT HUP
sh -c "trap '' TERM; echo \\$\\$ >> $1/pids; while :; do sleep 1; done" &
while [ "$(wc -l < $1/pids)" != 1 ]; do sleep 0.02; done
echo $$ >> $1/pids
while :; do sleep 1; done
"""
LOOKS = (
    "pwd > $1/where; stat -c %a . > $1/mode; ls -A > $1/held; cp mcp.json TASK.md $1; touch own.txt; "
    "ls -l /proc/self/fd > $1/fds; env > $1/env; printf '%s.' \"$2\" > $1/prompt; "
    "for n in $(seq 60); do echo line $n >&2; done; printf '\\033[31mboom\\033[0m\\n-----\\n' >&2; exit 3"
)


def heard(folder: Path) -> list[dict[str, Any]]:
    """What the program was answered."""
    return [json.loads(line) for line in (folder / "script.out").read_text().splitlines()]


def steps_of(task: Task) -> list[Any]:
    return [[step.tool, step.arguments] for step in task.chain]


def test_a_program_of_its_own_is_rewarded(library: Domain, world: World, scripted: Callable[..., str]) -> None:
    task = find_task(library, "late-and-next")
    told = "\n".join(f"{answer.name}: {told_value(answer)}" for answer in task.answers)
    wishes = [[[step.tool, step.arguments] for step in task.chain if step.wish == wish] for wish in (0, 1)]
    command = scripted("Hello!", *wishes[0], told, *wishes[1], "That is done.")
    record = play_one(library, world, CommandAgent(command), task, user=WishfulUser())
    assert (record.reward, record.end, record.calls, record.cost) == (1, "done", len(task.chain), None)
    assert read_record(write_record(record)) == record


def test_the_conversation_is_recorded_as_that_of_any_agent(
    run: Run, library: Domain, scripted: Callable[..., str], tmp_path: Path
) -> None:
    record = run(scripted("Hi!", "One moment.", LATE, "25 cents."), "Yes?")
    fee = '{"days_late":1,"fee_cents":25}'
    assert record.messages == (
        Message("system", system_message(library, True)),
        Message("assistant", GREETING),
        Message("user", "What is due?"),
        Message("assistant", "One moment.", by_agent=True),
        Message("user", "Yes?"),
        Message("assistant", "", (ToolCall("call_1", *LATE),), by_agent=True),
        Message("tool", fee, call_id="call_1"),
        Message("assistant", "25 cents.", by_agent=True),
        Message("user", "Thank you, goodbye."),
    )
    assert [each["said"] for each in heard(tmp_path)] == ["What is due?", "Yes?", fee, OVER]
    assert (record.end, record.turns, record.calls) == ("done", 3, 1)


def test_a_rejection_is_an_error_to_the_program(run: Run, scripted: Callable[..., str], tmp_path: Path) -> None:
    record = run(scripted("Hi!", GONE, ["no_such_tool", {}], "Nothing."))
    _, gone, unknown, _ = heard(tmp_path)
    assert (gone["is_error"], unknown["is_error"], gone["said"][:11]) == (True, True, "NOT_FOUND: ")
    assert [each.is_error for each in answers(record)] == [True, True]


def test_where_nobody_answers_the_prompt_holds_the_words_and_one_report_ends_it(
    run: Run, task: Task, scripted: Callable[..., str], tmp_path: Path
) -> None:
    record = run(scripted(*steps_of(task), "All done."), user=NoUser())
    assert (record.reward, record.end, record.turns) == (1, "done", 4)
    assert heard(tmp_path)[-1] == {"said": OVER, "is_error": False}


def test_calls_beyond_the_limit_are_refused_and_the_program_is_ended(
    run: Run, scripted: Callable[..., str], tmp_path: Path
) -> None:
    record = run(scripted("Hi!", *[LATE] * 1_000), limits=EpisodeLimits(calls=5))
    assert (record.end, record.calls) == ("out_of_calls", 5)
    answered = heard(tmp_path)[1:]
    assert [each["is_error"] for each in answered[:5]] == [False] * 5
    assert {(each["said"], each["is_error"]) for each in answered[5:]} <= {(OVER, True)}
    assert len(answered) < 1_000


@pytest.mark.parametrize(
    ("command", "pass_env", "sentence"),
    [
        ("no-such-program {config}", (), "cannot be started: there is no such program"),
        ("", (), "there is no such program"),
        ("sh -c 'half", (), "cannot be split into words: No closing quotation"),
        (__file__, (), "test_program.py. cannot be started: there is no such program"),
        ("sh", ("NO_SUCH",), "--pass-env 'NO_SUCH' names a variable that is not set."),
    ],
)
def test_a_command_that_cannot_run_is_refused_before_anything_is_played(
    command: str, pass_env: tuple[str, ...], sentence: str
) -> None:
    with pytest.raises(UsageError, match=sentence):
        CommandAgent(command, pass_env)


def test_a_program_that_never_connects_is_void_and_finds_its_task_and_nothing_of_ours(
    run: Run, library: Domain, shell: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "the-secret")
    (tmp_path / "store.db").touch()
    store = os.open(tmp_path / "store.db", os.O_RDWR)
    os.set_inheritable(store, True)
    try:
        record = run(f"{shell(LOOKS)} {{prompt}}")
    finally:
        os.close(store)
    assert (record.end, record.reward, record.fault) == ("void", None, "agent")
    assert record.why == "The program never connected to its MCP server; it ended with exit status 3: boom"
    seen = {each.name: each.read_text() for each in tmp_path.iterdir() if each.suffix != ".db"}
    where = seen["where"].strip()
    assert (seen["held"].split(), seen["mode"]) == (["TASK.md", "mcp.json"], "700\n")
    assert not Path(where).exists()
    assert where != str(Path.cwd())
    server = json.loads(seen["mcp.json"])["mcpServers"]["world"]
    assert (server["type"], server["url"][:17]) == ("http", "http://127.0.0.1:")
    assert seen["prompt"] == f"{seen['TASK.md']}."
    assert seen["TASK.md"].startswith(system_message(library, True))
    assert (TALK in seen["TASK.md"], "What is due?" in seen["TASK.md"]) == (True, False)
    assert "store.db" not in seen["fds"]
    assert ("the-secret" in seen["env"], f"PWD={where}" in seen["env"]) == (False, True)


def test_a_program_that_ends_before_the_user_is_done_gave_up(run: Run, scripted: Callable[..., str]) -> None:
    record = run(scripted("Hi!", LATE))
    assert (record.end, record.reward, record.why) == ("gave_up", 0, "The program ended with exit status 0.")


def test_a_program_that_will_not_end_is_killed_with_its_children(run: Run, shell: Any, tmp_path: Path) -> None:
    (tmp_path / "pids").touch()
    assert run(shell(STUBBORN), limits=EpisodeLimits(seconds=1.5)).end == "out_of_time"
    pids = (tmp_path / "pids").read_text().split()
    assert len(pids) == 2
    until(lambda: not any(map(runs, pids)), 5)


def runs(pid: str) -> bool:
    """Whether a process still runs; one that was killed may wait for its parent to read its status."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
