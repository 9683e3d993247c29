"""Values as people say them: dates, times, numbers and money, read strictly and told as the office's country does."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from functools import cached_property
from itertools import product
from typing import Any

from runtime.domain.locale import AMERICAN, Locale
from runtime.task.task import AnswerKind, TaskAnswer
from runtime.verification.texts import marks, normalize

MOST_LISTED = 20  # requests of an account
LONGEST_LINE = 200  # characters; a longer line states no value
MANY_DECIMALS = 4  # a value with more of them is told in fewer
FEWEST_DECIMALS = 2

_DAYS = ("%Y-%m-%d", "%m/%d/%Y", "%m/%d/%y", "%m/%d %Y", "%B %d %Y", "%b %d %Y", "%d %B %Y", "%d %b %Y")
_DAYS_FIRST = tuple(form.replace("%m/%d", "%d/%m") for form in _DAYS)
_TIMES = ("%H:%M", "%H:%M:%S", "%I:%M %p", "%I:%M%p", "%I %p", "%I%p")
_NAMED_TIMES = {"NOON": "12:00 PM", "MIDNIGHT": "12:00 AM"}
_ORDINAL = re.compile(r"(?<=\d)(?:ST|ND|RD|TH)\b")
_EDGES = " \t*_`\"'“”‘’•"


@dataclass(frozen=True)
class Here:
    """Where and on which day something is said."""

    today: date
    locale: Locale = AMERICAN

    @cached_property
    def symbol(self) -> str:
        return self.locale.symbol.upper()

    @cached_property
    def currency(self) -> frozenset[str]:
        """The words that name the currency, in capitals."""
        return frozenset({self.symbol, *map(str.upper, self.locale.names)})

    @cached_property
    def subunits(self) -> frozenset[str]:
        return frozenset(map(str.upper, self.locale.subunits))


def read_value(answer: TaskAnswer, line: str, today: date, locale: Locale = AMERICAN) -> str | None:
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
    return _READERS[answer.kind](line, answer, Here(today, locale))


def told_value(answer: TaskAnswer) -> str:
    """Return the value of an answer as `read_value` gives it where it is told right."""
    if answer.kind in ("number", "money"):
        return _digits(Decimal(str(answer.value)) / answer.minor)
    value = str(answer.value)
    if answer.kind in ("text", "date", "account"):
        return value
    return value.replace("T", " ") if value.count(":") == 2 else f"{value}:00"


def said_value(answer: TaskAnswer, locale: Locale = AMERICAN) -> str:
    """Return the value of an answer as an assistant says it: $2.50 of money, everything else as `told_value` does."""
    return locale.money(Decimal(told_value(answer)), 1) if answer.kind == "money" else told_value(answer)


def is_right(answer: TaskAnswer, taken: str) -> bool:
    """True if a value that was read is the right one; a number of many decimals may be rounded to two or more."""
    if answer.kind == "text":
        is_same = normalize(taken) == normalize(str(answer.value)) != "" and marks(taken) <= marks(
            str(answer.value)
        ) | {"."}
        return is_same or taken == answer.value
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


def _read_date(line: str, answer: TaskAnswer, here: Here) -> str | None:
    found = _days(_tokens(line), here)
    return None if found is None else str(found)


def _read_time(line: str, answer: TaskAnswer, here: Here) -> str | None:
    return _time(_tokens(line))


def _read_moment(line: str, answer: TaskAnswer, here: Here) -> str | None:
    tokens = [each for each in _tokens(line.replace("T", " ") if line[:4].isdigit() else line) if each != "AT"]
    for at in range(1, len(tokens)):
        day, time = _days(tokens[:at], here), _time(tokens[at:])
        if day is not None and time is not None:
            return f"{day} {time}"
    return None


def _read_number(line: str, answer: TaskAnswer, here: Here) -> str | None:
    named = normalize(answer.name).split()
    number, _, unit = line.partition(" ")
    if number.endswith("%"):
        number, unit = number[:-1], "percent"
    is_named = all(word in named for word in normalize(unit).split())
    return _number(number) if is_named else None


def _read_money(line: str, answer: TaskAnswer, here: Here) -> str | None:
    sign, line = ("-", line[1:].lstrip()) if line[:1] in "-−" else ("", line)
    words = _apart(line, here).split()
    in_cents = bool(here.subunits.intersection(words[-1:])) and here.symbol not in words
    words = [each for each in words[: len(words) - in_cents] if each not in here.currency]
    amount = _number(words[0]) if len(words) == 1 else None
    if amount is None or (sign and (amount == "0" or amount.startswith("-"))):
        return None
    told = Decimal(sign + amount) / (here.locale.minor if in_cents else 1)
    return _digits(told) if -int(told.as_tuple().exponent) <= 2 else None


def _apart(line: str, here: Here) -> str:
    """Return a line in capitals with a blank around the symbol of the currency, which amounts are often joined to."""
    line, symbol = line.upper(), here.symbol
    for letter in (each for each in here.subunits if len(each) == 1):
        line = re.sub(rf"(?<=\d){letter}\b", f" {letter}", line)
    if not symbol[-1].isalpha():
        for name in here.currency:
            line = line.replace(name, symbol) if symbol in name else line
        return line.replace(symbol, f" {symbol} ")
    return re.sub(rf"\b{symbol}(?=\d)", f"{symbol} ", line)


_DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_TEENS = ("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_IN_WORDS = {word: number for number, word in enumerate((*_DIGITS, *_TEENS))} | {
    f"{ten}-{one}".removesuffix("-"): 10 * tens + ones
    for tens, ten in enumerate(_TENS, 2)
    for ones, one in enumerate(("", *_DIGITS[1:10]))
}


def _number(text: str) -> str | None:
    """Return a number in digits, or in a word up to ninety-nine."""
    in_words = _IN_WORDS.get(text.casefold())
    return _plain_number(text) if in_words is None else str(in_words)


def _read_account(line: str, answer: TaskAnswer, here: Here) -> str | None:
    """Return the numbers of requests in order, or "none"."""
    words = line.casefold().replace(",", " ").replace("#", " ").replace(" and ", " ").split()
    if words == ["none"]:
        return "none"
    numbers = {int(each) for each in words if each.isascii() and each.isdigit()} if len(words) <= MOST_LISTED else set()
    return ", ".join(map(str, sorted(numbers))) if numbers and len(numbers) == len(words) else None


_READERS: dict[AnswerKind, Callable[[str, TaskAnswer, Here], str | None]] = {
    "date": _read_date,
    "time": _read_time,
    "moment": _read_moment,
    "number": _read_number,
    "money": _read_money,
    "account": _read_account,
}


def _plain_number(text: str) -> str | None:
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


def _days(tokens: Sequence[str], here: Here) -> date | None:
    """Return the day that tokens name, this year unless they say one; a weekday in them must match it."""
    for skipped, year in product((0, 1), ("", str(here.today.year))):
        words = [*tokens[skipped:], *([year] if year else [])]
        for found in _parsed(" ".join(words), _DAYS_FIRST if here.locale.day_first else _DAYS):
            weekday = tokens[0].casefold() if skipped else ""
            if not weekday or weekday in (f"{found:%A}".casefold(), f"{found:%a}".casefold()):
                return found.date()
    return None


def _time(tokens: Sequence[str]) -> str | None:
    text = " ".join(tokens)
    return next((f"{found:%H:%M:%S}" for found in _parsed(_NAMED_TIMES.get(text, text), _TIMES)), None)


_LONGEST_DAY, _LONGEST_TIME = 4, 2  # words: "Friday, April 3, 2026", "2:30 PM"
_AROUND = " \t*_`\"'“”‘’()[].,;:!"
_STARTS = frozenset(
    f"{date(2024, month, 1):{form}}".upper() for month in range(1, 13) for form in ("%B", "%b")
) | frozenset(f"{date(2024, 1, day):{form}}".upper() for day in range(1, 8) for form in ("%A", "%a"))


def values_in(text: str, here: Here) -> Iterator[tuple[AnswerKind, str, str]]:
    """Yield the values that stand in a message: kind, value, and the plain words of the sentence around it.

    A moment counts as a date and as a time, too.
    """
    for sentence in _sentences(text):
        words, tokens, at = normalize(sentence), sentence.split(), 0
        yield from (("text", each, words) for each in sentence.replace("“", '"').replace("”", '"').split('"')[1::2])
        while at < len(tokens):
            kind, value, width = _value_at(tokens, at, here)
            if kind == "moment":
                yield from (("date", value[:10], words), ("time", value[11:], words))
            if kind is not None:
                yield kind, value, words
            at += width


def _value_at(tokens: Sequence[str], at: int, here: Here) -> tuple[AnswerKind | None, str, int]:
    """Return the longest value that begins at a word, with its kind and width; none of width 1 if none does."""
    first = tokens[at].strip(_AROUND)
    if first[:1].isdigit() or first.upper() in _STARTS or first.upper() in _NAMED_TIMES:
        day, width = _longest(_read_date, tokens, at, _LONGEST_DAY, here)
        after = at + width + (tokens[at + width : at + width + 1] == ["at"])
        clock, more = _longest(_read_time, tokens, after, _LONGEST_TIME, here)
        if day is not None and clock is not None:
            return "moment", f"{day} {clock}", after + more - at
        if day is not None or clock is not None:
            return ("date", day, width) if day is not None else ("time", str(clock), more)
    pair = " ".join(tokens[at : at + 2]).strip(_AROUND)
    unit = pair.upper().split()[-1:] if " " in pair else []
    named = here.symbol in _apart(first, here).split()
    is_money = unit and (unit[0] in here.currency | here.subunits or (named and here.symbol.isalpha()))
    if is_money and (amount := _read_money(pair, _ANY, here)) is not None:
        return "money", amount, 2
    if named:
        amount = _read_money(first, _ANY, here)
        return ("money", amount, 1) if amount is not None else (None, "", 1)
    number = _number(first.removesuffix("%"))
    return (None, "", 1) if number is None else ("number", number, 1)


def _longest(
    read: Callable[[str, TaskAnswer, Here], str | None], tokens: Sequence[str], at: int, most: int, here: Here
) -> tuple[str | None, int]:
    """Return the value that most words from here make, and how many words these are; none of 0 if none does."""
    for width in range(min(most, len(tokens) - at), 0, -1):
        phrase = " ".join(tokens[at : at + width]).strip(_AROUND)
        found = None if phrase.isdigit() else read(phrase, _ANY, here)
        if found is not None:
            return found, width
    return None, 0


_ANY = TaskAnswer(name="value", kind="text", value="")


def _sentences(text: str) -> Iterator[str]:
    for line in text.splitlines():
        for end in (". ", "! ", "? "):
            line = line.replace(end, f"{end[0]}\n")
        yield from line.split("\n")


def _parsed(text: str, forms: Sequence[str]) -> Iterator[datetime]:
    for form in forms:
        try:
            yield datetime.strptime(text, form)
        except ValueError:
            continue


_SHAPES: dict[AnswerKind, tuple[re.Pattern[str], Any]] = {
    "date": (re.compile(r"\d{4}-\d\d-\d\d"), date.fromisoformat),
    "moment": (re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?"), datetime.fromisoformat),
    "time": (re.compile(r"\d\d:\d\d(:\d\d)?"), time.fromisoformat),
}

_NAME = re.compile(r"[^\W_]+(?:[ '-][^\W_]+)*")
MOST_WORDS = 8  # of a name


def fault_of_name(name: str) -> str:
    """Say why a user cannot ask for "the NAME?", as the rest of a sentence; empty if nothing speaks against it."""
    if not _NAME.fullmatch(name):
        return "holds more than words, spaces and hyphens"
    words = len(name.split())
    return f"has {words} words; at most {MOST_WORDS} can be said in passing" if words > MOST_WORDS else ""


def kind_of(value: str | int | float) -> AnswerKind:
    """Return the kind that a value is of, by how databases of domains write it."""
    if not isinstance(value, str):
        return "number"
    return next((kind for kind in _SHAPES if not fault_of_value(kind, value)), "text")


def fault_of_value(kind: AnswerKind, value: str | int | float) -> str:
    """Why a value is not of a kind, as the rest of a sentence; empty if it is."""
    if kind in ("number", "money"):
        return "" if not isinstance(value, str) else "is a text"
    if not isinstance(value, str):
        return "is a number"
    if kind == "text":
        return "" if value.strip() else "is empty"
    if kind == "account":
        return (
            ""
            if _read_account(value, _ANY, Here(date.min)) == value
            else 'is neither "none" nor numbers such as "1, 3"'
        )
    shape, read = _SHAPES[kind]
    try:
        valid = shape.fullmatch(value) is not None and read(value) is not None
    except ValueError:
        valid = False
    return "" if valid else f"is not written as a {kind}"
