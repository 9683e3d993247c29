"""Conversations with the scripted user: what it says, and that it says no more than it should."""

from __future__ import annotations

import time

import pytest

from runtime.harness.users.scripted import ScriptedUser
from runtime.harness.users.words import without_opener
from runtime.task.task import KnownFact, Task, Wish
from tests.runtime.harness.users.hand_made import (
    BOOK,
    COUNT,
    MOVE,
    READS,
    REJECTED,
    WRITES,
    make_task,
    read_nothing_of,
    talk,
)


def meet(task: Task, seed: int = 0) -> ScriptedUser:
    return ScriptedUser(task, seed, read_nothing_of(task))


def texts(task: Task, *said: object, seed: int = 0) -> list[str]:
    return [reply.text for reply in talk(meet(task, seed), *said)]  # type: ignore[arg-type]


def test_a_task_goes_wish_by_wish_to_its_end() -> None:
    replies = talk(meet(make_task(MOVE, COUNT, BOOK)), ("Done.", WRITES), ("Seven.", READS), ("Booked.", WRITES))
    assert [reply.text for reply in replies] == [
        MOVE.words[0],
        f"Thank you. {COUNT.words[0]}",
        f"Thanks. {BOOK.words[0]}",
        "Thank you. That was all, goodbye.",
    ]
    assert [reply.wishes for reply in replies] == [(0,), (1,), (2,), ()]
    assert [reply.ends for reply in replies] == [False, False, False, True]


def test_a_withheld_fact_is_told_when_it_is_asked_for_and_not_before() -> None:
    said = ["Hm.", "I have no idea what you mean.", "Whatever you like?"]
    assert not any("bo@kern.example" in text for text in texts(make_task(MOVE), *said))
    assert texts(make_task(MOVE), "What is your e-mail address?")[1] == "It's bo@kern.example."


def test_a_restatement_is_another_wording_and_holds_nothing_withheld() -> None:
    said = texts(make_task(MOVE), "Shall I cancel it?", "Shall I call them?", "Shall I move it with Bea Stern?")
    assert said[1:] == [
        f"Just so it's clear: {MOVE.words[1]}",
        f"To be clear: {MOVE.words[0]}",
        "Please do it as I asked: Ada Stern.",
    ]


def test_what_was_said_before_need_not_be_said_again_in_a_plan() -> None:
    plans = ["Shall I move the meeting with Ada Stern to Tuesday, March 19?", "To Monday then, the 18th of March?"]
    assert texts(make_task(MOVE), *plans)[1:] == [
        "Please do it as I asked: Monday, March 18.",
        "Yes, just as I asked, and nothing else, please.",
    ]


@pytest.mark.parametrize(
    ("value", "said", "plan"), [("docx", "as a docx file", "Word (docx)"), ("2024-03-11", "as on the form", "today")]
)
def test_a_fact_may_be_said_as_the_rows_have_it_or_relative_to_the_clock(value: str, said: str, plan: str) -> None:
    facts = [KnownFact(name="thing", value="letter"), KnownFact(name="what", value=value, said=said)]
    wish = Wish(words=[f"Send the letter, {said}."], facts=facts)
    assert said not in texts(make_task(wish), f"I would send it, {plan}, by post. Is that right?")[1]
    assert said in texts(make_task(wish), "I would send it by post. Is that right?")[1]


def test_a_question_while_answers_are_taken_down_gets_what_was_wished() -> None:
    task = make_task(MOVE, answers=[("old day", "2024-03-14", 0)])
    said = texts(task, ("Moved.", WRITES), "Should I have moved the one with Bea Stern? The old day was March 14.")
    assert said[2].startswith("As I said: Ada Stern")


def test_a_plan_is_agreed_to_as_far_as_it_is_what_was_wished() -> None:
    plan = "Shall I move your meeting with {} to {} and send out cards?"
    said = texts(make_task(MOVE), plan.format("Ada Stern", "Monday, March 18"), plan.format("Ada Stern", "March 19"))
    assert said[1:] == [
        "Yes, just as I asked, and nothing else, please.",
        "Please do it as I asked: Monday, March 18.",
    ]


def test_a_question_that_holds_all_that_was_wished_is_a_plan() -> None:
    plan = (
        "Your meeting with Ada Stern would go to Monday, March 18; the old day was the 14th. What do you think of it?"
    )
    assert texts(make_task(MOVE), plan)[1] == "Yes, just as I asked, and nothing else, please."


