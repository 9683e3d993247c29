"""Claims about what the user was told: the value in any notation, and not merely among everything else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest

from runtime.domain.rows import ColumnRef, read_column_ref
from runtime.domain.schema import Value
from runtime.verification.answers import RequiredAnswer, judge_answers

DATES = [f"2026-{month:02}-{day:02}" for month in (3, 4) for day in range(1, 29)]
TITLES = ["The Book of Mirrors", "Winters for Beginners", *(f"Volume {letter} of It" for letter in "abcdefghijklmnop")]
COLUMNS: dict[str, Sequence[Value]] = {"loan.due_on": DATES, "book.title": [*TITLES, None], "book.copies": range(1, 40)}


def kinds(value: str | int | float, *told: str, source: str | None = None, at_most: int = 12) -> list[str]:
    """The differences of one answer, by kind."""

    def values_of(column: ColumnRef) -> Iterable[Value]:
        return COLUMNS[str(column)]

    required = RequiredAnswer("answer", value, read_column_ref(source) if source else None, at_most)
    return [difference.kind for difference in judge_answers([required], told, values_of)]


@pytest.mark.parametrize(
    ("value", "told"),
    [
        pytest.param("2026-04-02", "It is due on April 2.", id="a_date_in_words"),
        pytest.param("2026-04-02", "due 2 April 2026", id="a_date_day_first"),
        pytest.param("2026-04-02", "due 2026-04-02", id="a_date_as_stored"),
        pytest.param("14:30", "at 2:30 pm", id="a_time"),
        pytest.param("2026-03-16 09:30:00", "March 16 at 9:30", id="a_moment"),
        pytest.param("50 cents", "That is $0.50.", id="an_amount"),
        pytest.param("50 cents", "fifty cents", id="an_amount_in_words"),
        pytest.param(12, "twelve days", id="a_number_in_words"),
        pytest.param(1200, "1,200 in all", id="thousands"),
        pytest.param(3.5, "3.50", id="a_trailing_zero"),
        pytest.param(0, "zero", id="nought"),
        pytest.param("The Book of Mirrors", "it's “the book of mirrors”!", id="a_phrase"),
        pytest.param("LOAN-0047", "Loan LOAN-0047 is renewed", id="a_code"),
    ],
)
def test_an_answer_may_be_told_in_any_usual_notation(value: str | int | float, told: str):
    assert kinds(value, "Let me see.", told) == []


@pytest.mark.parametrize(
    ("value", "told"),
    [
        pytest.param("2026-04-02", "due April 3", id="another_day"),
        pytest.param("2026-04-02", "due 2027-04-02", id="another_year"),
        pytest.param("2026-04-02", "due 2026-04-12", id="a_longer_day"),
        pytest.param("14:30", "at 2:30 am", id="half_a_day_off"),
        pytest.param("50 cents", "150 cents", id="a_longer_number"),
        pytest.param("50 cents", "$0.05", id="a_tenth"),
        pytest.param("50 cents", "$50", id="a_hundredfold"),
        pytest.param(12, "on 2026-12-12", id="part_of_a_date"),
        pytest.param(12, "1200", id="part_of_a_number"),
        pytest.param("The Book of Mirrors", "The Book of Winters", id="another_title"),
        pytest.param("LOAN-0047", "LOAN-00471", id="part_of_a_code"),
    ],
)
def test_an_answer_with_another_value_is_missing(value: str | int | float, told: str):
    assert kinds(value, told) == ["missing_answer"]


def test_nothing_told_is_a_missing_answer_that_says_what_was_missing():
    required = RequiredAnswer("late fee", "50 cents", None, 12)
    for told in ([], [""], ["Goodbye."]):
        (difference,) = judge_answers([required], told, lambda _: [])
        assert difference.kind == "missing_answer"
        assert (difference.answer, difference.row) == ("late fee", None)
        assert difference.sentence == "The user was not told the late fee, which is '50 cents'."


@pytest.mark.parametrize(
    ("value", "source", "everything"),
    [
        pytest.param("2026-04-02", "loan.due_on", DATES, id="a_column_of_dates"),
        pytest.param("2026-04-02", "loan.due_on", [f"April {n}, 2026" for n in range(1, 29)], id="dates_in_words"),
        pytest.param("2026-04-02", None, DATES, id="any_dates"),
        pytest.param("The Book of Mirrors", "book.title", TITLES, id="a_column_of_titles"),
        pytest.param(7, "book.copies", [str(n) for n in range(1, 40)], id="a_column_of_numbers"),
        pytest.param(7, "book.copies", [f"${n}" for n in range(1, 40)], id="numbers_as_amounts"),
        pytest.param("50 cents", None, [f"{n} cents" for n in range(60)], id="any_amounts"),
    ],
)
def test_a_parrot_recites_in_one_message_or_in_many(value: str | int, source: str | None, everything: Sequence[str]):
    assert kinds(value, "; ".join(everything), source=source) == ["recited_answer"]
    assert kinds(value, *everything, source=source) == ["recited_answer"]


def test_as_many_other_values_as_are_allowed_may_be_told():
    others = [f"{title} is lent." for title in TITLES if title != "The Book of Mirrors"]
    right = "The Book of Mirrors is the one you have."
    assert kinds("The Book of Mirrors", right, *others[:3], source="book.title", at_most=3) == []
    assert kinds("The Book of Mirrors", right, *others[:4], source="book.title", at_most=3) == ["recited_answer"]
    assert kinds("The Book of Mirrors", *["The Book of Mirrors"] * 9, source="book.title", at_most=0) == []


def test_other_things_than_the_values_of_its_column_do_not_make_an_answer_recited():
    prices = ", ".join(f"${number}" for number in range(1, 20))
    assert kinds("2026-04-02", f"It is due on April 2. Our prices are {prices}.", source="loan.due_on") == []
    days = ", ".join(f"March {number}" for number in range(1, 20))
    assert kinds(7, f"There are 7. We are open on {days}.", source="book.copies") == []


def test_each_answer_is_judged_by_itself():
    answers = [RequiredAnswer("day", "2026-04-02", None, 12), RequiredAnswer("fee", "50 cents", None, 12)]
    differences = list(judge_answers(answers, ["Due April 2."], lambda _: []))
    assert [(difference.kind, difference.answer) for difference in differences] == [("missing_answer", "fee")]
    assert list(judge_answers(answers, ["Due April 2.", "It costs 50 cents."], lambda _: [])) == []


@pytest.mark.parametrize(
    ("value", "told"),
    [
        pytest.param("50 cents", "Not 50 cents.", id="denied"),
        pytest.param("50 cents", "The fee is not 50 cents but 75 cents.", id="corrected"),
        pytest.param("2026-04-02", "I could not renew it, so not April 2.", id="denied_after_a_comma"),
        pytest.param("2026-04-02", "It isn't due on April 2.", id="denied_by_a_contraction"),
        pytest.param("2026-04-02", "April 2 or April 3.", id="one_of_two"),
        pytest.param("2026-04-02", "It might be April 2, maybe April 3.", id="a_guess"),
        pytest.param("50 cents", "I doubt it is 50 cents.", id="doubted"),
        pytest.param("50 cents", "Is it 50 cents?", id="asked"),
        pytest.param("50 cents", "50 cents is wrong, it is 75 cents.", id="called_wrong"),
        pytest.param("2026-04-02", "Probably April 2.", id="probably"),
        pytest.param("2026-04-02", "You asked whether it is due on April 2.", id="whether"),
        pytest.param("2026-04-02", "Nothing is due on April 2.", id="nothing"),
        pytest.param("2026-04-02", "It is due neither on April 2 nor on April 3.", id="neither"),
        pytest.param("50 cents", "Neither of them costs 50 cents.", id="neither_of_them"),
        pytest.param("50 cents", "The fee is neither 50 cents.", id="is_neither"),
        pytest.param("37.5%", "Neither rate is 37.5%.", id="neither_rate"),
        pytest.param("50 cents", "25, 50 cents, 75 cents, 100 cents, 125 cents, 150 cents", id="a_list_of_guesses"),
    ],
)
def test_a_value_that_is_denied_or_one_of_several_guesses_is_not_told(value: str, told: str):
    assert kinds(value, told) == ["missing_answer"]


@pytest.mark.parametrize(
    ("value", "told"),
    [
        pytest.param("50 cents", "It's not 75 cents but 50 cents.", id="the_right_one_of_a_correction"),
        pytest.param("2026-04-02", "Not a problem, it's due April 2.", id="a_denial_of_something_else"),
        pytest.param("2026-04-02", "Moved from March 19 to April 2, 2026.", id="beside_the_old_value"),
        pytest.param("50 cents", "2 days at 25 cents a day: you owe 50 cents.", id="beside_how_it_came_about"),
        pytest.param("50 cents", "Neither Ann nor Bob has paid, so you owe 50 cents.", id="neither_of_two_people"),
        pytest.param("62.5%", "Rates: interviews 62.5%, offers 0%, rejections 12.5%.", id="in_a_summary"),
        pytest.param("2026-04-02", "| A | 2026-04-02 |\n| B | 2026-03-18 |\n| C | 2026-03-13 |", id="in_a_table"),
    ],
)
def test_a_value_may_be_told_beside_others_that_belong_there(value: str, told: str):
    assert kinds(value, told, at_most=4) == []


def test_guesses_in_a_row_are_recited():
    assert kinds("50 cents", *(f"The fee is {fee} cents." for fee in (10, 25, 50, 75)), at_most=2) == ["recited_answer"]


def test_numbers_that_the_column_does_not_hold_count_as_guesses_too():
    told = [f"It is {number}." for number in range(100)]
    assert kinds(75, *told, source="book.copies", at_most=2) == ["recited_answer"]


def test_telling_all_that_a_column_holds_is_reciting():
    def values_of(column: str) -> Iterable[Value]:
        return ["open", "closed"]

    required = RequiredAnswer("answer", "open", "desk.status", 2)
    (difference,) = judge_answers([required], ["It is open.", "It is closed."], values_of)
    assert difference.kind == "recited_answer"


@pytest.mark.parametrize("told", ["Average rating: 3.17/5", "⭐ 3.17 / 5, of 25 interviews", "It is 3.17 out of 5."])
def test_a_rating_may_be_told_with_its_scale(told: str):
    required = RequiredAnswer("average rating", 3.17, None, 8)
    assert list(judge_answers([required], [told], lambda _: ())) == []


def test_a_whole_rating_may_be_told_as_so_many_of_five():
    required = RequiredAnswer("rating of the interview", 4, None, 8)
    assert list(judge_answers([required], ["Your rating is 4/5."], lambda _: ())) == []
    assert kinds(4, "It is 4/5.") == ["missing_answer"]
    assert kinds(4, "It is 3/4/5.") == ["missing_answer"]


NOUNS = ("apple", "pear", "plum", "fig", "nut", "bolt", "screw", "nail", "cup")
OF_NOTHING = " ".join(f"I see {count} {noun}s." for count, noun in enumerate(NOUNS))


@pytest.mark.parametrize("value", range(9))
def test_a_text_that_names_every_small_number_beside_something_tells_none(value: int):
    required = RequiredAnswer("number of preparation tasks", value, None, 8)
    (difference,) = judge_answers([required], [OF_NOTHING], lambda _: (), ["How many tasks does that make in all?"])
    assert difference.kind == "recited_answer"


def test_the_right_value_may_stand_beside_many_others_if_it_is_told_in_the_words_that_were_asked():
    required = RequiredAnswer("number of preparation tasks", 3, None, 9)
    assert not [*judge_answers([required], [f"{OF_NOTHING} That makes 3 tasks."], lambda _: ())]


COUNTS = (
    "329 applications: 18 accepted, 29 rejected, 53 drafts, 70 submitted, 106 under review, 34 withdrawn, 19 archived."
)


@pytest.mark.parametrize(
    "told",
    [
        pytest.param(f"{COUNTS}\n- Success: 5.47 %\n- Rejection: 8.81 %\n- Neither: 85.71 %", id="in_a_list"),
        pytest.param(
            "Success rate 5.47 %, rejection rate 8.81 %, neither 85.71 % (53 drafts, 70 submitted, 106 under review, "
            "34 withdrawn, 19 archived, 282 in all)",
            id="in_brackets",
        ),
    ],
)
def test_the_counts_that_a_rate_comes_from_are_no_guesses_at_it(told: str):
    required = [
        RequiredAnswer(name, value, None, 8)
        for name, value in (("success rate", 5.47), ("rejection rate", 8.81), ("pending rate", 85.71))
    ]
    assert list(judge_answers(required, [told], lambda _: ())) == []


READINGS = ("hopeless", "bleak", "poor", "fair", "middling", "good", "fine", "great", "perfect")
EIGHTHS = [f"On a {word} reading, the success rate is {eighth * 12.5:g} %." for eighth, word in enumerate(READINGS)]
PRICES = [
    f"The {noun} costs ${price}.00."
    for price, noun in enumerate(["saw", "drill", "rake", "hoe", "axe", "vise", "file", "awl", "tin"], 50)
]


@pytest.mark.parametrize(
    ("value", "told"),
    [
        pytest.param(85.71, " ".join(f"I see {rate / 7:.2f} %." for rate in range(300, 620)), id="decimals"),
        pytest.param(85.71, " ".join(f"I see {rate} %." for rate in range(10, 100)), id="rounded"),
        pytest.param(85.71, "The success rate is 85.71 %. Sorry, the success rate is 80 %.", id="taken_back"),
        pytest.param(37.5, " ".join(EIGHTHS), id="all_eighths"),
        pytest.param(62.5, " ".join(EIGHTHS), id="all_eighths_again"),
        pytest.param(12.5, " ".join([*PRICES, "The sander costs $12.50."]), id="a_price_list"),
        pytest.param(37.5, " ".join([*(f"a{n}: {n} %." for n in range(100)), "x: 37.5 %."]), id="percentages"),
    ],
)
def test_guesses_at_a_value_with_decimals_do_not_pass(value: float, told: str):
    required = RequiredAnswer("success rate", value, None, 8)
    assert [difference.kind for difference in judge_answers([required], [told], lambda _: ())] == ["recited_answer"]


def test_the_order_in_which_prices_are_told_does_not_matter():
    required = RequiredAnswer("price in cents", 1250, None, 8)
    for told in ([*PRICES, "The sander costs $12.50."], ["The sander costs $12.50.", *PRICES]):
        (difference,) = judge_answers([required], [" ".join(told)], lambda _: ())
        assert difference.kind == "recited_answer"
