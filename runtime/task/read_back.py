"""Read the answers of a task from what the assistant says: what counts as told, what is asked again, what is right.

A reply to a closed question counts if it holds one value of the kind and says nothing else, or one for each that was
asked; a free message only if each of its sentences is the name of an answer with one value. Anything more, and nothing
is taken: the user asks instead. Whether that happens depends on form alone, never on rightness.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from runtime.domain.rows import ColumnRef
from runtime.domain.schema import Value
from runtime.task.task import Task, TaskAnswer
from runtime.verification.reading.days import find_days
from runtime.verification.reading.numbers import find_numbers, plain_digits
from runtime.verification.reading.plain import find_phrase, is_plain, name_words, prepare, words_of
from runtime.verification.reading.spans import Span, common, take_out
from runtime.verification.reading.texts import ColumnTexts, letters_of
from runtime.verification.reading.times import find_times
from runtime.verification.text.numerals import write_digits

MOST_KEPT = 256  # messages whose reading a reader keeps
MOST_READ = 2_000  # characters of a message in which an answer is looked for
MOST_ASKED = 2  # times that a user asks for one answer
MANY_DECIMALS = 4  # a value with more of them is told in fewer
FEWEST_DECIMALS = 2

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
_BETWEEN = "; "  # the names in a list
_WHAT = {"date": "date", "moment": "date and time", "time": "time", "number": "number"}
_ISO = re.compile(r"\b(\d{4}-\d\d-\d\d)T(\d\d:\d\d(?::\d\d)?)Z?\b")
_UNITS = frozenset("year years month months week weeks day days hour hours minute minutes per each".split())  # noqa: SIM905
_OUT_OF = re.compile(r"\b(\d+(?:\.\d+)?) out of \d+\b")  # of a rating
_NUMBERED = re.compile(r"\s*(\d+)[.)]\s+")
_SENTENCE_END = re.compile(r"(?<=[.!;])\s+")


class ClosedQuestion(NamedTuple):
    """Which answers the user asks for at once, and whether it is again."""

    names: tuple[str, ...]
    again: bool


def answers_asked(text: str, answers: Sequence[TaskAnswer]) -> list[tuple[str, ...]]:
    """What a message may ask for: a closed question for one answer, asked again, may name the kind alone."""
    text = text.rstrip()
    known = {each.name for each in answers}
    for wording in (*_LISTS, *_LISTS_AGAIN):
        before, _, after = wording.partition("{names}")
        _, found, names = text.removesuffix(after).rpartition(before)
        if found and text.endswith(after) and known.issuperset(names.split(_BETWEEN)):
            return [tuple(names.split(_BETWEEN))]
    wordings = (*_QUESTIONS, *_AGAIN)
    return [(each.name,) for each in answers if any(text.endswith(_worded(how, each)) for how in wordings)]


def _worded(wording: str, answer: TaskAnswer) -> str:
    return wording.format(name=answer.name, what=_WHAT.get(answer.kind, answer.name))


@dataclass(frozen=True)
class _Read:
    """A value that was told: as it is taken down, and what it can mean; one meaning is written in its own way."""

    taken: str
    meanings: frozenset[str]


class AnswerReader:
    """Reads the answers of one task from what the assistant says."""

    def __init__(self, task: Task, now: str, values_of: Callable[[ColumnRef], Sequence[Value]]) -> None:
        """`now` is the frozen clock; `values_of` gives the values of a column at the start."""
        self.answers = {answer.name: answer for answer in task.answers}
        self._today = date.fromisoformat(now[:10])
        self._messages: dict[str, dict[str, str]] = {}
        self._values: dict[tuple[str, str], _Read | None] = {}
        self._values_of = values_of
        self._columns: dict[str, ColumnTexts] = {}
        self._units = [_UNITS.intersection(words_of(" ".join(wish.words))) for wish in task.user.wishes]
        said = [fact.said for fact in task.user.facts if isinstance(fact.value, str)]
        self._said = sorted({phrase for phrase in map(prepare, said) if len(phrase) > 2}, key=len, reverse=True)

    def question(self, question: ClosedQuestion, seed: int) -> str:
        """How the user asks for answers; the words vary with the seed."""
        names, again = question
        draws = random.Random(f"{seed} {names[0]}")
        if len(names) == 1:
            return _worded(draws.choice(_AGAIN if again else _QUESTIONS), self.answers[names[0]])
        return draws.choice(_LISTS_AGAIN if again else _LISTS).format(names=_BETWEEN.join(names))

    def in_reply(self, name: str, text: str) -> str | None:
        """The value that a reply to the question for an answer states, and nothing else; None if it does not."""
        read = self._read(self.answers[name], text)
        return None if read is None else read.taken

    def in_replies(self, names: Sequence[str], text: str) -> dict[str, str]:
        """The values that a reply to the question for several answers states: with their names, or in their order."""
        if len(names) == 1 and (value := self.in_reply(names[0], text)) is not None:
            return {names[0]: value}
        lines = _lines(text)
        for parts in (lines, [sentence for line in lines for sentence in _sentences(line)]):
            units = [part for part in parts if not is_plain(part, ())]
            if names and len(units) == len(names):
                values = {name: self.in_reply(name, unit) for name, unit in zip(names, units, strict=True)}
                told = {name: value for name, value in values.items() if value is not None}
                if len(told) == len(names):
                    return told
        return self.in_message(text)

    def in_message(self, text: str) -> dict[str, str]:
        """The answers that a message of which nobody asked for one gives, if it does nothing but that."""
        if text not in self._messages:  # the user reads it, and the verdict again
            if len(self._messages) >= MOST_KEPT:
                self._messages.clear()
            self._messages[text] = self._in_message(text)
        return dict(self._messages[text])

    def _in_message(self, text: str) -> dict[str, str]:
        found: dict[str, set[str]] = {}
        for line in _lines(text):
            for unit in [line] if self._named_in(line) else _sentences(line):
                if is_plain(unit, ()):
                    continue
                told = self._named_in(unit)
                if told is None:
                    return {}
                found.setdefault(told[0], set()).add(told[1])
        return {name: values.pop() for name, values in found.items() if len(values) == 1}

    def _named_in(self, unit: str) -> tuple[str, str] | None:
        """The one answer that a line or sentence tells by its name, and its value."""
        words = set(words_of(unit))
        named = [name for name in self.answers if name_words(name) <= words]
        told = [(name, value) for name in named if (value := self.in_reply(name, unit)) is not None]
        return told[0] if len(told) == 1 else None

    def is_right(self, name: str, taken: str) -> bool:
        """Whether what was taken for an answer, or is typed as one, is its value."""
        answer = self.answers[name]
        meanings = self._meanings(name, taken)
        if answer.kind == "text":
            return taken == answer.value or any(_equal_texts(each, answer.value) for each in meanings)
        if answer.kind == "number":
            return any(_equals_number(each, answer) for each in meanings)
        return told_value(answer) in meanings

    def agree(self, name: str, one: str, other: str) -> bool:
        """Whether two values that were taken for an answer can be the same one."""
        return one == other or bool(self._meanings(name, one) & self._meanings(name, other))

    def _meanings(self, name: str, taken: str) -> frozenset[str]:
        read = self._read(self.answers[name], taken)
        return frozenset() if read is None else read.meanings

    def _read(self, answer: TaskAnswer, text: str) -> _Read | None:
        if len(text) > MOST_READ:
            return None
        if (answer.name, text) not in self._values:  # the user reads a message, and the verdict again
            if len(self._values) >= MOST_KEPT:
                self._values.clear()
            self._values[answer.name, text] = self._read_value(answer, text)
        return self._values[answer.name, text]

    def _read_value(self, answer: TaskAnswer, text: str) -> _Read | None:
        text = prepare(text)
        if answer.kind == "number":
            text = _OUT_OF.sub(r"\1", write_digits(text))
        if answer.kind == "moment":
            text = _ISO.sub(r"\1 \2", text)
        spans = [span for span in self._spans(answer, text) if not self._is_part(span, text)]
        if answer.kind != "moment":
            meanings = common(spans)
        else:
            days, times = common(s for s in spans if _is_day(s)), common(s for s in spans if not _is_day(s))
            meanings = frozenset(f"{day} {time}" for day in days for time in times)
        words = {*words_of(answer.name), *self._units[answer.wish]}
        if not meanings or not is_plain(take_out(text, spans), words, self._said):
            return None
        written = " ".join(text[span.start : span.end] for span in spans)
        return _Read(next(iter(meanings)) if len(meanings) == 1 else written, meanings)

    def _is_part(self, span: Span, text: str) -> bool:
        """Whether a value is only a part of something that the user said, as 54 is of "Studio 54"."""
        size = span.end - span.start
        return any(
            match.start() <= span.start and span.end <= match.end()
            for phrase in self._said
            if len(phrase) > size
            for match in find_phrase(phrase, text)
        )

    def _spans(self, answer: TaskAnswer, text: str) -> list[Span]:
        """The values of an answer's kind in a prepared text; of a moment its days and its times."""
        if answer.kind == "text":
            return list(self._column(answer).find(text))
        if answer.kind == "number":
            return list(find_numbers(text, in_cents=answer.minor == 1 and "cents" in words_of(answer.name)))
        days = [] if answer.kind == "time" else list(find_days(text, self._today))
        if answer.kind == "date":
            return days
        for span in days:  # blank, so that places stay
            text = text[: span.start] + " " * (span.end - span.start) + text[span.end :]
        return [*days, *find_times(text)]

    def _column(self, answer: TaskAnswer) -> ColumnTexts:
        if answer.name not in self._columns:
            values = self._values_of(answer.source) if answer.source is not None else ()
            texts = [str(answer.value), *(value for value in values if isinstance(value, str))]
            self._columns[answer.name] = ColumnTexts(texts)
        return self._columns[answer.name]


