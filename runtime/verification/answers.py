"""Judge what the user was told: each required value must be told, and not merely recited among many others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite

from runtime.domain.schema import Value
from runtime.verification.facts import Fact, extract_facts, find_numbers, prepare
from runtime.verification.text import normalise, tells
from runtime.verification.verdict import Difference

MOST_COMPARED = 20_000  # other values of a column that are looked for in what was told
MOST_BESIDE = 3  # other values of the same kind in the sentence that tells a value
MOMENTS = ("date", "time", "weekday")  # the facts that a column of dates or times holds; others hold amounts

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_PART = re.compile(r",\s+|:\s+|\bbut\b", re.IGNORECASE)
_DENIAL = re.compile(
    r"\b(?:no|not|none|nothing|never|neither|nor|cannot|without|wrong|false|incorrect|doubt|whether|guess"
    r"|maybe|perhaps|might|possibly|probably)\b|n['’]t\b|\brather than\b|\binstead of\b|\?\s*$",
    re.IGNORECASE,
)
_CHOICE = re.compile(r"\b(?:or|either)\b", re.IGNORECASE)


@dataclass(frozen=True)
class RequiredAnswer:
    """A value to be told, and the column it comes from, if it is one that stands in the database."""

    name: str
    value: str | int | float
    source: str | None
    at_most: int


def judge_answers(
    answers: Sequence[RequiredAnswer], told: Sequence[str], values_of: Callable[[str], Iterable[Value]]
) -> Iterator[Difference]:
    """One difference per answer that was not given; `told` is what the assistant said to the user, in order.

    A sentence that denies the value, or offers it as one of several, does not tell it. `values_of` gives the values of
    a column, "table.column", at the start. A value counts as recited if more than `at_most` other values of its column,
    or without a column other facts of its kind, were told as well.
    """
    text = "\n".join(told)
    sentences = [sentence for message in told for sentence in _SENTENCE.split(message)]
    for answer in answers:
        if not any(_states(sentence, answer.value) for sentence in sentences):
            wrong = f"The user was not told the {answer.name}, which is {answer.value!r}."
            yield Difference("missing_answer", "", answer.name, None, answer.value, None, wrong)
            continue
        others = _others_told(answer, text, values_of)
        if others > answer.at_most:
            wrong = (
                f"The {answer.name} was told among {others} other values; more than {answer.at_most} is reciting, "
                "not answering."
            )
            yield Difference("recited_answer", "", answer.name, None, answer.value, None, wrong)


def _states(sentence: str, value: str | int | float) -> bool:
    """Whether a sentence tells a value plainly: not denied, asked or guessed, not as one of several."""
    if not any(tells(part, value) and not _DENIAL.search(part) for part in (sentence, *_PART.split(sentence))):
        return False
    beside = len(_alike(value, sentence)) - 1
    return beside <= MOST_BESIDE and not (beside > 0 and _CHOICE.search(sentence))


def _alike(value: str | int | float, text: str) -> set[Fact]:
    """The facts in a text that could stand in a value's place."""
    kinds = {fact.kind for fact in extract_facts(str(value))}
    return {fact for fact in extract_facts(text) if fact.kind in kinds}


def _others_told(answer: RequiredAnswer, text: str, values_of: Callable[[str], Iterable[Value]]) -> int:
    alike = len(_alike(answer.value, text)) - 1
    if answer.source is None:
        return alike
    others = [value for value in values_of(answer.source) if value is not None and value != answer.value]
    if not isinstance(answer.value, str):
        shown = set(find_numbers(prepare(text)))
        numbers = [value for value in others if isinstance(value, int | float) and isfinite(value)]
        return max(alike, sum(Fraction(str(value)) in shown for value in numbers))
    plain = f" {normalise(text)} "
    written = sum(f" {normalise(str(value))} " in plain for value in others[:MOST_COMPARED])
    if written and written == len(others):
        return max(written, answer.at_most + 1)  # all that the column holds was told
    # A date or amount may be written otherwise than it is stored, so facts count where the column holds such.
    own = {fact.kind in MOMENTS for fact in extract_facts(answer.value)}
    return max(written, sum((fact.kind in MOMENTS) in own for fact in set(extract_facts(text))) - 1)
