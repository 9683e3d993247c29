"""What the rules of form read in an assistant's message."""

from __future__ import annotations

from datetime import date

import pytest

from runtime.harness.users.heard import Heard
from runtime.harness.users.machine import Machine
from runtime.harness.users.proposal import differing, other_end, unsaid
from runtime.harness.users.reading import read_message
from runtime.task.user import User, Wish
from tests.runtime.harness.users.hand_made import BOOK, COUNT, MOVE, WRITES, fact
from tests.runtime.harness.users.test_machine import Open


def read(said: str, *, written: bool = False, wish: int = 0) -> Heard:
    machine = Machine(User(profile="", wishes=[MOVE, BOOK, COUNT]), Open())
    for _ in range(wish + 1):
        machine.open()
    machine.see(WRITES if written else ())
    return read_message(said, machine)


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("What is your e-mail address?", "e-mail address"),
        ("Sure! Could I get your email, please", "e-mail address"),
        ("I'll need the email address on your account.", "e-mail address"),
        ("Could you please provide:\n\n1. Your email\n2. The date", "e-mail address"),
        ("Happy to help.\n\nWhich partner is it?", "partner"),
        ("When should it take place?", "new day"),
        ("Which day suits you?", "new day"),
        ("Is it with Bea Stern or Ada Stern?", "partner"),
        ("Please confirm the new day.", "new day"),
        ("And your e-mail address?", "e-mail address"),
        ("E-mail and phone, please.", "e-mail address"),
        ("Need e-mail to find you in the book. Which?", "e-mail address"),
        ("Might I learn under which e-mail address we may have you in our book of guests?", "e-mail address"),
        ("E-mail address on the card, and perhaps the phone number?", "e-mail address"),
        ("New day?", "new day"),
        ("I would move it, and it would help me to know which e-mail address you have.", "e-mail address"),
        ("I wonder which e-mail address I may write to.", "e-mail address"),
        ("May I first have the e-mail address on your card, please?", "e-mail address"),
    ],
)
def test_a_question_asks_for_facts_by_name_by_its_kind_or_among_options(said: str, asked: str) -> None:
    assert asked in read(said).asked


def test_what_is_kept_back_and_stands_in_a_question_for_something_else_is_asked_for_too() -> None:
    wish = MOVE.model_copy(update={"facts": [*MOVE.facts, fact("phone number", "555-0101", withheld=True)]})
    machine = Machine(User(profile="", wishes=[wish]), Open())
    machine.open()
    both = "What's the e-mail address that you gave us, and the phone number that we have?"
    assert read_message(both, machine).asked == ("e-mail address", "phone number")
    parted = "What's your e-mail address? And the phone number, please."
    assert read_message(parted, machine).asked == ("e-mail address", "phone number")
    assert read_message("What's your e-mail address? The phone number I have.", machine).asked == ("e-mail address",)


def test_what_the_present_wish_keeps_back_is_told_before_what_an_earlier_one_held_of_that_name() -> None:
    noted = Wish(
        words=["Put a note on my application as Buyer at Acme."], facts=[fact("job", "Buyer"), fact("company", "Acme")]
    )
    gone = Wish(words=["And delete one of my applications."], facts=[fact("company", "Elm Telecom", withheld=True)])
    machine = Machine(User(profile="", wishes=[noted, gone]), Open())
    machine.open()
    machine.see(WRITES)
    machine.leave("seen_to")
    heard = read_message("Which company, of your two applications as Buyer?", machine)
    assert heard.about == (0,)
    assert [each.said for each in machine.move(heard).facts] == ["Elm Telecom"]


@pytest.mark.parametrize(
    ("said", "differs"),
    [
        ("I'd withdraw your offer of 46.00 for the Brown office chair. Shall I?", True),
        ("I'd withdraw your offer for the *Green kitchen chair*. Shall I?", True),
        ("I'd withdraw your offer for the Brown kitchen table. Shall I?", True),
        ("I'd withdraw your offer for the Brown kitchen chair. Shall I?", False),
        ("I'd withdraw your offer for the kitchen chair. Shall I?", False),
        ("Your kitchen chair: shall I withdraw the offer?", False),
        ("I'd withdraw OFFER-12 of 46.00. Shall I?", False),
        ("I'd withdraw your offer for that chair of Yasmin Gruber's. Shall I?", False),
    ],
)
def test_a_title_that_is_in_part_another_is_not_what_was_said(said: str, differs: bool) -> None:
    chair = fact("title", "Brown kitchen chair")
    offer = Wish(
        words=["Please take my offer for Brown kitchen chair back, not the one for Brown table."], facts=[chair]
    )
    machine = Machine(User(profile="", wishes=[offer]), Open())
    machine.open()
    assert differing(said, unsaid(said, machine, date(2024, 3, 15)), machine) == ((chair,) if differs else ())


