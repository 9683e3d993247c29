"""Read the answers of a task from what the assistant says: what counts as told, what is asked again, what is right.

A reply to a closed question counts if it holds one value of the kind and says nothing else, or one for each that was
asked; a free message only if each of its sentences is the name of an answer with one value. Anything more, and nothing
is taken: the user asks instead. Whether that happens depends on form alone, never on rightness.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from runtime.domain.rows import ColumnRef
from runtime.domain.schema import Value
from runtime.task.closed_question import ClosedQuestion, word_question
from runtime.task.right_answer import is_value
from runtime.task.task import Task, TaskAnswer
from runtime.verification.reading.days import find_days
from runtime.verification.reading.numbers import find_numbers
from runtime.verification.reading.plain import (
    denies,
    find_phrase,
    is_closing,
    is_plain,
    is_yes,
    name_words,
    prepare,
    sentences_of,
    words_of,
)
from runtime.verification.reading.spans import Span, common, take_out
from runtime.verification.reading.texts import ColumnTexts
from runtime.verification.reading.times import find_times
from runtime.verification.text.numerals import write_digits

MOST_KEPT = 256  # messages whose reading a reader keeps
MOST_OF_AN_OPENING = 6  # words before the value that was asked for: "Of course, pen at the ready?"
MOST_READ = 2_000  # characters of a message in which an answer is looked for

_ISO = re.compile(r"\b(\d{4}-\d\d-\d\d)T(\d\d:\d\d(?::\d\d)?)Z?\b")
_UNITS = frozenset("year years month months week weeks day days hour hours minute minutes per each".split())  # noqa: SIM905
_NEW = "new"  # in the name of an answer
_OUT_OF = re.compile(r"\b(\d+(?:\.\d+)?) out of \d+\b")  # of a rating
_UNIT = re.compile(r"\S+ ([^\W\d_]+)")
_NUMBERED = re.compile(r"\s*(\d+)[.)]\s+")
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+")
_CLAUSE_END = re.compile(r"[;()]|(?<!day),\s(?!\d{4}\b)|\s-\s|\band\b")  # not within "Friday, 22 March, 2024"
_NOW = frozenset({_NEW, "now"})  # where something new is told beside what it was


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
        self.today = date.fromisoformat(now[:10])
        self._messages: dict[tuple[str, ...], dict[str, str]] = {}
        self._values: dict[tuple[str, str], _Read | None] = {}
        self._passing: dict[tuple[str, tuple[str, ...]], str | None] = {}
        self._values_of = values_of
        self._columns: dict[str, ColumnTexts] = {}
        self._units = [_UNITS.intersection(words_of(" ".join(wish.words))) for wish in task.user.wishes]
        words = [task.user.profile, *(each for wish in task.user.wishes for each in wish.words)]
        self._known = frozenset(words_of(" ".join(words)))
        said = [fact.said for fact in task.user.facts if isinstance(fact.value, str)]
        values = [str(fact.value) for fact in task.user.facts if fact.value is not None]
        self._facts = {
            part for value in values for part in (value, *value.split(" ", 1))
        }  # a moment's day and time, too
        self._said = sorted({phrase for phrase in map(prepare, said) if len(phrase) > 2}, key=len, reverse=True)

    def question(self, question: ClosedQuestion, seed: int) -> str:
        """How the user asks for answers; the words vary with the seed."""
        return word_question(question, self.answers, seed)

    def in_passing(self, name: str, said: Sequence[str]) -> str | None:
        """The one value of an answer's kind that some messages have in whatever they say, in their words.

        None if they have none or several: among those that stand with the answer's name in the last one, else, of
        something new, among those of the last one, else among all that the user did not say, else among those that
        stand with most of the name in a clause of the last one.
        """
        if not said or len("\n".join(said)) > MOST_READ:
            return None
        said = tuple(said)
        if (name, said) not in self._passing:
            if len(self._passing) >= MOST_KEPT:
                self._passing.clear()
            self._passing[name, said] = self._find_passing(self.answers[name], said)
        return self._passing[name, said]

    def _find_passing(self, answer: TaskAnswer, said: Sequence[str]) -> str | None:
        told = [
            [each for line in self._prepared(answer, text).splitlines() for each in _sentences(line)] for text in said
        ]
        told = [[each for each in sentences if not each.endswith("?") and not is_closing(each)] for sentences in told]
        told = [[each for each in sentences if not self._is_of_another(answer, each)] for sentences in told]
        named = [each for each in told[-1] if name_words(answer.name) <= set(words_of(each))]
        if named and (value := self._only(answer, "\n".join(named))):
            return value
        last = told[-1]
        if _NEW in name_words(answer.name):  # what it was before may have been said, too
            told = told[-1:]
        all_told = "\n".join(each for sentences in told for each in sentences)
        return self._only(answer, all_told) or self._only(answer, "\n".join(_clauses_of(answer, last)))

    def _is_of_another(self, answer: TaskAnswer, sentence: str) -> bool:
        """Whether a sentence has the name of another answer of the kind, and not this one's."""
        words, kind = set(words_of(sentence)), (answer.kind, answer.kind == "text" and answer.source)
        kinds = {name: (each.kind, each.kind == "text" and each.source) for name, each in self.answers.items()}
        others = [name_words(name) for name in kinds if name != answer.name and kinds[name] == kind]
        return any(name <= words for name in others) and not name_words(answer.name) <= words

    def confirms(self, values: Mapping[str, str], text: str, said: Sequence[str]) -> bool:
        """Whether a reply to the question whether values of answers are right is a plain yes.

        A value in it may stand among words of what was `said` before.
        """
        sentences = self._without(values, text)
        about = {word for name, value in values.items() for word in words_of(f"{name} {value}")}
        return bool(sentences) and is_yes(sentences, about, self._known, words_of(" ".join(said)))

    def leaves_open(self, values: Mapping[str, str], text: str) -> bool:
        """Whether such a reply neither denies at once nor names another value there, whatever else it says."""
        sentences = self._without(values, text)
        return bool(sentences) and not denies(sentences[0])

    def _without(self, values: Mapping[str, str], text: str) -> list[str]:
        """The sentences of a reply without these values; none if the first has another one of the kind."""
        if len(text) > MOST_READ:
            return []
        is_counted = any(self.answers[name].kind == "number" for name in values)
        sentences = sentences_of(_OUT_OF.sub(r"\1", write_digits(prepare(text))) if is_counted else prepare(text))
        for name, value in values.items():
            answer, meanings = self.answers[name], self._meanings(name, value)
            for number, sentence in enumerate(sentences):
                same = [span for span in self._spans(answer, sentence) if _is_of(span, meanings)]
                sentences[number] = take_out(sentence, same)
        others = (self._others(self.answers[name], sentence) for name in values for sentence in sentences[:1])
        return [] if any(others) else sentences

    def _others(self, answer: TaskAnswer, text: str) -> bool:
        """Whether a text has a value of an answer's kind that is not part of what the user said."""
        return any(span.readings and not self._is_part(span, text) for span in self._spans(answer, text))

    def _only(self, answer: TaskAnswer, text: str) -> str | None:
        """The one value of an answer's kind in a prepared text, in its words; None if there is none, or several.

        Values that the user said are not counted.
        """
        dated = [*find_days(text, self.today), *find_times(text)] if answer.kind == "number" else []
        found = self._spans(answer, _blanked(text, [span for span in dated if span.readings]))
        spans = [span for span in found if span.readings and not self._is_part(span, text)]
        if answer.kind == "number":  # "which one", and of several the one with its unit
            spans = [span for span in spans if any(map(str.isdigit, text[span.start : span.end]))]
            units = [(span, _UNIT.match(text, span.start)) for span in spans]
            name = name_words(answer.name)
            spans = [span for span, unit in units if unit and unit[1].lower() in name] or spans
        parts = [spans]
        if answer.kind == "moment":
            parts = [[span for span in spans if _is_day(span) == day] for day in (True, False)]
        words = []
        for part in parts:
            part = [span for span in part if len(span.readings) == 1] or part  # a weekday beside its day has two
            part = [span for span in part if not span.readings & self._facts] or part
            if not common(part):
                return None
            best = max(part, key=lambda span: span.end - span.start)  # "today, Friday, March 15", not "today"
            words.append(text[best.start : best.end].strip(" .,"))
        return ", ".join(words)

    def in_reply(self, name: str, text: str) -> str | None:
        """The value that a reply to the question for an answer states, and nothing else; None if it does not."""
        read = self._read(self.answers[name], text)
        return None if read is None else read.taken

    def in_replies(self, names: Sequence[str], text: str) -> dict[str, str]:
        """The values that a reply to the question for several answers states: with their names, or in their order."""
        message = (*names, text)
        if message not in self._messages:  # the user reads it, and the verdict again
            if len(self._messages) >= MOST_KEPT:
                self._messages.clear()
            self._messages[message] = self._in_replies(names, text) if names else self._in_message(text)
        return dict(self._messages[message])

    def in_message(self, text: str) -> dict[str, str]:
        """The answers that a message of which nobody asked for one gives, if it does nothing but that."""
        return self.in_replies((), text)

    def _in_replies(self, names: Sequence[str], text: str) -> dict[str, str]:
        spoken = [[part for part in _sentences(line) if not is_closing(part)] for line in _lines(text)]
        if spoken and len(spoken[0]) > 1 and self._is_small_talk(names, spoken[0][0]):
            del spoken[0][0]
        text = "\n".join(map(" ".join, spoken))
        if len(names) == 1 and (value := self.in_reply(names[0], text)) is not None:
            return {names[0]: value}
        lines = _lines(text)
        for parts in (lines, [sentence for line in lines for sentence in _sentences(line)]):
            units = [part for part in parts if not is_plain(part, ())]
            if len(units) == len(names):
                values = {name: self.in_reply(name, unit) for name, unit in zip(names, units, strict=True)}
                told = {name: value for name, value in values.items() if value is not None}
                if len(told) == len(names):
                    return told
        return self._in_message(text)

    def _is_small_talk(self, names: Sequence[str], sentence: str) -> bool:
        """Whether what a reply opens with asks something, in a few words, and has no value and nothing that denies."""
        if not sentence.endswith("?") or len(words_of(sentence)) > MOST_OF_AN_OPENING or denies(sentence):
            return False
        return not any(map(str.isdigit, sentence)) and not any(self._spans(self.answers[n], sentence) for n in names)

    def in_quotes(self, quoted: Iterable[tuple[str, str]], text: str) -> dict[str, str]:
        """The values of answers that are quoted from a message, where the words stand in it and tell nothing else."""
        found = {name: self.in_reply(name, words) for name, words in quoted if name in self.answers and words in text}
        return {name: value for name, value in found.items() if value is not None}

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
        return is_value(self.answers[name], taken, self._meanings(name, taken))

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
        text = self._prepared(answer, text)
        spans = [span for span in self._spans(answer, text) if not self._is_part(span, text)]
        if answer.kind == "date":  # with its time of day, if somebody tells that, too
            meanings = common(spans)
            spans += find_times(_blanked(text, spans)) if meanings else []
        elif answer.kind != "moment":
            meanings = common(spans)
        else:
            days, times = common(s for s in spans if _is_day(s)), common(s for s in spans if not _is_day(s))
            meanings = frozenset(f"{day} {time}" for day in days for time in times)
        column = words_of(answer.source.column.replace("_", " ")) if answer.source is not None else ()
        words = {*words_of(answer.name), *self._units[answer.wish], *column}
        if answer.kind == "text":  # "from the newspaper", but a day "from" which on is a span of time
            words.add("from")
        if not meanings or not is_plain(take_out(text, spans), words, self._said):
            return None
        written = " ".join(text[span.start : span.end] for span in spans)
        return _Read(next(iter(meanings)) if len(meanings) == 1 else written, meanings)

    def _prepared(self, answer: TaskAnswer, text: str) -> str:
        text = prepare(text)
        if answer.kind == "number":
            return _OUT_OF.sub(r"\1", write_digits(text))
        return _ISO.sub(r"\1 \2", text) if answer.kind == "moment" else text

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
        days = [] if answer.kind == "time" else list(find_days(text, self.today))
        if answer.kind == "date":
            return days
        return [*days, *find_times(_blanked(text, days))]

    def _column(self, answer: TaskAnswer) -> ColumnTexts:
        if answer.name not in self._columns:
            values = self._values_of(answer.source) if answer.source is not None else ()
            texts = [str(answer.value), *(value for value in values if isinstance(value, str))]
            self._columns[answer.name] = ColumnTexts(texts)
        return self._columns[answer.name]


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


