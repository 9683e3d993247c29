"""What was claimed: the values in what an assistant said, each with the words around it.

A claim is a value of the kind that is looked for, and the other words of its part of the sentence. It is plain unless
it is denied, doubted or asked, or one of several that are merely listed or offered ("3, 4, 5", "3 or 4").
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

from runtime.verification.text.facts import Mention, StatedFact, agree, extract_facts, find_mentions, prepare
from runtime.verification.text.match import normalise, tells
from runtime.verification.text.notations import NUMBER, SCALE, read_number
from runtime.verification.text.numerals import fold
from runtime.verification.text.words import STOP, stem

MOST_BESIDE = 6  # other values of the kind in the sentence that tells one
MOST_IN_SENTENCE = 50  # values of the kind in all, be they the same

_NO_NUMBERS = ("date", "time", "weekday", "code", "email", "link", "phone")  # mentions that show digits all the same
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_NUMBERING = re.compile(r"^[^\S\n]*(?:\d{1,2}[.)]|[-*•])[^\S\n]+(?=\S)", re.MULTILINE)
_PART = re.compile(r",\s+|:\s+|[()|;]|\s[-–—]\s|\b(?:but|and)\b", re.IGNORECASE)
_DENIED = re.compile(
    r"(?:\b(?:no|not|none|nothing|never|neither|nor|cannot|without|rather than|instead of"
    r"|(?:is|was|are|were|do|does|did|has|have|had|would|could|should|wo|ca)n['’]?t)\b)"
    r"\W*(?:\w+\W+){0,4}$",
    re.IGNORECASE,
)
_LABEL = re.compile(r"\W*neither\W*", re.IGNORECASE)  # "success 5 %, neither 85 %" names what is left
_DOUBTED = re.compile(
    r"\b(?:wrong|false|incorrect|doubt|whether|guess|maybe|perhaps|might|possibly|probably|unsure"
    r"|not (?:right|correct|true|sure|certain))\b|\?\s*$",
    re.IGNORECASE,
)
_CORRECTION = re.compile(
    r"\b(?:sorry|apolog\w+|actually|correct\w*|mistake\w*|mis(?:read|counted)|now)\b", re.IGNORECASE
)
_LISTED = re.compile(r"[\s,;/&]*(?:\b(?:and|or)\b)?\s*", re.IGNORECASE)
_OFFERED = re.compile(r"\s*(?:\w+\s+)?or\s+(?:\w+\s+)?", re.IGNORECASE)
_SCALES = ("5", "5.0", "10", "100")  # "an average of 3.4/5"
_TENSES = {"was", "were", "had", "already", "still", "yet", "again"}  # "It was a draft. It is submitted."
_SAYING_NOTHING = (STOP - _TENSES) | {
    "number",
    "count",
    "total",
    "amount",
    "answer",
    "value",
    "result",
    "figure",
    "sum",
}


@dataclass(frozen=True)
class Claim:
    """One value that was said; `place` is its number in its part of a sentence, `message` that of the message.

    `is_count` marks a bare whole number: no percentage, amount or fraction.
    """

    value: Hashable
    right: bool
    plain: bool
    corrects: bool
    words: frozenset[str]
    place: int
    message: int
    is_count: bool = False


class Wanted:
    """A value that may be told: a number, a date or other fact, or else a text; and what of its kind it is not."""

    def __init__(self, name: str, value: str | int | float, other_texts: Sequence[str] = ()) -> None:
        self.words = stems_of(name)
        self._name, self._value = name, value
        self._fact = leading_fact(value)
        self._kinds = {fact.kind for fact in extract_facts(str(value))}
        self._texts = [str(value), *sorted(other_texts, key=len, reverse=True)] if is_text(value) else []

    def clean(self, message: str) -> str:
        """A message without the numbers of its lists; the wanted text, be it of several sentences, is one phrase."""
        message = _NUMBERING.sub("", message)
        for text in self._texts[:1]:
            message = _written(text).sub(normalise(text), message)
        return message

    def prepare(self, sentence: str) -> str:
        """A sentence in the form in which values are found in it."""
        return re.sub(r"(?<=\w)'(?=\w)", "", fold(sentence)) if self._texts else prepare(sentence)

    def find(self, sentence: str) -> list[_FoundClaim]:
        """The values of the kind in a prepared sentence, in order."""
        if self._texts:
            return self._find_texts(sentence)
        return [found for mention in find_mentions(sentence) for found in self._read(mention, sentence)]

    def spans(self, sentence: str, found: Sequence[_FoundClaim]) -> list[tuple[int, int]]:
        """What of a sentence is values and not words about them: of a moment, the dates and the times."""
        if self._fact is None:
            return [(one.start, one.end) for one in found]
        return [(each.start, each.end) for each in find_mentions(sentence) if each.fact.kind in self._kinds]

    def _find_texts(self, sentence: str) -> list[_FoundClaim]:
        kept: list[_FoundClaim] = []
        for text in self._texts:
            for match in _written(text).finditer(sentence):  # a text inside a longer one is not said
                if all(match.end() <= other.start or match.start() >= other.end for other in kept):
                    kept.append(_FoundClaim(match.start(), match.end(), text, text == self._value))
        return sorted(kept, key=lambda found: found.start)

    def _read(self, mention: Mention, sentence: str) -> Iterator[_FoundClaim]:
        if self._fact is not None:
            same = agree(self._fact, mention.fact)
            if mention.firm and mention.fact.kind == self._fact.kind and (not same or tells(sentence, self._value)):
                yield _FoundClaim(mention.start, mention.end, mention.fact, same)
        elif not mention.firm:  # "no offers" counts offers, "no problem" does not
            value = mention.fact.value
            if mention.fact.kind == "number" and value == self._value and self.words & stems_of(sentence):
                yield _FoundClaim(mention.start, mention.end, value, True)
        elif mention.fact.kind not in _NO_NUMBERS:
            for match in re.finditer(rf"(?:{NUMBER}){SCALE}", mention.words, re.IGNORECASE):
                shown = read_number(match.group())
                right = self._is_number(shown, match.group(), mention)
                bare = mention.fact.kind == "number" and match.group().isdecimal()
                yield _FoundClaim(mention.start, mention.end, shown, right, bare)

    @cached_property
    def _number(self) -> Fraction:
        return Fraction(str(self._value))

    def _is_number(self, shown: Fraction, written: str, mention: Mention) -> bool:
        """Whether a number is the wanted one; a fraction may be rounded, cents be told in dollars."""
        value = self._number
        decimals = len(written.partition(".")[2])
        rounded = value.denominator > 1 and (decimals > 0 or shown >= 10) and shown == round(value, decimals)
        dollars = mention.fact.kind == "amount" and "cents" in self._name and shown * 100 == value
        rated = "rating" in self._name and written == f"{value}/5"
        return shown == value or rated or rounded or (dollars and "cent" not in mention.words)


@dataclass(frozen=True)
class _FoundClaim:
    start: int
    end: int
    value: Hashable
    right: bool
    is_count: bool = False


def read_claims(told: Sequence[str], wanted: Wanted, is_free: Callable[[Hashable], bool]) -> Iterator[Claim]:
    """What messages claim, in order; `is_free` says whether a value may stand beside another one at no cost.

    A message that is a tool's result as it came, in JSON, claims nothing.
    """
    for number, message in enumerate(told):
        for sentence in () if _is_json(message) else _SENTENCE.split(wanted.clean(message)):
            yield from _claims_of(wanted.prepare(sentence), number, wanted, is_free)


def leading_fact(value: str | int | float) -> StatedFact | None:
    """The first fact of a value that is nothing but facts, such as a date and a time; None of a number or a text."""
    if not isinstance(value, str):
        return None
    prepared = prepare(value)
    firm = [mention for mention in find_mentions(prepared) if mention.firm]
    rest = _without(prepared, [(mention.start, mention.end) for mention in firm])
    return firm[0].fact if firm and not set(re.findall(r"\w+", rest.lower())) - STOP else None


def is_text(value: str | int | float) -> bool:
    """Whether a value is a text that is told as a phrase."""
    return isinstance(value, str) and leading_fact(value) is None


@lru_cache(maxsize=1024)
def stems_of(text: str) -> frozenset[str]:
    """The stems of the words in a text that say something."""
    return frozenset(stem(word) for word in re.findall(r"\w+", text.lower()) if word not in _SAYING_NOTHING)


def _claims_of(text: str, message: int, wanted: Wanted, is_free: Callable[[Hashable], bool]) -> Iterator[Claim]:
    found = wanted.find(text)
    if not found:
        return
    beside = {one.value for one in found if not one.right and not is_free(one.value)}
    if len(beside) > MOST_BESIDE or len(found) > MOST_IN_SENTENCE:  # then none is plain, whatever stands around it
        for one in found:
            yield Claim(one.value, one.right, False, False, frozenset(), 0, message, one.is_count)
        return
    listed = _listed_or_offered(text, found, is_free)
    spans = wanted.spans(text, found)
    corrects = bool(_CORRECTION.search(text))
    for begin, own, end in _parts_of(text, found):
        inside = [one for one in found if begin <= one.start < end]
        words = stems_of(_CORRECTION.sub(" ", _without(text, spans, begin, end)))
        doubted = _DOUBTED.search(_without(text, spans, own, end))
        for place, one in enumerate(inside):
            before = text[own : one.start]
            denied = _DENIED.search(before) and not (own and _LABEL.fullmatch(before))
            plain = not denied and not doubted and one not in listed
            yield Claim(one.value, one.right, plain, corrects, words, place, message, one.is_count)


def _listed_or_offered(
    text: str, found: Sequence[_FoundClaim], is_free: Callable[[Hashable], bool]
) -> set[_FoundClaim]:
    """The values between which nothing stands but a comma, or an "or": such a list is not an answer."""
    listed: set[_FoundClaim] = set()
    for one, other in zip(found, found[1:], strict=False):
        between = text[one.end : other.start]
        bare = _LISTED.fullmatch(between) and not is_free(one.value) and not is_free(other.value)
        bare = bare and not (between.strip() == "/" and text[other.start : other.end] in _SCALES)
        if one.value != other.value and (bare or _OFFERED.fullmatch(between)):
            listed |= {one, other}
    return listed


def _parts_of(text: str, found: Sequence[_FoundClaim]) -> Iterator[tuple[int, int, int]]:
    """The parts of a sentence that hold values: begin with what leads up to it, own begin, end."""
    cuts = [match.span() for match in _PART.finditer(text)]
    cuts = [cut for cut in cuts if not any(one.start < cut[1] and cut[0] < one.end for one in found)]
    begin = own = 0
    for start, after in [*cuts, (len(text), len(text))]:
        if any(own <= one.start < start for one in found):
            yield begin, own, start
            begin = after
        own = after


def _without(text: str, spans: Sequence[tuple[int, int]], begin: int = 0, end: int | None = None) -> str:
    """A stretch of a text with some spans left out."""
    end = len(text) if end is None else end
    for start, stop in sorted((span for span in spans if begin <= span[0] < end), reverse=True):
        text = f"{text[:start]} {text[stop:]}"
        end -= stop - start - 1
    return text[begin:end]


@lru_cache(maxsize=256)
def _written(value: str) -> re.Pattern[str]:
    """A text as it may be written: in any case, with other punctuation between its words."""
    words = normalise(value).split()
    return re.compile(r"(?<!\w)" + r"[\W_]+".join(map(re.escape, words)) + r"(?!\w)" if words else r"(?!)", re.I)


def _is_json(message: str) -> bool:
    if message.strip()[:1] not in ("{", "["):
        return False
    try:
        return isinstance(json.loads(message), dict | list)
    except ValueError:
        return False
    except RecursionError:  # nested deeper than any result
        return True
