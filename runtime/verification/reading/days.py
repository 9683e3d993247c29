"""Which days a text states: by month and day, in digits, by a weekday, or from today.

`dateutil` reads what is found here, and only that: of a whole sentence it makes a day out of any number, takes "May"
for a day of May, and overlooks a weekday that does not fit. A day without a year is the nearest one. Where a notation
leaves a choice (02/04/2026, "next Tuesday"), each reading is kept; with dots the day comes first.
"""

from __future__ import annotations

import calendar
import re
from collections.abc import Iterator
from datetime import date, datetime, timedelta

from dateutil import parser

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
_NEAR = {
    "the day before yesterday": -2,
    "yesterday": -1,
    "today": 0,
    "tomorrow": 1,
    "the day after tomorrow": 2,
}
_HALF_A_YEAR = timedelta(days=183)


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
    orders = {"": (False,), ".": (True,)}.get(sign, (False, True))
    written = re.sub(r"\b(?:of|the) ", "", written, flags=re.IGNORECASE).replace(",", " ")
    written = re.sub(r"(?<=[A-Za-z])\.", "", written)
    found = set()
    for day_first in orders:
        if sign and not _fits(written, sign, day_first):
            continue
        try:
            one, other = (
                parser.parse(written, default=datetime(year, 1, 1), dayfirst=day_first).date() for year in (2000, 2004)
            )
        except (ValueError, OverflowError):
            continue
        found.add(one if one == other else _nearest(one, today))
    return found


def _fits(written: str, sign: str, day_first: bool) -> bool:
    """Whether the month of a day in digits is one in this order; the parser would swap them."""
    return 1 <= int(written.split(sign)[1 if day_first else 0]) <= 12


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
