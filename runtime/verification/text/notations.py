"""How a fact may be written: one pattern and one reader for every usual notation of every kind."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Hashable
from datetime import date
from fractions import Fraction
from functools import lru_cache
from typing import Literal

FactKind = Literal[
    "number", "amount", "percent", "measure", "date", "weekday", "time", "duration", "phone", "email", "link", "code"
]


MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTH = "(?:" + "|".join([*MONTHS, "sept", *(name[:3] + r"\b" for name in MONTHS)]) + r")\b\.?"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_NTH = r"(?:st|nd|rd|th)"
NUMBER = (
    r"(?:\d{1,3}(?:,\d{3}){1,9}(?!\d)(?:\.\d+)?|\d{1,3}(?:\.\d{3}){1,9},\d{1,2}(?!\d)"
    r"|\d{1,3}(?:(?:'\d{3}){1,9}|(?: \d{3}){2,9})(?![\d-])|\d+ [1-9]/[2-8](?!\d)"
    r"|[1-9]/[2-8](?![\d/])|\d+,\d{1,2}(?![\d,])|\d+(?:\.\d+)?|(?<!\d)\.\d+)"
)
SCALE = r"(?:\s?(?:k|mn|mio|bn|thousand|million|billion|grand|[mM](?=\b))\b)?"
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
DURATIONS = {name: unit for unit, names in _DURATION_UNITS.items() for name in names.split()}
_DURATION = "(?:" + "|".join(sorted(DURATIONS, key=len, reverse=True)) + r")\b"
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
MEASURES = {name: unit for unit, names in _MEASURE_UNITS.items() for name in names.split()}
_MEASURE = "(?:" + "|".join(sorted(MEASURES, key=len, reverse=True)) + r")(?![\w°])"
_PART_OF_DAY = r"(?:\s+(?:(?:in|during) the (?P<part>morning|afternoon|evening)|(?P<night>at night)))"
_MERIDIEM = r"\s?(?P<half>[ap])\.?\s?m\b\.?"
_BEFORE_HOUR = r"(?:(?<=\bat )|(?<=\bby )|(?<=\bbefore )|(?<=\bafter )|(?<=\buntil )|(?<=\btill )|(?<=\bfrom ))"


_MOST_DIGITS = 300  # of a number that is read as one


@lru_cache(maxsize=1024)
def read_number(text: str) -> Fraction:
    text = text.lower().strip()
    digits = re.sub(r"[a-z]+$", "", text).strip()
    if len(digits) > _MOST_DIGITS:
        # Nobody means its value, and Python refuses to read or write it; it only has to differ from others.
        return Fraction(int.from_bytes(hashlib.blake2b(digits.encode()).digest(), "big"))
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
    before = match.string[max(0, match.start() - 20) : match.start()]  # far less would do, all of it takes too long
    led = re.search(r"\b(?:on|by|until|from|since|before|after|due)\s+$", before, re.IGNORECASE)
    if max(first, second) <= 12 and not led:
        return []
    days = {_day(None, month, day) for day, month in ((first, second), (second, first))} - {None}
    return [tuple(sorted(days, key=str))] if days else []


def _read_day_and_month(match: re.Match[str]) -> list[Hashable]:
    groups = match.groupdict()
    month = MONTHS.index(next(name for name in MONTHS if name.startswith(groups["month"].lower()[:3]))) + 1
    days = [int(re.match(r"\d+", day)[0]) for day in (groups["d1"], groups.get("d2")) if day]  # type: ignore[index]
    readings = [_day(_year(groups.get("y")), month, day) for day in days]
    return [(reading,) for reading in readings if reading]


def _read_month(match: re.Match[str]) -> list[Hashable]:
    month = next(at for at, name in enumerate(MONTHS, 1) if name.startswith(match["month"].lower()[:3]))
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
        return [("usd", read_number(match["cents"]) / 100)]
    if match["pounds"]:
        return [("gbp", read_number(match["pounds"]))]
    sign = (match["sign"] or match["unit"] or "").lower()
    return [(_CURRENCY[sign], read_number(match["n"] or match["n2"]))]


def _read_duration(match: re.Match[str]) -> list[Hashable]:
    family, size = DURATIONS[match["unit"].lower()]
    groups = match.groupdict()
    more = groups.get("more") or groups.get("joined") or "0"
    count = read_number(match["n"]) if match["n"][0] not in "aoAO" else Fraction(1)
    return [(family, size * count + (60 * read_number(more)))]


def _read_half_duration(match: re.Match[str]) -> list[Hashable]:
    family, size = DURATIONS[match["unit"].lower()]
    share = {"half": Fraction(1, 2), "quarter": Fraction(1, 4)}.get((match["share"] or "").lower(), Fraction(3, 2))
    return [(family, size * (read_number(match["share"]) if (match["share"] or "h")[0].isdigit() else share))]


def _read_measure(match: re.Match[str]) -> list[Hashable]:
    unit = re.sub(r"square |sq\.? ?", "", match["unit"].lower())
    family, size = MEASURES[unit]
    if unit != match["unit"].lower():
        family += "2"
    return [(family, read_number(match["n"]) * size)]


_LETTER, _DIGIT = re.compile("[A-Za-z]"), re.compile(r"\d")
_COUNT = re.compile(
    rf"\d+(?:{_NTH}|s|x|k|mn?|bn|pm|am|h\d*|hz|w|kw|v|gb|mb)|\d+{_NTH}?-[a-z]\w+(?:-\w+)*"
    r"|(?:[a-z]{4,}|mid|pre|non|age|under|over)-?\d+"
)
_COUNTED = re.compile(rf"\d+(?:{_DURATION}|{_MEASURE}|{_SIGN})", re.IGNORECASE)


def _read_code(match: re.Match[str]) -> list[Hashable]:
    token = match.group()
    if not (_LETTER.search(token) and _DIGIT.search(token)) or _COUNT.fullmatch(token) or _COUNTED.fullmatch(token):
        return []
    return [re.sub(r"[^a-z0-9]", "", token.lower())]


def _read_phone(match: re.Match[str]) -> list[Hashable]:
    digits = re.sub(r"\D", "", match.group())
    return [digits] if 7 <= len(digits) <= 16 else []


def _once(value: Callable[[re.Match[str]], Hashable]) -> Callable[[re.Match[str]], list[Hashable]]:
    return lambda match: [value(match)]


def _weekday(match: re.Match[str]) -> Hashable:
    return next(at for at, name in enumerate(WEEKDAYS) if name.startswith(match.group().lower()[:3]))


_Reader = tuple[FactKind, re.Pattern[str], Callable[[re.Match[str]], list[Hashable]], re.Pattern[str]]


def _reader(
    kind: FactKind, pattern: str, read: Callable[[re.Match[str]], list[Hashable]], needs: str = r"\d"
) -> _Reader:
    """A notation; it is looked for only in texts that have what it `needs`, which is found far sooner."""
    return kind, re.compile(pattern, re.IGNORECASE), read, re.compile(needs, re.IGNORECASE)


_A_MONTH = "|".join(name[:3] for name in MONTHS)
_YEAR = r"(?:,?\s+(?P<y>(?:19|20)\d\d)\b(?!:))?"
READERS: tuple[_Reader, ...] = (
    _reader("email", r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", _once(lambda match: match.group().lower()), "@"),
    _reader(
        "link",
        r"\b(?:https?://|www\.)[^\s,;]*[\w/]",
        _once(lambda match: re.sub(r"^(https?://)?(www\.)?|/$", "", match.group().lower())),
    ),
    _reader(
        "date",
        r"\b(?P<y>(?:19|20)\d\d)[-/.](?P<b>\d\d?)[-/.](?P<a>\d\d?)(?:(?=T\d)T|(?!\w))(?P<sign>(?=))",
        lambda match: [(day,) for day in [_day(int(match["y"]), int(match["b"]), int(match["a"]))] if day],
    ),
    _reader(
        "date",
        r"(?<![\w/.-])(?P<a>\d\d?)(?P<sign>[/.-])(?P<b>\d\d?)(?P=sign)(?P<y>(?:19|20)\d\d|\d\d)(?![\w/]|[.-]\d)",
        _read_numeric_date,
    ),
    _reader("code", r"\b24/7\b", _once(lambda match: "24/7")),
    _reader("date", r"(?<![\w/.,-])(?P<a>\d\d?)/(?P<b>\d\d?)(?![\w/])", _read_short_date),
    _reader(
        "percent",
        rf"(?<![\w.])(?P<n>{NUMBER})\s?(?:%|percent\b|per cent\b|pct\b)",
        _once(lambda m: read_number(m["n"])),
    ),
    _reader(
        "amount",
        rf"(?<![\w])(?P<sign>{_SIGN})\s?(?P<n>{NUMBER}{SCALE})(?:\s?(?:usd|eur|gbp|dollars|euros)\b)?"
        rf"|(?<![\w.,])(?P<n2>{NUMBER}{SCALE})[\s-]?(?P<unit>{_SIGN})(?!\w)"
        rf"|(?<![\w.,])(?P<cents>{NUMBER})\s?cents?\b|(?:£\s?|(?<![\w.,]))(?P<pounds>{NUMBER}{SCALE})\s?pounds\b",
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
        rf"\b(?P<by>half|quarter|\d\d?)(?: minutes)? "
        rf"(?P<way>past|to|after|before) (?P<h>\d\d?)\b(?![:%]){_PART_OF_DAY}?",
        _read_spoken_time,
    ),
    _reader("time", rf"\b(?P<h>\d\d?)\s?o'?clock\b{_PART_OF_DAY}?", _read_time),
    _reader("time", rf"\b(?P<h>\d\d?){_PART_OF_DAY}", _read_time),
    _reader("time", r"(?:\b12(?::00)?\s)?\b(?:noon|midday)\b", _once(lambda match: (720,)), "noon|midday"),
    _reader("time", r"(?:\b12(?::00)?\s)?\bmidnight\b", _once(lambda match: (0,)), "midnight"),
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
        rf"(?<![\w/.,])(?P<d1>{_DAY}{_NTH}?)(?:\s?(?:-|to|until|and|or|through)\s?(?:the )?(?P<d2>{_DAY}{_NTH}?))?"
        rf"(?: of)?[\s-]?(?P<month>{_MONTH})(?!\s+{_DAY}{_NTH}?\b(?![:\d]))"
        rf"(?:[,-]?\s*(?P<y>(?:19|20)\d\d)\b(?!:))?(?!\s+(?:be|not)\b)",
        _read_day_and_month,
        _A_MONTH,
    ),
    _reader(
        "date",
        rf"\b(?P<month>{_MONTH})\s?(?:the )?(?P<d1>{_DAY}{_NTH}?)(?![\w:%/]|\.\d|,\d{{3}})"
        rf"(?:\s?(?:-|to|until|and|or|through)\s?(?:the )?(?P<d2>{_DAY}{_NTH}?)\b(?![:%]|\s?[ap]\.?m\b|\s+[a-z]+s\b))?"
        rf"(?!\s?(?:km|miles)\b){_YEAR}",
        _read_day_and_month,
        _A_MONTH,
    ),
    _reader("code", r"(?<![\w@#+.-])[A-Za-z0-9]+(?:[-/][A-Za-z0-9]+)*(?![\w@])", _read_code),
    _reader("code", r"\b((?-i:[B-HJ-Z])) (\d+)\b", _once(lambda match: (match[1] + match[2]).lower())),
    _reader("phone", r"(?<![\w.,])(?:\+|00)?\(?\d(?:[\d()./-]| (?=[\d(]))*\d(?![\w%])", _read_phone),
    _reader(
        "duration",
        rf"(?<![\w.,/])(?P<n>{NUMBER}|an?|one)[\s-]?(?P<unit>hours?|hrs?|h)"
        r"(?:,? (?:and )?(?P<more>\d\d?)[\s-]?(?:minutes?|mins?|m)\b|(?<=h)(?P<joined>[0-5]\d)\b)",
        _read_duration,
    ),
    _reader(
        "duration",
        rf"\b(?:an?|one|1) (?P<unit>{_DURATION}) and a half\b(?P<share>)",
        _read_half_duration,
        "half",
    ),
    _reader(
        "duration",
        rf"\b(?:a )?(?P<share>half|quarter|[1-9]/[2-8])(?: of)?(?:[ -]an?)?[ -](?P<unit>{_DURATION})",
        _read_half_duration,
        "half|quarter|/",
    ),
    _reader("duration", rf"(?<![\w.,/])(?P<n>{NUMBER})[\s-]?(?P<unit>{_DURATION})", _read_duration),
    _reader(
        "measure",
        rf"(?<![\w.,/])(?P<n>-?{NUMBER})[\s-]?(?P<unit>(?:square |sq\.? ?)?{_MEASURE})",
        _read_measure,
    ),
    _reader(
        "weekday",
        r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:mon|tues?|thu(?:rs?)?|fri)\b\.?|\b(?-i:Wed|Sat|Sun)\b\.?",
        _once(_weekday),
        "mon|tue|wed|thu|fri|sat|sun",
    ),
    _reader(
        "date",
        r"(?:(?<=\bin )|(?<=\bof )|(?<=\bby )|(?<=\buntil )|(?<=\bsince )|(?<=\bfrom )|(?<=\bnext )|(?<=\blast )"
        r"|(?<=\bthis )|(?<=\bmid[ -])|(?<=\bearly )|(?<=\blate )|(?<=\bduring )|(?<=\bbefore )|(?<=\bafter ))"
        rf"(?P<month>{_MONTH}){_YEAR}",
        _read_month,
        _A_MONTH,
    ),
    _reader(
        "date",
        r"(?<![\w/.-])(?P<month>0?[1-9]|1[0-2])/(?P<y>(?:19|20)\d\d)(?![\w/])",
        lambda match: [((int(match["y"]), int(match["month"]), None),)],
    ),
    _reader("date", rf"\b(?P<month>{_MONTH}),?\s+(?P<y>(?:19|20)\d\d)\b", _read_month, _A_MONTH),
    _reader(
        "date",
        r"\b(?P<month>(?:january|february|april|june|july|august|september|october|november|december)"
        r"|(?-i:Feb|Apr|Aug|Sept?|Oct|Nov|Dec)\b\.?)(?P<y>(?=))(?!\w)",
        _read_month,
        _A_MONTH,
    ),
    _reader("date", r"(?<=[a-z,] )(?P<month>(?-i:March|May))\b(?P<y>(?=))", _read_month, _A_MONTH),
    _reader(
        "number", rf"(?<![\w.])(\d+){_NTH}\b|\b(\d{{4}})s\b", _once(lambda match: read_number(match[1] or match[2]))
    ),
    _reader("code", r"(?<![\w.,])0\d+(?![\w.,]\d)", _once(lambda match: match.group())),
    _reader(
        "number",
        rf"(?<![\w.])(?:(?<![\w-])-|minus )?(?P<n>{NUMBER}{SCALE})",
        lambda match: [(-1 if match.group()[0] in "-m" else 1) * read_number(match["n"])],
    ),
)
IMPLIED_FACTS: tuple[tuple[str, FactKind, Hashable], ...] = (
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
