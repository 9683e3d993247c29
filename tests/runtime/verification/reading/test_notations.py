"""Claims about values in the notations that people use: each is read as what it means, or as nothing."""

from __future__ import annotations

from datetime import date

import pytest

from runtime.verification.reading.days import find_days
from runtime.verification.reading.numbers import find_numbers
from runtime.verification.reading.plain import prepare
from runtime.verification.reading.spans import common
from runtime.verification.reading.texts import ColumnTexts
from runtime.verification.reading.times import find_times
from runtime.verification.text.numerals import write_digits

TODAY = date(2026, 3, 11)  # a Wednesday


@pytest.mark.parametrize(
    "written",
    [
        "2 April 2026",
        "April 2, 2026",
        "Apr. 2, 2026",
        "April 2nd",
        "the 2nd of April",
        "April the 2nd",
        "2026-04-02",
        "2026/04/02",
        "02.04.2026",
        "2.4.26",
        "2-Apr-2026",
        "Thursday, April 2",
        "Thu, 2 Apr 2026",
        "2 April 2026 (Thursday)",
        "April 2nd, 2026, a Thursday",
        "**2 April 2026**",
    ],
)
def test_a_day_is_read_in_any_notation(written: str):
    assert common(find_days(prepare(written), TODAY)) == {"2026-04-02"}


@pytest.mark.parametrize(
    ("written", "readings"),
    [
        ("02/04/2026", {"2026-02-04", "2026-04-02"}),
        ("13/04/2026", {"2026-04-13"}),
        ("4/13/2026", {"2026-04-13"}),
        ("02/04/2026 (April 2)", {"2026-04-02"}),
        ("today", {"2026-03-11"}),
        ("tomorrow", {"2026-03-12"}),
        ("the day before yesterday", {"2026-03-09"}),
        ("next Tuesday", {"2026-03-17", "2026-03-24"}),
        ("last Tuesday", {"2026-03-10", "2026-03-03"}),
        ("last Wednesday", {"2026-03-04", "2026-02-25"}),
        ("Thursday", {"2026-03-12", "2026-03-05"}),
        ("December 30", {"2025-12-30"}),
        ("February 29", {"2028-02-29"}),
    ],
)
def test_a_notation_that_leaves_a_choice_keeps_it_and_a_missing_year_is_the_nearest(written: str, readings: set[str]):
    assert common(find_days(prepare(written), TODAY)) == readings


@pytest.mark.parametrize(
    "written", ["Monday, April 2, 2026", "April 31", "2 April or 3 April", "10", "May", "April 2026", "31/31/2026"]
)
def test_what_is_no_day_or_contradicts_itself_has_no_reading(written: str):
    assert not common(find_days(prepare(written), TODAY))


@pytest.mark.parametrize(
    ("written", "readings"),
    [
        ("18:00", {"18:00:00"}),
        ("18:00:05", {"18:00:05"}),
        ("18.30", {"18:30:00"}),
        ("6 PM", {"18:00:00"}),
        ("6:30 p.m.", {"18:30:00"}),
        ("12 AM", {"00:00:00"}),
        ("noon", {"12:00:00"}),
        ("12 noon", {"12:00:00"}),
        ("midnight", {"00:00:00"}),
        ("6:30", {"06:30:00"}),
        ("6 o'clock", {"06:00:00", "18:00:00"}),
        ("six o'clock in the evening", {"18:00:00"}),
        ("half past six in the evening", {"18:30:00"}),
        ("a quarter to 7 in the morning", {"06:45:00"}),
        ("9 in the morning", {"09:00:00"}),
        ("6", set()),
        ("25:00", set()),
        ("13 PM", set()),
        ("8 AM in the evening", set()),
        ("18:00-19:00", set()),
    ],
)
def test_a_time_is_read_in_any_notation(written: str, readings: set[str]):
    assert common(find_times(write_digits(prepare(written)))) == readings


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("1,234.50", "1234.5"),
        ("1 234,50", "1234.5"),
        ("1.234,50", "1234.5"),
        ("1'234.50", "1234.5"),
        ("83 500 USD", "83500"),
        ("$83,500", "83500"),
        ("USD 83,500", "83500"),
        ("83,500 US dollars", "83500"),
        ("83.5k", "83500"),
        ("$1.2 million", "1200000"),
        ("eighty-five", "85"),
        ("85.05%", "85.05%"),
        ("85.05 percent", "85.05%"),
        ("50 cents", "0.5"),
        ("three", "3"),
        ("one", "1"),
        ("none", "0"),
        ("zero", "0"),
        ("-5", "-5"),
        ("- 5", "5"),
        ("2,5", "2.5"),
        ("1.234", "1.234"),
        ("a hundred", "100"),
    ],
)
def test_a_number_is_read_in_any_notation(written: str, number: str):
    assert common(find_numbers(write_digits(prepare(written)))) == {number}


@pytest.mark.parametrize("written", ["1,23,456", "L12", "3 or 4", "1" * 50, "1 2"])
def test_what_is_no_one_number_has_no_reading(written: str):
    assert not common(find_numbers(write_digits(prepare(written))))


def test_cents_are_what_a_number_in_cents_means():
    assert common(find_numbers("250 cents", in_cents=True)) == {"250"}
    assert common(find_numbers("$2.50", in_cents=True)) == {"250"}
    assert common(find_numbers("250", in_cents=True)) == {"250"}


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("Acme Inc.", {"Acme Inc."}),
        ("ACME, INC", {"Acme Inc."}),
        ("Acme", {"Acme"}),
        ("acme or bolt", {"Acme"}),
        ("phone screening", {"phone_screening"}),
        ("Phone-Screening", {"phone_screening"}),
        ("(415)555-0134", set()),
        ("+14155550134", {"+1 (415) 555-0134"}),
        ("Ac~me", set()),
        ("Acme?Inc", {"Acme"}),
        ("Acmes", set()),
    ],
)
def test_a_text_is_found_whole_in_any_letters_and_spacing(written: str, found: set[str]):
    column = ColumnTexts(["Acme Inc.", "Acme", "Bolt & Sons", "phone_screening", "+1 (415) 555-0134", ""])
    assert {reading for span in column.find(prepare(written)) for reading in span.readings} == found