class AnswersTaken:
    """What the user has written down so far; fed message by message, it says what must still be asked.

    The first plain value is final; `contradicted` are the answers that were plainly told otherwise later.
    """

    def __init__(self, reader: AnswerReader) -> None:
        self._reader = reader
        self._asked: dict[str, int] = {}
        self.values: dict[str, str] = {}
        self.contradicted: set[str] = set()

    @property
    def told(self) -> dict[str, str]:
        """What counts in the end: what was taken and never contradicted."""
        return {name: value for name, value in self.values.items() if name not in self.contradicted}

    def hear(self, text: str, asked: Sequence[str] = ()) -> None:
        """A message of the assistant; `asked` are the answers that the user's last message asked for."""
        for name in asked:
            self._asked[name] = self._asked.get(name, 0) + 1
        told = self._reader.in_replies(asked, text)
        for name, value in told.items():
            if not self._reader.agree(name, self.values.setdefault(name, value), value):
                self.contradicted.add(name)

    def next_question(self, wishes: Collection[int]) -> ClosedQuestion | None:
        """The answers of some wishes that are still to be asked for; None if there are none."""
        open_ = [
            name
            for name, answer in self._reader.answers.items()
            if answer.wish in wishes and name not in self.values and self._asked.get(name, 0) < MOST_ASKED
        ]
        return ClosedQuestion(tuple(open_), all(name in self._asked for name in open_)) if open_ else None


