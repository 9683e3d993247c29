"""The scripted user in whole conversations: it says its wishes in order, and every conversation ends."""

from __future__ import annotations

import asyncio
import time

import pytest

from runtime.domain.domain import Domain
from runtime.harness.episode import Episode
from runtime.harness.users.knowledge import learn
from runtime.harness.users.scripted import MOST_REPEATS, MOST_REPLIES, ScriptedKind, ScriptedUser
from runtime.task.task import Task, read_tasks
from tests.runtime.harness.users.conversations import Assistant, converse, make_task, said_by_user
from tests.runtime.harness.users.measure import read_scripts

MEETING = make_task(
    [
        "Please set up a meeting with Ada Stern on Monday, March 18 at 3 PM.",
        "Then cancel the one with Ben Frost.",
        "How many meetings do I have left that week?",
    ],
    [
        ("person", "Ada Stern", 0),
        ("day", "Monday, March 18", 0),
        ("time", "3 PM", 0),
        ("room", "Elm Room", 0),
        ("person", "Ben Frost", 1),
    ],
)


def play(assistant: Assistant, task: Task = MEETING) -> Episode:
    return asyncio.run(converse(ScriptedKind().meet(task, 0), assistant))


def test_it_says_its_wishes_one_by_one_and_a_goodbye_with_the_end() -> None:
    episode = play(lambda said: "That has been done. Anything else?")
    words = MEETING.user.words
    assert said_by_user(episode) == [
        words[0],
        f"Thank you. {words[1]}",
        f"Thank you. {words[2]}",
        "Thank you. That was all, goodbye.",
    ]
    assert (episode.ended, episode.turns) == ("done", 4)


def test_an_assistant_that_asks_for_every_fact_gets_each_of_them() -> None:
    questions = ["Who is it with?", "Which day?", "At what time?", "In which room?", "Shall I go ahead?"]

    def assistant(said: list[str]) -> str:
        if len(said) <= len(questions):
            return questions[len(said) - 1]
        return "It is done. Anything else?"

    episode = play(assistant)
    assert said_by_user(episode)[1:6] == [
        "Ada Stern.",
        "Monday, March 18.",
        "3 PM.",
        "Elm Room.",
        "Yes, please go ahead.",
    ]
    assert (episode.ended, episode.turns) == ("done", 5 + 4)


def test_an_assistant_that_refuses_everything_is_told_every_wish_once() -> None:
    episode = play(lambda said: "I'm sorry, but I can't help with that.")
    assert (episode.ended, episode.turns) == ("done", 4)
    assert said_by_user(episode)[-1].endswith("goodbye.")


def test_a_report_beyond_what_was_said_does_not_keep_later_wishes_from_being_said() -> None:
    episode = play(lambda said: "I've set up the meeting with Ada Stern and cancelled another one, both are done.")
    assert [wish in said for wish, said in zip(MEETING.user.words, said_by_user(episode), strict=False)] == [True] * 3
    assert episode.ended == "done"


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param("Which day?", id="the_same_question"),
        pytest.param("Hm.", id="nothing_of_use"),
        pytest.param("Hello! How can I help you?", id="greets_again"),
        pytest.param("Sure, I'll do that right away.", id="only_promises"),
        pytest.param("Shall I go ahead?", id="only_asks_whether"),
    ],
)
def test_an_assistant_that_loops_hears_each_wish_at_most_two_more_times(answer: str) -> None:
    episode = play(lambda said: answer)
    said = said_by_user(episode)
    assert episode.ended == "done"
    for wish in MEETING.user.words:
        assert sum(wish in each for each in said) <= 1 + MOST_REPEATS
    assert episode.turns <= 3 * (MOST_REPEATS + 3) + 1


def test_an_assistant_that_never_says_the_same_twice_is_left_in_the_end_too() -> None:
    episode = play(lambda said: f"Would you like it in colour {len(said)}?")
    replies = MOST_REPLIES + 4
    assert episode.ended == "done"
    assert episode.turns <= 3 * replies


