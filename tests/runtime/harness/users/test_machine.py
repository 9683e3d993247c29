"""The user's table, row by row: what it does about what the assistant did, and whether it asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from runtime.harness.conversation import CallSeen
from runtime.harness.users.machine import Machine, Move, Reading
from runtime.task.answers import AnswersTaken
from runtime.task.user import Wish
from tests.runtime.harness.users.hand_made import (
    BOOK,
    COUNT,
    DECLINES,
    IDENTIFIES,
    LEND,
    MINE,
    MOVE,
    READS,
    REJECTED,
    RENEW,
    WRITES,
    make_task,
    read_nothing_of,
)

Said = str | tuple[str, Sequence[CallSeen]]
INSISTS = MOVE.model_copy(update={"insists": ["Please, just this once."]})
FIVE = MOVE.model_copy(update={"writes": 4, "refusals": 1})
NURSE = MOVE.model_copy(update={"acts": False, "form": "outside"})
THREE, REFUSES, ON_RECORD = WRITES * 3, DECLINES, [replace(each, accepted=False) for each in DECLINES]
AGAIN = MOVE.model_copy(update={"again": 0})
INSTEAD = BOOK.model_copy(update={"otherwise": 0})
TOGETHER = BOOK.model_copy(update={"joined": True})


def walk(wishes: Sequence[Wish], *said: Said, answers: Sequence[tuple[str, str | int, int]] = ()) -> list[Move]:
    """The moves of a user with these requests, after the first one."""
    task = make_task(*wishes, answers=answers)
    machine = Machine(task.user, AnswersTaken(read_nothing_of(task)))
    machine.open()
    return [machine.move(*((each, ()) if isinstance(each, str) else each)) for each in said]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (["Who are you?", ("I can't find it.", READS)], [3, 1]),
        ([("Who are you?", REJECTED), "Which one?"], [3, 1]),
        ([("Done, and who are you?", WRITES)], [1]),
    ],
)
def test_a_detail_said_wrong_is_corrected_when_all_else_is_told_or_a_part_is_done(
    said: Sequence[Said], told: list[int]
) -> None:
    moves = walk([RENEW, TOGETHER], *said)
    assert [len(move.facts) for move in moves] == told
    assert [fact.corrects for fact in moves[-1].facts] == ["On Lenses"]


def phrases(wishes: Sequence[Wish], *said: Said, answers: Sequence[tuple[str, str | int, int]] = ()) -> list[str]:
    return [move.phrase for move in walk(wishes, *said, answers=answers)]


@pytest.mark.parametrize(
    ("wishes", "said", "expected"),
    [
        # Who the user is, and what is kept back, at the first message whatever its words are.
        ([MINE], ["Could you tell me your email?"], ["tell"]),
        ([MINE], ["I will look into that."], ["tell"]),
        ([LEND], ["Which one?"], ["tell"]),
        ([MINE], [("Thank you.", IDENTIFIES), "Shall I?"], ["go_ahead", "just"]),
        # A question before anything was done: what is wanted, then that this is all, then it counts as refused.
        ([MOVE], ["Shall I?"] * 5, ["just", "just", "just", "enough", "done"]),
        ([MOVE], [("That is not the number on file. Another one?", REJECTED), "Well?"], ["just", "done"]),
        # A statement before anything was done: go ahead, the request again, then it counts as refused.
        ([MOVE], ["I see."] * 3, ["go_ahead", "restate", "done"]),
        ([MOVE], [("That did not work.", REJECTED)], ["done"]),
        # A request that was refused is made again: once more, whether it is allowed by now or not.
        ([MOVE, AGAIN], [("No.", DECLINES), "No.", "No."], ["open", "go_ahead", "done"]),
        ([MOVE, AGAIN], [("No.", DECLINES), "No. Anything else?", "No. Anything else?"], ["open", "just", "done"]),
        ([MOVE, AGAIN], [("No.", DECLINES), "Shall I?", ("Done.", WRITES)], ["open", "just", "done"]),
        ([MOVE], [("Our rules forbid it.", DECLINES)], ["done"]),
        ([MOVE], [("It is on record that our rules forbid it.", ON_RECORD)], ["done"]),
        # Refused: insist, then the second choice or the next request.
        ([INSISTS, INSTEAD], [("No.", DECLINES), "No."], ["insist", "open"]),
        ([MOVE, INSTEAD], [("Done.", WRITES)], ["done"]),
        # As much was written as the request needs: the next one, whatever else is asked.
        ([MOVE, BOOK], [("Shall I also cancel it?", WRITES)], ["open"]),
        ([MOVE, BOOK], [("Done.", WRITES)], ["open"]),
        # Less was written than the request needs: what is wanted, to each question and to one statement.
        (
            [FIVE, BOOK],
            [("And the other four?", WRITES), ("All of them?", REFUSES), ("Done.", THREE)],
            ["just"] * 2 + ["open"],
        ),
        ([FIVE, BOOK], [("That is one.", WRITES), "That is all."], ["just", "open"]),
        ([MOVE, TOGETHER], [("Done.", WRITES), ("Done, too.", WRITES)], ["just", "done"]),
        # A request that only asks, and one beyond the office, which ends at the first answer.
        ([COUNT], ["Which month?"], ["just"]),
        ([NURSE, BOOK], ["We don't do that. Anything else?"], ["open"]),
        ([COUNT], [("There are three.", READS)], ["done"]),
        # The end in two steps, the second once nothing more is done.
        ([MOVE], [("Done.", WRITES), "You're welcome."], ["done", "bye"]),
        ([MOVE], [("Done.", WRITES), ("And the room?", WRITES), "Bye?"], ["done", "done", "bye"]),
    ],
)
def test_each_row_of_the_table(wishes: list[Wish], said: list[Said], expected: list[str]) -> None:
    assert phrases(wishes, *said) == expected


def test_answers_are_asked_for_once_more_and_then_given_up() -> None:
    answers = [("meetings left", 3, 0)]
    moves = walk([COUNT], ("Let me see.", READS), "There are some.", "Three or so.", answers=answers)
    assert [move.phrase for move in moves] == ["answer", "answer", "done"]
    assert [move.asks.again for move in moves if move.asks is not None] == [False, True]


def test_a_message_that_is_nothing_but_the_answer_is_not_asked_for() -> None:
    assert phrases([COUNT], ("meetings left: 3", READS), answers=[("meetings left", 3, 0)]) == ["done"]


@pytest.mark.parametrize(
    ("said", "is_heard"),
    [
        ("You have 3 meetings left.", True),
        ("I looked on April 2, 2026: **4** meetings are left. The fee is $15.", True),
        ("You have 3 meetings left, and 2 of them are this week.", False),
        ("Room 12 is yours.", False),  # nothing says what the number is
        ("I count 5 meetings so far, and go on.", False),  # nor that it is the number asked for
        ("You have some meetings left.", False),
    ],
)
def test_one_value_that_stands_in_a_sentence_about_it_is_heard(said: str, is_heard: bool) -> None:
    asked = phrases([COUNT], (said, READS), answers=[("meetings left", 3, 0)])
    assert asked == (["done"] if is_heard else ["answer"])


def test_the_last_question_is_what_was_not_done() -> None:
    task = make_task(MOVE, BOOK, answers=[("requests not done", "2", 1)])
    answers = [each.model_copy(update={"kind": "account"}) for each in task.answers]
    task = task.model_copy(update={"answers": answers})
    machine = Machine(task.user, AnswersTaken(read_nothing_of(task)))
    machine.open()
    moves = [machine.move("Done.", WRITES), machine.move("No.", DECLINES), machine.move("Bye.")]
    assert [(each.phrase, each.lead) for each in moves] == [("open", "thanks"), ("answer", "leave"), ("answer", "")]
    machine.answers.hear(["requests not done"], "2")
    assert (machine.move("2").phrase, machine.answers.values) == ("done", {"requests not done": "2"})


def test_what_a_refused_request_asks_to_be_told_is_asked_for_all_the_same() -> None:
    answers = [("meetings left", 3, 0)]
    assert phrases([MOVE], ("Our rules forbid it.", DECLINES), answers=answers) == ["answer"]
    said = [("meetings left: 3", DECLINES), "No."]
    assert phrases([INSISTS, INSTEAD], *said, answers=answers) == ["insist", "open"]


def test_every_conversation_ends_whatever_is_said() -> None:
    for calls in ((), WRITES, REJECTED, READS, DECLINES, IDENTIFIES):
        for text in ("What?", "I see.", ""):
            moves = walk([MINE, LEND, TOGETHER, COUNT], *[(text, calls)] * 80, answers=[("meetings left", 3, 3)])
            assert any(move.ends for move in moves), (text, calls)


def test_a_model_that_reads_lets_it_tell_again_and_hear_a_refusal() -> None:
    task = make_task(MOVE)
    machine = Machine(task.user, AnswersTaken(read_nothing_of(task)))
    machine.open()
    assert machine.move("Monday, March 18?", (), Reading("proposal")).phrase == "just"
    again = machine.move("With whom?", (), Reading("question", frozenset({"partner"})))
    assert (again.phrase, [fact.name for fact in again.facts]) == ("tell", ["partner"])
    assert machine.move("I am not allowed to.", (), Reading("refusal")).phrase == "done"
