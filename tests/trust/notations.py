"""The notations in which people write a value, by name; one that does not fit a value leaves it as it is."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from runtime.task.answers import AnswerKind
from runtime.task.answer_values import told_value
from runtime.task.task import TaskAnswer
from runtime.verification.text.numerals import _SMALL, _TENS

_DAYS: dict[str, Callable[[datetime], str]] = {
    "day_month": lambda at: f"{at.day} {at:%B %Y}",
    "month_day": lambda at: f"{at:%B} {at.day}, {at.year}",
    "nth": lambda at: f"{at:%B} {_nth(at.day)}",
    "nth_of": lambda at: f"the {_nth(at.day)} of {at:%B}",
    "weekday": lambda at: f"{at:%A, %B} {at.day}, {at.year}",
    "weekday_behind": lambda at: f"{at.day} {at:%B %Y} ({at:%A})",
    "short": lambda at: f"{at.day} {at:%b} {at.year}",
    "dots": lambda at: f"{at:%d.%m.%Y}",
    "slashes": lambda at: f"{at:%m/%d/%Y}",
    "no_year": lambda at: f"{at:%B} {at.day}",
}
_MOMENTS: dict[str, Callable[[datetime], str]] = {
    "twelve": lambda at: f"{at:%B} {at.day}, {at.year} at {_twelve(at)}",
    "dotted_half": lambda at: f"{at:%B} {at.day}, {at.year}, {_twelve(at).replace('AM', 'a.m.').replace('PM', 'p.m.')}",
    "time_first": lambda at: f"{at:%H:%M} on {at:%A, %B} {at.day}",
    "clock": lambda at: f"{at:%B} {at.day} at {_clock(at)}",
    "two_bullets": lambda at: f"- Date: {at:%B} {at.day}, {at.year}\n- Time: {_twelve(at)}",
    "iso": lambda at: f"{at:%Y-%m-%dT%H:%M:%S}",
}
_WITH_YEAR = {
    "nth": "month_day",
    "nth_of": "day_month",
    "no_year": "month_day",
    "time_first": "twelve",
    "clock": "twelve",
}
_NEAR = timedelta(days=150)  # of the clock: a day farther off is told with its year, or another one is nearer
_NUMBERS: dict[str, Callable[[str], str]] = {
    "grouped": lambda digits: f"{float(digits):,.{len(digits.partition('.')[2])}f}",
    "spaced": lambda digits: f"{float(digits):,.{len(digits.partition('.')[2])}f}".replace(",", " "),
    "zeros": lambda digits: f"{float(digits):.2f}" if len(digits.partition(".")[2]) <= 2 else digits,
    "comma": lambda digits: digits.replace(".", ","),
    "words": lambda digits: _in_words(int(digits)) if digits.isdigit() else digits,
}
_TEXTS: dict[str, Callable[[str], str]] = {
    "capitals": str.upper,
    "underscores": lambda text: text.replace("_", " ") if "_" in text else text.lower(),
    "joined": lambda text: text.replace(" ", "") if text.lstrip("+").replace(" ", "").isdigit() else text,
    "quotes": lambda text: f"“{text}”",
}


def write(answer: TaskAnswer, notation: str, now: str) -> str:
    """The right value of an answer in a notation."""
    return write_value(answer.kind, told_value(answer), notation, now)


def write_value(kind: AnswerKind, value: str, notation: str, now: str) -> str:
    """A value as it is taken down, in a notation; a day far from `now`, the clock, is told with its year."""
    if kind == "text":
        return _TEXTS.get(notation, str)(value)
    if kind == "number":
        return _NUMBERS.get(notation, str)(value)
    if kind not in ("date", "moment"):
        return value
    at = datetime.fromisoformat(value)
    if abs(at - datetime.fromisoformat(now)) > _NEAR:
        notation = _WITH_YEAR.get(notation, notation)
    if kind == "moment" and notation in _MOMENTS:
        return _MOMENTS[notation](at)
    if notation in _DAYS:
        return _DAYS[notation](at) + (f", {at:%H:%M}" if kind == "moment" else "")
    return value


def _nth(day: int) -> str:
    ending = "th" if day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{ending}"


def _twelve(at: datetime) -> str:
    return f"{at.hour % 12 or 12}{f':{at:%M}' if at.minute else ''} {'AM' if at.hour < 12 else 'PM'}"


def _clock(at: datetime) -> str:
    if at.minute:
        return _twelve(at)
    part = "in the morning" if at.hour < 12 else "in the afternoon" if at.hour < 18 else "in the evening"
    return f"{at.hour % 12 or 12} o'clock {part}"


def _in_words(number: int) -> str:
    words = {each: word for word, each in {**_TENS, **_SMALL}.items() if word != "fourty"}
    if number in words:
        return words[number]
    if number < 100:
        return f"{words[number // 10 * 10]}-{words[number % 10]}"
    if number < 1000:
        rest = f" and {_in_words(number % 100)}" if number % 100 else ""
        return f"{words[number // 100]} hundred{rest}"
    rest = f" {_in_words(number % 1000)}" if number % 1000 else ""
    return f"{_in_words(number // 1000)} thousand{rest}"
