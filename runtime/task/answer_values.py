"""The strict form of an answer: one short line, read by its declared kind, and whether its value is the right one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from itertools import product

from runtime.task.answers import AnswerKind
from runtime.task.task import TaskAnswer
from runtime.verification.texts import normalize

LONGEST_LINE = 200  # characters; a longer line states no value
MANY_DECIMALS = 4  # a value with more of them is told in fewer
FEWEST_DECIMALS = 2

_DAYS = ("%Y-%m-%d", "%m/%d/%Y", "%B %d %Y", "%b %d %Y", "%d %B %Y", "%d %b %Y")
_TIMES = ("%H:%M", "%H:%M:%S", "%I:%M %p", "%I:%M%p", "%I %p", "%I%p")
_NAMED_TIMES = {"NOON": "12:00 PM", "MIDNIGHT": "12:00 AM"}
_ORDINAL = re.compile(r"(?<=\d)(?:ST|ND|RD|TH)\b")
_CURRENCY = {"$", "USD", "DOLLAR", "DOLLARS"}
_EDGES = " \t*_`\"'“”‘’•"


def read_value(answer: TaskAnswer, line: str, today: date) -> str | None:
    """Read a line that states one value and nothing else; None if it does not.

    Dates come back as 2026-03-05, moments as 2026-03-05 14:30:00, times as 14:30:00, numbers and money as plain digits,
    texts as they are written.
    """
    line = line.strip(_EDGES)
    if not line or len(line) > LONGEST_LINE:
        return None
    if answer.kind == "text":
        return line
    line = line.removesuffix(".").rstrip(_EDGES).lstrip(_EDGES)
    return _READERS[answer.kind](line, answer, today)


def told_value(answer: TaskAnswer) -> str:
    """The value of an answer as `read_value` gives it where it is told right."""
    if answer.kind in ("number", "money"):
        return _digits(Decimal(str(answer.value)) / answer.minor)
    value = str(answer.value)
    if answer.kind in ("text", "date"):
        return value
    return value.replace("T", " ") if value.count(":") == 2 else f"{value}:00"


def said_value(answer: TaskAnswer) -> str:
    """The value of an answer as an assistant says it: money in dollars, everything else as `told_value` does."""
    if answer.kind != "money":
        return told_value(answer)
    amount = Decimal(told_value(answer))
    text = f"${abs(amount):,.2f}".removesuffix(".00")
    return f"-{text}" if amount < 0 else text


def is_right(answer: TaskAnswer, taken: str) -> bool:
    """True if a value that was read is the right one; a number of many decimals may be rounded to two or more."""
    if answer.kind == "text":
        return normalize(taken) == normalize(str(answer.value)) != "" or taken == answer.value
    if answer.kind not in ("number", "money"):
        return taken == told_value(answer)
    try:
        told, value = Decimal(taken), Decimal(told_value(answer))
    except InvalidOperation:
        return False
    if told == value:
        return True
    decimals = max(0, -int(told.as_tuple().exponent))
    is_long = answer.kind == "number" and -int(value.as_tuple().exponent) > MANY_DECIMALS
    return is_long and decimals >= FEWEST_DECIMALS and round(value, decimals) == told


def _read_date(line: str, answer: TaskAnswer, today: date) -> str | None:
    found = _days(_tokens(line), today)
    return None if found is None else str(found)


def _read_time(line: str, answer: TaskAnswer, today: date) -> str | None:
    return _time(_tokens(line))


def _read_moment(line: str, answer: TaskAnswer, today: date) -> str | None:
    tokens = [each for each in _tokens(line.replace("T", " ") if line[:4].isdigit() else line) if each != "AT"]
    for at in range(1, len(tokens)):
        day, time = _days(tokens[:at], today), _time(tokens[at:])
        if day is not None and time is not None:
            return f"{day} {time}"
    return None


def _read_number(line: str, answer: TaskAnswer, today: date) -> str | None:
    named = normalize(answer.name).split()
    number, _, unit = line.partition(" ")
    if number.endswith("%"):
        number, unit = number[:-1], "percent"
    is_named = all(word in named for word in normalize(unit).split())
    return _plain_number(number) if is_named else None


def _read_money(line: str, answer: TaskAnswer, today: date) -> str | None:
    sign, line = ("-", line[1:].lstrip()) if line[:1] in "-−" else ("", line)
    words = [each for each in line.upper().replace("$", " $ ").split() if each not in _CURRENCY]
    amount = _plain_number(sign + words[0]) if len(words) == 1 else None
    return amount if amount is not None and -int(Decimal(amount).as_tuple().exponent) <= 2 else None


_READERS: dict[AnswerKind, Callable[[str, TaskAnswer, date], str | None]] = {
    "date": _read_date,
    "time": _read_time,
    "moment": _read_moment,
    "number": _read_number,
    "money": _read_money,
}


def _plain_number(text: str) -> str | None:
    """A number in digits, with a comma between each three of them or none."""
    try:
        number = Decimal(text.replace(",", ""))
    except InvalidOperation:
        return None
    if not number.is_finite() or "e" in text.casefold() or "_" in text or not text.isascii():
        return None
    whole = text.lstrip("+-").partition(".")[0]
    return None if "," in text and whole != f"{int(abs(number)):,}" else _digits(number)


def _digits(number: Decimal) -> str:
    text = f"{number:f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return text if text not in ("", "-0") else "0"


def _tokens(line: str) -> list[str]:
    line = line.upper().replace(",", " ").replace("A.M", "AM").replace("P.M", "PM").replace(".", " ")
    return _ORDINAL.sub("", line).split()


def _days(tokens: Sequence[str], today: date) -> date | None:
    """The day that tokens name, without a year one of this year; a weekday beside it must be its own."""
    for skipped, year in product((0, 1), ("", str(today.year))):
        words = [*tokens[skipped:], *([year] if year else [])]
        for found in _parsed(" ".join(words), _DAYS):
            weekday = tokens[0].casefold() if skipped else ""
            if not weekday or weekday in (f"{found:%A}".casefold(), f"{found:%a}".casefold()):
                return found.date()
    return None


def _time(tokens: Sequence[str]) -> str | None:
    text = " ".join(tokens)
    return next((f"{found:%H:%M:%S}" for found in _parsed(_NAMED_TIMES.get(text, text), _TIMES)), None)


def _parsed(text: str, forms: Sequence[str]) -> Iterator[datetime]:
    for form in forms:
        try:
            yield datetime.strptime(text, form)
        except ValueError:
            continue