@pytest.mark.parametrize(
    "said",
    [
        "Your meeting with Ada Stern, I see. Since when does it not suit you?",
        "With Ada Stern: did you mean two o'clock on the wall, or two o'clock by the sun?",
    ],
)
def test_a_question_about_what_the_user_does_not_know_is_not_answered_with_the_whole_wish(said: str) -> None:
    reply = texts(make_task(MOVE), said)[1]
    assert reply == "I can't tell you more about that, sorry. Just what I asked for, please."


@pytest.mark.parametrize(
    "waits",
    [
        "May I kindly have your OK for that?",
        "I'll wait for your word.",
        "Just say the word?",
        "Before that is done, I would need to know whether it is what was intended.",
    ],
)
def test_whoever_waits_for_a_word_has_made_a_plan(waits: str) -> None:
    said = texts(make_task(MOVE), f"I'd move the meeting with Ada Stern to Monday, March 18, with some cards. {waits}")
    assert said[1] == "Yes, just as I asked, and nothing else, please."


def test_what_a_plan_has_otherwise_is_named_and_nothing_that_it_leaves_out() -> None:
    wish = BOOK.model_copy(update={"words": ["Book the Elm Room for 12 people at 90 EUR."]})
    wish = wish.model_copy(
        update={"facts": [*BOOK.facts, MOVE.facts[0].model_copy(update={"said": "EUR", "value": "EUR"})]}
    )
    plans = ["Shall I book the Elm Room for 15 people, 90 EUR?", "Shall I book it for 12 people, 90 USD?"]
    assert [texts(make_task(wish), plan)[1] for plan in plans] == [
        "Please do it as I asked: 12 people.",
        "Please do it as I asked: EUR.",
    ]


def test_a_plan_with_another_text_gets_the_text_word_for_word() -> None:
    text = "In May, ask Ada Stern whether she would still like to meet"
    wish = Wish(words=[f'Leave a note: "{text}", word for word'], facts=[KnownFact(name="note", value=text)])
    plan = f'I would leave the note "{text}". Is that right?'
    assert texts(make_task(wish), plan.replace("May", "June"))[1] == f'Word for word, please: "{text}"'
    assert texts(make_task(wish), plan)[1] == "Yes, please."


def test_a_plan_with_another_title_that_is_partly_alike_is_set_right() -> None:
    fact = KnownFact(name="title", value="A Short History of Promises")
    wish = Wish(words=["Please renew A Short History of Promises."], facts=[fact])
    heard = 'I see "A Short History of Promises" on your card.'
    plan = 'I would renew "A Short History of Harbours" by two weeks. Is that right?'
    assert texts(make_task(wish), heard, plan)[2] == "Please do it as I asked: A Short History of Promises."


def test_a_plan_with_another_name_is_agreed_to_if_it_is_what_was_wished() -> None:
    said = texts(make_task(MOVE), "Monday, March 18, and it is with Grace Keller: shall I move it?")
    assert said[1] == "Yes, if that's about Ada Stern, as I asked."
    assert (
        texts(make_task(MOVE), "Monday, March 18: shall I move it?")[1]
        == "Yes, just as I asked, and nothing else, please."
    )


def test_whoever_refuses_with_the_wish_in_hand_is_not_told_it_again() -> None:
    said = "I can't move the meeting with Ada Stern to Monday, March 18, I'm afraid."
    assert texts(make_task(MOVE), said)[1] == "I'd still like it just as I asked, please."


def test_a_wrong_value_in_a_question_after_a_write_is_set_right_whatever_was_written() -> None:
    said = texts(make_task(MOVE), ("I moved it with Ada Stern to Tuesday, March 19. Is that right?", WRITES))
    assert said[1] == "As I said: Monday, March 18."


