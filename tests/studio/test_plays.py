"""Plays: steps that can be gone back to, branches that leave each other alone, agents, and verdicts that name steps."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from runtime.errors import UsageError
from worldsmith.studio.plays import Play, Plays

NORA = {"email": "nora.moreno9@example.org", "phone": "(937) 555-0174"}
WHO = "Who is calling, please?"


class Told:
    """What pages are told of."""

    def __init__(self) -> None:
        self.steps: list[int] = []

    def __call__(self, kind: str, data: Any) -> None:
        self.steps.append(data["step"]["number"])


async def started(task: str | None = "keep-a-book", tell: Any = lambda *_: None) -> Play:
    return await Plays(tell).start({"domain": "library", "task": task} if task else {"domain": "library"})


def due_on(play: Play, at: int) -> str:
    page = play.rows(at, "loan", 0, "LOAN-0016")
    (row,) = page["rows"]
    return str(dict(zip(page["columns"], row, strict=True))["due_on"])


def test_a_play_tells_what_each_step_changed_and_which_were_refused() -> None:
    async def go() -> None:
        told = Told()
        play = await started(tell=told)
        said = await play.say(0, WHO)
        refused = await play.call(said.number, "renew_loan", {"loan_id": "LOAN-9999"})
        renewed = await play.call(refused.number, "renew_loan", {"loan_id": "LOAN-0016"})
        assert said.told["replies"][-1]["text"].startswith("I'm Nora Moreno")
        assert refused.told["refused"]
        assert refused.told["cells"] == []
        assert [(cell["column"], cell["was"], cell["now"]) for cell in renewed.told["cells"]] == [
            ("due_on", "2026-03-20", "2026-04-03"),
            ("renewals", 0, 1),
        ]
        assert "IDENTIFIED_FIRST" in renewed.told["violations"][0]
        assert told.steps == [0, 1, 2, 3]
        (broken,) = play.verdict(renewed.number)["violations"]
        assert (broken["rule"], broken["step"]) == ("IDENTIFIED_FIRST", renewed.number)

    asyncio.run(go())


def test_acting_from_an_earlier_step_leaves_the_other_branch_as_it_was() -> None:
    async def go() -> None:
        play = await started()
        returned = await play.call(0, "return_book", {"loan_id": "LOAN-0016"})
        renewed = await play.call(0, "renew_loan", {"loan_id": "LOAN-0016"})
        assert (returned.parent, renewed.parent) == (0, 0)
        assert [due_on(play, at) for at in (0, 1, 2)] == ["2026-03-20", "2026-03-20", "2026-04-03"]
        (changed,) = play.rows(1, "loan", 0, "")["changed"]
        assert (changed["before"]["status"], changed["after"]["status"]) == ("out", "returned")
        differing = {cell["column"]: (cell["was"], cell["now"]) for cell in play.compare(1, 2)}
        assert differing["status"] == ("returned", "out")
        assert differing["due_on"] == ("2026-03-20", "2026-04-03")

    asyncio.run(go())


def test_an_agent_goes_on_where_a_person_stopped_and_reaches_the_goal() -> None:
    async def go() -> None:
        play = await started()
        step = await play.say(0, WHO)
        while not step.told["done"]:
            step = await play.watch(step.number, "reference")
        assert step.told["by"] == "reference"
        verdict = play.verdict(step.number)
        assert verdict["reward"] == 1
        tools = {row["table"]: play.steps[row["step"]].told["tool"] for row in verdict["rows"]}
        assert tools == {"loan": "renew_loan", "identification": "note_identification"}
        with pytest.raises(UsageError, match="over"):
            await play.watch(step.number, "reference")

    asyncio.run(go())


def test_without_a_task_tools_can_be_called_and_nothing_is_judged() -> None:
    async def go() -> None:
        play = await started(None)
        step = await play.call(0, "change_phone", {"member_id": "MEMBER-0001", "phone": "(614) 555-0131"})
        assert [cell["column"] for cell in step.told["cells"]] == ["phone"]
        for wrong in (play.say(1, "Hello"), play.watch(1, "reference")):
            with pytest.raises(UsageError, match="no task is played"):
                await wrong
        with pytest.raises(UsageError, match="no task is played"):
            play.verdict(1)

    asyncio.run(go())


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"domain": "libary"}, "library"),
        ({"domain": "library", "task": "keep-a-bok"}, "keep-a-book"),
        ({"domain": "library", "task": "keep-a-book", "user": "nobody"}, "No user 'nobody'"),
        ({"domain": "library", "seed": "7"}, "seed: Input should be a valid integer"),
        ({}, "domain: Field required"),
    ],
)
def test_what_cannot_be_played_is_said_in_a_sentence(asked: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        asyncio.run(Plays(lambda *_: None).start(asked))


def test_a_step_that_is_not_there_is_said_with_the_last_one() -> None:
    async def go() -> None:
        play = await started()
        with pytest.raises(UsageError, match="no step 7; its last one is 0"):
            await play.say(7, "Hello")
        with pytest.raises(UsageError, match="command"):
            await play.watch(0, "command:true")

    asyncio.run(go())
