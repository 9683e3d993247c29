"""The scripted user and questions in words it was not made for: leave after a plan, numbers, what was let be."""

from __future__ import annotations

import asyncio

import pytest

from runtime.harness.user import UserReply
from runtime.harness.users.scripted import ScriptedKind
from tests.runtime.harness.users.conversations import make_task

WISHES = [
    "The rating in my feedback for Road Planner at Porto Games no longer feels right. Change it to 3 out of 5.",
    "Then move the phone screening at Lisbon Rail 4 days later.",
]
FACTS = [("title", "Road Planner", 0), ("company", "Porto Games", 0), ("rating", "3", 0), ("days", "4", 1)]
PLAN = "The feedback for Road Planner has a rating of 5. I'll change it to 3."
UNKNOWN = "I don't know; please do what I asked for as usual, and nothing beyond it."


def reply(*said: str) -> UserReply:
    """What a fresh user says to the last of these."""

    async def talk() -> UserReply:
        user = ScriptedKind().meet(make_task(WISHES, FACTS), 0)
        heard = await user.open()
        for each in said:
            heard = await user.reply(each)
        return heard

    return asyncio.run(talk())


LEAVE = [
    "Is that what you'd like?",
    "Everything in order?",
    "Am I good to make that change?",
    "Any reason I shouldn't?",
    "Does this plan match what you had in mind?",
    "Are you on board?",
    "Can I get started?",
    "Can you live with that?",
    "Do we have a deal?",
    "Would that be to your liking?",
]


@pytest.mark.parametrize("question", LEAVE)
def test_a_question_that_means_nothing_else_after_a_plan_is_answered_with_a_yes(question: str) -> None:
    assert reply(f"{PLAN} {question}").text == "Yes, please go ahead."


@pytest.mark.parametrize("question", LEAVE)
def test_the_same_question_after_a_wrong_plan_gets_the_fact(question: str) -> None:
    assert reply(f"{PLAN.replace('to 3', 'to 4')} {question}").text == "No, 3."


@pytest.mark.parametrize("question", LEAVE[:6])
def test_the_same_question_after_the_deed_brings_the_next_wish(question: str) -> None:
    assert WISHES[1] in reply(f"Done, I've changed the rating from 5 to 3. {question}").text


@pytest.mark.parametrize(
    "question",
    [
        "Are you vegetarian?",
        "Is there a dress code?",
        "Does the job require travel?",
        "Is parking needed?",
        "Is that gross?",
        "What is the dress code?",
        "Which calendar should I use?",
        "Should I use a template?",
        "Can I use your parking space?",
        "How many people are in the team?",
    ],
)
def test_what_the_user_never_spoke_of_stays_unknown_even_after_a_plan(question: str) -> None:
    assert reply(f"{PLAN} {question}").text == UNKNOWN


@pytest.mark.parametrize(
    "question", ["To which value should I correct it?", "What figure should I put in?", "To what should I change it?"]
)
def test_a_number_of_nothing_in_particular_is_the_one_of_the_wish(question: str) -> None:
    assert reply(question).text == "3."


@pytest.mark.parametrize("question", ["By what amount should I postpone it?", "How much later should it be?"])
def test_a_number_asked_for_is_of_the_present_wish_before_those_of_earlier_ones(question: str) -> None:
    assert reply("I've changed the rating from 5 to 3.", question).text == "4."


def test_what_was_let_alone_beside_the_deed_does_not_make_the_wish_pending() -> None:
    told = "The rating is now 3. Your offer there has lapsed; I have not touched that. Anything else?"
    assert WISHES[1] in reply(f"Done. {told}").text


@pytest.mark.parametrize(
    "said", ["I found the feedback. I have not changed it.", "I've looked it up; nothing has been changed yet."]
)
def test_what_was_let_alone_without_a_deed_is_pending(said: str) -> None:
    assert reply(said).text == "Please go ahead with what I asked for and nothing beyond it, I'll wait."


def test_a_second_thing_is_no_second_to_wait() -> None:
    assert WISHES[1] in reply("Done: the rating is now 3. The company opened a second site.").text
    assert reply("One second please, I'm looking it up.").text == "Okay, go ahead with what I asked for, I'll wait."