@pytest.mark.parametrize(
    ("asked", "reply"),
    [
        ("Would you like a receipt by mail?", "Nothing beyond what I asked for, thank you."),
        ("Shall I tell the others, too?", "Nothing beyond what I asked for, thank you."),
        ("Which channel do you prefer for news?", "Nothing beyond what I asked for, thank you."),
        ("Is that all right?", "Thank you. That was all, goodbye."),
        (
            "Next I'd tell Ada. Fine with you?",
            "As long as it's what I asked for and nothing else, that's fine, thanks.",
        ),
        ("Shall I make it Tuesday, March 19 instead?", "As I said: Monday, March 18."),
    ],
)
def test_an_offer_after_a_write_is_declined_as_far_as_it_is_beyond_the_wish(asked: str, reply: str) -> None:
    moved = "I moved the meeting with Ada Stern to Monday, March 18. "
    assert texts(make_task(MOVE), (moved * ("March" not in asked) + asked, WRITES))[1] == reply


@pytest.mark.parametrize(
    ("words", "again"),
    [
        ("Hello! I'd like a card, please.", "I'd like a card, please."),
        ("And then put me in the queue.", "Put me in the queue."),
        ("Then book it.", "Book it."),
        ("Thenia books it.", "Thenia books it."),
        ("Hello.", "Hello."),
    ],
)
def test_a_wish_that_is_said_again_does_not_begin_as_it_began(words: str, again: str) -> None:
    assert without_opener(words) == again


def test_answers_are_asked_for_at_most_twice_and_thanks_are_said_once() -> None:
    task = make_task(COUNT, BOOK, answers=[("number of meetings", 7, 0)])
    replies = talk(meet(task), "Let me see, there are some.", "Seven or eight.", "I would say so.", ("Booked.", WRITES))
    asked = ("number of meetings",)
    assert [reply.asks for reply in replies] == [(), asked, asked, (), ()]
    assert replies[1].text.startswith("Thank you. ")
    assert "Thank" not in replies[2].text + replies[3].text


def test_an_answer_that_was_taken_is_not_asked_for_again_right_or_wrong() -> None:
    task = make_task(COUNT, answers=[("number of meetings", 7, 0)])
    for value in ("7", "12"):
        user = meet(task)
        replies = talk(user, "Let me see.", f"The number of meetings is {value}.")
        assert (replies[-1].ends, user.answers.values) == (True, {"number of meetings": value})


def test_right_and_wrong_writes_of_a_tool_are_the_same_to_it() -> None:
    task = make_task(MOVE, BOOK)
    assert texts(task, ("I've moved it to March 18.", WRITES)) == texts(task, ("I've moved it to May 3.", WRITES))


def test_what_was_rejected_and_given_up_is_taken_for_a_refusal() -> None:
    assert texts(make_task(MOVE, BOOK), ("That is against the rules.", REJECTED))[1] == f"All right. {BOOK.words[0]}"


@pytest.mark.parametrize("speech", ["plain", "formal", "casual"])
def test_the_seed_varies_the_small_words_and_the_register_stays(speech: str) -> None:
    task = make_task(MOVE, COUNT, speech=speech)
    ways = {tuple(texts(task, "Hm?", "Shall I?", ("Done.", WRITES), "Seven.", seed=seed)) for seed in range(6)}
    assert len(ways) > 1
    assert all(("Great, thanks." in str(way) or "Thanks!" in str(way)) == (speech == "casual") for way in ways)


def test_the_same_conversation_gets_the_same_replies() -> None:
    said = ["Hm?", "What is your email?", ("Done.", WRITES), "Seven.", "Bye."]
    assert texts(make_task(MOVE, COUNT), *said) == texts(make_task(MOVE, COUNT), *said)


def test_a_fork_goes_on_for_itself() -> None:
    user = meet(make_task(COUNT, answers=[("number of meetings", 7, 0)]))
    talk(user)
    other = user.fork()
    user.hear("Number of meetings: 8", ())
    assert (user.answers.values, other.answers.values) == ({"number of meetings": "8"}, {})


def test_joined_wishes_are_one_message() -> None:
    both = Wish(**{**BOOK.model_dump(), "joined": True})
    assert texts(make_task(MOVE, both))[0] == f"{MOVE.words[0]} {BOOK.words[0]}"


@pytest.mark.parametrize(
    "piece", ["not ", "isn't ", "either or neither nor ", "not May 2, ", "2 to 3 ", "\n- 1", "Shall I? "]
)
def test_a_message_of_the_same_words_over_and_over_costs_little(piece: str) -> None:
    began = time.process_time()
    texts(make_task(MOVE), piece * (29_000 // len(piece)))
    assert time.process_time() - began < 1
