"""Whether a text is the one that was dictated: word for word, but for case, spacing, quotes, marks and a typo.

Nothing may be added, and no reading is tried: whatever frames, denies, shortens or reorders a text makes it another.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from runtime.verification.text.match import TextMatch, normalise
from runtime.verification.text.notations import MONTHS, WEEKDAYS
from runtime.verification.text.numerals import fold, write_digits
from runtime.verification.text.words import NEGATORS

_FREE = frozenset(" \n'\"-.,;:!*_")  # marks that may be put in or left out; "..." and all others say something
_UNSEEN = frozenset("\ufeff\u200b\u200e\u200f\u2060\u2066\u2067\u2068\u2069")  # not the tags, which can hide words
_SAYING = frozenset("?¿!%&@*/‽")  # at the ends of a text, too
_LAYOUT = frozenset("#=+|>`´…")  # of headings, lists, tables, quotes: at the ends only
_WORDS_PER_SLIP = 20
_SHORT, _LONG = 5, 8  # letters: a shorter word has no typo that is not a word of its own; a longer one hardly any
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_CALENDAR = frozenset(name.casefold() for name in (*MONTHS, *WEEKDAYS))
_BETWEEN_LETTERS = re.compile(r"(?<=[^\W\d_]) (?=[^\W\d_])")


def match_dictated(expected: str, actual: str, facts: Sequence[str] = ()) -> TextMatch:
    """The reward's own matcher; `facts` are for others."""
    if expected == actual:
        return TextMatch(True, "the texts are equal")
    if len(actual) > 2 * len(expected) + 20:
        return TextMatch(False, f"the text is longer than what was dictated ({len(actual)} characters)")
    actual = _unwrapped(actual)
    added = sorted(_marks(actual) - _marks(expected))
    if added:
        return TextMatch(False, f"the text has {added[0]!r}, which was not dictated")
    wanted, found = _letters(expected), _letters(actual)
    if wanted == found or _BETWEEN_LETTERS.sub("", wanted) == _BETWEEN_LETTERS.sub("", found):
        return TextMatch(True, "the texts are equal but for case, spacing and marks")
    return _compare(wanted.split(), found.split())


def _compare(wanted: list[str], found: list[str]) -> TextMatch:
    if len(wanted) != len(found):
        return TextMatch(False, f"the text has {len(found)} words, {len(wanted)} were dictated")
    slips = [(one, other) for one, other in zip(wanted, found, strict=True) if one != other]
    for one, other in slips:
        if not is_typo(one, other):
            return TextMatch(False, f"the text says {other!r} where {one!r} was dictated")
    if len(slips) > 1 + len(wanted) // _WORDS_PER_SLIP:
        return TextMatch(False, f"{len(slips)} words are spelled otherwise than dictated")
    return TextMatch(True, "the texts are equal but for a typo")


def is_typo(word: str, other: str) -> bool:
    """Whether one slip of a hand makes a word into another one that is none of its own, both in small letters.

    Neighbours swapped, a letter left out or doubled, the key beside it; in a long word any other letter. The first
    letter stands, and the last is not another one.
    """
    if word[:1] != other[:1] or max(len(word), len(other)) < _SHORT or not (word + other).isalpha():
        return False
    if any(_is_exact(each) for each in (word, other)):
        return False
    at = next((at for at, (one, two) in enumerate(zip(word, other, strict=False)) if one != two), None)
    if at is None:  # one goes on where the other ends
        return len(word) - len(other) == 1
    swapped = word[:at] + word[at + 1 : at + 2] + word[at] + word[at + 2 :]
    if swapped == other:
        return True
    if word[:at] + word[at + 1 :] == other:
        return True
    if other[:at] + other[at + 1 :] == word:
        around = {word[at - 1], word[at]}
        return bool(around & ({other[at]} | _beside(other[at]))) or len(word) >= _LONG
    if word[at + 1 :] == other[at + 1 :]:
        return at < len(word) - 1 and (other[at] in _beside(word[at]) or len(word) >= _LONG)
    return False


def _is_exact(word: str) -> bool:
    """Whether a word is a number, a day, a month or a denial: there a letter decides."""
    return word in _CALENDAR or word in NEGATORS or write_digits(word) != word


@lru_cache(maxsize=64)
def _beside(letter: str) -> frozenset[str]:
    """The keys that stand beside one."""
    for row, keys in enumerate(_ROWS):
        if (at := keys.find(letter)) >= 0:
            near = keys[max(0, at - 1) : at] + keys[at + 1 : at + 2]
            above = _ROWS[row - 1][at : at + 2] if row else ""
            below = _ROWS[row + 1][max(0, at - 1) : at + 1] if row < 2 else ""
            return frozenset(near + above + below)
    return frozenset()


@lru_cache(maxsize=16_384)
def _letters(text: str) -> str:
    """A text without what never matters, accents among it."""
    plain = unicodedata.normalize("NFD", normalise(text))
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


def _unwrapped(text: str) -> str:
    """A text without what cannot be seen, and without the quotes, dots and marks of layout that it stands between."""
    seen = "".join(letter for letter in text if letter not in _UNSEEN)
    ends = "".join({letter for letter in seen if letter in _LAYOUT or letter in _FREE or _is_wrapping(letter)})
    return seen.strip(ends + "\t")


def _is_wrapping(letter: str) -> bool:
    """Whether a letter is a bracket, a quote, a mark such as a full stop, or a bullet."""
    is_bullet = "\u25a0" <= letter <= "\u25ff"
    return is_bullet or (unicodedata.category(letter) in ("Ps", "Pe", "Pi", "Pf", "Po") and letter not in _SAYING)


def _marks(text: str) -> frozenset[str]:
    """The marks of a text that are not free."""
    folded = unicodedata.normalize("NFC", fold(text))
    marks = {letter for letter in folded if not letter.isalnum() and letter not in _FREE}
    return frozenset(marks | ({"..."} if "..." in folded else set()))
