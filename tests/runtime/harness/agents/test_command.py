"""The agent `command:...`: a real program of its own process, over real HTTP, as the agent of an episode."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runtime.domain.domain import Domain
from runtime.errors import UsageError
from runtime.harness.agents.program import OVER, CommandAgent
from runtime.harness.conversation import Message, ToolCall, UserReply
from runtime.harness.episode import GREETING, EpisodeLimits
from runtime.harness.evaluation.plan import RunConfig
from runtime.harness.evaluation.run import bind_play
from runtime.harness.play import Setting, play
from runtime.harness.record import read_record, write_record
from runtime.harness.users.scripted import NoUser
from runtime.session.world import World
from runtime.task.answers import told_value
from runtime.task.task import Task
from runtime.task.task_file import find_task
from tests.runtime.harness.driving import BYE, SYSTEM, THANKS, Driven, drive

CHAIN = Path(__file__).parent / "programs" / "chain.py"
LATE = ["calculate_late_fee", {"due_on": "2026-03-15", "returned_on": "2026-03-16"}]
GONE = ["list_loans", {"member_id": "MEMBER-9999"}]
LIBRARY_TASKS = ("keep-a-book", "card-and-queue", "late-and-next")


def reference(task: Task) -> list[Any]:
    """The steps of the reference chain between the words that a user waits for."""
    answers = [f"{answer.name}: {told_value(answer)}" for answer in task.answers]
    steps: list[Any] = ["Hello!"]
    for wish in range(len(task.user.words)):
        steps += [[step.tool, step.arguments] for step in task.chain if step.wish == wish]
        steps.append("\n".join(answers) or "That is done.")
    return [*steps, "Goodbye!"]


def heard_by(folder: Path, name: str = "script") -> list[dict[str, Any]]:
    """What the program was answered."""
    return [json.loads(line) for line in (folder / f"{name}.out").read_text().splitlines()]


@pytest.mark.parametrize("task_id", LIBRARY_TASKS)
def test_a_program_of_its_own_is_rewarded_for_a_task(
    library: Domain, world: World, scripted: Callable[..., str], task_id: str
) -> None:
    task = find_task(library, task_id)
    said = [*map(UserReply, task.user.words), THANKS]
    driven = asyncio.run(drive(CommandAgent(scripted(*reference(task), client=True)), library, task, world, said))
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
    assert [each["said"] for each in heard_by(tmp_path)] == ["What is due?", "Yes?", fee, OVER]
    assert (driven.episode.ended, driven.episode.turns, driven.episode.calls_made) == ("done", 3, 1)


def test_a_rejection_is_an_error_to_the_program(
    run: Callable[..., Driven], scripted: Callable[..., str], tmp_path: Path
) -> None:
    driven = run(scripted("Hi!", GONE, ["no_such_tool", {}], "Nothing."))
    _, gone, unknown, _ = heard_by(tmp_path)
    assert (gone["is_error"], unknown["is_error"]) == (True, True)
    assert gone["said"].startswith("NOT_FOUND: ")
    assert [each.is_error for each in driven.episode.messages if each.role == "tool"] == [True, True]
    assert driven.episode.ended == "done"


def test_where_nobody_answers_the_prompt_holds_the_words_and_one_report_ends_it(
    library: Domain, world: World, task: Task, scripted: Callable[..., str], tmp_path: Path
) -> None:
    steps = [[step.tool, step.arguments] for step in task.chain]
    driven = asyncio.run(drive(CommandAgent(scripted(*steps, "All done.")), library, task, world))
    assert (driven.reward, driven.episode.ended, driven.episode.told) == (1, "done", ["All done."])
    assert heard_by(tmp_path)[-1] == {"said": OVER, "is_error": False}


def test_the_record_of_a_program_is_judged_by_the_sessions_own_database(
    library: Domain, world: World, task: Task, scripted: Callable[..., str]
) -> None:
    agent = CommandAgent(scripted(*([step.tool, step.arguments] for step in task.chain), "All done."))
    record = asyncio.run(play(task, library, world, 0, Setting(agent, NoUser())))
    assert (record.end, record.reward, record.fault) == ("done", 1, None)
    assert (record.calls, record.turns, record.cost) == (3, 4, None)
    assert {change["table"] for change in record.final} == {"member", "hold"}


def test_calls_beyond_the_limit_are_refused_and_the_program_is_ended(
    run: Callable[..., Driven], scripted: Callable[..., str], tmp_path: Path
) -> None:
    driven = run(scripted("Hi!", *[LATE] * 1_000), limits=EpisodeLimits(calls=5))
    assert (driven.episode.ended, driven.episode.calls_made) == ("out_of_calls", 5)
    answers = heard_by(tmp_path)[1:]
    assert [each["is_error"] for each in answers[:5]] == [False] * 5
    assert {(each["said"], each["is_error"]) for each in answers[5:]} <= {(OVER, True)}
    assert len(answers) < 1_000


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        pytest.param("no-such-program {config}", "cannot be started: there is no such program", id="unknown"),
        pytest.param("", "there is no such program", id="nothing"),
        pytest.param("sh -c 'half", "cannot be split into words: No closing quotation", id="half_a_quote"),
        pytest.param(str(CHAIN), "chain.py. cannot be started: there is no such program", id="not_executable"),
    ],
)
def test_a_command_that_is_none_is_said_before_anything_is_played(command: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        CommandAgent(command)


def test_a_program_that_never_connects_is_void_and_says_why(
    library: Domain, world: World, task: Task, shell: Any
) -> None:
    script = "for n in $(seq 60); do echo line $n >&2; done; printf '\\033[31mboom\\033[0m\\n-----\\n' >&2; exit 3"
    record = asyncio.run(bind_play(RunConfig(agent=f"command:{shell(script)}"))(task, library, world, 0))
    assert (record.end, record.reward, record.fault) == ("void", None, "agent")
    assert record.why == "The program never connected to its MCP server; it ended with exit status 3: boom"
    assert read_record(write_record(record)) == record


def test_a_program_that_ends_before_the_user_is_done_gave_up(run: Callable[..., Driven], scripted: Any) -> None:
    driven = run(scripted("Hi!", LATE))
    assert (driven.episode.ended, driven.reward) == ("gave_up", 0)
    assert driven.episode.why == "The program ended with exit status 0."
