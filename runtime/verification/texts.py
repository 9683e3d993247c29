"""Which texts are the same: the reward's rule for a dictated text, and the plain form in which texts are compared."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_FOLDED = str.maketrans(
    {"‘": "'", "’": "'", "‛": "'", "`": "'", "´": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"'}
    | {"‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "―": "-", "−": "-", "⁄": "/", "\u200b": None, "\u00ad": None}
)
_APOSTROPHE = re.compile(r"(?<=\w)'(?=\w)")
_HYPHEN = re.compile(r"(?<=[^\W\d])-(?=[^\W\d])")
_KEPT = re.compile(r"(?<=\d)[.,:/-](?=\d)|(?<=\w)[-@./](?=\w)|(?<!\S)-(?=\d)|[%$€£¥₹+#°]")
_OTHER_MARK = re.compile(r"(?<!\0)[^\w\s\0]|_")
_FREE = frozenset(" \n\t'\"-.,;:!*_")  # marks that may be added or left out; all others say something
_UNSEEN = frozenset("\ufeff\u200b\u200e\u200f\u2060\u2066\u2067\u2068\u2069")
_LAYOUT = " \n\t#=+|>-*_\"'“”.,;:!•"  # marks of headings, lists, tables and quotes, around a text
_LONG = 8  # letters: in a shorter word, one letter makes too many other words


def match_dictated(expected: str, actual: str) -> bool:
    """Compare as the reward does: equal except for case, spacing, punctuation and quotes, or one letter.

    One letter may be off inside a long word that is not a name. Words are never joined or split.
    """
    if expected == actual:
        return True
    if len(actual) > 2 * len(expected) + 20:
        return False
    actual = "".join(letter for letter in actual if letter not in _UNSEEN)
    if marks(actual.strip(_LAYOUT)) - marks(expected):
        return False
    wanted, found = _words(expected), _words(actual)
    if len(wanted) != len(found):
        return False
    slips = [(one, other) for one, other in zip(wanted, found, strict=True) if one.casefold() != other.casefold()]
    return not slips or (len(slips) == 1 and is_typo(*slips[0]))


def is_typo(word: str, other: str) -> bool:
    """True if one letter was missed, added, replaced or swapped with the next inside a long word that is not a name."""
    if min(len(word), len(other)) < _LONG or not word.islower() or not (word + other).isalpha():
        return False
    other = other.casefold()
    if word[0] != other[0] or word[-1] != other[-1] or abs(len(word) - len(other)) > 1:
        return False
    at = next(at for at, (one, two) in enumerate(zip(word, other, strict=False)) if one != two)
    rest, others = word[at:], other[at:]
    if len(rest) != len(others):
        longer, shorter = sorted((rest, others), key=len, reverse=True)
        return longer[1:] == shorter
    return rest[1:] == others[1:] or (rest[:2] == others[1::-1] and rest[2:] == others[2:])


@lru_cache(maxsize=16_384)  # more than a column of a large world holds: it is read for every verdict
def normalize(text: str) -> str:
    """Return a text without case, spacing, quotes, and punctuation outside numbers and codes."""
    return _plain(text).casefold()


def says(text: str, phrase: str | int | float) -> bool:
    """True if a text has a phrase, whole and in its words; for texts of ours, never for what an agent says."""
    wanted = normalize(str(phrase))
    return bool(wanted) and f" {wanted} " in f" {normalize(text)} "


def _plain(text: str) -> str:
    text = unicodedata.normalize("NFKC", text.translate(_FOLDED))
    text = _APOSTROPHE.sub("", text)
    text = _HYPHEN.sub(" ", text)
    text = _KEPT.sub(lambda mark: f"\0{mark.group()}", text)
    return " ".join(_OTHER_MARK.sub(" ", text).replace("\0", "").split())


def _words(text: str) -> list[str]:
    """The words of a text without accents, in their own case."""
    letters = unicodedata.normalize("NFD", _plain(text))
    words = "".join(letter for letter in letters if not unicodedata.combining(letter)).split()
    return [word for word in words if word.strip("#+")]  # marks of a heading or a list


def marks(text: str) -> frozenset[str]:
    """Return the marks of a text that say something; three dots do."""
    folded = unicodedata.normalize("NFC", text.translate(_FOLDED))
    marks = {letter for letter in folded if not letter.isalnum() and letter not in _FREE and not letter.isspace()}
    return frozenset(marks | ({"..."} if "..." in folded or "…" in folded else set()))
