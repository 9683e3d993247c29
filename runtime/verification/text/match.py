"""Whether two free texts say the same: declared facts exactly, and guards for other facts, denials and opposites."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Protocol

from runtime.verification.text.facts import (
    Mention,
    agree,
    agree_loosely,
    find_mentions,
    find_numbers,
    prepare,
    weekday_of,
)
from runtime.verification.text.numerals import fold
from runtime.verification.text.reading import Denial, ReadText, TextToken, read_text
from runtime.verification.text.swaps import find_exchanged
from runtime.verification.text.words import LIGHT_STEMS, NEGATORS, OPPOSITES, ROLES, STOP, plain_letters, stem

# Shares of content words each text must have of the other when no fact is declared.
LEAST_KEPT = 0.7
LEAST_KEPT_BESIDE_FACTS = 0.6
LEAST_SHARED = 0.5
# An actual text longer than this many times the expected one, plus the slack in words, recites.
LONGEST_RATIO = 3
LONGEST_SLACK = 12
# One that is longer still, in characters, is not even read.
LONGEST_RATIO_READ = 20
LONGEST_SLACK_READ = 1_000
# What a declared fact must keep of its direction, and the words that say the same.
_DIRECTIONS = {
    stem(word): frozenset({stem(word), *others.split()})
    for word, others in (("before", ""), ("after", "from past later"), ("atleast", ""), ("atmost", ""))
}


@dataclass(frozen=True)
class TextMatch:
    """Whether the texts say the same, and the one sentence that tells why."""

    same: bool
    reason: str


class TextMatcher(Protocol):
    """What judges an actual text against an expected one and the facts its author declared."""

    def __call__(self, expected: str, actual: str, facts: Sequence[str] = ()) -> TextMatch: ...


def match_text(expected: str, actual: str, facts: Sequence[str] = ()) -> TextMatch:
    """The default matcher: equal after normalising, or the same facts without a denial or opposite between them."""
    if len(actual) > LONGEST_RATIO_READ * len(expected) + LONGEST_SLACK_READ:
        return TextMatch(False, f"the actual text is far longer than the expected text ({len(actual)} characters)")
    if normalise(expected) == normalise(actual):
        return TextMatch(True, "the texts are equal after normalising")
    if not normalise(actual):
        return TextMatch(False, "the actual text is empty")
    if not normalise(expected):
        return TextMatch(False, "the expected text is empty, the actual text is not")
    for complaint in _missing_and_extra_facts(read_text(expected), read_text(actual)):
        return TextMatch(False, complaint)  # what each text says by itself is read once, whatever it is compared with
    wanted, found = read_text(expected, actual), read_text(actual, expected)
    for complaint in _complaints(wanted, found, facts):
        return TextMatch(False, complaint)
    return TextMatch(True, "the actual text carries every fact of the expected text and contradicts none")


@lru_cache(maxsize=16_384)  # more than a column of a large world holds: it is read for every verdict
def normalise(text: str) -> str:
    """The text without what never matters: case, spacing, quotes, and punctuation outside numbers and codes."""
    text = fold(text).casefold()
    text = re.sub(r"(?<=\w)'(?=\w)", "", text)
    text = re.sub(r"(?<=[^\W\d])-(?=[^\W\d])", " ", text)
    text = re.sub(
        r"(?<=\d)[.,:/-](?=\d)|(?<=\w)[-@./](?=\w)|(?<!\S)-(?=\d)|[%$€£¥₹+#°]", lambda m: f"\0{m.group()}", text
    )
    text = re.sub(r"(?<!\0)[^\w\s\0]|_", " ", text).replace("\0", "")
    return " ".join(text.split())


def tells(text: str, value: str | int | float) -> bool:
    """Whether a message tells a value: a fact in any notation, otherwise the whole phrase."""
    if isinstance(value, (int, float)):
        number = Fraction(str(value))
        return any(shown == number for shown in find_numbers(prepare(text)))
    phrase = normalise(value)
    if phrase and f" {phrase} " in f" {normalise(text)} ":
        return True
    reading = read_text(value)
    if not reading.firm or any(
        token.mention is None and token.word[0].isalnum() and token.word not in STOP for token in reading.tokens
    ):
        return False
    stated = find_mentions(prepare(text))
    return all(any(agree(mention.fact, other.fact) for other in stated) for mention in reading.firm)


def _complaints(wanted: ReadText, found: ReadText, facts: Sequence[str]) -> Iterator[str]:
    """Why the found text does not say what is wanted, surest reason first."""
    yield from _recited(wanted, found)
    yield from _missing_and_extra_facts(wanted, found)
    for fact in facts:
        yield from _missing_words(fact, wanted, found)
    yield from _changed_denials(wanted, found)
    yield from find_exchanged(wanted, found)
    if not facts:
        yield from _changed_content(wanted, found)


def _recited(wanted: ReadText, found: ReadText) -> Iterator[str]:
    lengths = [len(reading.prepared.split()) for reading in (wanted, found)]
    if lengths[1] > LONGEST_RATIO * lengths[0] + LONGEST_SLACK:
        yield f"the actual text is far longer than the expected text ({lengths[1]} words, not {lengths[0]})"


def _missing_and_extra_facts(wanted: ReadText, found: ReadText) -> Iterator[str]:
    for mention in wanted.firm:
        if not _has(found, wanted, mention):
            yield f"the {mention.fact.kind} {mention.words!r} is missing"
    for mention in found.firm:
        if not _has(wanted, found, mention):
            yield f"the actual text says {mention.words!r}, which the expected text does not"


def _has(reading: ReadText, other: ReadText, mention: Mention) -> bool:
    """Whether a reading states the fact another one mentions; a bare number may stand for one with a unit."""
    if any(agree(mention.fact, stated.fact) for stated in reading.mentions):
        return True
    if mention.fact.kind == "weekday":
        both = (*reading.firm, *other.firm)
        return any(weekday_of(stated.fact) == mention.fact.value for stated in both)
    free = (
        stated
        for stated in reading.firm
        if not any(agree(stated.fact, claimed.fact) for claimed in other.firm if claimed is not mention)
    )
    return any(agree_loosely(mention.fact, stated.fact) for stated in free)


def _missing_words(fact: str, wanted: ReadText, found: ReadText) -> Iterator[str]:
    """The key words of a declared fact, and its own typed facts where the expected text does not hold them."""
    phrase = read_text(fact, found.prepared)
    at = _find_phrase(phrase.prepared.lower(), wanted.prepared.lower())
    if at < 0:
        for mention in phrase.firm:
            if not _has(found, phrase, mention):
                yield f"the {mention.fact.kind} {mention.words!r} is missing"
    elif any(mention.start <= at and mention.end >= at + len(phrase.prepared) for mention in wanted.firm):
        return
    spelled = [token for token in phrase.tokens if token.mention is None and token.word[0].isalnum()]
    words = [token for token in spelled if token.is_content and token.stem not in LIGHT_STEMS]
    words = [token for token in words if token.word not in ROLES] or words
    if not words and not phrase.firm:
        words = [token for token in spelled if token.is_content]
        words = words or [token for token in spelled if token.word not in NEGATORS] or spelled
    stated = [mention for mention in phrase.mentions if not mention.firm and _has(found, phrase, mention)]
    implied = {word for mention in stated for word in mention.words.lower().split()}
    lost = [token for token in words if token.word not in implied and not _finds(found, token, wanted)]
    if lost and (len(words) < 5 or len(lost) > 1):
        yield f"the fact {fact!r} is missing: nothing says {lost[0].word!r}"
    for token in spelled:
        said = token.stem in found.stems or _DIRECTIONS.get(token.stem, frozenset()) & {
            word.word for word in found.tokens
        }
        if token.stem in _DIRECTIONS and not said:
            yield f"the fact {fact!r} is missing: nothing says {token.word!r}"
    yield from _denied_otherwise(fact, phrase, wanted, found)


def _find_phrase(phrase: str, text: str) -> int:
    """Where a text has a phrase between two word boundaries; -1 without it."""
    at = text.find(phrase)
    while at >= 0:
        end = at + len(phrase)
        if not _is_word(text[at - 1 : at]) and not _is_word(text[end : end + 1]):
            return at
        at = text.find(phrase, at + 1)
    return -1


def _is_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


def _finds(found: ReadText, token: TextToken, wanted: ReadText) -> bool:
    """Whether a text has a word; a name must be spelled exactly, an opposite counts where it is denied."""
    if plain_letters(token.word) in wanted.names:
        return token.stem in found.stems
    if found.find(token.word, token.stem) is not None:
        return True
    if any(token.word in (joined, joined + "s") for joined in _joined(found)):
        return True
    opposite = _opposite_of(token.stem) & found.stems
    return any({token.sign, *found.signs(other)} == {"+", "-"} for other in opposite)


def _joined(reading: ReadText) -> Iterator[str]:
    words = [token.word for token in reading.tokens]
    return (one + two for one, two in zip(words, words[1:], strict=False) if one[0].isalnum() and two[0].isalnum())


@lru_cache(maxsize=4096)
def _opposite_of(wanted: str) -> frozenset[str]:
    both = (*OPPOSITES, *(pair[::-1] for pair in OPPOSITES))
    return frozenset(other for left, right in both if wanted in left for other in right)


def _denied_otherwise(fact: str, phrase: ReadText, wanted: ReadText, found: ReadText) -> Iterator[str]:
    for token in phrase.content():
        signs = found.signs(found.find(token.word, token.stem) or "")
        if token.sign == "-" and signs == {"+"} and "?" not in wanted.signs(token.stem):
            yield f"negation differs: {fact!r}"


def _changed_denials(wanted: ReadText, found: ReadText) -> Iterator[str]:
    for token in wanted.content():
        other = found.find(token.word, token.stem)
        signs = wanted.signs(token.stem), found.signs(other or "")
        if other and "?" not in signs[0] | signs[1] and not signs[0] & signs[1]:
            denier, stater = (wanted, found) if signs[0] == {"-"} else (found, wanted)
            if _denies_object(stater, {token.stem, other}):
                continue
            words = next((denial.words for denial in denier.denials if {token.stem, other} & denial.reach), token.word)
            yield f"negation differs: {words!r}"
    for token in wanted.tokens:
        if token.word in ROLES and {"+", "-"} == wanted.signs(token.stem) ^ found.signs(token.stem):
            yield f"negation differs: {token.word!r}"
    for ours, theirs in ((wanted, found), (found, wanted)):
        for token in ours.tokens:
            others = [other.sign for other in theirs.tokens if _states_too(token, other)]
            if token.sign == "-" and others and "-" not in others:
                yield f"negation differs: not {token.word!r}"
    unmatched = [denial for denial in wanted.denials if not _matches(denial, found)]
    extra = [denial for denial in found.denials if not _matches(denial, wanted)]
    if bool(unmatched) != bool(extra):
        yield f"negation differs: {(unmatched or extra)[0].words!r}"


def _denies_object(reading: ReadText, verbs: set[str]) -> bool:
    """Whether a text denies what a verb is done to, as `takes no pills` does."""
    return any(one.stem in verbs and two.word in ("no", "neither") for one, two in pairwise(reading.tokens))


def _states_too(token: TextToken, other: TextToken) -> bool:
    return bool(token.mention and other.mention and agree(token.mention.fact, other.mention.fact))


def _matches(denial: Denial, reading: ReadText) -> bool:
    """Whether a text denies one of the words too, or states the opposite of one."""
    for denied in denial.reach:
        known = reading.find(denied, denied) or denied
        if reading.signs(known) & {"-", "?"} or any("+" in reading.signs(other) for other in _opposite_of(denied)):
            return True
    return False


def _changed_content(wanted: ReadText, found: ReadText) -> Iterator[str]:
    """Without declared facts: enough of each text in the other, and no single word exchanged for another."""
    ours, theirs = wanted.content(), found.content()
    kept = [token for token in ours if _finds(found, token, wanted)]
    shared = [token for token in theirs if _finds(wanted, token, found)]
    least = LEAST_KEPT_BESIDE_FACTS if wanted.firm or wanted.names else LEAST_KEPT
    if len(kept) < least * len(ours):
        lost = next(token.word for token in ours if token not in kept)
        yield f"too little of the expected text is said: nothing says {lost!r}"
    if len(shared) < LEAST_SHARED * len(theirs):
        yield "the actual text says too much that the expected text does not"
    before, after = (
        [token.stem if token in same else token.word for token in tokens]
        for tokens, same in ((ours, kept), (theirs, shared))
    )
    for step, start, end, other_start, other_end in SequenceMatcher(None, before, after, False).get_opcodes():
        if step == "replace" and end - start == other_end - other_start == 1:
            old, new = ours[start], theirs[other_start]
            if old not in kept and new not in shared:
                yield f"the actual text says {new.word!r} where expected says {old.word!r}"