def take_answers(task: Task, reader: AnswerReader, messages: Iterable[tuple[str, Sequence[str]]]) -> AnswersTaken:
    """The answers that a whole conversation gives: the assistant's messages, each with what it was asked for."""
    taken = AnswersTaken(reader)
    for text, asked in messages:
        taken.hear(text, asked)
    return taken


def read_block(task: Task, text: str) -> dict[str, str]:
    """What the last lines "NAME: value" of a text say, as they are written; a name that comes twice is left out."""
    names = {" ".join(words_of(answer.name)): answer.name for answer in task.answers}
    found: dict[str, list[str]] = {}
    for line in reversed(prepare(text).splitlines()):
        name, colon, value = line.strip().partition(":")
        meant = names.get(" ".join(words_of(name)))
        if line.strip() and (not colon or meant is None):
            break
        if meant is not None and value.strip():
            found.setdefault(meant, []).append(value.strip())
    return {name: values[0] for name, values in found.items() if len(values) == 1}


def told_value(answer: TaskAnswer) -> str:
    """The value of an answer as it is taken down where it is told right."""
    if answer.kind == "number":
        return plain_digits(Decimal(str(answer.value)) / answer.minor)
    value = str(answer.value)
    if answer.kind in ("text", "date"):
        return value
    return value.replace("T", " ") if value.count(":") == 2 else f"{value}:00"


def _lines(text: str) -> list[str]:
    """The lines of a message, without the numbers of a list."""
    if len(text) > MOST_READ:
        return [text]
    lines = [line for line in prepare(text).splitlines() if line.strip()]
    if [match[1] for line in lines if (match := _NUMBERED.match(line))] == [str(n + 1) for n in range(len(lines))]:
        lines = [_NUMBERED.sub("", line) for line in lines]
    return lines


def _sentences(line: str) -> list[str]:
    return [line] if len(line) > MOST_READ else [part for part in _SENTENCE_END.split(line) if part.strip()]


def _is_day(span: Span) -> bool:
    return all("-" in reading for reading in span.readings) and bool(span.readings)


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
