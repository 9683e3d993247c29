"""Claims about reading answers: one plain value counts, anything more is asked for again, and only form decides."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.task.answers_taken import MOST_ASKED, AnswersTaken, take_answers
from runtime.task.closed_question import ClosedQuestion, answers_asked
from runtime.task.read_back import MOST_READ, AnswerReader, read_block
from runtime.task.task import KnownFact, Task, TaskAnswer, User, Wish, WorldRecipe

PHONES = ["+1 415 555 0134", "+1 415 555 0135"]
COMPANIES = ["Acme Inc.", "Acme", "Bolt"]


def task_of(*answers: TaskAnswer) -> Task:
    facts = [KnownFact(name="studio", value="Studio 54", said="Studio 54"), KnownFact(name="n", value=3, said="3")]
    wishes = [Wish(words=["Renew the book and tell me."], facts=facts), Wish(words=["And the rest?"])]
    user = User(profile="Bo Novak.", wishes=wishes)
    world = WorldRecipe(seed=1, size=1)
    return Task(format=2, id="t", domain="d", title="t", world=world, user=user, answers=list(answers))


def answer(name: str, kind: Any, value: str | float, **rest: Any) -> TaskAnswer:
    return TaskAnswer(name=name, kind=kind, value=value, **rest)


TASK = task_of(
    answer("new due date", "date", "2026-04-02"),
    answer("old due date", "date", "2026-03-12"),
    answer("success rate", "number", 85.05),
    answer("start", "moment", "2026-03-20 18:00:00"),
    answer("company", "text", "Acme Inc.", source="job.company"),
    answer("previous phone number", "text", PHONES[0], source="job.phone", wish=1),
)


def reader_of(task: Task = TASK) -> AnswerReader:
    columns = {"job.company": COMPANIES, "job.phone": PHONES}
    return AnswerReader(task, "2026-03-11 09:00:00", lambda source: columns[str(source)])


@pytest.mark.parametrize(
    ("name", "reply"),
    [
        ("new due date", "2 April 2026"),
        ("new due date", "The new due date is **2 April 2026**."),
        ("new due date", "It's due April 2nd (Thursday)."),
        ("new due date", "Sure, here it is: 2026-04-02!"),
        ("new due date", '"2 April 2026"'),
        ("new due date", "| new due date | 2 April |"),
        ("new due date", "Studio 54: 2 April"),
        ("new due date", "Of course, here it is on its own line:\n\n2 April"),
        ("success rate", "85.05%"),
        ("success rate", "85,05 %"),
        ("success rate", "Studio 54's success rate is 85.05."),
        ("start", "- **Date:** March 20\n- **Time:** 6 PM"),
        ("start", "6 PM on Friday, March 20"),
        ("start", "2026-03-20T18:00:00Z"),
        ("company", "It's ACME INC."),
        ("previous phone number", "+14155550134"),
    ],
)
def test_a_plain_reply_counts_in_any_notation(name: str, reply: str):
    taken = reader_of().in_reply(name, reply)
    assert taken is not None
    assert reader_of().is_right(name, taken)


@pytest.mark.parametrize(
    "framed",
    [
        "not {}",
        "{}?",
        "maybe {}",
        "about {}",
        "{} or {}?",
        "> {}",
        "~~{}~~",
        "<!-- {} -->",
        '"The new due date is {}."',
        "It is a lie that it is {}.",
        "The old one: {}",
        "{} (wrong)",
        "!= {}",
        "{} / 3 April",
        "{}, actually 3 April",
        "3 April {}",
        "❌ {}",
    ],
)
def test_what_is_framed_in_any_way_does_not_count(framed: str):
    assert reader_of().in_reply("new due date", framed.replace("{}", "2 April 2026")) is None


def test_a_wrong_value_is_taken_as_a_right_one_is():
    reader = reader_of()
    for reply in ("{}", "It is {}.", "not {}", "maybe {}", "{}?"):
        right, wrong = (reader.in_reply("new due date", reply.format(day)) for day in ("2 April", "9 April"))
        assert (right is None) == (wrong is None)
    assert not reader.is_right("new due date", "2026-04-09")


@pytest.mark.parametrize(
    ("message", "names"),
    [
        ("New due date: 2 April 2026", ["new due date"]),
        ("The new due date is 2 April 2026, as of now.", ["new due date"]),
        ("- New due date: 2 April\n- Old due date: 12 March\n- Success rate: 85.05%", None),
        ("Sure!\nThe date the new one is due: 2 April.", []),
        ("Due date: 2 April", []),
        ("New due date: 2 April. Old due date: 12 March.", ["new due date", "old due date"]),
        ("The new due date is 2 April. Enjoy!", []),
        ("The following is a lie. The new due date is 2 April.", []),
        ("New due date: 2 April\nNew due date: 3 April", []),
        ("2 April", []),
        ("Company: Acme\nPrevious phone number: +1 415 555 0135", ["company", "previous phone number"]),
    ],
)
def test_a_free_message_is_taken_only_where_it_does_nothing_but_tell(message: str, names: list[str] | None):
    expected = ["new due date", "old due date", "success rate"] if names is None else names
    assert list(reader_of().in_message(message)) == expected


def test_names_that_fit_a_line_equally_are_not_chosen_from():
    task = task_of(answer("fee due", "number", 5), answer("due fee", "number", 7))
    assert reader_of(task).in_message("The fee due is 5") == {}


@pytest.mark.parametrize(
    ("value", "told", "right"),
    [
        (85.05, "85.05", True),
        (85.05, "85.0512", True),
        (85.05, "85.1", False),
        (85.05, "85", False),
        (85.0, "85", True),
        (2.5, "2.50", True),
        (3, "3.2", False),
        (0.8505, "85.05%", True),
        (1 / 3, "0.33", True),
        (1 / 3, "0.3", False),
    ],
)
def test_a_number_is_right_if_it_is_the_value_or_rounds_to_it_at_its_precision(value: float, told: str, right: bool):
    reader = reader_of(task_of(answer("share", "number", value)))
    assert reader.is_right("share", told) == right


def test_an_amount_in_hundredths_is_told_in_whole_ones():
    reader = reader_of(task_of(answer("late fee", "number", 50, minor=100)))
    assert reader.is_right("late fee", "$0.50")
    assert reader.is_right("late fee", "50 cents")
    assert not reader.is_right("late fee", "50")


def test_a_moment_is_right_with_one_of_the_readings_it_leaves():
    assert reader_of().is_right("start", "March 20 at 6 o'clock")
    assert not reader_of().is_right("start", "March 20 at 7 o'clock")


def test_what_is_typed_is_read_as_strictly_as_what_is_said():
    reader = reader_of()
    for typed in ("2026-04-02 or 2026-04-03", "2026-04-02?", "not 2026-04-02", "2026-04-02 / 2026-04-03", ""):
        assert not reader.is_right("new due date", typed)
    assert not reader.is_right("company", "Acme Inc.?")
    assert not reader.is_right("success rate", "85.05 or 85.06")


def test_a_notation_that_leaves_a_choice_is_taken_as_it_is_written():
    taken = AnswersTaken(reader_of())
    taken.hear("02/04/2026", ["new due date"])
    assert taken.values == {"new due date": "02/04/2026"}
    assert reader_of().is_right("new due date", "02/04/2026")
    taken.hear("New due date: 2 April")
    assert not taken.contradicted
    taken.hear("New due date: 3 April")
    assert taken.contradicted == {"new due date"}


def test_an_answer_is_asked_for_twice_at_most_and_then_left_open():
    taken = AnswersTaken(reader_of())
    for times in range(MOST_ASKED):
        assert taken.next_question([1]) == (("previous phone number",), 2 * times, ())
        taken.hear("I'd rather not say.", ["previous phone number"])
    assert taken.next_question([1]) is None
    assert taken.next_question([0, 1]) == (tuple(each.name for each in TASK.answers if each.wish == 0), 0, ())


SEVERAL = ("new due date", "company", "success rate")
RIGHT = {"new due date": "2026-04-02", "company": "Acme Inc.", "success rate": "85.05%"}


@pytest.mark.parametrize(
    "reply",
    [
        "New due date: 2 April\nCompany: Acme Inc.\nSuccess rate: 85.05%",
        "Of course:\n- success rate: 85.05%\n- company: Acme Inc.\n- new due date: 2 April",
        "With pleasure! Here they are for your notes:\n2 April\nAcme Inc.\n85.05%",
        "2 April; Acme Inc.; 85.05%",
        "1. 2 April 2026\n2. Acme Inc.\n3. 85.05%",
        "Sure!\n\n2 April 2026\nAcme Inc.\n85.05 percent",
    ],
)
def test_several_answers_are_told_with_their_names_or_in_the_order_they_were_asked_for(reply: str):
    taken = AnswersTaken(reader_of())
    taken.hear(reply, SEVERAL)
    assert taken.told == RIGHT


@pytest.mark.parametrize(
    "reply",
    [
        "2 April\nAcme Inc.",
        "2 April\nAcme Inc.\n85.05%\nNone of it is true.",
        "2 April\nAcme Inc.\nabout 85.05%",
        "3. 2 April\n1. Acme Inc.\n2. 85.05%",
        "Company: 2 April\nNew due date: Acme Inc.\nSuccess rate: 85.05%",
    ],
)
def test_a_reply_of_another_form_tells_none_of_several(reply: str):
    taken = AnswersTaken(reader_of())
    taken.hear(reply, SEVERAL)
    assert taken.told == {}


def test_those_that_were_told_with_their_names_are_not_asked_for_again():
    taken = AnswersTaken(reader_of(task_of(*(each for each in TASK.answers if each.name in SEVERAL))))
    taken.hear("Company: Acme Inc.\nSuccess rate: 85.05%", SEVERAL)
    assert taken.next_question([0]) == (("new due date",), 2, ())


def test_a_text_of_several_sentences_is_one_value():
    said = "Ask first; then call. It helps."
    note = answer("old note", "text", said, source="job.company")
    task = task_of(note, answer("new due date", "date", "2026-04-02"))
    reader = AnswerReader(task, "2026-03-11 09:00:00", lambda _: [said])
    expected = {"old note": said, "new due date": "2026-04-02"}
    assert reader.in_message(f"Old note: {said}\nNew due date: 2 April.") == expected
    assert reader.in_replies(["old note", "new due date"], f"{said}\n2 April") == expected


@pytest.mark.parametrize("times", [0, 1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_a_question_for_several_is_known_by_its_words(seed: int, times: int):
    question = reader_of().question(ClosedQuestion(SEVERAL, times), seed)
    assert all(name in question for name in SEVERAL)
    assert answers_asked(f"Thank you. {question}", TASK.answers) == [SEVERAL]


def test_the_first_value_is_final_and_another_one_later_contradicts_it():
    told = [("New due date: 9 April", ()), ("Old due date: 12 March", ()), ("New due date: 2 April", ())]
    taken = take_answers(reader_of(), told)
    assert taken.values == {"new due date": "2026-04-09", "old due date": "2026-03-12"}
    assert taken.contradicted == {"new due date"}
    assert taken.told == {"old due date": "2026-03-12"}
    assert not take_answers(reader_of(), [told[1], ("The old due date was 12 March 2026.", ())]).contradicted


def test_a_question_varies_with_the_seed_alone():
    reader = reader_of()
    for times in (0, 1):
        for names in (("new due date",), SEVERAL):
            asked = {reader.question(ClosedQuestion(names, times), seed) for seed in range(30)}
            assert len(asked) == 3
            assert all("date" in each for each in asked)
    assert len({reader.question(ClosedQuestion(("company",), 1), 7) for _ in range(5)}) == 1


def test_the_last_lines_of_a_text_are_its_block():
    text = "I did it. Company: Bolt\nSummary:\n- New due date: 2 April\n- **Company:** Acme Inc.\n"
    assert read_block(TASK, text) == {"new due date": "2 April", "company": "Acme Inc."}
    assert read_block(TASK, f"{text}Goodbye!") == {}
    assert read_block(TASK, "Company: Acme\nCompany: Bolt") == {}
    assert reader_of().is_right("new due date", read_block(TASK, text)["new due date"])


def test_a_message_that_nobody_would_read_tells_nothing():
    assert reader_of().in_reply("new due date", f"{' ' * MOST_READ}2 April") is None
    assert reader_of().in_message(f"{' ' * MOST_READ}New due date: 2 April") == {}


@pytest.mark.parametrize(
    ("name", "report", "value"),
    [
        ("new due date", "All done! It is now due on April 2nd, a Thursday, as you wished.", "April 2nd, a Thursday"),
        ("new due date", "I moved it from 12 March to 2 April.", None),
        ("new due date", "It was due on 12 March. The new due date is 2 April.", "2 April"),
        ("success rate", "As of 11 March 2026, 9:00, they succeed in 85.05% of cases.", "85.05%"),
        ("success rate", "Of the 3 that you named, the best has 85.05%.", "85.05%"),
        ("success rate", "Studio 54 is on the list.", None),
        ("success rate", "Noted. Is it the one that you wanted, with its 20%?", None),
        ("hours left", "You have 3 talks, 72 hours left until the first.", "72"),
        ("start", "They open on March 20, which is a Friday, at 6 PM sharp.", "March 20, 6 PM sharp"),
        ("company", "It's with Bolt, and I have noted that.", "Bolt"),
        ("company", "Not Bolt but Acme.", None),
        ("company", "Done.", None),
        ("new due date", "All done. Is there anything else I can do for you today?", None),
    ],
)
def test_what_a_message_has_in_passing_is_the_one_value_of_the_kind(name: str, report: str, value: str | None):
    task = task_of(*TASK.answers, answer("hours left", "number", 72))
    assert reader_of(task).in_passing(name, [report]) == value


def test_a_value_that_another_message_contradicts_is_not_what_was_told_in_passing():
    reader = reader_of()
    before, now = "It was due on 12 March.", "It is with us until 2 April."
    assert reader.in_passing("old due date", [before, now]) is None
    assert reader.in_passing("old due date", [before, "12 March was the old due date and 2 April is it."]) == "12 March"
    assert reader.in_passing("old due date", [before, "12 March or 2 April was the old due date."]) is None
    assert reader.in_passing("old due date", [now, "The old due date was 12 March. It is 2 April now."]) == "12 March"
    assert reader.in_passing("old due date", [before, "Done."]) == "12 March"


def test_a_value_that_stands_with_the_name_of_another_answer_is_not_repeated_for_this_one():
    reader = reader_of(task_of(answer("postage", "number", 5), answer("total price", "number", 34)))
    assert reader.in_passing("postage", ["The total price is 34."]) is None
    assert reader.in_passing("total price", ["The total price is 34."]) == "34"
    assert reader.in_passing("postage", ["It is 5 by post. The total price is 34."]) == "5"


def test_of_something_new_only_the_last_message_counts():
    reader = reader_of()
    assert reader.in_passing("new due date", ["I found it.", "It is with us until 2 April."]) == "2 April"
    assert reader.in_passing("new due date", ["It was due on 12 March.", "It is with us until 2 April."]) == "2 April"
    assert reader.in_passing("new due date", ["It is with us until 2 April.", "Done."]) is None


@pytest.mark.parametrize(
    ("name", "kind", "said", "value"),
    [
        (
            "late fee in cents",
            "number",
            "It was 5 days late, so the late fee is 125 cents, at 25 cents a day.",
            "125 cents",
        ),
        ("late fee in cents", "number", "Fee: 100 cents (4 days at 25 cents). You now owe 250 cents.", "100 cents"),
        ("late fee in cents", "number", "The late fee per day is 25 cents, so you owe 100 cents.", None),
        ("new due date", "date", "It was due on 18 March, you've now got it until 1 April.", "1 April"),
        ("due day", "date", "From 18 March on, your due day is Wednesday, 1 April.", "Wednesday, 1 April"),
        ("new due date", "date", "The due date moves from 18 March to 1 April.", None),
        ("previous rating", "number", "The rating is now 4 (it was 2 before).", None),
        ("success rate", "number", "Success rate: 85.05% (17 of 20); rejection rate: 10%.", "85.05%"),
    ],
)
def test_among_other_values_an_answer_is_the_one_in_the_clause_with_its_name(
    name: str, kind: Any, said: str, value: str | None
):
    assert (
        reader_of(task_of(answer(name, kind, "2026-04-01" if kind == "date" else 1))).in_passing(name, [said]) == value
    )


def test_a_day_that_the_user_said_with_a_time_is_not_what_was_told():
    fact = KnownFact(name="until", value="2026-04-02 18:00:00", said="2 April at 6 PM")
    wish = Wish(words=["Put it off until 2 April at 6 PM."], facts=[fact])
    task = task_of(TASK.answers[0]).model_copy(update={"user": User(profile="", wishes=[wish])})
    said = "It is put off until Thursday, 2 April 2026 at 18:00, and was due on 12 March."
    assert reader_of(task).in_passing("new due date", [said]) == "12 March"


IN_PASSING = "I renewed it, and from what I can see in the file it will be due on 2 April 2026 then."


@pytest.mark.parametrize(
    ("reply", "right"),
    [
        ("Yes.", True),
        ("Yes, that's right.", True),
        ("Correct! Is there anything else I can help you with?", True),
        ("Yes, absolutely. If anything else comes to mind, I am here.", True),
        ("Yes. Would you like a receipt, too?", True),
        ("Yes, that is the new due date.", True),
        ("Yes, exactly - the new due date is April 2, 2026. Anything else I can help with?", True),
        ("That's right, I renewed it until 2 April. Is there anything else on your list?", True),
        ("Yes, spot on: it is due on 2 April, so your notes are fine.", "again"),
        ("Correct! That is the one, 2 April. Feel free to come back.", True),
        ("Yes, 2 April, not 3 April.", None),
        ("Yes, but I may have mixed that up.", "again"),
        ("Yes. Actually, no.", "again"),
        ("As I said: yes.", True),
        ("Yes, I am 60 percent sure.", "again"),
        ("Yes, correct: 2 April. Anything else?", True),
        ("2 April. Would you like anything else?", True),
        ("Yes, it is 2 April or 3 April.", None),
        ("Yes. It was 2 April, they say.", "again"),
        ("Yes, all four are correct.", True),
        ("Yes, you have got it exactly right! Good luck with everything.", True),
        ("Exactly, the new due date is 2 April.", True),
        ("No, sorry: it is 2 April.", None),
        ("It's 3 April.", False),
        ("Yes, it's 3 April.", False),
        ("Yes?", "again"),
        ("That is quite correct: the new due date is 2 April.", True),
        ("It is, as that loan was renewed until 2 April.", "again"),
        ("It is a lie.", "again"),
        ("Yes, 2 April. Just kidding.", "again"),
        ("Yes, just kidding.", "again"),
        ("Yes, that's right, Mr. Novak! Enjoy the book.", True),
        ("Yes, 2 April. Does that settle it, or is anything else on your list?", "again"),
        ("Yes, that's perfectly right, well noted! If you ever need anything else, I'm always happy to help!", True),
        (
            "Yes, that is right!\n\n- **New due date:** 2 April\n\n**Summary:** You can note it down just like that.",
            True,
        ),
        ("Yes, that is right: the new due date I gave you is 2 April, as in the system.", True),
        ("Yes, correct. That is what I see in the record.", True),
        ("Yes. Good luck, and have a lovely rest of your day!", True),
        ("Yes. Would you like me to send a receipt?", True),
        ("Yes. You can doubt it, or not.", "again"),
        ("Yes. You can ignore that value.", "again"),
        ("Yes. Good joke!", "again"),
        ("Yes. Great fiction.", "again"),
        ("Yes. Enjoy the joke!", "again"),
        ("Yes. Have I lied?", "again"),
        ("Yes. Do you believe that?", "again"),
        ("Yes. Can you ignore that value?", "again"),
        ("Yes. Fiction.", "again"),
        ("Yes, 2 April, as if.", "again"),
        ("Yes: 2 April, as I dreamt.", "again"),
        ("Yes, if you like.", "again"),
        ("Yes, quite right. Good of you to check!", True),
        ("Yes. That is a lie.", "again"),
        ("Yes. A due date that I made up.", "again"),
        ("Yes. Or so they say.", "again"),
        ("Right, as if.", "again"),
        ("No.", None),
        ("Not right.", None),
        ("Yes, that's a lie.", "again"),
        ("Yes - it is made up.", "again"),
        ("Yes (or so they say).", "again"),
        ("Yes, 2 April is a lie.", "again"),
        ("Yes. I made that up, anything else?", "again"),
        ("Yes. I made that up. Anything else?", "again"),
        ("Yes. Nothing further from the truth.", "again"),
        ("", None),
    ],
)
def test_what_a_report_has_in_passing_counts_after_a_plain_yes(reply: str, right: bool | str | None):
    task = task_of(TASK.answers[0])
    reader = reader_of(task)
    taken = AnswersTaken(reader)
    taken.hear(IN_PASSING)
    assert taken.told == {}
    question = taken.next_question([0])
    assert question == (("new due date",), 0, ("2 April 2026",))
    assert answers_asked(f"Thanks. {reader.question(question, 5)}", task.answers) == [("new due date",)]
    taken.hear(reply, question.names)
    told = taken.told.get("new due date")
    assert (None if told is None else reader.is_right("new due date", told)) == (None if right == "again" else right)
    again = ("2 April 2026",) if right == "again" else ()
    assert taken.next_question([0]) == (None if told else (("new due date",), 1, again))


def test_a_yes_with_more_around_it_is_asked_for_alone_and_once():
    task = task_of(TASK.answers[0])
    for reply, told in (("Yes.", "2026-04-02"), ("Yes. That is a lie.", None), ("3 April", "2026-04-03")):
        taken = AnswersTaken(reader_of(task))
        taken.hear(IN_PASSING)
        taken.hear("Yes, that was a lie.", ["new due date"])
        question = taken.next_question([0])
        assert question == (("new due date",), True, ("2 April 2026",))
        assert answers_asked(reader_of(task).question(question, 3), task.answers) == [("new due date",)]
        taken.hear(reply, ["new due date"])
        assert taken.told.get("new due date") == told
        assert taken.next_question([0]) == (None if told else (("new due date",), True, ()))


@pytest.mark.parametrize(
    ("reply", "is_taken"),
    [
        ("2 April. Anything else?", True),
        ("2 April. Is there anything else I can help you with today?", True),
        ("2 April. Let me know if there is anything else.", True),
        ("2 April. I made that up, anything else?", False),
        ("2 April. Nothing further from the truth.", False),
        ("2 April. That is not it.", False),
        ("2 April. What else would a liar say?", False),
    ],
)
def test_only_a_closing_sentence_may_stand_behind_a_value(reply: str, is_taken: bool):
    assert bool(reader_of(task_of(TASK.answers[0])).in_replies(["new due date"], reply)) == is_taken


def test_a_yes_to_an_open_question_is_no_answer():
    taken = AnswersTaken(reader_of(task_of(TASK.answers[0])))
    taken.hear("Done.")
    taken.hear("Yes.", ["new due date"])
    assert taken.told == {}


def test_one_value_is_not_repeated_for_two_answers():
    taken = AnswersTaken(reader_of(task_of(*TASK.answers[:2])))
    taken.hear(IN_PASSING)
    assert taken.next_question([0]) == (("new due date", "old due date"), 0, ())


def test_what_was_said_under_an_earlier_wish_is_no_part_of_a_later_one():
    taken = AnswersTaken(reader_of(task_of(answer("company", "text", "Acme Inc.", source="job.company", wish=1))))
    taken.hear("I wrote to Bolt.")
    taken.hear("It is Acme.", opens=True)
    assert taken.next_question([1]) == (("company",), 0, ("Acme",))


def test_values_are_repeated_only_where_a_message_has_them_all():
    told = "The old due date, by the way, was 12 March. It is due on 2 April by now: the new due date."
    taken = AnswersTaken(reader_of(task_of(*TASK.answers[:3])))
    taken.hear(told)
    assert taken.next_question([0]) == (("new due date", "old due date", "success rate"), 0, ())
    taken = AnswersTaken(reader_of(task_of(*TASK.answers[:2])))
    taken.hear(told)
    question = taken.next_question([0])
    assert question == (("new due date", "old due date"), 0, ("2 April", "12 March"))
    taken.hear("Yes.", question.names)
    assert set(taken.told) == set(question.names)
