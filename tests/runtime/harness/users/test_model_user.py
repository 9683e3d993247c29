"""Users with a model: what it is shown, what its reading and its words do, and what happens to broken ones."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from runtime.errors import ModelFailed
from runtime.harness.conversation import CallSeen, UserReply
from runtime.harness.users.model_user import READING, SPEECH, FreeKind, ReaderKind
from runtime.model.ask import find_misfits
from runtime.model.model import Request
from tests.runtime.harness.users.hand_made import BOOK, MINE, MOVE, RENEW, WRITES, make_task, read_nothing_of
from tests.runtime.model.scripted import ScriptedModel

FIRST = "Could you move my meeting with Ada Stern to Monday, March 18?"


def read(kind: str, *asked: str, told: Mapping[str, str] | None = None) -> dict[str, Any]:
    quoted = [{"answer": name, "words": words} for name, words in (told or {}).items()]
    return {"kind": kind, "asked": list(asked), "told": quoted}


def reply_to(
    said: str, answer: Mapping[str, Any] | Exception, task: Any = None, calls: Any = ()
) -> tuple[UserReply, Any]:
    def give(_: object) -> Mapping[str, Any]:
        if isinstance(answer, Exception):
            raise answer
        assert not find_misfits(answer, READING)
        return answer

    model = ScriptedModel(give)
    user = ReaderKind(model).meet(task or TASK, 0, read_nothing_of(task or TASK))

    async def talk() -> UserReply:
        await user.open()
        return await user.reply(said, calls)

    return asyncio.run(talk()), model


TASK = make_task(MOVE, BOOK)
ASKS = make_task(MOVE, answers=[("old day", "2024-03-14", 0)])


@pytest.mark.parametrize(
    ("answer", "part"),
    [
        (read("question", "partner"), "The partner is Ada Stern."),
        (read("proposal"), "moving my meeting with Ada Stern"),
        (read("refusal"), "Then book the Elm Room"),
    ],
)
def test_the_model_reads_and_the_script_speaks(answer: Mapping[str, Any], part: str) -> None:
    reply, _ = reply_to("Whither shall the meeting go?", answer)
    assert part in reply.text or part == "Then book the Elm Room"
    assert (reply.slips, reply.usage is not None) == (0, True)


@pytest.mark.parametrize(
    "answer", [read("question", "room"), read("report", told={"old day": "x"}), ModelFailed("It is overloaded.")]
)
def test_a_broken_reading_is_a_slip_and_the_table_goes_by_state(answer: Mapping[str, Any] | Exception) -> None:
    reply, _ = reply_to("Shall I?", answer)
    assert reply.slips == 1
    assert "moving my meeting with Ada Stern" in reply.text


def test_the_model_sees_the_request_the_facts_and_the_conversation_and_no_later_request() -> None:
    _, model = reply_to("Who comes?", read("question"))
    [request] = model.requests
    asked = request.prefix + request.prompt
    assert all(part in asked for part in (MOVE.words[0], "- partner: Ada Stern", "ASSISTANT: Who comes?"))
    assert "Elm Room" not in asked


def test_an_answer_that_it_quotes_is_taken_down_and_not_asked_for() -> None:
    said = "I moved it, which had been on March 14, 2024, to the Monday you named."
    asked, _ = reply_to(said, read("report"), ASKS, WRITES)
    assert asked.asks == ("old day",)
    quoted, _ = reply_to(said, read("report", told={"old day": "March 14, 2024"}), ASKS, WRITES)
    assert (quoted.asks, quoted.taken, quoted.slips) == ((), (("old day", "2024-03-14"),), 0)


def say(text: str, *tells: str, leaves: bool = False, refused: bool = False) -> dict[str, Any]:
    return {"text": text, "tells": list(tells), "leaves": leaves, "refused": refused}


def talk(
    answers: Sequence[Mapping[str, Any]], *said: tuple[str, Sequence[CallSeen]], task: Any = TASK
) -> tuple[list[UserReply], list[Request]]:
    left = list(answers)
    assert not any(find_misfits(each, SPEECH) for each in left)
    model = ScriptedModel(lambda _: left.pop(0))
    user = FreeKind(model).meet(task, 0, read_nothing_of(task))

    async def go_on() -> list[UserReply]:
        return [await user.open(), *[await user.reply(text, calls) for text, calls in said]]

    return asyncio.run(go_on()), model.requests


def test_it_speaks_in_its_own_words_to_the_end() -> None:
    answers = [
        say(FIRST),
        say("", leaves=True),
        say("Now the Elm Room for 12 people."),
        say("", leaves=True),
        say("Bye!"),
    ]
    replies, requests = talk(answers, ("It's moved.", WRITES), ("Booked.", WRITES), ("You're welcome.", ()))
    assert [reply.wishes for reply in replies] == [(0,), (1,), (), ()]
    assert (replies[0].text, replies[1].text, replies[-1].ends) == (FIRST, answers[2]["text"], True)
    assert not any(reply.slips for reply in replies)


def test_it_says_itself_what_it_tells_and_that_it_was_refused() -> None:
    task = make_task(MINE, BOOK)
    answers = [say(FIRST), say("Bo Kern, bo@kern.example", "name", "email address"), say("", leaves=True, refused=True)]
    replies, requests = talk([*answers, say("The Elm Room for 12 people.")], ("Who?", ()), ("No.", ()), task=task)
    assert (replies[1].tells, replies[2].wishes) == (("name", "email"), (1,))


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(say("Bo.", "shoe size"), id="an unknown fact"),
        pytest.param(say("I'm at bo@kern.example."), id="told unasked"),
        pytest.param(say("", leaves=True), id="leaves before anything was done"),
        pytest.param(say(" "), id="nothing"),
    ],
)
def test_where_its_words_cannot_be_used_the_script_speaks(answer: Mapping[str, Any]) -> None:
    replies, _ = talk([say(FIRST), answer], ("I am looking.", ()), task=make_task(MINE))
    assert [reply.slips for reply in replies] == [0, 1]
    assert replies[-1].text.strip() not in ("", answer["text"])


def test_a_request_that_leaves_something_out_is_said_by_the_script() -> None:
    replies, _ = talk([say("Move it.")])
    assert (replies[0].text, replies[0].slips) == (MOVE.words[0], 1)


def test_a_model_says_a_detail_wrong_first_and_corrects_it_when_the_assistant_cannot_find_it() -> None:
    corrects = say("Oh, I meant On Mirrors.", "title")
    replies, requests = talk(
        [say("Can you renew On Lenses?"), corrects], ("I can't find it.", ()), task=make_task(RENEW)
    )
    assert [(reply.text, reply.slips) for reply in replies] == [("Can you renew On Lenses?", 0), (corrects["text"], 0)]
    assert "title: On Mirrors (you got this wrong and say On Lenses at first;" in requests[0].prefix
    replies, _ = talk([say("Can you renew On Mirrors?")], task=make_task(RENEW))
    assert (replies[0].text, replies[0].slips) == (RENEW.words[0], 1)
