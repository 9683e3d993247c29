"""A rollout is a whole episode: the reference is rewarded, nothing an agent says raises, rollouts share no state."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from runtime.errors import EnvironmentFault
from tests.conftest import refused
from tests.making import write_domain
from tests.worldsmith.playing import ASK, TOLD, calls, play, renews, says
from worldsmith import DomainTask, Rollout, SyncRollout, tasks

LIBRARY = tasks("library")[:4]
KEEP = LIBRARY[0]
OF_EACH_LEVEL = [tasks("job_seeking", level=level)[place] for level in (1, 2, 3, 4) for place in (0, -1)]


def _name(task: DomainTask) -> str:
    return f"{task.domain.name}:{task.id}"


@pytest.fixture
def rollout() -> Iterator[SyncRollout]:
    with Rollout(KEEP).sync() as opened:
        opened.open()
        yield opened


def test_an_episode_starts_with_the_system_message_the_greeting_and_the_first_wish() -> None:
    with Rollout(KEEP).sync() as rollout:
        started = rollout.open()
    assert [message["role"] for message in started] == ["system", "assistant", "user"]
    assert started[2]["content"] == KEEP.task.user.words[0]
    assert KEEP.domain.policy.strip() in started[0]["content"]
    with Rollout(KEEP, policy=False).sync() as rollout:
        assert KEEP.domain.policy.strip() not in rollout.open()[0]["content"]


def test_the_tools_are_openai_function_definitions(rollout: SyncRollout) -> None:
    assert {tool["type"] for tool in rollout.tools} == {"function"}
    functions = {tool["function"]["name"]: tool["function"] for tool in rollout.tools}
    assert functions.keys() == KEEP.domain.tools.keys()
    assert functions["renew_loan"].keys() == {"name", "description", "parameters"}
    assert functions["renew_loan"]["parameters"]["required"] == ["loan_id"]


def test_each_call_is_answered_in_order_under_its_id(rollout: SyncRollout) -> None:
    found, missing = rollout.take(
        calls(("find_member", {"email": "nora.moreno9@example.org"}), ("renew_loan", '{"loan_id": "LOAN-9999"}'))
    )
    assert (found["role"], found["tool_call_id"]) == ("tool", "c0")
    assert json.loads(found["content"])["name"] == "Nora Moreno"
    assert (missing["role"], missing["tool_call_id"]) == ("tool", "c1")
    assert missing["content"].startswith("NOT_FOUND: ")


def test_the_verdict_before_the_end_judges_the_state_as_it_is(rollout: SyncRollout) -> None:
    assert rollout.verdict().reward == 0
    rollout.take(says(ASK))
    rollout.take(renews())
    assert [difference.kind for difference in rollout.verdict().differences] == ["missing_answer"]
    rollout.take(says(TOLD))
    assert (rollout.verdict().reward, rollout.done) == (1, False)
    rollout.take(says("You're welcome."))
    assert (rollout.verdict().reward, rollout.done, rollout.ended) == (1, True, "done")
    rollout.close()
    assert rollout.verdict().reward == 1


def test_turns_and_calls_end_an_episode() -> None:
    with Rollout(KEEP, turns=1).sync() as rollout:
        rollout.open()
        rollout.take(says(ASK))
        assert rollout.ended == "out_of_turns"
    with Rollout(KEEP, calls=1).sync() as rollout:
        rollout.open()
        refused = rollout.take(calls(("find_member", {}), ("find_member", {})))
        assert [each["tool_call_id"] for each in refused] == ["c0", "c1"]
        assert {each["content"] for each in refused} == {
            "RESOURCE_EXHAUSTED: This call and those with it go beyond the limit of 1 call, so none was made."
        }
        assert rollout.ended == "out_of_calls"


@pytest.mark.parametrize(
    "text",
    [
        f"<think>{TOLD}</think>It is renewed.",
        f"I wonder.\n{TOLD}</think>\n\nIt is renewed.",
        f"It is renewed.<think>{TOLD}",
    ],
)
def test_reasoning_is_neither_heard_nor_judged(rollout: SyncRollout, text: str) -> None:
    rollout.take(says(ASK))
    rollout.take(renews())
    assert "the new due date" in rollout.take(says(text))[0]["content"]
    assert [each.kind for each in rollout.verdict().differences] == ["missing_answer"]
    assert rollout.take(says(f"<think>{TOLD}")) == []
    assert rollout.ended == "gave_up"


MALFORMED: list[Any] = [
    pytest.param(calls(("find_member", '{"email": "a@b')), "INVALID_ARGUMENT", id="arguments_cut_off"),
    pytest.param(calls(("find_member", '{"email": NaN}')), "INVALID_ARGUMENT", id="nan"),
    pytest.param(calls(("find_member", '{"email": "\\ud800"}')), "INVALID_ARGUMENT", id="half_a_character"),
    pytest.param(calls(("find_member", "[" * 100_000)), "INVALID_ARGUMENT", id="endlessly_nested"),
    pytest.param(calls(("find_members", "{}")), "NOT_FOUND", id="unknown_tool"),
    pytest.param(
        {"role": "assistant", "tool_calls": [{"function": {"name": "find_member", "arguments": "{}"}}]},
        "INVALID_ARGUMENT",
        id="no_id",
    ),
    pytest.param(
        {"role": "assistant", "tool_calls": [{"name": "find_member", "arguments": {"email": 5}}]},
        "INVALID_ARGUMENT",
        id="no_function",
    ),
    pytest.param({"role": "assistant", "tool_calls": [{"id": "c", "function": {}}]}, "NOT_FOUND", id="no_name"),
    pytest.param({"role": "assistant", "tool_calls": ["find_member"]}, "INVALID_ARGUMENT", id="call_is_text"),
    pytest.param({"role": "assistant", "tool_calls": {"name": ["x"]}}, "NOT_FOUND", id="calls_are_an_object"),
]


@pytest.mark.parametrize(("message", "kind"), MALFORMED)
def test_a_malformed_call_is_answered_and_the_episode_goes_on(
    rollout: SyncRollout, message: dict[str, Any], kind: str
) -> None:
    (answer,) = rollout.take(message)
    assert answer["role"] == "tool"
    assert answer["tool_call_id"]
    assert answer["content"].startswith(kind)
    assert not rollout.done
    rollout.take(says(ASK))
    rollout.take(renews())
    rollout.take(says(TOLD))
    assert rollout.verdict().reward == 1


anything: Any = Rollout  # as in a program without types


def _after_the_end(rollout: SyncRollout) -> None:
    rollout.take({"role": "assistant", "content": ""})
    rollout.take(says("Hello?"))


def _after_closing(rollout: SyncRollout) -> None:
    rollout.close()
    rollout.take(says("Hello?"))


@pytest.mark.parametrize(
    ("misuse", "sentence"),
    [
        pytest.param(_after_the_end, "The rollout of task 'keep-a-book' is over (gave_up); make a new", id="take_done"),
        pytest.param(_after_closing, "The rollout of task 'keep-a-book' is closed; make a new", id="take_closed"),
        pytest.param(lambda rollout: rollout.open(), "was opened before; make a new one", id="open_twice"),
        pytest.param(lambda _: Rollout(KEEP).sync().verdict(), "is not open; call open() first.", id="verdict_early"),
        pytest.param(lambda rollout: rollout.take("Hi"), "take() was given 'Hi'; it takes an assistant", id="text"),
        pytest.param(
            lambda rollout: rollout.take({"role": "user", "content": "Hi"}), "it takes an assistant", id="user"
        ),
        pytest.param(lambda rollout: rollout.take({"content": 5}), "content holds 5; it must be text", id="content"),
        pytest.param(lambda _: anything("keep-a-book"), "it plays one of worldsmith.tasks(domain).", id="task"),
        pytest.param(lambda _: anything(KEEP, user="gpt"), "No user 'gpt'; have: scripted, reader:MODEL,", id="kind"),
        pytest.param(lambda _: anything(KEEP, turns="5"), "turns must be an integer of at least 1", id="number"),
    ],
)
def test_a_misuse_is_one_clear_sentence(rollout: SyncRollout, misuse: Any, sentence: str) -> None:
    with refused(sentence):
        misuse(rollout)


CRASHING = '''
@tool(writes=["thing"])
def rename_thing(db: Database, label: Annotated[str, "New label"]) -> Done:
    """Rename the thing."""
    db.update("thing", "T1", label=label, amount=1 // len(label))
    return {"done": True}
'''
FILLED = '"""One thing."""\n\n\ndef populate(world):\n    world.insert("thing", thing_id="T1", label="old", amount=1)\n'
RENAME = {
    "format": 2,
    "id": "rename",
    "domain": "small",
    "title": "Rename",
    "world": {"seed": 1, "size": 1},
    "user": {"profile": "Brief.", "wishes": [{"words": ["Rename the thing to new."]}]},
    "expected": [{"table": "thing", "kind": "changed", "key": ["T1"], "columns": {"label": "new", "amount": 0}}],
}


@pytest.fixture
def rename(tmp_path: Path) -> DomainTask:
    """A task of a domain whose tool crashes on an empty text."""
    folder = write_domain(tmp_path, tools=CRASHING, world=FILLED)
    (folder / "tasks.jsonl").write_text(json.dumps(RENAME))
    return tasks(folder)[0]


def test_a_fault_of_ours_is_void_and_never_zero(rename: DomainTask) -> None:
    with Rollout(rename).sync() as rollout:
        rollout.open()
        with pytest.raises(EnvironmentFault, match="'rename_thing' crashed: ZeroDivisionError"):
            rollout.take(calls(("rename_thing", {"label": ""})))
        assert (rollout.done, rollout.ended) == (True, "void")
        for use in (rollout.verdict, lambda: rollout.take(says("Done."))):
            with pytest.raises(
                EnvironmentFault, match="The rollout of task 'rename' is void: Tool 'rename_thing' crash"
            ):
                use()
    with Rollout(rename).sync() as rollout:
        rollout.open()
        rollout.take(calls(("rename_thing", {"label": "new"})))
        assert rollout.verdict().reward == 1


def test_rollouts_of_one_task_share_nothing_that_changes(rollout: SyncRollout) -> None:
    with Rollout(KEEP).sync() as other:
        started = other.open()
        assert other.verdict().differences == rollout.verdict().differences
        rollout.take(renews())
        assert [each.kind for each in rollout.verdict().differences] == ["missing_answer"]
        expected = ["missing_row", "wrong_value", "wrong_value", "missing_answer"]
        assert [each.kind for each in other.verdict().differences] == expected
        started[0]["content"] = ""
        other.tools[0]["function"]["parameters"].clear()
        assert rollout.tools[0]["function"]["parameters"]
    assert play(KEEP)[1][0]["content"]


@pytest.mark.parametrize("user", ["scripted", "none"])
@pytest.mark.parametrize("task", [LIBRARY[1], *OF_EACH_LEVEL[::3]], ids=_name)
def test_a_fork_goes_on_from_the_same_point_by_itself(task: DomainTask, user: Any) -> None:
    forks = []
    with Rollout(task, user=user).sync() as rollout:
        rollout.open()
        say = rollout.seat("reference")
        while not rollout.done:
            forks.append((rollout.fork(), rollout.fork(), rollout.messages))
            rollout.take(say())
        verdict, messages = rollout.verdict(), rollout.messages
    written = [each for each in messages if each["role"] == "assistant"]
    for number, (same, other, begun) in enumerate(forks):
        other.take(says("I'm sorry, I can't do that."))
        other.close()
        heard = list(begun)
        for reply in written[number + (user == "scripted") :]:
            heard += [reply, *same.take(reply)]
        assert (same.verdict(), same.ended, heard) == (verdict, "done", messages)
        same.close()
    assert verdict.reward == 1


def test_threads_may_hand_a_rollout_on() -> None:
    task = OF_EACH_LEVEL[2]
    with ThreadPoolExecutor(1) as one, ThreadPoolExecutor(1) as two:
        rollout = Rollout(task).sync()
        one.submit(rollout.open).result()
        say, turns = rollout.seat("reference"), 0
        while not rollout.done:
            (one, two)[turns % 2].submit(rollout.take, say()).result()
            turns += 1
    rollout.close()
    assert turns > 2
    assert (rollout.verdict().reward, rollout.messages) == play(task)
