"""The closed questions by which a user takes answers down: how they are worded, and known by their words."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from runtime.task.task import TaskAnswer

MOST_TOGETHER = 4  # messages of the assistant that are looked at together

_QUESTIONS = (
    "Could you send me just the {name}, so that I can copy it into my notes?",
    "For my notes, could you put the {name} in a message of its own?",
    "I'd like to copy that: could I have just the {name}?",
)
_AGAIN = (
    "Sorry, just the {what}, without anything around it, please.",
    "I'd need only the {what}, please, nothing else.",
    "The {what} alone, please, so that I can copy it.",
)
_LISTS = (  # several answers at once
    "Could you send me just these, a line each, so that I can copy them into my notes: {names}?",
    "For my notes, could you put these on a line each, without anything else: {names}?",
    "I'd like to copy that: could I have just a line for each of {names}?",
)
_LISTS_AGAIN = (
    "Sorry, a line for each and nothing around it, please: {names}.",
    "I'd need only a line for each, please, nothing else: {names}.",
    "Just a line for each, please, so that I can copy it: {names}.",
)
_REPEATS = (  # with the values as they were told
    "Let me write that down: {names}. Is that right?",
    "For my notes: {names}. Is that correct?",
    "So I can note it down: {names}. Right?",
)
_REPEATS_AGAIN = (
    "Sorry, just yes or no, please - {names}?",
    "A plain yes or no will do - {names}?",
    "Just a yes or no, please - {names}?",
)
_BETWEEN = "; "  # the names in a list
_WHAT = {"date": "date", "moment": "date and time", "time": "time", "number": "number"}


class ClosedQuestion(NamedTuple):
    """Which answers the user asks for at once, how often it did before, and the values that are repeated, if any."""

    names: tuple[str, ...]
    times: int
    values: tuple[str, ...] = ()


def word_question(question: ClosedQuestion, answers: Mapping[str, TaskAnswer], seed: int) -> str:
    """How the user asks for answers; the words vary with the seed."""
    draws = random.Random(f"{seed} {question.names[0]}")

    def one_of(first: Sequence[str], again: Sequence[str]) -> str:
        words = again if question.times else first
        return words[(draws.randrange(len(words)) + question.times) % len(words)]  # another one each time

    if question.values:
        told = _BETWEEN.join(f"{name}: {value}" for name, value in zip(question.names, question.values, strict=True))
        return one_of(_REPEATS, _REPEATS_AGAIN).format(names=told)
    if len(question.names) == 1:
        return _worded(one_of(_QUESTIONS, _AGAIN), answers[question.names[0]])
    return one_of(_LISTS, _LISTS_AGAIN).format(names=_BETWEEN.join(question.names))


def answers_asked(text: str, answers: Sequence[TaskAnswer]) -> list[tuple[str, ...]]:
    """What a message may ask for: a closed question for one answer, asked again, may name the kind alone."""
    text = text.rstrip()
    known = {each.name for each in answers}
    for wording in (*_LISTS, *_LISTS_AGAIN):
        before, _, after = wording.partition("{names}")
        _, found, listed = text.removesuffix(after).rpartition(before)
        if found and text.endswith(after) and known.issuperset(listed.split(_BETWEEN)):
            return [tuple(listed.split(_BETWEEN))]
    for wording in (*_REPEATS, *_REPEATS_AGAIN):
        before, _, after = wording.partition("{names}")
        _, found, told = text.removesuffix(after).rpartition(before)
        if found and text.endswith(after):
            parts = told.casefold().split(_BETWEEN)
            names = [each.name for each in answers if any(p.startswith(f"{each.name.casefold()}: ") for p in parts)]
            return [tuple(names)]
    wordings = (*_QUESTIONS, *_AGAIN)
    return [(each.name,) for each in answers if any(text.endswith(_worded(how, each)) for how in wordings)]


def _worded(wording: str, answer: TaskAnswer) -> str:
    return wording.format(name=answer.name, what=_WHAT.get(answer.kind, answer.name))
