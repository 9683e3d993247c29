"""What may stand around a value for it to be stated plainly: next to nothing.

No list of hedges, denials or framings could be complete, so what remains of a text is read the other way round: it must
be marks of layout, full stops and the like, and words that say nothing of their own.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache

from runtime.verification.reading.spans import TAKEN_OUT
from runtime.verification.text.numerals import fold

_SAY_NOTHING = """
a an the this that these those it its they them both here there i i'm i've you you're your my me we our
is was are were be been being am has have had will it's that's here's there's
of for to in on at by from with and as so now
yes sure okay ok certainly course absolutely please thanks thank exactly happy glad gladly pleasure
note notes copy line lines
answer value date day time moment number amount name
"""
# Words that a plain answer may hold beside its name. None denies, doubts, corrects or compares.
FUNCTION_WORDS = frozenset(_SAY_NOTHING.split())
_LINKS = frozenset("a an the of for to in on at by from with and".split())  # noqa: SIM905
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_QUOTED_VALUE = re.compile(rf"(['\"])({TAKEN_OUT}(?:[ ,]*{TAKEN_OUT})*[.,]?)\1")
_EMPHASIS = re.compile(r"(?<![\w*_`])[*_`]+|[*_`]+(?![\w*_`])")
_LEADING = re.compile(r"^\s*(?:[-*•–—]|#{1,6})\s+", re.MULTILINE)
_MARKS = re.compile(rf"(?:{TAKEN_OUT}|\s|[,:;|()=]|\.(?!\.)|(?<!\S)-(?=\s)|-(?=\s)|!(?=\s|$|[)]))*")


def prepare(text: str) -> str:
    """A message without emphasis, with one form for each quote, dash and space."""
    text = _EMPHASIS.sub("", _LEADING.sub("", text))
    return "\n".join(fold(line) for line in text.split("\n")).strip()


def words_of(text: str) -> list[str]:
    """The words of a text in small letters, possessives as what they belong to."""
    return [
        word.removesuffix("'s") if word not in FUNCTION_WORDS else word for word in _WORD.findall(fold(text).lower())
    ]


def name_words(name: str) -> frozenset[str]:
    """The words of a name that somebody uses who means it, in any order."""
    words = frozenset(words_of(name))
    return words - _LINKS or words


def find_phrase(phrase: str, text: str) -> Iterator[re.Match[str]]:
    """Where a phrase stands by itself in a prepared text, in any case, be it as a possessive."""
    return _phrase_pattern(phrase).finditer(text) if phrase.lower() in text.lower() else iter(())


@lru_cache(maxsize=4096)
def _phrase_pattern(phrase: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(phrase)}(?:'s)?(?!\w)", re.IGNORECASE)


def is_plain(rest: str, words: Collection[str], phrases: Iterable[str] = ()) -> bool:
    """Whether a prepared text, once its values were taken out, says nothing beyond some words.

    `phrases` may appear as well, each as a whole.
    """
    for phrase in phrases:
        if next(find_phrase(phrase, rest), None) is not None:
            rest = _phrase_pattern(phrase).sub(" ", rest)
    rest = _QUOTED_VALUE.sub(r"\2", rest)
    for word in words_of(rest):
        if word not in FUNCTION_WORDS and word not in words:
            return False
    return _MARKS.fullmatch(_WORD.sub(" ", rest)) is not None
