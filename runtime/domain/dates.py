"""Arithmetic on dates as text, for tools: what leaves the calendar is rejected instead of crashing."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from runtime.errors import Rejection


def add_days(day: str, days: int) -> str:
    """The date, or the date and time, so many days later; negative is earlier."""
    return _moved(day, timedelta(days=max(-(10**7), min(10**7, days))))


def add_minutes(moment: str, minutes: int) -> str:
    """The date and time so many minutes later; negative is earlier."""
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
