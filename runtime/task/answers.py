"""Answers that the user must be told: their kinds, the strict form of a reply, and which are still open.

An answer is heard in the message that ends its request if exactly one value of its kind stands there, in a sentence
that has all words of its name. Else a closed question names its form. The reply counts if each of its lines states one
value, alone or behind its name; anything else is asked for once more, and then it is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from runtime.domain.locale import AMERICAN, Locale
from runtime.domain.schema import ColumnRef, Value
from runtime.task.task import Task, TaskAnswer
from runtime.task.values import LONGEST_LINE, Here, is_right, read_value, values_in
from runtime.verification.texts import marks, normalize

MOST_ASKED = 2  # times that a user asks for an answer
LONGEST_HEARD = 1_500  # characters; in a longer message no value is heard in passing
_BULLETS = ("- ", "* ", "• ")


class AnswerReader:
    """Reads the answers of one task; the user of an episode and its verdict read alike."""

    def __init__(
        self, task: Task, now: str, values_of: Callable[[ColumnRef], Sequence[Value]], locale: Locale = AMERICAN
    ) -> None:
        """`now` is the frozen clock; `values_of` gives the values of a column at the start."""
        self.answers = {answer.name: answer for answer in task.answers}
        self.locale, self.today = locale, date.fromisoformat(now[:10])
        self._here = Here(self.today, locale)
        self._values_of = values_of
        self._texts: dict[ColumnRef, dict[str, frozenset[str]]] = {}

    def read(self, name: str, line: str) -> str | None:
        """The value that a line states for an answer, alone or behind its name; None if it states anything else."""
        answer = self.answers[name]
        value = read_value(answer, _without_name(name, line), self.today, self.locale)
        return None if value is None or (answer.kind == "text" and not self._is_text_of(answer, value)) else value

    def read_reply(self, names: Sequence[str], text: str) -> dict[str, str]:
        """Return the values of a message that states one for each name, a line each; empty for any other message.

        The lines come in the order of the names, or each begins with its name.
        """
        if not names or len(text) > (LONGEST_LINE + 2) * (len(names) + 1):
            return {}
        lines = [line.strip().removeprefix("- ").strip() for line in text.splitlines() if line.strip()]
        lines = [next((line[2:] for each in _BULLETS if line.startswith(each)), line) for line in lines]
        if len(lines) != len(names):
            return {}
        named = {name: line for line in lines for name in names if _without_name(name, line) != line}
        pairs = named.items() if len(named) == len(names) else zip(names, lines, strict=True)
        found = {name: self.read(name, line) for name, line in pairs}
        return {name: value for name, value in found.items() if value is not None} if None not in found.values() else {}

    def read_in_passing(self, names: Sequence[str], text: str) -> dict[str, str]:
        """The values of answers of which exactly one of their kind stands in a message with all words of their name."""
        if not names or len(text) > LONGEST_HEARD:
            return {}
        heard = list(values_in(text, self._here))
        found: dict[str, str] = {}
        for name in names:
            answer = self.answers[name]
            of_kind = [(value, words) for kind, value, words in heard if kind == answer.kind]
            if answer.kind == "text":
                of_kind = [(value, words) for value, words in of_kind if self._is_text_of(answer, value)]
            is_named = any(set(normalize(name).split()) <= set(words.split()) for _, words in of_kind)
            values = {value for value, _ in of_kind}
            if len(values) == 1 and is_named:
                found[name] = values.pop()
        return found

    def is_right(self, name: str, taken: str) -> bool:
        """True if a value that was noted or typed for an answer is the right one."""
        value = read_value(self.answers[name], taken, self.today, self.locale)
        return value is not None and is_right(self.answers[name], value)

    def _is_text_of(self, answer: TaskAnswer, value: str) -> bool:
        """True if a text is one of the answer's column, in any case and punctuation."""
        if answer.source is None:
            return True
        if answer.source not in self._texts:
            texts = (each for each in self._values_of(answer.source) if isinstance(each, str))
            self._texts[answer.source] = {normalize(each): marks(each) for each in (*texts, str(answer.value))}
        known = self._texts[answer.source].get(normalize(value))
        return known is not None and marks(value) <= known | {"."}


