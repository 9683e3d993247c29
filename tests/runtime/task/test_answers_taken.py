"""Claims about answers: a closed question has an exact form, and a reply is read by its kind."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from runtime.domain.schema import ColumnRef
from runtime.task.answers import MOST_ASKED, AnswerReader, AnswersTaken, read_block
from runtime.task.task import TaskAnswer
from runtime.task.values import is_right, read_value, said_value
from tests.runtime.harness.users.hand_made import MOVE, make_task

TODAY = date(2026, 3, 16)
FEE = TaskAnswer(name="late fee", kind="money", value=250, minor=100)
DUE = TaskAnswer(name="due date", kind="date", value="2026-04-03")
START = TaskAnswer(name="start", kind="moment", value="2026-04-03 14:30:00")
OPENS = TaskAnswer(name="opening time", kind="time", value="09:00")
COUNT = TaskAnswer(name="number of books", kind="number", value=1200)
FEW = COUNT.model_copy(update={"value": 21})
NOTHING = FEE.model_copy(update={"value": 0})
TITLE = TaskAnswer(name="title", kind="text", value="The Last Ferns")
UNDONE = TaskAnswer(name="requests not done", kind="account", value="1, 3")
MEAN = TaskAnswer(name="mean", kind="number", value=2.3333333)


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        *(
            (FEE, line)
            for line in ("$2.50", "2.50", "**$2.50**", "2.5 dollars", "$2.50.", "USD 2.50", "US$2.50", "250 cents")
        ),
        *(
            (DUE, line)
            for line in (
                "April 3, 2026",
                "2026-04-03",
                "Friday, April 3",
                "Apr 3",
                "3 April 2026",
                "4/3/2026",
                "4/3/26",
                "4/3",
            )
        ),
        *(
            (START, line)
            for line in ("April 3, 2026, 2:30 PM", "2026-04-03T14:30:00", "Friday, April 3rd at 2:30 p.m.")
        ),
        *((OPENS, line) for line in ("9 AM", "09:00", "9:00 am")),
        *((COUNT, line) for line in ("1200", "1,200", "1,200 books")),
        *((FEW, line) for line in ("21", "twenty-one", "Twenty-one books")),
        *((NOTHING, line) for line in ("$0", "0", "0 cents", "zero dollars")),
        *((MEAN, line) for line in ("2.33", "2.3333333")),
        *((TITLE, line) for line in ("The Last Ferns", "**the last ferns**", "“The Last Ferns.”")),
        *((UNDONE, line) for line in ("1, 3", "3 and 1", "#1 and #3.")),
    ],
)
def test_the_right_value_counts_in_every_usual_notation(answer: TaskAnswer, line: str) -> None:
    value = read_value(answer, line, TODAY)
    assert value is not None
    assert is_right(answer, value)


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        *(
            (FEE, line)
            for line in ("2.46", "2.54", "250", "25 cents", "-$2.50", "2.50 %", "€2.50", "$2.50 or so", "2/5")
        ),
        *((DUE, line) for line in ("Saturday, April 3", "April 3, 2025", "April 4", "soon", "5")),
        *((OPENS, line) for line in ("9 PM", "nine")),
        *((COUNT, line) for line in ("1200 %", "1200 yen", "12,00", "1.2e3", "about 1200", "1200 members", "١٢٠٠")),
        *((MEAN, line) for line in ("2.3", "2.34", "3")),
        *((NOTHING, line) for line in ("-$0", "none", "-0")),
        *((TITLE, line) for line in ("~~The Last Ferns~~", "!=The Last Ferns", "<The Last Ferns", "The Last Ferns?")),
        *((UNDONE, line) for line in ("1", "none", "1, 2, 3", "all", "1 or 3")),
    ],
)
def test_anything_else_does_not(answer: TaskAnswer, line: str) -> None:
    value = read_value(answer, line, TODAY)
    assert value is None or not is_right(answer, value)


def test_money_is_said_in_dollars() -> None:
    assert said_value(FEE) == "$2.50"
    assert said_value(FEE.model_copy(update={"value": 120000})) == "$1,200"


def reader(*answers: tuple[str, Any, int]) -> AnswerReader:
    task = make_task(MOVE, answers=answers)
    task = task.model_copy(
        update={
            "answers": [
                each.model_copy(update={"source": ColumnRef("book", "title")}) if each.kind == "text" else each
                for each in task.answers
            ]
        }
    )
    return AnswerReader(task, "2026-03-16 09:00:00", lambda _: ["The Last Ferns", "On Mirrors"])


TWO = reader(("title", "The Last Ferns", 0), ("copies", 3, 0))


@pytest.mark.parametrize(
    "reply",
    [
        "The Last Ferns\n3",
        "title: the last ferns\ncopies: 3",
        "- copies: 3\n- title: “The Last Ferns”",
        "The title is The Last Ferns.\nThe copies is 3.",
    ],
)
def test_a_reply_has_a_line_for_each_in_order_or_by_name(reply: str) -> None:
    assert {name: TWO.is_right(name, value) for name, value in TWO.read_reply(["title", "copies"], reply).items()} == {
        "title": True,
        "copies": True,
    }


@pytest.mark.parametrize(
    "reply",
    [
        "3",
        "Sure!\nThe Last Ferns\n3",
        "The Last Ferns, 3",
        "The Lost Ferns\n3",
        "title: The Last Ferns\ncopies: three or 3",
        "",
    ],
)
def test_any_other_reply_says_nothing(reply: str) -> None:
    assert TWO.read_reply(["title", "copies"], reply) == {}


def test_an_answer_is_asked_for_twice_and_then_missing() -> None:
    taken = AnswersTaken(TWO)
    for again in (False, True):
        question = taken.ask([0])
        assert question is not None
        assert (question.names, question.again) == (("title", "copies"), again)
        assert taken.hear(question.names, "I think it is called something with ferns.") == {}
    assert taken.ask([0]) is None
    assert taken.asked == {"title": MOST_ASKED, "copies": MOST_ASKED}


def test_the_first_value_that_is_taken_is_final() -> None:
    taken = AnswersTaken(TWO)
    assert taken.hear(["copies"], "4") == {"copies": "4"}
    assert taken.hear(["copies"], "3") == {}
    assert taken.values == {"copies": "4"}


def test_what_a_model_quotes_is_read_as_strictly() -> None:
    taken = AnswersTaken(TWO)
    assert taken.note({"copies": "3", "title": "something with ferns"}) == {"copies": "3"}


def test_a_block_of_lines_at_the_end_is_read_where_nobody_answers() -> None:
    task = make_task(MOVE, answers=[("late fee", 3, 0), ("days", 2, 0)])
    assert read_block(task, "Done.\nlate fee: 3\ndays: 2\n") == {"late fee": "3", "days": "2"}
    assert read_block(task, "late fee: 3\ndays: 2\nThat is all.") == {}
