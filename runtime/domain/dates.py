"""Dates and times as text: argument types that domain authors may use, and arithmetic that stays in the calendar."""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from typing import Annotated

from pydantic import AfterValidator, WithJsonSchema

from runtime.errors import Rejection

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIMESTAMP = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}")


def parse_date(text: str) -> str:
    """Accept `YYYY-MM-DD` and nothing else; errors: ValueError."""
    return _parsed(text, _DATE, "a date as YYYY-MM-DD")


def parse_timestamp(text: str) -> str:
    """Accept `YYYY-MM-DD HH:MM:SS`, with a T between them too, and return it with a space; errors: ValueError."""
    spaced = text[:10] + " " + text[11:] if text[10:11] == "T" else text
    return _parsed(spaced, _TIMESTAMP, "a date and time as YYYY-MM-DD HH:MM:SS")


def _parsed(text: str, form: re.Pattern[str], wanted: str) -> str:
    try:
        if not form.fullmatch(text):
            raise ValueError
        datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"should be {wanted}") from None
    return text


Date = Annotated[str, AfterValidator(parse_date), WithJsonSchema({"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"})]
Timestamp = Annotated[
    str,
    AfterValidator(parse_timestamp),
    WithJsonSchema({"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}$"}),
]


def add_days(day: str, days: int) -> str:
    """Add days to a date, or a date and time; negative is earlier."""
    return _moved(day, timedelta(days=max(-(10**7), min(10**7, days))))


def add_minutes(moment: str, minutes: int) -> str:
    """Add minutes to a date and time; negative is earlier."""
    return _moved(moment, timedelta(minutes=max(-(10**10), min(10**10, minutes))))


def days_between(earlier: str, later: str) -> int:
    """Whole days from one date to another, times of day left out; negative if `later` comes first."""
    return (date.fromisoformat(later[:10]) - date.fromisoformat(earlier[:10])).days


def minutes_between(earlier: str, later: str) -> int:
    """Whole minutes from one date and time to another; negative if `later` comes first."""
    return int((datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds() // 60)


def weekday(day: str) -> str:
    """The English name of the day of the week."""
    names = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
    return names[date.fromisoformat(day[:10]).weekday()]


def _moved(text: str, distance: timedelta) -> str:
    try:
        return str(datetime.fromisoformat(text) + distance)[: len(text)]
    except OverflowError:
        raise Rejection.invalid_argument(f"A date that far from {text} is outside the calendar.") from None
