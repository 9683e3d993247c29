"""The facts a text states (numbers, amounts, dates, times, durations, codes), read from any usual notation."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from runtime.verification.numerals import fold, write_digits
from runtime.verification.words import PHRASES

FactKind = Literal[
    "number", "amount", "percent", "measure", "date", "weekday", "time", "duration", "phone", "email", "link", "code"
]


@dataclass(frozen=True)
class Fact:
    """One stated value; two notations of the same value are equal or, where a notation leaves a choice, agree.

    A date is a tuple of (year, month, day) readings, a time a tuple of minutes of the day; what is left open is None.
    """

    kind: FactKind
    value: Hashable


@dataclass(frozen=True)
class Mention:
    """A fact and where a prepared text states it; one that is not firm may be stated but need not be."""

    fact: Fact
    start: int
    end: int
    words: str
    firm: bool = True


def extract_facts(text: str) -> tuple[Fact, ...]:
    """The facts a text states, each once, in order of first mention."""
    return tuple(dict.fromkeys(mention.fact for mention in find_mentions(prepare(text)) if mention.firm))


def agree(one: Fact, other: Fact) -> bool:
    """Whether two facts can be the same value: all that both of them settle is equal."""
    if one.kind != other.kind:
        return {one.kind, other.kind} == {"phone", "number"} and _as_number(one) == _as_number(other)
    if one.kind == "date":
        return any(_same_day(left, right) for left in _parts(one) for right in _parts(other))
    if one.kind == "time":
        return bool({*_parts(one)} & {*_parts(other)})
    if one.kind == "phone":
        short, long = sorted((str(one.value), str(other.value)), key=len)
        return short == long or (len(short) >= 9 and long.endswith(short))
    return one.value == other.value


def agree_loosely(one: Fact, other: Fact) -> bool:
    """Whether one fact is a bare number and the other the same number with a unit, or an hour of an open half of day."""
    bare, full = (one, other) if one.kind == "number" else (other, one)
    if bare.kind != "number" or full.kind == "number":
        return False
    number = _as_number(bare)
    if full.kind == "amount":
        return number == _parts(full)[1]
    if full.kind == "measure":
        family, amount = _parts(full)
        return any(number * size == amount for kin, size in _MEASURES.values() if kin == family)
    if full.kind == "percent":
        return number == full.value
    if full.kind == "duration":
        family, amount = _parts(full)
        return any(number * size == amount for kin, size in _DURATIONS.values() if kin == family)
    return full.kind == "time" and len(_parts(full)) > 1 and number * 60 in _parts(full)


@lru_cache(maxsize=1024)
def prepare(text: str) -> str:
    """The text as the readers of facts and words expect it: folded, phrases written out, numbers in digits."""
    text = _MISSPELT.sub(lambda match: _spell_calendar(match.group()), fold(text))
    for pattern, replacement in PHRASES:
        text = pattern.sub(replacement, text)
    text = write_digits(text)
    return re.sub(rf"(?<![\d.])({_NUMBER})\s*(-|to)\s*([$€£]?)({_NUMBER})(?=k\b)", r"\1k \2 \3\4", text)


def find_mentions(prepared: str) -> list[Mention]:
    """Every mention of a fact in a prepared text, in order; the notation read first owns its characters."""
    mentions: list[Mention] = []
    for kind, pattern, read, needs_digit in _READERS:
        if needs_digit and not _DIGIT.search(prepared):
            continue
        for match in pattern.finditer(prepared):
            values = read(match)
            if not values:
                continue
            words = match.group().strip(" ,.;")
            mentions += [Mention(Fact(kind, value), match.start(), match.end(), words) for value in values]
            prepared = prepared[: match.start()] + "\0" * len(match.group()) + prepared[match.end() :]
    for pattern, fact in _IMPLIED:
        for match in pattern.finditer(prepared):
            mentions.append(Mention(fact, match.start(), match.end(), match.group(), firm=False))
    return sorted(mentions, key=lambda mention: mention.start)


def find_numbers(prepared: str) -> Iterator[Fraction]:
    """Every number a prepared text shows, whatever it counts, except inside dates, times and codes."""
    for mention in find_mentions(prepared):
        if mention.fact.kind not in ("date", "time", "code", "email", "link"):
            for match in re.finditer(rf"(?:{_NUMBER}){_SCALE}", mention.words, re.IGNORECASE):
                yield _number(match.group())
        if mention.fact.kind == "phone":
            yield Fraction(str(mention.fact.value))


def weekday_of(fact: Fact) -> int | None:
    """The weekday a complete, unambiguous date falls on, Monday being 0."""
    if fact.kind != "date" or len(_parts(fact)) != 1 or None in _parts(fact)[0]:
        return None
    return date(*_parts(fact)[0]).weekday()


_MONTHS = "january february march april may june july august september october november december".split()
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_MONTH = "(?:" + "|".join([*_MONTHS, "sept", *(name[:3] + r"\b" for name in _MONTHS)]) + r")\b\.?"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_NTH = r"(?:st|nd|rd|th)"
_NUMBER = (
    r"(?:\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d{1,3}(?:\.\d{3})+,\d{1,2}(?!\d)|\d{1,3}(?:'\d{3}|(?: \d{3}){2,})+(?![\d-])"
    r"|\d+ [1-9]/[2-8](?!\d)|[1-9]/[2-8](?![\d/])|\d+,\d{1,2}(?![\d,])|\d+(?:\.\d+)?|(?<!\d)\.\d+)"
)
_SCALE = r"(?:\s?(?:k|mn|mio|bn|thousand|million|billion|grand|[mM](?=\b))\b)?"
_SCALES = {"k": 10**3, "thousand": 10**3, "grand": 10**3, "billion": 10**9, "bn": 10**9} | dict.fromkeys(
    ("m", "mn", "mio", "million"), 10**6
)
_CURRENCIES = {
    "usd": "us$ usd $ dollar dollars buck bucks", "eur": "eur € euro euros", "gbp": "gbp £ quid", "inr": "inr ₹ rupees",
    "cad": "cad c$ ca$", "aud": "aud a$ au$", "chf": "chf francs", "jpy": "jpy ¥ yen",
}  # fmt: skip
_CURRENCY = {sign: currency for currency, signs in _CURRENCIES.items() for sign in signs.split()}
_SIGN = "(?:" + "|".join(re.escape(sign) for sign in sorted(_CURRENCY, key=len, reverse=True)) + ")"
_DURATION_UNITS = {
    ("s", 1): "second seconds sec secs", ("s", 60): "minute minutes min mins", ("s", 3600): "hour hours hr hrs h",
    ("s", 86400): "day days", ("s", 604800): "week weeks wk wks", ("s", 1209600): "fortnight fortnights",
    ("months", 1): "month months mo mos", ("months", 12): "year years yr yrs",
}  # fmt: skip
_DURATIONS = {name: unit for unit, names in _DURATION_UNITS.items() for name in names.split()}
_DURATION = "(?:" + "|".join(sorted(_DURATIONS, key=len, reverse=True)) + r")\b"
_MEASURE_UNITS = {
    ("g", Fraction(1000)): "kg kgs kilo kilos kilogram kilograms", ("g", Fraction(1)): "g gram grams",
    ("g", Fraction(1, 1000)): "mg milligram milligrams", ("ton", Fraction(1)): "t ton tons tonne tonnes",
    ("m", Fraction(1000)): "km kms kilometer kilometers kilometre kilometres",
    ("m", Fraction(1)): "m meter meters metre metres", ("m", Fraction(1, 100)): "cm centimeter centimeters centimetres",
    ("m", Fraction(1, 1000)): "mm millimeters millimetres", ("mile", Fraction(1)): "mi mile miles",
    ("foot", Fraction(1)): "ft feet foot", ("inch", Fraction(1)): "inch inches", ("lb", Fraction(1)): "lb lbs",
    ("l", Fraction(1)): "l liter liters litre litres", ("l", Fraction(1, 1000)): "ml milliliters millilitres",
    ("oz", Fraction(1)): "oz ounce ounces", ("degree", Fraction(1)): "° °c °f deg degree degrees",
    ("m2", Fraction(1)): "m2 sqm", ("ft2", Fraction(1)): "ft2 sqft",
    ("gb", Fraction(1)): "gb gigabytes", ("gb", Fraction(1024)): "tb", ("gb", Fraction(1, 1024)): "mb",
}  # fmt: skip
_MEASURES = {name: unit for unit, names in _MEASURE_UNITS.items() for name in names.split()}
_MEASURE = "(?:" + "|".join(sorted(_MEASURES, key=len, reverse=True)) + r")(?![\w°])"
_PART_OF_DAY = r"(?:\s+(?:(?:in|during) the (?P<part>morning|afternoon|evening)|(?P<night>at night)))"
_MERIDIEM = r"\s?(?P<half>[ap])\.?\s?m\b\.?"
_BEFORE_HOUR = r"(?:(?<=\bat )|(?<=\bby )|(?<=\bbefore )|(?<=\bafter )|(?<=\buntil )|(?<=\btill )|(?<=\bfrom ))"
_MISSPELT = re.compile(r"\b[A-Za-z]{6,10}\b")


def _spell_calendar(word: str) -> str:
    """The weekday or month a longer word misspells by one letter, or the word itself."""
    lowered = word.lower()
    if lowered[0] not in "mtwfsjaond" or lowered == "sundry":
        return word
    for name in (*_WEEKDAYS, *_MONTHS):
        if abs(len(name) - len(word)) <= 1 and name[0] == lowered[0] and len(name) >= 6 and one_slip(name, lowered):
            return name.capitalize() if name + "s" != lowered else word
    return word


def one_slip(one: str, other: str) -> bool:
    """Whether one letter left out, put in, changed, or swapped with its neighbour makes the words equal."""
    short, long = sorted((one, other), key=len)
    if len(long) - len(short) > 1:
        return False
    at = next((at for at, (left, right) in enumerate(zip(short, long, strict=False)) if left != right), len(short))
    if len(short) < len(long):
        return short[at:] == long[at + 1 :]
    swapped = long[:at] + long[at + 1 : at + 2] + long[at : at + 1] + long[at + 2 :]
    return short[at + 1 :] == long[at + 1 :] or short == swapped


def _parts(fact: Fact) -> tuple:  # type: ignore[type-arg]
    assert isinstance(fact.value, tuple)
    return fact.value


def _as_number(fact: Fact) -> Fraction:
    return Fraction(str(fact.value))


def _same_day(one: tuple[int | None, ...], other: tuple[int | None, ...]) -> bool:
    return one[1:] == other[1:] and (one[0] == other[0] or None in (one[0], other[0]))


def _number(text: str) -> Fraction:
    text = text.lower().strip()
    digits = re.sub(r"[a-z]+$", "", text).strip()
    scale = _SCALES.get(text[len(digits) :].strip(), 1)
    if "/" in digits:
        return scale * sum((Fraction(part) for part in digits.split()), Fraction(0))
    if re.fullmatch(r"\d{1,3}(\.\d{3})+,\d{1,2}", digits):
        digits = digits.replace(".", "").replace(",", ".")
    elif re.fullmatch(r"\d+,\d{1,2}", digits):
        digits = digits.replace(",", ".")
    return scale * Fraction(re.sub(r"[ ',]", "", digits))


def _read_numeric_date(match: re.Match[str]) -> list[Hashable]:
    first, second, year = int(match["a"]), int(match["b"]), _year(match["y"])
    orders = [(first, second)] if match["sign"] == "." else [(second, first), (first, second)]
    days = {_day(year, month, day) for day, month in orders} - {None}
    return [tuple(sorted(days, key=str))] if days else []


def _read_short_date(match: re.Match[str]) -> list[Hashable]:
    """A day and month such as 3/18; 3/4 is a date only after a word that leads to one."""
    first, second = int(match["a"]), int(match["b"])
    led = re.search(r"\b(?:on|by|until|from|since|before|after|due)\s+$", match.string[: match.start()], re.IGNORECASE)
    if max(first, second) <= 12 and not led:
        return []
    days = {_day(None, month, day) for day, month in ((first, second), (second, first))} - {None}
    return [tuple(sorted(days, key=str))] if days else []


def _read_day_and_month(match: re.Match[str]) -> list[Hashable]:
    groups = match.groupdict()
    month = _MONTHS.index(next(name for name in _MONTHS if name.startswith(groups["month"].lower()[:3]))) + 1
    days = [int(re.match(r"\d+", day)[0]) for day in (groups["d1"], groups.get("d2")) if day]  # type: ignore[index]
    readings = [_day(_year(groups.get("y")), month, day) for day in days]
    return [(reading,) for reading in readings if reading]


def _read_month(match: re.Match[str]) -> list[Hashable]:
    month = next(at for at, name in enumerate(_MONTHS, 1) if name.startswith(match["month"].lower()[:3]))
    return [((_year(match["y"]), month, None),)]


def _year(digits: str | None) -> int | None:
    if not digits:
        return None
    return int(digits) + (2000 if len(digits) == 2 else 0)


def _day(year: int | None, month: int, day: int) -> tuple[int | None, int, int] | None:
    try:
        date(year or 2000, month, day)
    except ValueError:
        return None
    return (year, month, day)


def _minutes(hour: str, minute: str | None, half: str | None) -> tuple[int, ...] | None:
    """The readings of a clock time: one with am or pm or above 12, else both halves of the day."""
    hours, minutes = int(hour), int(minute or 0)
    if hours > 24 or minutes > 59 or (half and hours > 12 and half == "a"):
        return None
    if half:
        return ((hours % 12 + (12 if half == "p" else 0)) * 60 + minutes,)
    if hours > 12 or hour.startswith("0") or hours == 0:
        return (hours % 24 * 60 + minutes,)
    return (hours * 60 + minutes, (hours + 12) % 24 * 60 + minutes)


def _half(match: re.Match[str]) -> str | None:
    groups = match.groupdict()
    if groups.get("half"):
        return groups["half"].lower()
    if groups.get("night"):
        return "a" if int(groups["h"]) in (12, 1, 2, 3, 4) else "p"
    return {"morning": "a", "afternoon": "p", "evening": "p"}.get((groups.get("part") or "").lower())


def _read_time(match: re.Match[str]) -> list[Hashable]:
    groups = match.groupdict()
    reading = _minutes(groups["h"], groups.get("m"), _half(match))
    if reading and not _half(match) and groups["h"] == "12" and groups.get("m") == "00":
        reading = (720,)
    return [reading] if reading else []


def _read_span(match: re.Match[str]) -> list[Hashable]:
    first, last, half = int(match["h"]), int(match["h2"]), match["half"].lower()
    other = {"a": "p", "p": "a"}[half]
    readings = (
        _minutes(match["h"], match["m"], half if first % 12 <= last % 12 else other),
        _minutes(match["h2"], match["m2"], half),
    )
    return [reading for reading in readings if reading]


def _read_spoken_time(match: re.Match[str]) -> list[Hashable]:
    after = {"half": 30, "quarter": 15}.get(match["by"].lower()) or int(match["by"])
    if match["way"].lower() in ("to", "before"):
        if match["by"].isdigit() and (after not in (5, 10, 20, 25) or after <= int(match["h"])):
            return []
        after = -after
    elif match["way"].lower() == "after" and match["by"].isdigit():
        return []
    reading = _minutes(str(int(match["h"])), None, _half(match))
    return [tuple(sorted((minutes + after) % 1440 for minutes in reading))] if reading else []


def _read_amount(match: re.Match[str]) -> list[Hashable]:
    if match["cents"]:
        return [("usd", _number(match["cents"]) / 100)]
    if match["pounds"]:
        return [("gbp", _number(match["pounds"]))]
    sign = (match["sign"] or match["unit"] or "").lower()
    return [(_CURRENCY[sign], _number(match["n"] or match["n2"]))]


def _read_duration(match: re.Match[str]) -> list[Hashable]:
    family, size = _DURATIONS[match["unit"].lower()]
    groups = match.groupdict()
    more = groups.get("more") or groups.get("joined") or "0"
    count = _number(match["n"]) if match["n"][0] not in "aoAO" else Fraction(1)
    return [(family, size * count + (60 * _number(more)))]


def _read_half_duration(match: re.Match[str]) -> list[Hashable]:
    family, size = _DURATIONS[match["unit"].lower()]
    share = {"half": Fraction(1, 2), "quarter": Fraction(1, 4)}.get((match["share"] or "").lower(), Fraction(3, 2))
    return [(family, size * (_number(match["share"]) if (match["share"] or "h")[0].isdigit() else share))]


def _read_measure(match: re.Match[str]) -> list[Hashable]:
    unit = re.sub(r"square |sq\.? ?", "", match["unit"].lower())
    family, size = _MEASURES[unit]
    if unit != match["unit"].lower():
        family += "2"
    return [(family, _number(match["n"]) * size)]


def _read_code(match: re.Match[str]) -> list[Hashable]:
    token = match.group()
    has_both = re.search(r"[A-Za-z]", token) and re.search(r"\d", token)
    counts = re.fullmatch(rf"\d+(?:{_NTH}|s|x|k|mn?|bn|pm|am|h\d*|hz|w|kw|v|gb|mb)|\d+-[a-z]\w+(?:-\w+)*", token)
    prefixed = re.fullmatch(r"(?:[a-z]{4,}|mid|pre|non|age|under|over)-?\d+", token)
    unit = re.fullmatch(rf"\d+({_DURATION}|{_MEASURE}|{_SIGN})", token, re.IGNORECASE)
    return [re.sub(r"[^a-z0-9]", "", token.lower())] if has_both and not (counts or prefixed or unit) else []


def _read_phone(match: re.Match[str]) -> list[Hashable]:
    digits = re.sub(r"\D", "", match.group())
    return [digits] if 7 <= len(digits) <= 16 else []


def _once(value: Callable[[re.Match[str]], Hashable]) -> Callable[[re.Match[str]], list[Hashable]]:
    return lambda match: [value(match)]


def _weekday(match: re.Match[str]) -> Hashable:
    return next(at for at, name in enumerate(_WEEKDAYS) if name.startswith(match.group().lower()[:3]))


_Reader = tuple[FactKind, re.Pattern[str], Callable[[re.Match[str]], list[Hashable]], bool]


def _reader(
    kind: FactKind, pattern: str, read: Callable[[re.Match[str]], list[Hashable]], needs_digit: bool = True
) -> _Reader:
    return kind, re.compile(pattern, re.IGNORECASE), read, needs_digit


_DIGIT = re.compile(r"\d")
_YEAR = r"(?:,?\s+(?P<y>(?:19|20)\d\d)\b(?!:))?"
_READERS: tuple[_Reader, ...] = (
    _reader("email", r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", _once(lambda match: match.group().lower()), False),
    _reader(
        "link",
        r"\b(?:https?://|www\.)[^\s,;]*[\w/]",
        _once(lambda match: re.sub(r"^(https?://)?(www\.)?|/$", "", match.group().lower())),
    ),
    _reader(
        "date",
        r"\b(?P<y>(?:19|20)\d\d)[-/.](?P<b>\d\d?)[-/.](?P<a>\d\d?)(?:(?=T\d)T|(?!\w))(?P<sign>(?=))",
        lambda match: [
            (day,) for day in [_day(int(match["y"]), int(match["b"]), int(match["a"]))] if day
        ],
    ),
    _reader(
        "date",
        r"(?<![\w/.-])(?P<a>\d\d?)(?P<sign>[/.-])(?P<b>\d\d?)(?P=sign)(?P<y>(?:19|20)\d\d|\d\d)(?![\w/]|[.-]\d)",
        _read_numeric_date,
    ),
    _reader("code", r"\b24/7\b", _once(lambda match: "24/7")),
    _reader("date", r"(?<![\w/.,-])(?P<a>\d\d?)/(?P<b>\d\d?)(?![\w/])", _read_short_date),
    _reader("percent", rf"(?<![\w.])(?P<n>{_NUMBER})\s?(?:%|percent\b|per cent\b|pct\b)", _once(lambda m: _number(m["n"]))),
    _reader(
        "amount",
        rf"(?<![\w])(?P<sign>{_SIGN})\s?(?P<n>{_NUMBER}{_SCALE})(?:\s?(?:usd|eur|gbp|dollars|euros)\b)?"
        rf"|(?<![\w.,])(?P<n2>{_NUMBER}{_SCALE})[\s-]?(?P<unit>{_SIGN})(?!\w)"
        rf"|(?<![\w.,])(?P<cents>{_NUMBER})\s?cents?\b|(?:£\s?|(?<![\w.,]))(?P<pounds>{_NUMBER}{_SCALE})\s?pounds\b",
        _read_amount,
    ),
    _reader(
        "time",
        rf"(?<![\w:.,])(?P<h>\d\d?)(?::(?P<m>[0-5]\d))?\s?(?:-|to|and|until|till)\s?(?P<h2>\d\d?)(?::(?P<m2>[0-5]\d))?{_MERIDIEM}",
        _read_span,
    ),
    _reader("time", rf"(?<![\w:.,])(?P<h>\d\d?)(?:[:.](?P<m>[0-5]\d))?{_MERIDIEM}", _read_time),
    _reader(
        "time",
        rf"(?<![\d:.,])(?P<h>\d\d?):(?P<m>[0-5]\d)(?::\d\d)?(?!\d)(?:\s?(?:h|hrs|hours|uhr|o'?clock)\b)?{_PART_OF_DAY}?",
        _read_time,
    ),
    _reader(
        "time",
        rf"\b(?P<by>half|quarter|\d\d?)(?: minutes)? (?P<way>past|to|after|before) (?P<h>\d\d?)\b(?![:%]){_PART_OF_DAY}?",
        _read_spoken_time,
    ),
    _reader("time", rf"\b(?P<h>\d\d?)\s?o'?clock\b{_PART_OF_DAY}?", _read_time),
    _reader("time", rf"\b(?P<h>\d\d?){_PART_OF_DAY}", _read_time),
    _reader("time", r"(?:\b12(?::00)?\s)?\b(?:noon|midday)\b", _once(lambda match: (720,)), False),
    _reader("time", r"(?:\b12(?::00)?\s)?\bmidnight\b", _once(lambda match: (0,)), False),
    _reader("time", rf"{_BEFORE_HOUR}(?P<h>\d\d?)\s?h(?P<m>[0-5]\d)?\b", _read_time),
    _reader("time", r"(?<!for )(?<!takes )(?<!within )(?<!\w)(?P<h>1[3-9]|2[0-4])\s?h(?P<m>[0-5]\d)?\b", _read_time),
    _reader("time", r"\b(?P<h>[01]\d|2[0-3])(?P<m>[0-5]\d)\s?(?:h|hrs|hours)\b", _read_time),
    _reader(
        "time",
        rf"{_BEFORE_HOUR}(?P<h>[1-9]|1[0-2])(?=\s*(?:$|[.!?;)](?!\d)|,(?!\d)|\b(?:on|or|sharp|today|tomorrow|tonight)\b))",
        _read_time,
    ),
    _reader(
        "date",
        rf"(?<![\w/.,])(?P<d1>{_DAY}{_NTH}?)(?:\s?(?:-|to|until|and|or|through)\s?(?:the )?(?P<d2>{_DAY}{_NTH}?))?(?: of)?[\s-]?"
        rf"(?P<month>{_MONTH})(?!\s+{_DAY}{_NTH}?\b(?![:\d]))(?:[,-]?\s*(?P<y>(?:19|20)\d\d)\b(?!:))?(?!\s+(?:be|not)\b)",
        _read_day_and_month,
    ),
    _reader(
        "date",
        rf"\b(?P<month>{_MONTH})\s?(?:the )?(?P<d1>{_DAY}{_NTH}?)(?![\w:%/]|\.\d|,\d{{3}})"
        rf"(?:\s?(?:-|to|until|and|or|through)\s?(?:the )?(?P<d2>{_DAY}{_NTH}?)\b(?![:%]|\s?[ap]\.?m\b|\s+[a-z]+s\b))?"
        rf"(?!\s?(?:km|miles)\b){_YEAR}",
        _read_day_and_month,
    ),
    _reader("code", r"(?<![\w@#+.-])[A-Za-z0-9]+(?:[-/][A-Za-z0-9]+)*(?![\w@])", _read_code),
    _reader("code", r"\b((?-i:[B-HJ-Z])) (\d+)\b", _once(lambda match: (match[1] + match[2]).lower())),
    _reader("phone", r"(?<![\w.,])(?:\+|00)?\(?\d(?:[\d()./-]| (?=[\d(]))*\d(?![\w%])", _read_phone),
    _reader(
        "duration",
        rf"(?<![\w.,/])(?P<n>{_NUMBER}|an?|one)[\s-]?(?P<unit>hours?|hrs?|h)"
        r"(?:,? (?:and )?(?P<more>\d\d?)[\s-]?(?:minutes?|mins?|m)\b|(?<=h)(?P<joined>[0-5]\d)\b)",
        _read_duration,
    ),
    _reader(
        "duration",
        rf"\b(?:an?|one|1) (?P<unit>{_DURATION}) and a half\b(?P<share>)",
        _read_half_duration,
        False,
    ),
    _reader(
        "duration",
        rf"\b(?:a )?(?P<share>half|quarter|[1-9]/[2-8])(?: of)?(?:[ -]an?)?[ -](?P<unit>{_DURATION})",
        _read_half_duration,
        False,
    ),
    _reader("duration", rf"(?<![\w.,/])(?P<n>{_NUMBER})[\s-]?(?P<unit>{_DURATION})", _read_duration),
    _reader(
        "measure",
        rf"(?<![\w.,/])(?P<n>-?{_NUMBER})[\s-]?(?P<unit>(?:square |sq\.? ?)?{_MEASURE})",
        _read_measure,
    ),
    _reader(
        "weekday",
        r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:mon|tues?|thu(?:rs?)?|fri)\b\.?|\b(?-i:Wed|Sat|Sun)\b\.?",
        _once(_weekday),
        False,
    ),
    _reader(
        "date",
        r"(?:(?<=\bin )|(?<=\bof )|(?<=\bby )|(?<=\buntil )|(?<=\bsince )|(?<=\bfrom )|(?<=\bnext )|(?<=\blast )"
        r"|(?<=\bthis )|(?<=\bmid[ -])|(?<=\bearly )|(?<=\blate )|(?<=\bduring )|(?<=\bbefore )|(?<=\bafter ))"
        rf"(?P<month>{_MONTH}){_YEAR}",
        _read_month,
        False,
    ),
    _reader(
        "date",
        r"(?<![\w/.-])(?P<month>0?[1-9]|1[0-2])/(?P<y>(?:19|20)\d\d)(?![\w/])",
        lambda match: [((int(match["y"]), int(match["month"]), None),)],
    ),
    _reader("date", rf"\b(?P<month>{_MONTH}),?\s+(?P<y>(?:19|20)\d\d)\b", _read_month),
    _reader(
        "date",
        r"\b(?P<month>(?:january|february|april|june|july|august|september|october|november|december)"
        r"|(?-i:Feb|Apr|Aug|Sept?|Oct|Nov|Dec)\b\.?)(?P<y>(?=))(?!\w)",
        _read_month,
        False,
    ),
    _reader("date", r"(?<=[a-z,] )(?P<month>(?-i:March|May))\b(?P<y>(?=))", _read_month, False),
    _reader("number", rf"(?<![\w.])(\d+){_NTH}\b|\b(\d{{4}})s\b", _once(lambda match: _number(match[1] or match[2]))),
    _reader("code", r"(?<![\w.,])0\d+(?![\w.,]\d)", _once(lambda match: match.group())),
    _reader(
        "number",
        rf"(?<![\w.])(?:(?<![\w-])-|minus )?(?P<n>{_NUMBER}{_SCALE})",
        lambda match: [(-1 if match.group()[0] in "-m" else 1) * _number(match["n"])],
    ),
)
_IMPLIED_FACTS: tuple[tuple[str, FactKind, Hashable], ...] = (
    ("one|an?|single|first|once|1x", "number", Fraction(1)),
    ("both|couple|pair|twice", "number", Fraction(2)),
    ("no|none|without|zero", "number", Fraction(0)),
    ("half", "number", Fraction(1, 2)),
    ("half", "percent", Fraction(50)),
    ("daily|(?:an?|one|per|each|every) day", "duration", ("s", Fraction(86400))),
    ("weekly|(?:an?|one|per|each|every) week", "duration", ("s", Fraction(604800))),
    ("hourly|(?:an?|one|per|each|every) hour", "duration", ("s", Fraction(3600))),
    ("(?:an?|one|per|each|every) minute", "duration", ("s", Fraction(60))),
    ("monthly|(?:an?|one|per|each|every) month", "duration", ("months", Fraction(1))),
    ("yearly|annual|annually|(?:an?|one|per|each|every) year", "duration", ("months", Fraction(12))),
)
_IMPLIED = tuple(
    (re.compile(rf"\b(?:{words})\b", re.IGNORECASE), Fact(kind, value)) for words, kind, value in _IMPLIED_FACTS
)
