"""A model as the user: what it is told, how each slip is caught, and when the scripted user stands in."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from runtime.errors import ModelFailed
from runtime.harness.user import UserReply
from runtime.harness.users.model import MOST_ASKED_AGAIN, REPLY_SCHEMA, ModelUserKind
from runtime.model.fit import find_misfits
from runtime.model.model import Request
from runtime.model.scripted import ScriptedModel
from tests.runtime.harness.users.conversations import converse, make_task

TASK = make_task(
    [
        "Please set up a meeting with Ada Stern on Monday, March 18 at 3 PM.",
        "Then book the Elm Room for 12 people.",
    ],
    [
        ("person", "Ada Stern", 0),
        ("day", "Monday, March 18", 0),
        ("time", "3 PM", 0),
        ("email", "ada@stern.example", 0),
        ("room", "Elm Room", 1),
        ("people", "12", 1),
    ],
    profile="Curt, and always busy.",
)
FIRST = "Set up a meeting with Ada Stern on Monday, March 18 at 3 PM please."
SECOND = "Thanks. Now book the Elm Room for 12 people."
BYE = "Great, bye!"


def say(text: str, ends: bool = False) -> Mapping[str, Any]:
    return {"text": text, "ends": ends}


def meet(*answers: Mapping[str, Any]) -> tuple[ScriptedModel, Any]:
    left = list(answers)
    model = ScriptedModel(lambda request: left.pop(0))
    return model, ModelUserKind(model).meet(TASK, 3)


def hear(user: Any, said: Sequence[str]) -> list[UserReply]:
    async def talk() -> list[UserReply]:
        return [await user.open(), *[await user.reply(each) for each in said]]

    return asyncio.run(talk())


def complaints(request: Request) -> list[str]:
    return [line for turn in request.earlier for line in turn.complaints]


def test_a_model_that_keeps_to_the_brief_is_asked_once_a_turn() -> None:
    model, user = meet(say(FIRST), say("Yes."), say(SECOND), say(BYE, ends=True))
    replies = hear(user, ["Shall I set it up?", "The meeting is set up.", "The room is booked."])
    assert [(each.text, each.ends, each.slips) for each in replies] == [
        (FIRST, False, 0),
        ("Yes.", False, 0),
        (SECOND, False, 0),
        (BYE, True, 0),
    ]
    assert len(model.requests) == 4
    assert all(reply.usage is not None and reply.usage.prompt > 0 for reply in replies)


def test_the_model_is_given_profile_words_and_facts_and_the_conversation() -> None:
    model, user = meet(say(FIRST), say("Yes."))
    hear(user, ["Shall I set it up?"])
    opening, second = model.requests
    for part in (TASK.user.profile, *TASK.user.words, "ada@stern.example (wish 1)", "people: 12 (wish 2)"):
        assert part in opening.prefix
    assert opening.prefix == second.prefix
    assert f"YOU: {FIRST}\n\nASSISTANT: Shall I set it up?" in second.prompt
    assert "You have said 1 of your 2 wishes" in second.prompt
    assert (opening.role, opening.stage, opening.attempt) == ("user", "user", 1)
    assert opening.key != second.key
    assert find_misfits(say("x"), REPLY_SCHEMA) == []


@pytest.mark.parametrize(
    ("slip", "complaint"),
    [
        pytest.param(say("Make it 4 PM."), "states '4 PM'", id="a_time"),
        pytest.param(say("Do it on March 20."), "states 'March 20'", id="a_date"),
        pytest.param(say("It may cost $50."), "states '$50'", id="an_amount"),
        pytest.param(say("Write to me@home.example."), "states 'me@home.example'", id="an_email"),
        pytest.param(say("The booking is BK-7731."), "states 'BK-7731'", id="an_id"),
        pytest.param(say("Please invite Carla Reyes as well."), "states 'Carla'", id="a_name"),
        pytest.param(
            say("Yes, and it is in the Elm Room."), "'Elm Room', which belongs to a later wish", id="later_fact"
        ),
        pytest.param(say("Yes. Also book the room for people."), "wish number 2 before", id="next_wish_too_early"),
        pytest.param(say("Yes, bye.", ends=True), "ends the conversation before", id="ends_early"),
        pytest.param(say(" "), "says nothing", id="says_nothing"),
    ],
)
def test_a_reply_that_breaks_the_brief_is_asked_for_again(slip: Mapping[str, Any], complaint: str) -> None:
    model, user = meet(say(FIRST), slip, say("Yes, please."))
    opening, reply = hear(user, ["Shall I set it up?"])
    assert (reply.text, reply.ends, reply.slips) == ("Yes, please.", False, 1)
    assert opening.slips == 0
    (found,) = [line for line in complaints(model.requests[-1]) if complaint in line]
    assert found.endswith(".")
    assert model.requests[-1].attempt == 2
    assert model.requests[-1].key == model.requests[-2].key
    assert reply.usage is not None
    assert opening.usage is not None
    assert reply.usage.completion > 0


def test_the_whole_script_at_once_is_a_leak() -> None:
    model, user = meet(say(" ".join(TASK.user.words)), say(FIRST))
    (opening,) = hear(user, [])
    assert (opening.text, opening.slips) == (FIRST, 1)
    assert any("wish number 2" in line for line in complaints(model.requests[1]))


def test_a_wish_said_without_one_of_its_facts_is_asked_for_again() -> None:
    model, user = meet(say("Set up a meeting with Ada Stern on Monday, March 18."), say(FIRST))
    (opening,) = hear(user, [])
    assert opening.text == FIRST
    assert complaints(model.requests[1]) == ["It says your wish without '3 PM'; say the whole wish, in its words."]


def test_a_value_that_the_assistant_said_may_be_repeated() -> None:
    _, user = meet(say(FIRST), say("4 PM with Carla is fine, thank you."))
    _, reply = hear(user, ["3 PM is taken; how about 4 PM with Carla?"])
    assert reply.slips == 0


def test_the_scripted_user_stands_in_for_a_model_that_never_keeps_to_the_brief() -> None:
    slips = [say(f"Room {number} at $9 for Carla.") for number in range(100, 101 + MOST_ASKED_AGAIN)]
    model, user = meet(say(FIRST), *slips, say(SECOND))
    _, reply, following = hear(user, ["Who is it with?", "Your meeting has been set up."])
    assert (reply.text, reply.slips) == ("Ada Stern.", MOST_ASKED_AGAIN + 1)
    assert (following.text, following.slips) == (SECOND, 0)
    assert [len(request.earlier) for request in model.requests] == [0, 0, 1, 2, 3, 0]


def test_a_model_that_never_moves_on_is_ended_by_the_bound_of_the_scripted_user() -> None:
    model = ScriptedModel(lambda request: say(FIRST if "said 0 of" in request.prompt else "Yes, please."))
    episode = asyncio.run(converse(ModelUserKind(model).meet(TASK, 0), lambda said: f"Is step {len(said)} right?"))
    assert episode.ended == "done"
    assert episode.turns < 60


def test_another_episode_asks_other_questions() -> None:
    model = ScriptedModel(lambda request: say(FIRST))
    for seed in (1, 2):
        asyncio.run(ModelUserKind(model).meet(TASK, seed).open())
    one, other = model.requests
    assert one.key != other.key


def test_a_model_that_fails_is_not_hidden() -> None:
    with pytest.raises(ModelFailed, match="no answer"):
        asyncio.run(ModelUserKind(ScriptedModel({})).meet(TASK, 0).open())