def test_a_name_within_a_sentence_is_no_other_title() -> None:
    wish = Wish(words=["I'm Clara Whitfield and would like a card."], facts=[fact("name", "Clara Whitfield")])
    machine = Machine(User(profile="", wishes=[wish]), Open())
    machine.open()
    assert not differing("Welcome to town, Clara! I've made your card.", wish.facts, machine)
    assert not differing("Clara booked a place.", wish.facts, machine)
    assert differing("A card for Clara Whitman?", wish.facts, machine)


@pytest.mark.parametrize(
    ("said", "end"),
    [
        ("I'll decline the highest offer, 61.00 EUR. OK?", "the lowest"),
        ("I'll decline the offer of the most money. OK?", "the lowest"),
        ("I'll decline the lowest offer, 46.50 EUR. The highest stays. OK?", None),
        ("I'll decline the cheapest offer. OK?", None),
        ("I'll decline the latest offer, at most one. OK?", None),
    ],
)
def test_a_plan_for_the_other_end_is_set_right(said: str, end: str | None) -> None:
    wish = Wish(words=["Decline the one with the lowest price, please."])
    machine = Machine(User(profile="", wishes=[wish]), Open())
    machine.open()
    assert [each.said for each in other_end(said, machine)] == ([end] if end else [])
    machine.see(WRITES)
    assert not other_end(said, machine)


def test_the_address_on_file_is_not_the_one_that_was_told_for_somebody_else() -> None:
    signs_up = Wish(
        words=["Sign up my partner, partner@example.org."],
        facts=[fact("email", "partner@example.org"), fact("email address", "me@example.org", withheld=True)],
    )
    machine = Machine(User(profile="", wishes=[signs_up]), Open())
    machine.open()
    heard = read_message("So that I know it's you: what is the email address that we have on file for you?", machine)
    assert [each.said for each in machine.move(heard).facts] == ["me@example.org"]


def test_words_of_what_the_user_knows_ask_for_nothing_else() -> None:
    held = fact("phone number", "555-0101", withheld=True)
    moved = MOVE.model_copy(update={"facts": [*MOVE.facts, held]})
    booked = BOOK.model_copy(update={"facts": [*BOOK.facts, fact("kind", "phone screening")]})
    machine = Machine(User(profile="", wishes=[moved, booked]), Open())
    machine.open()
    assert read_message("Then your phone is needed.", machine).asked == ("phone number",)
    assert read_message("There is a phone screening, too.", machine).asked == ()


@pytest.mark.parametrize(
    ("said", "offers", "closes", "refuses"),
    [
        ("Done. Would you like a receipt? Anything else?", True, True, False),
        ("I can't ring them. Shall I write instead?", True, False, True),
        ("Do you feel well prepared?", False, False, False),
        ("How did you like it, if I may ask?", False, False, False),
    ],
)
def test_what_stands_beside_a_question_is_heard(said: str, offers: bool, closes: bool, refuses: bool) -> None:
    machine = Machine(User(profile="", wishes=[MOVE]), Open())
    machine.open()
    machine.see(WRITES)
    heard = read_message(said, machine)
    assert (heard.offers, heard.closes, heard.refuses) == (offers, closes, refuses)


def test_a_question_for_a_day_asks_for_no_number_of_days() -> None:
    machine = Machine(
        User(profile="", wishes=[Wish(words=["Later, by 10 days."], facts=[fact("days", "10", 10)])]), Open()
    )
    machine.open()
    assert read_message("Which day was it, the 12th or the 13th?", machine).asked == ()
    assert read_message("How many days later?", machine).asked == ("days",)


def test_where_a_wish_tells_nothing_a_question_is_about_what_was_kept_back() -> None:
    wish = Wish(words=["Could you check in a book?"], facts=[fact("title", "On Roses", withheld=True)])
    machine = Machine(User(profile="", wishes=[wish]), Open())
    machine.open()
    assert read_message("Gladly. Which book is it?", machine).asked == ("title",)
    machine.tell(["title"])
    assert read_message("Which branch did you get it from?", machine).asked == ()


@pytest.mark.parametrize(
    "said",
    [
        "What colour should it be?",
        "Who wrote the report?",
        "Which meeting do you mean?",
        "What is the name of the building?",
        "How many people come?",  # of a wish that was not said yet
        "May I send you our e-mail newsletter?",
        "And your shoe size?",
        "Off the list?",
    ],
)
def test_what_asks_for_no_fact_gets_none(said: str) -> None:
    assert read(said).asked == ()


