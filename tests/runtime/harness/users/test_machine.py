"""The user's table, row by row: what it does about what the assistant did, and whether it asked."""

from __future__ import annotations

from collections.abc import Sequence

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
    WRITES,
    make_task,
    read_nothing_of,
)

Said = str | tuple[str, Sequence[CallSeen]]
INSISTS = MOVE.model_copy(update={"insists": ["Please, just this once."]})
INSTEAD = BOOK.model_copy(update={"otherwise": 0})
TOGETHER = BOOK.model_copy(update={"joined": True})


def walk(wishes: Sequence[Wish], *said: Said, answers: Sequence[tuple[str, str | int, int]] = ()) -> list[Move]:
    """The moves of a user with these requests, after the first one."""
    task = make_task(*wishes, answers=answers)
    machine = Machine(task.user, AnswersTaken(read_nothing_of(task)))
    machine.open()
    return [machine.move(*((each, ()) if isinstance(each, str) else each)) for each in said]


def phrases(wishes: Sequence[Wish], *said: Said, answers: Sequence[tuple[str, str | int, int]] = ()) -> list[str]:
    return [move.phrase for move in walk(wishes, *said, answers=answers)]


@pytest.mark.parametrize(
    ("wishes", "said", "expected"),
    [
        # Who the user is, and what is kept back, at the first message whatever its words are.
        ([MINE], ["Could you tell me your email?"], ["tell"]),
        ([MINE], ["I will look into that."], ["tell"]),
        ([LEND], ["Which one?"], ["tell"]),
        ([MINE], [("Thank you.", IDENTIFIES), "Shall I?"], ["go_ahead", "confirm"]),
        # A question before anything was done: a conditional yes, then that this is all, then it counts as refused.
        ([MOVE], ["Shall I?"] * 5, ["confirm", "confirm", "confirm", "enough", "done"]),
        # A statement before anything was done: go ahead, the request again, then it counts as refused.
        ([MOVE], ["I see."] * 3, ["go_ahead", "restate", "done"]),
        ([MOVE], [("That did not work.", REJECTED)], ["done"]),
        ([MOVE], [("Our rules forbid it.", DECLINES)], ["done"]),
        # Refused: insist, then the second choice or the next request.
        ([INSISTS, INSTEAD], [("No.", DECLINES), "No."], ["insist", "open"]),
        ([MOVE, INSTEAD], [("Done.", WRITES)], ["done"]),
        # Something was written: a question is answered once for each write, a statement leads on.
        ([MOVE, BOOK], [("Is that right?", WRITES), "Anything else?"], ["just_that", "open"]),
        ([MOVE, BOOK], [("Done.", WRITES)], ["open"]),
        ([MOVE], [("Is that right?", WRITES), ("And this?", WRITES), "So?"], ["just_that", "just_that", "done"]),
        # Requests said together stay open while fewer writes were accepted than there are requests that act.
        ([MOVE, TOGETHER], [("Done.", WRITES), ("Done, too.", WRITES)], ["restate", "done"]),
        # A request that only asks.
        ([COUNT], ["Which month?"], ["confirm"]),
        ([COUNT], [("There are three.", READS)], ["done"]),
        # The end in two steps, the second once nothing more is done.
        ([MOVE], [("Done.", WRITES), "You're welcome."], ["done", "bye"]),
        ([MOVE], [("Done.", WRITES), ("And the room.", WRITES), "Bye."], ["done", "done", "bye"]),
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


def test_what_is_said_in_passing_is_asked_for() -> None:
    assert phrases([COUNT], ("You have 3 meetings left.", READS), answers=[("meetings left", 3, 0)]) == ["answer"]


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


def test_a_model_that_reads_lets_it_say_yes_tell_again_and_hear_a_refusal() -> None:
    task = make_task(MOVE)
    machine = Machine(task.user, AnswersTaken(read_nothing_of(task)))
    machine.open()
    assert machine.move("Monday, March 18?", (), Reading("proposal", fits=True)).phrase == "agree"
    again = machine.move("With whom?", (), Reading("question", frozenset({"partner"})))
    assert (again.phrase, [fact.name for fact in again.facts]) == ("tell", ["partner"])
    assert machine.move("I am not allowed to.", (), Reading("refusal")).phrase == "done"
