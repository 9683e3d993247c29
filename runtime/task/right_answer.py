"""Whether a value that was taken for an answer is the right one: equal in any notation, or rounded as people round."""

from __future__ import annotations

from collections.abc import Collection
from decimal import Decimal, InvalidOperation

from runtime.task.task import TaskAnswer
from runtime.verification.reading.numbers import plain_digits
from runtime.verification.reading.plain import prepare
from runtime.verification.reading.texts import letters_of

MANY_DECIMALS = 4  # a value with more of them is told in fewer
FEWEST_DECIMALS = 2


def is_value(answer: TaskAnswer, taken: str, meanings: Collection[str]) -> bool:
    """Whether what was taken, or one of the meanings that it has, is the value of an answer."""
    if answer.kind == "text":
        return taken == answer.value or any(_equal_texts(each, answer.value) for each in meanings)
    if answer.kind == "number":
        return any(_equals_number(each, answer) for each in meanings)
    return told_value(answer) in meanings


def told_value(answer: TaskAnswer) -> str:
    """The value of an answer as it is taken down where it is told right."""
    if answer.kind == "number":
        return plain_digits(Decimal(str(answer.value)) / answer.minor)
    value = str(answer.value)
    if answer.kind in ("text", "date"):
        return value
    return value.replace("T", " ") if value.count(":") == 2 else f"{value}:00"


def _equal_texts(told: str, value: str | int | float) -> bool:
    return letters_of(told) == letters_of(str(value)) != "" or prepare(told) == prepare(str(value))


def _equals_number(told: str, answer: TaskAnswer) -> bool:
    """Whether a number is the value, or rounds to it at its own precision.

    A share may be told in percent. A value of many decimals may be told in fewer, but in two at least.
    """
    try:
        number = Decimal(told.removesuffix("%"))
    except InvalidOperation:
        return False
    value = Decimal(told_value(answer))
    return any(_rounds_to(each, value) for each in (number, number / 100)[: 1 + told.endswith("%")])


def _rounds_to(number: Decimal, value: Decimal) -> bool:
    decimals, told = _decimals(value), _decimals(number)
    if told >= decimals:
        return decimals > 0 and round(number, decimals) == value or number == value
    return decimals > MANY_DECIMALS and told >= FEWEST_DECIMALS and round(value, told) == number


def _decimals(number: Decimal) -> int:
    return len(plain_digits(number).partition(".")[2])