@pytest.mark.parametrize(
    ("said", "fits"),
    [
        ("You'd like to move the meeting with Ada Stern to Monday, March 18. Is that right?", True),
        ("Shall I move the meeting with Ada Stern to 18 March 2024?", True),
        ("Shall I move the meeting with Ada Stern to Tuesday, March 19?", False),
        ("Shall I move the meeting with Bea Stern to Monday, March 18?", False),
        ("Shall I move the meeting with Ada Stern?", False),
        ("Shall I cancel the meeting with Ada Stern on Monday, March 18?", False),
        ("Shall I move the meeting with Ada Stern to Monday, March 18 at 3 PM?", False),
        ("Shall I move the meeting with Ada Stern to Monday, March 18 and also tell Bea?", False),
        ("Shall I not move the meeting with Ada Stern to Monday, March 18?", False),
        ("Would you like a reminder?", False),
    ],
)
def test_a_proposal_fits_only_if_it_holds_all_and_nothing_beyond(said: str, fits: bool) -> None:
    heard = read(said)
    assert (heard.kind, heard.fits) == ("proposal", fits)


def test_what_was_kept_back_and_is_among_those_listed_is_asked_for() -> None:
    facts = [fact("title", "On Roses", withheld=True), fact("e-mail address", "a@b.example", withheld=True)]
    machine = Machine(User(profile="", wishes=[Wish(words=["Could you check in a book?"], facts=facts)]), Open())
    machine.open()
    assert read_message("You have out On Ferns and On Roses. Which of these two is it?", machine).asked == ("title",)


def test_a_question_on_the_side_leaves_a_plan_a_plan() -> None:
    heard = read("I'd move it to Monday. Is that right? And which channel do you like for news?")
    assert (heard.kind, heard.fits) == ("proposal", False)
    assert read("Which channel do you like for news?").kind == "question"


def test_a_short_sentence_before_a_closing_one_is_no_question() -> None:
    assert read("Moved. Ada Stern is in. Else?", written=True).kind == "report"
    assert read("Note in. Else?", written=True).asked == ()
    assert read("I look at the next 5 days. Is that right, or did you mean something else?").kind == "question"


def test_a_question_about_an_earlier_wish_gets_its_fact() -> None:
    first = Wish(
        words=["Cancel the talk at Hill Rail."], facts=[fact("talk", "Hill talk"), fact("company", "Hill Rail")]
    )
    second = Wish(words=["Book one at Sea Bank."], facts=[fact("company", "Sea Bank")])
    machine = Machine(User(profile="", wishes=[first, second]), Open())
    machine.open()
    machine.open()
    for said, told in (("Which company was the Hill talk at?", "Hill Rail"), ("Which company is it?", "Sea Bank")):
        assert [each.said for each in machine.move(read_message(said, machine)).facts] == [told]


def test_a_proposal_that_exchanges_values_does_not_fit() -> None:
    words = "Send the red box from Ada Stern to Bea Kern."
    facts = [fact("from", "Ada Stern"), fact("to", "Bea Kern")]
    machine = Machine(User(profile="", wishes=[Wish(words=[words], facts=facts)]), Open())
    machine.open()
    right, wrong = "from Ada Stern to Bea Kern", "from Bea Kern to Ada Stern"
    assert [read_message(f"Send the red box {way}, right?", machine).fits for way in (right, wrong)] == [True, False]


@pytest.mark.parametrize(
    "said",
    [
        "Done. Is there anything else I can help you with?",
        "Set to March 18.",
        "It's on record. Let me know if you need anything else!",
        'I noted: "Who comes?"',
        "Moved. Anything else I can do for you today, Lena?",
    ],
)
def test_a_closing_question_and_what_is_quoted_ask_nothing(said: str) -> None:
    assert read(said, written=True).kind == "report"


@pytest.mark.parametrize(
    "said",
    [
        "I'm sorry, I can't do that.",
        "That is not possible here. Anything else?",
        "No, I can't. Else?",
        "I am sorry, I cannot call them. Which film do you like instead?",
    ],
)
def test_a_refusal_is_read_where_nothing_is_asked(said: str) -> None:
    assert read(said).kind == "refusal"
    assert read(f"{said} What is your e-mail address?").kind == "question"


def test_an_offer_that_waits_for_no_answer_is_none_after_a_write() -> None:
    said = "All set. Just let me know if you'd like me to change the room."
    assert (read(said).kind, read(said, written=True).kind) == ("proposal", "report")


def test_a_fact_of_the_present_wish_comes_before_one_of_the_same_name() -> None:
    assert read("How many people will come?", wish=1).asked == ("people",)


def test_a_very_long_message_is_read_from_its_end() -> None:
    assert read("What is it? " + "x " * 10_000).kind == "other"
