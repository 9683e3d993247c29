"""Which numbers a text states: in digits of any grouping, in words, with a currency, a percent sign or thousands.

Digits are read strictly, in English before other groupings. `currencies.json` holds the currencies of the Unicode
CLDR: their codes, signs, and the last words of their English names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

from runtime.verification.reading.spans import Span

_LETTERS = {"k": 3, "m": 6, "bn": 9}  # right behind the digits: 5 m is no million
_WORDS = {"thousand": 3, "million": 6, "billion": 9}
_SCALES = _LETTERS | _WORDS
_CENTS = ("cents", "cent", "¢", "pence", "ct")
_PERCENT = ("%", "percent", "per cent")
_GROUPED = tuple(  # 1,234.5 before 1.234,5 before 1'234.5
    (re.compile(rf"\d+(?:{point}\d+)?|[1-9]\d{{0,2}}(?:{group}\d{{3}})+(?:{point}\d+)?"), group[-1], point[-1])
    for group, point in ((",", r"\."), (r"\.", ","), ("'", r"\."))
)
_SPACED = re.compile(r"(?<!\d)(\d{1,3})((?: \d{3})+)(?!\d)")
MOST_DIGITS = 40  # of a number that anybody means


def _make_pattern() -> re.Pattern[str]:
    known = json.loads((Path(__file__).parent / "currencies.json").read_text(encoding="utf-8"))
    words = sorted(known["words"], key=len, reverse=True)
    sign = "|".join(re.escape(each) for each in sorted(known["signs"], key=len, reverse=True))
    code = rf"(?:{'|'.join(known['codes'])})"
    ends = "|".join([*map(re.escape, (*_CENTS[:2], *_CENTS[2:], *_PERCENT)), sign, rf"(?:us )?(?:{'|'.join(words)})"])
    return re.compile(
        rf"(?<![\w.,])(?P<minus>(?<!\S)[-−])?(?P<before>(?:{sign}|(?i:{code}\s))\s?)?"
        r"(?P<digits>\d+(?:[.,' ]\d+)*)"
        rf"(?:(?P<scale>(?i:{'|'.join(_LETTERS)}|\s?(?:{'|'.join(_WORDS)})))(?!\w))?"
        rf"(?:\s?(?P<unit>(?i:{ends}|{code})(?!\w)))?(?!\w|[-/:]\d)"
        r"|(?<!\w)(?P<none>(?i:none|zero|nil))(?!\w)|(?<!\w)(?P<one>(?i:one))(?!\w)"
    )


def find_numbers(text: str, in_cents: bool = False) -> Iterator[Span]:
    """Each stated number in plain digits, a percent sign kept behind it; what cannot be read has no reading.

    Cents are hundredths of what a number means without them; with `in_cents` they are what it means.
    """
    for match in _PATTERN.finditer(text):
        if match["none"] or match["one"]:
            yield Span(match.start(), match.end(), frozenset({"0" if match["none"] else "1"}))
            continue
        number = _read(match["digits"])
        unit = (match["unit"] or "").lower()
        if number is not None:
            number *= Decimal(10) ** _SCALES.get((match["scale"] or "").lower().strip(), 0)
            if unit in _CENTS and not in_cents:
                number /= 100
            elif in_cents and (match["before"] or unit) and unit not in (*_CENTS, *_PERCENT):
                number *= 100
            number = -number if match["minus"] else number
        percent = "%" if unit in _PERCENT else ""
        readings = frozenset() if number is None else frozenset({plain_digits(number) + percent})
        yield Span(match.start(), match.end(), readings)


def plain_digits(number: Decimal) -> str:
    """A number in digits, without groups, exponent, or zeros behind its decimals."""
    written = f"{number:f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


def _read(digits: str) -> Decimal | None:
    digits = _SPACED.sub(lambda match: match[1] + match[2].replace(" ", ""), digits)
    if len(digits) > MOST_DIGITS:
        return None
    for pattern, group, point in _GROUPED:
        if pattern.fullmatch(digits):
            return Decimal(digits.replace(group, "").replace(point, "."))
    return None


_PATTERN = _make_pattern()
