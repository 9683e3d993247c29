"""Which numbers a text states: in digits of any grouping, in words, with a currency, a percent sign or thousands.

`babel` reads the digits strictly, in English before other groupings, and knows the currencies. It overlooks a space
between groups, which is closed here before; readers of prices make 83.5 of "83.5k", and readers of number words 3 of
"one two", so these are read here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import cache

from babel import Locale
from babel.numbers import NumberFormatError, get_currency_name, parse_decimal

from runtime.verification.reading.spans import Span

_LETTERS = {"k": 3, "m": 6, "bn": 9}  # right behind the digits: 5 m is no million
_WORDS = {"thousand": 3, "million": 6, "billion": 9}
_SCALES = _LETTERS | _WORDS
_CENTS = ("cents", "cent", "¢", "pence", "ct")
_PERCENT = ("%", "percent", "per cent")
_LOCALES = ("en", "de", "de_CH")  # 1,234.5 before 1.234,5 before 1'234.5
_SPACED = re.compile(r"(?<!\d)(\d{1,3})((?: \d{3})+)(?!\d)")
MOST_DIGITS = 40  # of a number that anybody means


@cache
def _pattern() -> re.Pattern[str]:
    english = Locale("en")
    signs = {sign for sign in english.currency_symbols.values() if not sign.isalpha()}
    names = {
        get_currency_name(code, count=count, locale="en") for code in map(str, english.currencies) for count in (1, 2)
    }
    last = {name.split()[-1].lower() for name in names}
    words = sorted((word for word in last if word.isalpha()), key=len, reverse=True)
    sign = "|".join(re.escape(each) for each in sorted(signs, key=len, reverse=True))
    code = rf"(?:{'|'.join(map(str, english.currencies))})"
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
    for match in _pattern().finditer(text):
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
    for locale in _LOCALES:
        try:
            return parse_decimal(digits.replace("'", "’"), locale=locale, strict=True)
        except NumberFormatError:
            continue
    return None