def test_it_does_not_end_before_the_last_wish_is_reported_done_or_refused() -> None:
    user = ScriptedUser(learn(make_task(["Please delete my account."]).user))

    async def hear(*messages: str) -> list[bool]:
        await user.open()
        return [(await user.reply(each)).ends for each in messages]

    ends = asyncio.run(
        hear(
            "Sure, I can do that for you.",
            "Are you sure that you want me to delete it?",
            "I'll delete it now, one moment.",
            "Once it has been deleted, you will get a message.",
            "Your account has been deleted.",
        )
    )
    assert ends == [False, False, False, False, True]


def test_a_fact_first_said_in_a_later_wish_is_not_told_before_even_where_the_task_does_not_note_it() -> None:
    task = make_task(
        ["I'd like a library card, please.", "And put me in the queue for The Book of Mirrors."],
        [("name", "Tomas Lindqvist", 0), ("title", "The Book of Mirrors", 0)],
    )
    episode = play(lambda said: "Which title, and what other details do you have?", task)
    before = said_by_user(episode)[: next(at for at, each in enumerate(said_by_user(episode)) if "queue" in each)]
    assert before
    assert not any("Mirrors" in each for each in before)


def test_a_repeated_wish_comes_with_the_facts_that_its_words_do_not_hold() -> None:
    episode = play(lambda said: "Hm.")
    repeats = [each for each in said_by_user(episode) if each.startswith("What I want")]
    assert MEETING.user.words[0] in repeats[0]
    assert "room: Elm Room" in repeats[0]


def test_a_wrong_fact_is_set_right_and_a_result_is_not() -> None:
    async def replies() -> list[str]:
        user = ScriptedKind().meet(MEETING, 0)
        await user.open()
        said = (
            "You want it on Tuesday, March 19 at 3 PM, right?",
            "The next free date is Friday, March 22. I have set up your meeting with Ada Stern on Monday, March 18.",
        )
        return [(await user.reply(each)).text for each in said]

    objection, moved_on = asyncio.run(replies())
    assert objection == "No, Monday, March 18."
    assert MEETING.user.words[1] in moved_on


def test_the_tasks_of_a_domain_are_talked_through_in_the_order_of_their_words(library: Domain) -> None:
    for task in read_tasks(library).values():
        episode = play(lambda said: "Is that right?" if len(said) % 2 else "It has been done.", task)
        said = "\n".join(said_by_user(episode))
        positions = [said.find(words) for words in task.user.words]
        assert positions == sorted(positions)
        assert positions[0] == 0
        assert episode.turns == 2 * len(task.user.words) + 1


def test_the_same_conversation_gets_the_same_replies() -> None:
    one, other = (said_by_user(play(lambda said: "Which day? Is it urgent?")) for _ in range(2))
    assert one == other


def test_a_reply_costs_little() -> None:
    async def talk() -> float:
        costs = []
        for number in range(5):
            for script in read_scripts().values():
                user = ScriptedUser(learn(script))
                await user.open()
                for said in (f"I found record {number}-7. Which day was it, and who?", f"It is done, number {number}."):
                    started = time.perf_counter()
                    await user.reply(said)
                    costs.append(time.perf_counter() - started)
        return sorted(costs)[len(costs) // 2]

    assert asyncio.run(talk()) < 0.003


@pytest.mark.parametrize(
    "said",
    [
        pytest.param('He said "hello there" and \ue000 then', id="a_mark_that_is_never_closed"),
        pytest.param('He said "hello there" and \ue00099\ue001 then', id="a_mark_of_a_quote_that_is_not_there"),
        pytest.param('"a \ue0000\ue001 b" and "\ue0001\ue001"', id="marks_in_quotes"),
        pytest.param(f"{'1' * 5_000} tasks, is that right?", id="a_number_without_end"),
        pytest.param("Shall I? " * 200_000, id="a_message_without_end"),
    ],
)
def test_whatever_an_assistant_says_the_user_answers_at_once(said: str) -> None:
    started = time.perf_counter()
    episode = play(lambda _: said)
    assert episode.ended == "done"
    assert time.perf_counter() - started < 20.0
