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


def read(kind: str, *asked: str, **slots: bool) -> dict[str, Any]:
    plain = {"holds_all": False, "contradicts": False, "goes_beyond": False}
    return {"kind": kind, "asked": list(asked), **plain, **slots}


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
        (read("proposal", contradicts=True), f"Just so it's clear: {MOVE.words[1]}"),
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


def test_it_is_not_asked_while_answers_are_taken_down() -> None:
    task = make_task(MOVE, answers=[("old day", "2024-03-14", 0)])
    model = ScriptedModel({"read": read("report")})
    user = ReaderKind(model).meet(task, 0, read_nothing_of(task))

    async def talk() -> list[UserReply]:
        return [await user.open(), await user.reply("Moved.", WRITES), await user.reply("March 14", ())]

    assert [reply.asks for reply in asyncio.run(talk())] == [(), ("old day",), ()]
    assert len(model.requests) == 1
