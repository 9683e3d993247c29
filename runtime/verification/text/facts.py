"""The facts a text states (numbers, amounts, dates, times, durations, codes), read from any usual notation."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import lru_cache
from typing import Any

from runtime.verification.text.notations import (
    DURATIONS,
    IMPLIED_FACTS,
    MEASURES,
    MONTHS,
    NUMBER,
    READERS,
    SCALE,
    WEEKDAYS,
    FactKind,
    read_number,
)
from runtime.verification.text.numerals import fold, write_digits
from runtime.verification.text.words import PHRASES


@dataclass(frozen=True)
class StatedFact:
    """One stated value; two notations of the same value are equal or, where a notation leaves a choice, agree.

    A date is a tuple of (year, month, day) readings, a time a tuple of minutes of the day; what is left open is None.
    """

    kind: FactKind
    value: Hashable


@dataclass(frozen=True)
class Mention:
    """A fact and where a prepared text states it; one that is not firm may be stated but need not be."""

    fact: StatedFact
    start: int
    end: int
    words: str
    firm: bool = True


def extract_facts(text: str) -> tuple[StatedFact, ...]:
    """The facts a text states, each once, in order of first mention."""
    return tuple(dict.fromkeys(mention.fact for mention in find_mentions(prepare(text)) if mention.firm))


def agree(one: StatedFact, other: StatedFact) -> bool:
    """Whether two facts can be the same value: all that both of them settle is equal."""
    if one.kind != other.kind:
        if {one.kind, other.kind} == {"amount", "measure"}:  # pounds are money or a weight
            return {one.value, other.value} == {("gbp", _parts(one)[1]), ("lb", _parts(one)[1])}
        return {one.kind, other.kind} == {"phone", "number"} and _as_number(one) == _as_number(other)
    if one.kind == "date":
        return any(_same_day(left, right) for left in _parts(one) for right in _parts(other))
    if one.kind == "time":
        return bool({*_parts(one)} & {*_parts(other)})
    if one.kind == "phone":
        short, long = sorted((str(one.value), str(other.value)), key=len)
        return short == long or (len(short) >= 9 and long.endswith(short))
    return one.value == other.value


def agree_loosely(one: StatedFact, other: StatedFact) -> bool:
    """Whether one is a bare number and the other the same number with a unit, or an hour without am or pm."""
    bare, full = (one, other) if one.kind == "number" else (other, one)
    if bare.kind != "number" or full.kind == "number":
        return False
    number = _as_number(bare)
    if full.kind == "amount":
        return bool(number == _parts(full)[1])
    if full.kind == "measure":
        family, amount = _parts(full)
        return any(number * size == amount for kin, size in MEASURES.values() if kin == family)
    if full.kind == "percent":
        return number == full.value
    if full.kind == "duration":
        family, amount = _parts(full)
        return any(number * size == amount for kin, size in DURATIONS.values() if kin == family)
    return full.kind == "time" and len(_parts(full)) > 1 and number * 60 in _parts(full)


@lru_cache(maxsize=1024)
def prepare(text: str) -> str:
    """The text as the readers of facts and words expect it: folded, phrases written out, numbers in digits."""
    text = _MISSPELT.sub(lambda match: _spell_calendar(match.group()), fold(text))
    lowered = text.lower()
    for gate, phrases in _PHRASES:
        if gate.search(lowered):
            for pattern, replacement in phrases:
                text = pattern.sub(replacement, text)
            lowered = text.lower()
    text = write_digits(_DOZENS.sub(lambda match: str(12 * int(match[1])), text))
    text = _CENTS.sub(lambda match: f"{match[1]}.{int(match[3]):02} {match[2]}", text)
    return _THOUSANDS.sub(r"\1k \2 \3\4", text)


@lru_cache(maxsize=512)
def find_mentions(prepared: str) -> tuple[Mention, ...]:
    """Every mention of a fact in a prepared text, in order; the notation read first owns its characters."""
    mentions = [*find_firm_mentions(prepared)]
    letters = list(prepared)
    for each in mentions:
        letters[each.start : each.end] = "\0" * (each.end - each.start)
    prepared = "".join(letters)
    for pattern, fact in _IMPLIED:
        for match in pattern.finditer(prepared):
            mentions.append(Mention(fact, match.start(), match.end(), match.group(), firm=False))
    return tuple(sorted(mentions, key=lambda mention: mention.start))


@lru_cache(maxsize=1024)
def find_firm_mentions(prepared: str) -> tuple[Mention, ...]:
    """The mentions of what a prepared text surely states."""
    mentions: list[Mention] = []
    has: dict[re.Pattern[str], bool] = {}
    for kind, pattern, read, needs in READERS:
        if needs not in has:
            has[needs] = needs.search(prepared) is not None
        if not has[needs]:
            continue
        pieces, end = [], 0
        for match in pattern.finditer(prepared):
            values = read(match)
            if not values:
                continue
            words = match.group().strip(" ,.;")
            mentions += [Mention(StatedFact(kind, value), match.start(), match.end(), words) for value in values]
            pieces += [prepared[end : match.start()], "\0" * len(match.group())]
            end = match.end()
        if end:
            prepared = "".join(pieces) + prepared[end:]
    return tuple(sorted(mentions, key=lambda mention: mention.start))


def find_numbers(prepared: str) -> Iterator[Fraction]:
    """Every number a prepared text shows, whatever it counts, except inside dates, times and codes."""
    for mention in find_mentions(prepared):
        if mention.fact.kind not in ("date", "time", "code", "email", "link"):
            for match in re.finditer(rf"(?:{NUMBER}){SCALE}", mention.words, re.IGNORECASE):
                yield read_number(match.group())
        if mention.fact.kind == "phone":
            yield Fraction(str(mention.fact.value))


def weekday_of(fact: StatedFact) -> int | None:
    """The weekday a complete, unambiguous date falls on, Monday being 0."""
    if fact.kind != "date" or len(_parts(fact)) != 1 or None in _parts(fact)[0]:
        return None
    return date(*_parts(fact)[0]).weekday()


_CENTS = re.compile(r"\b(\d[\d,]{0,20}) (dollars?|euros?|pounds?),? (?:and )?(\d\d?) (?:cents?|pence)\b", re.IGNORECASE)
_THOUSANDS = re.compile(rf"(?<![\d.])({NUMBER})\s*(-|to)\s*([$€£]?)({NUMBER})(?=k\b)")
# Three phrases at a time are looked for with one expression, as few texts have any of them.
_PHRASES = tuple(
    (re.compile("|".join(pattern.pattern for pattern, _ in phrases)), phrases)
    for phrases in (PHRASES[at : at + 3] for at in range(0, len(PHRASES), 3))
)
_DOZENS = re.compile(r"\b(\d{1,9}) dozen\b", re.IGNORECASE)
_MISSPELT = re.compile(r"\b[A-Za-z]{6,10}\b")
_IMPLIED = tuple(
    (re.compile(rf"\b(?:{words})\b", re.IGNORECASE), StatedFact(kind, value)) for words, kind, value in IMPLIED_FACTS
)


@lru_cache(maxsize=4096)
def _spell_calendar(word: str) -> str:
    """The weekday or month a longer word misspells by one letter, or the word itself."""
    lowered = word.lower()
    if lowered[0] not in "mtwfsjaond" or lowered == "sundry":
        return word
    for name in (*WEEKDAYS, *MONTHS):
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


def _parts(fact: StatedFact) -> tuple[Any, ...]:
    assert isinstance(fact.value, tuple)
    return fact.value


def _as_number(fact: StatedFact) -> Fraction:
    return Fraction(str(fact.value))


def _same_day(one: tuple[int | None, ...], other: tuple[int | None, ...]) -> bool:
    return one[1:] == other[1:] and (one[0] == other[0] or None in (one[0], other[0]))
