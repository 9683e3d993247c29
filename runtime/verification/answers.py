"""Judge what the user was told: each required value must be told, and not merely recited among many others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite

from runtime.domain.schema import Value
from runtime.verification.facts import extract_facts, find_numbers, prepare
from runtime.verification.text import normalise, tells
from runtime.verification.verdict import Difference

MOST_COMPARED = 20_000  # other values of a column that are looked for in what was told
MOMENTS = ("date", "time", "weekday")  # the facts that a column of dates or times holds; others hold amounts


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

    `values_of` gives the values of a column, "table.column", at the start. A value counts as recited if more than
    `at_most` other values of its column, or without a column other numbers, dates and times, were told as well.
    """
    text = "\n".join(told)
    for answer in answers:
        if not any(tells(message, answer.value) for message in told):
            sentence = f"The user was not told the {answer.name}, which is {answer.value!r}."
            yield Difference("missing_answer", "", answer.name, None, answer.value, None, sentence)
            continue
        others = _others_told(answer, text, values_of)
        if others > answer.at_most:
            sentence = (
                f"The {answer.name} was told among {others} other values; more than {answer.at_most} is reciting, "
                "not answering."
            )
            yield Difference("recited_answer", "", answer.name, None, answer.value, None, sentence)


def _others_told(answer: RequiredAnswer, text: str, values_of: Callable[[str], Iterable[Value]]) -> int:
    facts = set(extract_facts(text))
    if answer.source is None:
        return len(facts) - 1
    others = [value for value in values_of(answer.source) if value is not None and value != answer.value]
    if not isinstance(answer.value, str):
        shown = set(find_numbers(prepare(text)))
        numbers = [value for value in others if isinstance(value, int | float) and isfinite(value)]
        return sum(Fraction(str(value)) in shown for value in numbers)
    plain = f" {normalise(text)} "
    written = sum(f" {normalise(str(value))} " in plain for value in others[:MOST_COMPARED])
    # A date or amount may be written otherwise than it is stored, so facts count where the column holds such.
    own = {fact.kind in MOMENTS for fact in extract_facts(answer.value)}
    return max(written, sum((fact.kind in MOMENTS) in own for fact in facts) - 1)
