"""The answers of a task that a conversation gives, taken down message by message, and what must still be asked for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from runtime.task.closed_question import MOST_TOGETHER, ClosedQuestion
from runtime.task.read_back import AnswerReader

MOST_ASKED = 2  # times that a user asks for one answer, beside repeating it once

ToldMessage = (
    tuple[str, Sequence[str]]
    | tuple[str, Sequence[str], Sequence[tuple[str, str]]]
    | tuple[str, Sequence[str], Sequence[tuple[str, str]], bool]
)
"""What the assistant said, the answers it was asked for, those that are quoted from it, and whether the user's message
before it says a wish.
"""


class AnswersTaken:
    """What the user has written down so far; fed message by message, it says what must still be asked.

    What was said in passing is repeated, and taken down on a plain yes; where the reply is neither that nor a no, the
    user asks for a yes or no once more. What was not said, or not clearly, is asked for. The first value that is taken
    is final; `contradicted` are the answers that were plainly told otherwise later.
    """

    def __init__(self, reader: AnswerReader) -> None:
        self._reader = reader
        self._asked: dict[str, int] = {}  # how often, not counting where a value was repeated
        self._twice: set[str] = set()  # repeated, and the reply was neither a plain yes nor a no
        self._lately: tuple[str, ...] = ()  # what was said since a wish was, or anything was asked for
        self.values: dict[str, str] = {}
        self.contradicted: set[str] = set()

    @property
    def told(self) -> dict[str, str]:
        """What counts in the end: what was taken and never contradicted."""
        return {name: value for name, value in self.values.items() if name not in self.contradicted}

    def hear(
        self, text: str, asked: Sequence[str] = (), quoted: Iterable[tuple[str, str]] = (), opens: bool = False
    ) -> None:
        """A message of the assistant; `asked` are the answers that the user's last message asked for.

        `opens` if that message said a wish: what was said in passing before belongs to another one.

        `quoted` are answers by name with the words of the message that tell them, found by a mind that reads: their
        values are read by the same rules.
        """
        if opens:
            self._lately = ()
        repeated = self._repeated(asked)
        if repeated and self._reader.confirms(repeated, text, self._lately):
            text = "\n".join(f"{name}: {value}" for name, value in repeated.items())
        told = self._reader.in_quotes(quoted, text) | self._reader.in_replies(asked, text)
        if repeated and not told and not self._twice.issuperset(asked) and self._reader.leaves_open(repeated, text):
            self._twice.update(asked)
            return
        self._lately = () if asked else (*self._lately, text)[-MOST_TOGETHER:]
        for name in asked:
            self._asked[name] = self._asked.get(name, 0) + (not repeated)
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
        if not open_:
            return None
        times = min(self._asked.get(name, -1) + 1 or int(name in self._twice) for name in open_)
        return ClosedQuestion(tuple(open_), times, tuple(self._repeated(open_).values()))

    def _repeated(self, names: Sequence[str]) -> dict[str, str]:
        """What was said in passing, a value for each of the answers, if they were never asked for."""
        found = {name: self._reader.in_passing(name, self._lately) for name in names if name not in self._asked}
        values = {name: value for name, value in found.items() if value is not None}
        return values if len(set(values.values())) == len(names) else {}


def take_answers(reader: AnswerReader, messages: Iterable[ToldMessage]) -> AnswersTaken:
    """The answers that a whole conversation gives."""
    taken = AnswersTaken(reader)
    for message in messages:
        taken.hear(*message)
    return taken