def _clauses_of(answer: TaskAnswer, sentences: Sequence[str]) -> list[str]:
    """The clauses that tell an answer beside other values: with its name but for a word of several, or what is new.

    A rate, such as one per day, is left out. A moment is none of a clause: its day and time may stand in two.
    """
    if answer.kind == "moment":
        return []
    name = name_words(answer.name)
    fewest = len(name) - (len(name) > 2)

    def tells(clause: str) -> bool:
        words = set(words_of(clause))
        is_named = words & _NOW if _NEW in name else len(words & name) >= fewest
        return bool(is_named) and not (words & _UNITS) - name

    return [clause for sentence in sentences for clause in _CLAUSE_END.split(sentence) if tells(clause)]


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


def _blanked(text: str, spans: Iterable[Span]) -> str:
    """A text with blanks where spans stood, so that places stay."""
    for span in spans:
        text = text[: span.start] + " " * (span.end - span.start) + text[span.end :]
    return text


def _is_of(span: Span, meanings: Collection[str]) -> bool:
    """Whether a span has one of some meanings, or the day or time of one."""
    return any(reading == meaning or reading in meaning.split(" ") for reading in span.readings for meaning in meanings)


def _is_day(span: Span) -> bool:
    return all("-" in reading for reading in span.readings) and bool(span.readings)
