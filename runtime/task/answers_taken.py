"""Which answers of a task the user has written down, what must still be asked for, and how a reply is read.

An answer is asked for by a closed question that names its form. The reply counts if each of its lines states one value,
alone or behind its name; anything else is asked for once more, and then it is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from runtime.domain.rows import ColumnRef
from runtime.domain.schema import Value
from runtime.task.answer_values import LONGEST_LINE, is_right, read_value
from runtime.task.task import Task, TaskAnswer
from runtime.verification.texts import normalize

MOST_ASKED = 2  # times that a user asks for an answer
_BULLETS = ("- ", "* ", "• ")


class AnswerReader:
    """Reads the answers of one task; the user of an episode and its verdict read alike."""

    def __init__(self, task: Task, now: str, values_of: Callable[[ColumnRef], Sequence[Value]]) -> None:
        """`now` is the frozen clock; `values_of` gives the values of a column at the start."""
        self.answers = {answer.name: answer for answer in task.answers}
        self.today = date.fromisoformat(now[:10])
        self._values_of = values_of
        self._texts: dict[ColumnRef, frozenset[str]] = {}

    def read(self, name: str, line: str) -> str | None:
        """The value that a line states for an answer, alone or behind its name; None if it states anything else."""
        answer = self.answers[name]
        value = read_value(answer, _without_name(name, line), self.today)
        return None if value is None or (answer.kind == "text" and not self._is_text_of(answer, value)) else value

    def read_reply(self, names: Sequence[str], text: str) -> dict[str, str]:
        """The values of a message that states one for each name, a line each; empty for any other message.

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

    def is_right(self, name: str, taken: str) -> bool:
        """True if what was taken down for an answer, or is typed as one, is its value."""
        value = read_value(self.answers[name], taken, self.today)
        return value is not None and is_right(self.answers[name], value)

    def _is_text_of(self, answer: TaskAnswer, value: str) -> bool:
        """True if a text is one of the answer's column, in any case and punctuation."""
        if answer.source is None:
            return True
        if answer.source not in self._texts:
            texts = (each for each in self._values_of(answer.source) if isinstance(each, str))
            self._texts[answer.source] = frozenset(map(normalize, texts))
        return normalize(value) in self._texts[answer.source] | {normalize(str(answer.value))}


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
        names = self.open_of(wishes)
        for name in names:
            self.asked[name] = self.asked.get(name, 0) + 1
        return ClosedQuestion(names, self.asked[names[0]] > 1) if names else None

    def open_of(self, wishes: Collection[int]) -> tuple[str, ...]:
        """The answers of some wishes that are neither written down nor asked for often enough."""
        return tuple(
            name
            for name, answer in self.reader.answers.items()
            if answer.wish in wishes and name not in self.values and self.asked.get(name, 0) < MOST_ASKED
        )

    def hear(self, names: Sequence[str], text: str) -> dict[str, str]:
        """Write down what a message states for these answers; what is new by it."""
        read = self.reader.read_reply([name for name in names if name not in self.values], text)
        self.values |= read
        return read

    def note(self, values: Mapping[str, str]) -> dict[str, str]:
        """Write down values that a model read in a message, each in words of it; what is new by it."""
        read = {name: self.reader.read(name, words) for name, words in values.items() if name not in self.values}
        new = {name: value for name, value in read.items() if value is not None}
        self.values |= new
        return new

    def fork(self) -> AnswersTaken:
        """A copy that goes on by itself."""
        return AnswersTaken(self.reader, dict(self.values), dict(self.asked))


def names_asked(text: str, answers: Iterable[TaskAnswer]) -> tuple[str, ...]:
    """The answers that a closed question of ours names; for whoever sees its words alone."""
    wanted = f" {normalize(text)} "
    return tuple(each.name for each in answers if f" {normalize(each.name)} " in wanted)


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
    """What stands behind "NAME:" or "The NAME is"; the line itself if it begins otherwise."""
    plain = line.replace("*", "").strip()
    for mark in (":", " is "):
        before, found, value = plain.partition(mark)
        words = normalize(before).split() if len(before) <= LONGEST_LINE else []
        if found and value.strip() and " ".join(words[words[:1] in (["the"], ["your"]) :]) == normalize(name):
            return value.strip()
    return line