@dataclass(frozen=True)
class ClosedQuestion:
    """The answers that the user asks for at once, and whether it is for the second time."""

    names: tuple[str, ...]
    again: bool = False


@dataclass
class AnswersTaken:
    """What the user has written down so far; the first value that is taken is final."""

    reader: AnswerReader
    values: dict[str, str] = field(default_factory=dict)
    asked: dict[str, int] = field(default_factory=dict)  # how often

    def ask(self, wishes: Collection[int]) -> ClosedQuestion | None:
        """Ask for the answers of some wishes that are still open; None if there are none."""
        return self._ask(self.open_of(wishes))

    def _ask(self, names: tuple[str, ...]) -> ClosedQuestion | None:
        for name in names:
            self.asked[name] = self.asked.get(name, 0) + 1
        return ClosedQuestion(names, self.asked[names[0]] > 1) if names else None

    def open_of(self, wishes: Collection[int]) -> tuple[str, ...]:
        """Return the answers of some wishes that are neither written down nor asked for often enough."""
        return tuple(
            name
            for name, answer in self.reader.answers.items()
            if answer.wish in wishes and answer.kind != "account" and self._is_open(name)
        )

    def ask_for_account(self) -> ClosedQuestion | None:
        """Ask which requests were not done; None where that is not asked, or was."""
        names = tuple(
            name for name, each in self.reader.answers.items() if each.kind == "account" and self._is_open(name)
        )
        return self._ask(names)

    def _is_open(self, name: str) -> bool:
        return name not in self.values and self.asked.get(name, 0) < MOST_ASKED

    def hear(self, names: Sequence[str], text: str) -> dict[str, str]:
        """Write down what a message states for these answers; what is new by it."""
        open_names = [name for name in names if name not in self.values]
        read = self.reader.read_reply(open_names, text)
        self.values |= read
        return read

    def hear_in_passing(self, names: Sequence[str], text: str) -> None:
        """Write down what a message states for these answers among other words, where nothing else can be meant."""
        self.values |= self.reader.read_in_passing([name for name in names if name not in self.values], text)

    def note(self, values: Mapping[str, str]) -> dict[str, str]:
        """Write down values that a model read in a message, each in words of it; what is new by it."""
        read = {name: self.reader.read(name, words) for name, words in values.items() if name not in self.values}
        new = {name: value for name, value in read.items() if value is not None}
        self.values |= new
        return new

    def fork(self) -> AnswersTaken:
        return AnswersTaken(self.reader, dict(self.values), dict(self.asked))


def read_block(task: Task, text: str) -> dict[str, str]:
    """What the last lines "NAME: value" of a text say, as they are written; a name that comes twice is left out."""
    names = {normalize(answer.name): answer.name for answer in task.answers}
    found: dict[str, list[str]] = {}
    for line in reversed(text.splitlines()):
        name, colon, value = line.strip().partition(":")
        meant = names.get(normalize(name)) if len(name) <= LONGEST_LINE else None
        if line.strip() and (not colon or meant is None):
            break
        if meant is not None and value.strip():
            found.setdefault(meant, []).append(value.strip())
    return {name: values[0] for name, values in found.items() if len(values) == 1}


def _without_name(name: str, line: str) -> str:
    """Return what follows "NAME:" or "The NAME is"; the whole line if it begins differently."""
    plain = line.replace("*", "").strip()
    for mark in (":", " is "):
        before, found, value = plain.partition(mark)
        words = normalize(before).split() if len(before) <= LONGEST_LINE else []
        if found and value.strip() and " ".join(words[words[:1] in (["the"], ["your"]) :]) == normalize(name):
            return value.strip()
    return line
