"""How counts, durations and money are said, which names an error lists, and how control characters are escaped."""

from __future__ import annotations

import difflib
import json
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any, TextIO, cast

_CONTROL = re.compile(  # control characters; what is not seen or turns the order round; half a character
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    r"\ud800-\udfff\U000e0000-\U000e007f]"
)
_NEAREST = 3
_CODE = 3  # letters of the code of a currency
_MOST_NAMES = 10


_SOUNDS_OF_A = ("eu", "once", "one-", "ubi", "uni", "ura", "uri", "uro", "usa", "use", "usu", "ute", "uti")
_SOUNDS_OF_AN = ("heir", "honest", "honor", "hour", "unid", "unim", "unin")  # before the others
_SINGULAR = {
    **{"aches": "ache", "analyses": "analysis", "axes": "axe", "bases": "basis", "caches": "cache"},
    **{"calories": "calorie", "children": "child", "cookies": "cookie", "crises": "crisis", "criteria": "criterion"},
    **{"diagnoses": "diagnosis", "feet": "foot", "halves": "half", "heroes": "hero", "knives": "knife"},
    **{"leaves": "leaf", "lives": "life", "loaves": "loaf", "men": "man", "movies": "movie"},
    **{"niches": "niche", "people": "person", "potatoes": "potato", "shelves": "shelf", "theses": "thesis"},
    **{"tomatoes": "tomato", "teeth": "tooth", "wives": "wife", "women": "woman"},
}
_ENDS_IN_S = (
    *("alias", "atlas", "bias", "bus", "canvas", "gas", "gps", "iris", "lens", "news", "plus", "series", "sms"),
    "species",
)


def a(noun: str) -> str:
    """Return a noun with its article: a user, an umbrella, an hour, an SKU."""
    word = noun.split(" ")[0]
    sound = word.lower()
    if word.isupper() and len(word) > 1:  # said letter by letter
        is_vowel = word[0] in "AEFHILMNORSX"
    else:
        is_vowel = sound[:1] in ("a", "e", "i", "o", "u") and not sound.startswith(_SOUNDS_OF_A) and sound != "one"
        is_vowel = is_vowel or sound.startswith(_SOUNDS_OF_AN)
    return f"{'an' if is_vowel else 'a'} {noun}"


def singular(nouns: str) -> str:
    """Return what one of several is called: doctors, doctor; invoice lines, invoice line; status, status."""
    before, blank, word = nouns.rpartition(" ")
    if word in _SINGULAR:
        one = _SINGULAR[word]
    elif not word.endswith("s") or word in _ENDS_IN_S or word.endswith(("ss", "us", "is")):
        one = word
    elif word.endswith("ies") and len(word) > 4:
        one = f"{word[:-3]}y"
    elif word[:-2] in _ENDS_IN_S or re.search(r"(ss|ch|sh|x|zz|[^aeo]us)es$", word):
        one = word[:-2]
    else:
        one = word[:-1]
    return before + blank + one


def counted(count: int, noun: str) -> str:
    """Return a count with its noun, which is given in the singular."""
    ending = "" if count == 1 else "es" if noun.endswith(("s", "sh", "ch", "x")) else "s"
    if ending and noun.endswith("y") and noun[-2:-1] not in "aeiou":
        noun, ending = noun[:-1], "ies"
    return f"{count:,} {noun}{ending}"


def have(unknown: str, names: Iterable[str]) -> str:
    """What an error says after an unknown name: the nearest names that there are, or else the first ones of all.

    Of names such as `anthropic:MODEL`, what stands before the colon is compared.
    """
    there = list(names)
    plain = {name.casefold().partition(":")[0]: name for name in reversed(there)}
    close = difflib.get_close_matches(unknown.casefold().partition(":")[0][:80], plain, n=_NEAREST)
    if close:
        return f"have: {', '.join(plain[name] for name in close)}"
    return f"have: {', '.join(there[:_MOST_NAMES]) or 'none'}" + (", ..." if len(there) > _MOST_NAMES else "")


def printable(text: str) -> str:
    """Escape what would move a terminal's cursor or reverse its text.

    Within JSON, where the characters below the space are written out anyway, that is the same value.
    """
    return _CONTROL.sub(lambda found: _written_out(found[0]), text)


def _written_out(character: str) -> str:
    if character < " ":
        return ascii(character)[1:-1]
    return "\\u007f" if character == "\x7f" else json.dumps(character)[1:-1]


def said_seconds(seconds: float) -> str:
    """A duration as a person reads it: 42 s, 3:05 min, 2:07 h."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02d} min"
    return f"{whole // 3600}:{whole % 3600 // 60:02d} h"


def said_money(amount: int | float | Decimal, currency: str, minor: int) -> str:
    """An amount in minor units, `minor` to one: 4550 as $45.50, 4500 as $45 or R 45; a code such as EUR follows."""
    if minor == 1:
        text = f"{abs(amount):,.2f}"
    else:
        whole = abs(int(amount))
        text = f"{whole // minor:,}.{whole % minor:0{len(str(minor)) - 1}d}"
    text = text.removesuffix(".00")
    if currency.isalpha() and currency.isupper() and len(currency) == _CODE:
        text = f"{text} {currency}"
    else:
        text = f"{currency}{' ' if currency[-1:].isalpha() or currency.endswith('.') else ''}{text}"
    return f"-{text}" if amount < 0 else text


class _Words:
    """A stream that escapes what is written to it, and is the stream beneath in everything else."""

    def __init__(self, beneath: TextIO) -> None:
        self.beneath = beneath

    def write(self, text: str) -> int:
        """Write a text and return its length."""
        self.beneath.write(printable(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts one after another."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.beneath, name)


@contextmanager
def words_only() -> Iterator[None]:
    """Make standard output and standard error show control characters instead of obeying them.

    What is written to their `buffer` passes: bytes are for programs, such as the messages of MCP.
    """
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (cast(TextIO, _Words(raw(stream))) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def raw(stream: TextIO) -> TextIO:
    """Return the stream for our own control sequences; callers escape other people's texts with `printable`."""
    return stream.beneath if isinstance(stream, _Words) else stream


def print_lines(lines: Iterable[str]) -> None:
    """Print each on one line: a title with a newline in it cannot pass for a line of ours."""
    for line in lines:
        print(line.replace("\r\n", "\n").replace("\n", "\\n"))
