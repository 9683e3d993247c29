"""A model that reads for the user: what it is asked, what its reading does, and what happens to a broken one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from runtime.errors import ModelFailed
from runtime.harness.user import UserReply
from runtime.harness.users.reader import SCHEMA, ReaderKind
from runtime.model.fit import find_misfits
from runtime.model.scripted import ScriptedModel
from tests.runtime.harness.users.hand_made import BOOK, MOVE, WRITES, make_task, read_nothing_of

TASK = make_task(MOVE, BOOK)


def read(kind: str, *asked: str, told: Mapping[str, str] | None = None, **slots: Any) -> dict[str, Any]:
    plain = {"holds_all": False, "differs": [], "goes_beyond": False}
    quoted = [{"answer": name, "words": words} for name, words in (told or {}).items()]
    return {"kind": kind, "asked": list(asked), **plain, **slots, "told": quoted}


def reply_to(said: str, answer: Mapping[str, Any] | Exception) -> tuple[UserReply, ScriptedModel]:
    def give(_: object) -> Mapping[str, Any]:
        if isinstance(answer, Exception):
            raise answer
        assert not find_misfits(answer, SCHEMA)
        return answer

    model = ScriptedModel(give)
    user = ReaderKind(model).meet(TASK, 0, read_nothing_of(TASK))

    async def talk() -> UserReply:
        await user.open()
        return await user.reply(said, ())

    return asyncio.run(talk()), model


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (read("question", "e-mail address"), "It's bo@kern.example."),
        (read("proposal", holds_all=True), "Yes, please."),
        (read("proposal", goes_beyond=True), f"Just so it's clear: {MOVE.words[1]}"),
        (read("proposal", holds_all=True, differs=["new day"]), "Please do it as I asked: Monday, March 18."),
    ],
)
def test_the_model_reads_and_the_script_speaks(answer: Mapping[str, Any], text: str) -> None:
    reply, _ = reply_to("Whither shall the electronic missive go?", answer)
    assert (reply.text, reply.slips) == (text, 0)
    assert reply.usage is not None


@pytest.mark.parametrize("answer", [read("question", "room"), ModelFailed("It is overloaded.")])
def test_a_broken_reading_is_a_slip_and_the_rules_of_form_read(answer: Mapping[str, Any] | Exception) -> None:
    reply, _ = reply_to("What is your email?", answer)
    assert (reply.text, reply.slips) == ("It's bo@kern.example.", 1)


def test_the_model_sees_the_wish_the_facts_and_the_conversation_and_no_later_wish() -> None:
    _, model = reply_to("Who comes?", read("question"))
    [request] = model.requests
    asked = request.prefix + request.prompt
    assert all(part in asked for part in (MOVE.words[0], "- e-mail address: bo@kern.example", "ASSISTANT: Who comes?"))
    assert "Elm Room" not in asked


ASKS = make_task(MOVE, answers=[("old day", "2024-03-14", 0)])
IN_PASSING = "I moved it, which had been on March 14, to the Monday you named."


def hear(told: Mapping[str, str], said: str) -> UserReply:
    model = ScriptedModel({"read": read("report", told=told)})
    user = ReaderKind(model).meet(ASKS, 0, read_nothing_of(ASKS))

    async def talk() -> UserReply:
        await user.open()
        return await user.reply(said, WRITES)

    return asyncio.run(talk())


def test_an_answer_that_it_quotes_is_taken_down_and_not_asked_for() -> None:
    assert not hear({}, IN_PASSING).ends
    heard = hear({"old day": "March 14"}, IN_PASSING)
    assert (heard.ends, heard.quotes, heard.slips) == (True, (("old day", "March 14"),), 0)


@pytest.mark.parametrize("told", [{"old day": "March 15"}, {"new day": "March 14"}, {"old day": ""}])
def test_a_quote_that_is_not_in_the_message_or_of_no_answer_is_a_slip(told: Mapping[str, str]) -> None:
    heard = hear(told, IN_PASSING)
    assert (heard.asks, heard.quotes, heard.slips) == (("old day",), (), 1)


def test_a_quote_that_tells_more_than_a_value_is_not_taken_down() -> None:
    assert hear({"old day": "which had been on March 14, to the Monday"}, IN_PASSING).asks == ("old day",)


def test_it_reads_what_answers_a_closed_question_too() -> None:
    model = ScriptedModel({"read": read("report")})
    user = ReaderKind(model).meet(ASKS, 0, read_nothing_of(ASKS))

    async def talk() -> list[UserReply]:
        return [await user.open(), await user.reply("Moved.", WRITES), await user.reply("March 14", ())]

    assert [reply.asks for reply in asyncio.run(talk())] == [(), ("old day",), ()]
    assert len(model.requests) == 2
