"""Claims about facts and the default matcher: what is the same text, what is not, and why."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.verification.text.facts import agree, extract_facts
from runtime.verification.text.match import match_text, normalise, tells
from tests.runtime.verification.text.semantic_report import PAIR_FILES, Pair, read_pairs, score

OWN_PAIRS = read_pairs(Path(__file__).parent / "semantic_pairs.jsonl")
pairs = st.sampled_from(OWN_PAIRS)


@pytest.mark.parametrize("path", PAIR_FILES, ids=lambda path: path.stem)
def test_the_matcher_judges_labelled_pairs_right(path):
    result = score(read_pairs(path))
    mistakes = "\n".join(f"{pair}: {answer.reason}" for pair, answer in result.mistakes())
    assert result.accuracy >= 0.90, mistakes
    assert result.false_accepts <= 0.05, mistakes


@pytest.mark.parametrize(
    "notations",
    [
        pytest.param(["4,500", "4500", "4.5k", "four thousand five hundred"], id="number"),
        pytest.param(["3rd floor", "third floor", "floor 3"], id="ordinal"),
        pytest.param(["$45.00", "45 dollars", "USD 45", "forty-five dollars", "45 USD"], id="amount"),
        pytest.param(["€85k", "85,000 euros", "EUR 85000"], id="euros"),
        pytest.param(["12%", "twelve percent", "12 per cent"], id="percent"),
        pytest.param(["2024-03-18", "March 18, 2024", "18 Mar 2024", "3/18/2024", "18th of March"], id="date"),
        pytest.param(["14:00", "2 PM", "2pm", "2 p.m.", "14h", "2 in the afternoon"], id="time"),
        pytest.param(["noon", "12:00", "12 pm", "midday"], id="noon"),
        pytest.param(["half past three in the afternoon", "15:30", "3:30 pm"], id="spoken_time"),
        pytest.param(["90 minutes", "1.5 hours", "an hour and a half", "1h30", "one hour and 30 min"], id="duration"),
        pytest.param(["half an hour", "30 min", "30-minute"], id="half_an_hour"),
        pytest.param(["Monday", "Mon", "on Mondays"], id="weekday"),
        pytest.param(["A-113", "a113"], id="code"),
        pytest.param(["+1 555 010 0199", "555-010-0199"], id="phone"),
        pytest.param(["14 kg", "14kg", "14 kilos", "14,000 grams"], id="measure"),
    ],
)
def test_notations_of_one_value_agree(notations):
    first, *others = [extract_facts(notation) for notation in notations]
    assert len(first) == 1
    for notation, facts in zip(notations[1:], others, strict=True):
        assert len(facts) == 1, notation
        assert agree(first[0], facts[0]), notation


@pytest.mark.parametrize(
    "text",
    ["you may call", "the blue one", "no one came", "wait a second", "they march on", "as for the rest, sun and rain"],
)
def test_ordinary_words_state_no_facts(text):
    assert extract_facts(text) == ()


def test_an_ambiguous_numeric_date_agrees_with_both_readings():
    (either,) = extract_facts("05/07/2024")
    assert agree(either, *extract_facts("5 July 2024"))
    assert agree(either, *extract_facts("May 7, 2024"))
    assert not agree(either, *extract_facts("June 7, 2024"))


@pytest.mark.parametrize(
    ("expected", "actual", "facts", "reason"),
    [
        pytest.param("Come at 14:00", "Come", [], "the time '14:00' is missing", id="missing"),
        pytest.param("Come on time", "Come at 3 pm", [], "'3 pm', which the expected text does not", id="extra"),
        pytest.param(
            "She cannot climb stairs", "She can climb stairs", ["cannot climb stairs"],
            "negation differs: 'cannot climb stairs'", id="negation",
        ),
        pytest.param("Call before lunch", "Call after lunch", [], "nothing says 'before'", id="opposite"),
        pytest.param("Ask for Ms. Okafor", "Ask for Ms. Okonkwo", [], "nothing says 'okafor'", id="name"),
        pytest.param("Call me", " ", [], "the actual text is empty", id="empty"),
        pytest.param("Call me", "Call me. " + "And much more is said here. " * 9, [], "far longer", id="recited"),
        pytest.param(
            "Two adults and three children",
            "Three adults and two children",
            ["two adults"],
            "exchanges '2' and '3'",
            id="exchanged",
        ),
    ],
)  # fmt: skip
def test_a_difference_is_named(expected, actual, facts, reason):
    match = match_text(expected, actual, facts)
    assert not match.same
    assert reason in match.reason


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        pytest.param(
            "Return the black case and keep the red bag", "Return the red case and keep the black bag", id="adjectives"
        ),
        pytest.param(
            "Give the mail to Nadia and the keys to Piotr", "Give the keys to Nadia and the mail to Piotr", id="objects"
        ),
        pytest.param(
            "The tap works but the lamp does not work", "The lamp works but the tap does not work", id="denied"
        ),
        pytest.param("My sister pays and I sign", "He pays and his sister signs", id="persons"),
        pytest.param("Move it from Tuesday to Thursday", "Move it from Thursday to Tuesday", id="weekdays"),
        pytest.param("Ms. Tanaka recommended Mr. Weber", "Mr. Weber recommended Ms. Tanaka", id="subject_and_object"),
        pytest.param("Ship via Rotterdam to Hamburg", "Ship via Hamburg to Rotterdam", id="places"),
        pytest.param("He was a passenger, not the driver", "He was the driver, not a passenger", id="roles"),
    ],
)
def test_exchanging_two_words_changes_the_text(expected, actual):
    assert not match_text(expected, actual).same


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        pytest.param("Friendly staff and great food", "The food was great and the staff friendly", id="clauses"),
        pytest.param("Buy milk, eggs and bread today", "Buy bread, milk and eggs today", id="list"),
        pytest.param("The policy doesn't cover the pipe", "The pipe is not covered by the policy", id="passive"),
        pytest.param("A table for Amara Okafor", "A table for: Okafor, Amara", id="surname_first"),
    ],
)
def test_another_order_of_the_same_words_is_the_same_text(expected, actual):
    assert match_text(expected, actual).same


@pytest.mark.parametrize(
    ("long", "short"),
    [
        pytest.param("Ask human resources by Monday", "Ask HR by Mon", id="initials"),
        pytest.param("Her date of birth is unknown", "Her DOB is unknown", id="initials_with_small_words"),
        pytest.param("Keep below 5 degrees Celsius", "Keep below 5 °C", id="celsius"),
        pytest.param("It weighs 12 pounds", "It weighs 12 lbs", id="pounds"),
        pytest.param("Turn off Highway 9 at the gas station", "Turn off Hwy 9 at the gas station", id="highway"),
        pytest.param("Therapy twice per week", "Therapy 2x/wk", id="times_a_week"),
        pytest.param("Deliver 3 dozen eggs", "Deliver 36 eggs", id="dozens"),
        pytest.param("Rent is 1.200 EUR", "Rent is 1200 euros", id="point_for_thousands"),
    ],
)
def test_usual_abbreviations_say_the_same(long, short):
    assert match_text(long, short).same
    assert match_text(short, long).same


def test_initials_of_other_words_are_another_text():
    assert not match_text("Meet the chief executive officer", "Meet the CFO", ["chief executive officer"]).same


@pytest.mark.parametrize(
    ("expected", "actual", "facts"),
    [
        pytest.param("Do not leave it outside", "It must not be left outside", ["do not leave"], id="irregular_verb"),
        pytest.param("The lift is out of order", "The lift is not working", [], id="out_of_order"),
        pytest.param("Dogs aren't allowed inside", "No dogs inside", ["dogs"], id="not_allowed"),
        pytest.param("She does not take any pills", "She takes no pills", ["no pills"], id="denied_object"),
        pytest.param("It must be free of nuts", "There must be no nuts in it", ["free of nuts"], id="free_of"),
    ],
)
def test_a_denial_may_be_worded_in_another_way(expected, actual, facts):
    assert match_text(expected, actual, facts).same


def test_a_weekday_that_follows_from_the_date_may_be_left_out_or_added():
    assert match_text("Come on Monday, 18 March 2024", "Come on 2024-03-18").same
    assert match_text("Come on 2024-03-18", "Come on Monday, March 18, 2024").same
    assert not match_text("Come on 2024-03-18", "Come on Tuesday, March 18, 2024").same


def test_normalising_keeps_what_makes_a_value():
    assert normalise("“It’s  4.5 kg — A-113!”") == "its 4.5 kg a-113"
    assert normalise("4.5") != normalise("45")


@pytest.mark.parametrize(
    ("text", "value", "told"),
    [
        pytest.param("The fee is $1,250.00 in total.", 1250, True, id="amount"),
        pytest.param("It takes 90 minutes.", 90, True, id="counted"),
        pytest.param("It takes 95 minutes.", 90, False, id="other_number"),
        pytest.param("Your booking A-113 is confirmed.", "A-113", True, id="code"),
        pytest.param("Your booking A-1134 is confirmed.", "A-113", False, id="longer_code"),
        pytest.param("See you on March 18 at 2 pm.", "2024-03-18", True, id="date"),
        pytest.param("See you at 2 pm.", "14:00", True, id="time"),
        pytest.param("Your guide is Grace Okafor.", "grace okafor", True, id="phrase"),
        pytest.param("Your guide is Grace Okafors.", "grace okafor", False, id="part_of_a_word"),
    ],
)
def test_a_message_tells_a_value_in_any_notation(text, value, told):
    assert tells(text, value) is told


@given(st.text(max_size=80))
def test_a_text_says_the_same_as_itself(text):
    assert match_text(text, text).same


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_two_texts_get_one_answer(expected, actual):
    assert match_text(expected, actual) == match_text(expected, actual)
    assert isinstance(tells(expected, actual), bool)


@given(pairs, st.sampled_from([str.upper, str.lower, lambda text: f"  {text} ", lambda text: text.replace(" ", "  ")]))
def test_case_and_spacing_never_matter(pair: Pair, change):
    assert match_text(pair.expected, change(pair.expected), pair.facts).same


@given(st.integers(2, 99_999), st.integers(2, 99_999), st.sampled_from(["{} boxes in the hall", "Room {} is cold"]))
def test_another_number_is_another_text(number, other, frame):
    match = match_text(frame.format(number), "So " + frame.format(other))
    assert match.same == (number == other)


@given(pairs.filter(lambda pair: any(letter.isdigit() for letter in pair.expected)), st.data())
def test_changing_a_digit_changes_the_text(pair: Pair, data):
    places = [at for at, letter in enumerate(pair.expected) if letter.isdigit()]
    at = data.draw(st.sampled_from(places))
    digit = data.draw(st.sampled_from([digit for digit in "123456789" if digit != pair.expected[at]]))
    changed = pair.expected[:at] + digit + pair.expected[at + 1 :]
    assert not match_text(pair.expected, changed, pair.facts).same
