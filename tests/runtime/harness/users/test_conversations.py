"""What the scripted user says to assistants who put things otherwise than as a plan or a plain report."""

from __future__ import annotations

import pytest

from runtime.harness.user import UserReply
from runtime.harness.users.scripted import ScriptedUser
from runtime.task.user import Belief, Wish
from tests.runtime.harness.users.hand_made import (
    BOOK,
    COUNT,
    MOVE,
    REJECTED,
    WRITES,
    fact,
    make_task,
    read_nothing_of,
    talk,
)

TAXI = Wish(words=["And could you call me a taxi?"], form="outside", acts=False)
DUE = Wish(
    words=["My loan is due on Wednesday, March 20, so please extend it."],
    form="mistaken",
    facts=[fact("day", "Wednesday, March 20", "2024-03-20")],
    beliefs=[Belief(name="due date", said="Wednesday, March 20", truth="2024-03-22")],
)
DENIED = Wish(words=["Please cancel my talk on Roses."], facts=[fact("title", "Roses")], insists=["Just this once."])
BEST = Wish(words=["Please renew whichever of my books is due next."])
HEDGES = ("as long as", "if it's just", "that's fine as long")


def hear(*said: object, wishes: tuple[Wish, ...] = (MOVE, BOOK), seed: int = 0) -> list[UserReply]:
    task = make_task(*wishes)
    return talk(ScriptedUser(task, seed, read_nothing_of(task)), *said)[1:]  # type: ignore[arg-type]


def texts(*said: object, wishes: tuple[Wish, ...] = (MOVE, BOOK), seed: int = 0) -> list[str]:
    return [reply.text for reply in hear(*said, wishes=wishes, seed=seed)]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "report",
    [
        "Moved to Monday, March 18. Is that all right?",
        "Ada Stern is on Monday, March 18 now. Does that suit you?",
        "Done! Have you known each other for long?",
        "It is on Monday, March 18 now. I hope you have a good meeting?",
        "Moved. How did you like the last one?",
    ],
)
def test_after_a_finished_report_the_next_wish_follows_without_a_hedge(report: str, seed: int) -> None:
    [reply] = hear((report, WRITES), seed=seed)
    assert reply.wishes == (1,)
    assert not reply.text.lower().startswith(HEDGES)


def test_a_plan_that_stands_after_a_first_write_is_not_cut_off() -> None:
    [reply] = hear(("The meeting is moved. Next I'd tell Ada Stern. Fine with you?", WRITES))
    assert reply.wishes == ()
    assert reply.text.lower().startswith(HEDGES)


def test_a_refusal_with_something_else_instead_is_accepted_and_not_approved() -> None:
    [reply] = texts("I'm not able to call a taxi. Was there a bus that I might look up?", wishes=(TAXI, BOOK))
    assert reply == f"All right. {BOOK.words[0]}"


def test_a_refused_wish_is_insisted_on_where_something_else_is_offered_instead() -> None:
    said = "I can't cancel Roses any more. Shall I shorten it?"
    assert texts(said, wishes=(DENIED, BOOK)) == DENIED.insists


def test_what_is_offered_instead_of_a_refused_wish_gives_way_to_the_second_choice() -> None:
    second = Wish(words=["Then shorten it by an hour."], otherwise=0)
    said = "I can't cancel Roses any more. Shall I return it?"
    [reply] = hear((said, REJECTED), wishes=(DENIED.model_copy(update={"insists": []}), second))
    assert reply.wishes == (1,)


def test_a_plan_in_which_something_is_not_done_is_a_plan() -> None:
    wish = Wish(words=["Draft it for Ada Stern. Don't send it."], facts=[fact("partner", "Ada Stern")])
    [reply] = texts("I draft it for Bea Stern. I won't send it. OK?", wishes=(wish,))
    assert "Ada Stern" in reply


@pytest.mark.parametrize("wish", [MOVE, BEST])
@pytest.mark.parametrize(
    "said", ["I lost that. Please repeat it.", "Could you say that again?", "What was it, please?"]
)
def test_who_asks_for_the_message_again_gets_the_wish_again(said: str, wish: Wish) -> None:
    first, second = texts(said, said, wishes=(wish,))
    assert first.endswith(wish.words[-1])
    assert second.endswith(wish.words[0])
    assert first != second


@pytest.mark.parametrize("said", ["How are you today?", "What are your opening hours?", "Do you have another card?"])
def test_a_question_on_the_side_gets_the_open_wish_and_no_yes(said: str) -> None:
    [reply] = texts(said)
    assert reply.endswith(MOVE.words[1])


def test_a_long_wish_is_not_said_again_to_a_question_on_the_side() -> None:
    long = Wish(words=[" ".join(["Please move the meeting with Ada Stern"] * 8)])
    assert texts("How are you today?", wishes=(long,)) == [
        "Nothing to add there, thanks. I'd still like it just as I asked, please."
    ]


def test_a_correction_of_a_belief_is_owned_once_and_the_wish_goes_on() -> None:
    said = "It is due on Friday, March 22, not on Wednesday. Shall I extend the loan?"
    first, second = texts(said, said, wishes=(DUE,))
    assert first.startswith("Oh, then I had that wrong. ")
    assert "wrong" not in second


@pytest.mark.parametrize(
    "said",
    [
        "It is not due yet, only on Wednesday, March 20. Shall I extend the loan?",
        "It was due on Wednesday, March 20 and would be due on April 3. Shall I extend the loan?",
        "I can't extend it to Friday, March 29. Shall I try?",
    ],
)
def test_a_belief_that_nobody_denies_is_not_given_up(said: str) -> None:
    assert "wrong" not in texts(said, wishes=(DUE,))[0]


def test_a_correction_is_owned_whether_or_not_it_is_right() -> None:
    days = ("Friday, March 22", "Monday, March 25")
    wrong, right = (texts(f"It is due on {day}, not on Wednesday. Extend it?", wishes=(DUE,)) for day in days)
    assert wrong == right


def test_a_value_behind_a_short_question_is_taken() -> None:
    task = make_task(COUNT, BOOK, answers=[("meetings left", 7, 0)])
    replies = ("Let me see.", "Pen at the ready? 7 meetings."), ("Let me see.", "Is it not false? 7 meetings.")
    taken = [talk(ScriptedUser(task, 0, read_nothing_of(task)), *said)[-1].wishes for said in replies]
    assert taken == [(1,), ()]


def test_an_answer_with_a_question_is_read_back_without_a_hedge_and_taken_on_a_wordy_yes() -> None:
    task = make_task(COUNT, BOOK, answers=[("meetings left", 7, 0)])
    told = "There are 7 meetings left. Does that help?"
    wordy = "Yes. It is 7 meetings that are left, that's right, thanks."
    note, after = talk(ScriptedUser(task, 0, read_nothing_of(task)), told, wordy)[1:]
    assert "7" in note.text
    assert not note.text.lower().startswith(HEDGES)
    assert after.wishes == (1,)
