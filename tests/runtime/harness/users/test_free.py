"""A model that speaks for the user: what the machine lets it do, and what it must not say."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from runtime.harness.user import CallSeen, UserReply
from runtime.harness.users.free import MOST_ASKED_AGAIN, SCHEMA, FreeKind
from runtime.model.fit import find_misfits
from runtime.model.model import Request
from runtime.model.scripted import ScriptedModel
from tests.runtime.harness.users.hand_made import BOOK, MOVE, WRITES, make_task, read_nothing_of

TASK = make_task(MOVE, BOOK)
FIRST = "Could you move my meeting with Ada Stern to Monday, March 18?"


def say(text: str, *, leaves: bool = False, refused: bool = False) -> dict[str, Any]:
    return {"text": text, "leaves": leaves, "refused": refused}


def talk(
    answers: Sequence[Mapping[str, Any]], *said: tuple[str, Sequence[CallSeen]], task: Any = TASK
) -> tuple[list[UserReply], list[Request]]:
    left = list(answers)
    assert not any(find_misfits(each, SCHEMA) for each in left)
    model = ScriptedModel(lambda _: left.pop(0))
    user = FreeKind(model).meet(task, 0, read_nothing_of(task))

    async def go_on() -> list[UserReply]:
        return [await user.open(), *[await user.reply(text, calls) for text, calls in said]]

    return asyncio.run(go_on()), model.requests


def complaints(requests: Sequence[Request]) -> list[str]:
    return [line for request in requests for turn in request.earlier for line in turn.complaints]


def test_it_speaks_in_its_own_words_to_the_end() -> None:
    answers = [
        say(FIRST),
        say("", leaves=True),
        say("Lovely. Now the Elm Room for 12 people, please."),
        say("", leaves=True),
        say("Bye!"),
    ]
    replies, requests = talk(answers, ("It's moved.", WRITES), ("Booked.", WRITES))
    assert [reply.text for reply in replies] == [FIRST, answers[2]["text"], "Bye!"]
    assert [reply.wishes for reply in replies] == [(0,), (1,), ()]
    assert (replies[-1].ends, complaints(requests)) == (True, [])


def test_it_says_itself_that_it_was_refused() -> None:
    answers = [say(FIRST), say("", leaves=True, refused=True), say("Then the Elm Room for 12 people.")]
    replies, requests = talk(answers, ("That is beyond me, alas.", ()))
    assert (replies[-1].wishes, complaints(requests)) == ((1,), [])


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (say("Make it 3 PM."), "It states '3 PM', which you do not know."),
        (say("I'm at bo@kern.example."), "It tells 'e-mail address', which nobody asked for."),
        (say("", leaves=True), "It leaves, but nothing that the assistant did was accepted"),
        (say(" "), "It says nothing; say something to the assistant."),
    ],
)
def test_a_slip_is_said_again(answer: Mapping[str, Any], complaint: str) -> None:
    replies, requests = talk([say(FIRST), answer, say("Go on, please.")], ("I am looking.", ()))
    assert (replies[-1].text, replies[-1].slips) == ("Go on, please.", 1)
    assert complaint in complaints(requests)[0]


def test_a_withheld_fact_may_be_told_to_whoever_asks() -> None:
    replies, requests = talk([say(FIRST), say("Sure, bo@kern.example.")], ("Where can I reach you?", ()))
    assert (replies[-1].text, complaints(requests)) == ("Sure, bo@kern.example.", [])


def test_a_wish_is_said_with_all_that_is_in_it() -> None:
    _, requests = talk([say("Move my meeting with Ada Stern, please."), say(FIRST)])
    assert complaints(requests) == ["It leaves out 'Monday, March 18'."]


def test_after_enough_slips_the_script_speaks() -> None:
    replies, _ = talk([say("Move it to 3 PM.")] * (MOST_ASKED_AGAIN + 1))
    assert (replies[0].text, replies[0].slips) == (MOVE.words[0], MOST_ASKED_AGAIN + 1)


def test_closed_questions_are_the_scripts() -> None:
    task = make_task(MOVE, answers=[("old day", "2024-03-14", 0)])
    answers = [say(FIRST), say("Thanks!", leaves=True), say("Bye.")]
    replies, requests = talk(answers, ("Moved.", WRITES), ("March 14", ()), task=task)
    assert [reply.asks for reply in replies] == [(), ("old day",), ()]
    assert "just the old day" in replies[1].text
    assert len(requests) == 3


def test_it_is_told_what_was_done_and_no_later_wish() -> None:
    _, requests = talk([say(FIRST), say("Fine.")], ("Shall I?", WRITES))
    assert "(called change_it: accepted)" in requests[1].prompt
    assert "only if you are asked" in requests[1].prefix
    assert "Elm Room" not in requests[1].prefix + requests[1].prompt
