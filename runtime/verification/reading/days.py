"""Which days a text states: by month and day, in digits, by a weekday, or from today.

Only what is surely a day counts: "May" alone is none, and one whose weekday does not fit has no reading. A day without
a year is the nearest one. Where a notation leaves a choice (02/04/2026, "next Tuesday"), each reading is kept; with
dots the day comes first.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from datetime import date, timedelta

from runtime.verification.reading.spans import Span

_WEEKDAYS = [name.lower() for name in calendar.day_name]
_MONTH = "(?:" + "|".join([*calendar.month_name[1:], "sept", *calendar.month_abbr[1:]]) + r")\b\.?"
_NUMBER = r"\d{1,2}(?:st|nd|rd|th)?"
_YEAR = r"(?:,?[ -]\d{4}\b)?"
_WEEKDAY = "(?:" + "|".join(_WEEKDAYS + [f"{name[:3]}\\.?" for name in _WEEKDAYS]) + ")"
_IN_DIGITS = r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}(?P<sign>[-/.])\d{1,2}(?P=sign)(?:\d{4}|\d\d)"
_IN_WORDS = rf"{_NUMBER}[ -](?:of )?{_MONTH}{_YEAR}|{_MONTH}[ -](?:the )?{_NUMBER}(?!\d){_YEAR}"
_DAY = re.compile(
    rf"(?<![\w.,/:-])(?:(?P<before>{_WEEKDAY}),?\s+(?:the\s+)?)?(?P<day>{_IN_DIGITS}|{_IN_WORDS})"
    rf"(?:(?=T\d)|(?![\w/]|[.,:-]\d))(?:,?\s+\(?(?:a )?(?P<after>{_WEEKDAY})\b\)?)?"
    rf"|\b(?:(?P<which>next|last|this|coming)\s+)?(?P<alone>{'|'.join(_WEEKDAYS)})\b"
    r"|\b(?P<near>the day after tomorrow|the day before yesterday|today|tomorrow|yesterday)\b",
    re.IGNORECASE,
)
_MONTHS = [name.lower() for name in calendar.month_abbr[1:]]
_MONTH_IN = re.compile("|".join(_MONTHS), re.IGNORECASE)
_NEAR = {
    "the day before yesterday": -2,
    "yesterday": -1,
    "today": 0,
    "tomorrow": 1,
    "the day after tomorrow": 2,
}


def find_days(text: str, today: date) -> Iterator[Span]:
    """Each stated day with its readings as YYYY-MM-DD."""
    for match in _DAY.finditer(text):
        if match["near"]:
            days = {today + timedelta(days=_NEAR[re.sub(r"\s+", " ", match["near"].lower())])}
        elif match["alone"]:
            days = _of_weekday(match["alone"], (match["which"] or "").lower(), today)
        else:
            days = _read(match["day"], match["sign"] or "", today)
            for name in filter(None, (match["before"], match["after"])):
                days = {day for day in days if _WEEKDAYS[day.weekday()].startswith(name.lower().rstrip("."))}
        yield Span(match.start(), match.end(), frozenset(map(str, days)))


def _read(written: str, sign: str, today: date) -> set[date]:
    numbers = [int(each) for each in re.findall(r"\d+", written)]
    month = _MONTH_IN.search(written)
    if month is not None:
        day, year = numbers[0], numbers[1] if len(numbers) > 1 else None
        found = [(year, _MONTHS.index(month[0].lower()) + 1, day)]
    elif sign:
        one, other, year = numbers
        year += 0 if len(written.split(sign)[2]) == 4 else _century(year, today)
        found = [(year, other, one)] if sign == "." else [(year, one, other), (year, other, one)]
    else:
        found = [(numbers[0], numbers[1], numbers[2])]
    return {day for day in (_day(*each, today) for each in found) if day is not None}


def _day(year: int | None, month: int, day: int, today: date) -> date | None:
    try:
        return date(year, month, day) if year is not None else _nearest(date(2000, month, day), today)
    except ValueError:
        return None


def _century(year: int, today: date) -> int:
    """What is to be added to a year of two digits, which is less than half a century away."""
    return min(
        (today.year // 100 * 100 + each for each in (-100, 0, 100)), key=lambda each: abs(each + year - today.year)
    )


def _nearest(day: date, today: date) -> date:
    years = [
        year
        for year in range(today.year - 4, today.year + 5)
        if (day.month, day.day) != (2, 29) or calendar.isleap(year)
    ]
    return min((day.replace(year=year) for year in years), key=lambda each: abs(each - today))


def _of_weekday(name: str, which: str, today: date) -> set[date]:
    ahead = timedelta(days=(_WEEKDAYS.index(name.lower()) - today.weekday() - 1) % 7 + 1)
    week = timedelta(days=7)
    coming = today + ahead
    before = coming - week if ahead < week else today - week
    return {
        "next": {coming, coming + week},
        "coming": {coming},
        "last": {before, before - week},
        "this": {coming, coming - week},
        "": {coming, coming - week},
    }[which]
