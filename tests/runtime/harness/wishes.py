"""The least user there can be: says one wish after another, whatever it hears, and ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from runtime.harness.conversation import CallSeen, UserReply
from runtime.task.answers import AnswerReader
from runtime.task.task import Task


class WishfulUser:
    """A kind of user that says its wishes word for word, and all its facts with the first."""

    name = "wishful"
    converses = True

    def meet(self, task: Task, seed: int, reader: AnswerReader) -> OneWishfulUser:
        """A fresh user."""
        return OneWishfulUser(task, reader)


class OneWishfulUser:
    """The user of one episode; `heard` is what the assistant said."""

    def __init__(self, task: Task, reader: AnswerReader) -> None:
        self.heard: list[str] = []
        self.reader = reader
        self._wishes = list(task.user.words)
        self._facts = task.user.facts
        self._said = 0

    async def open(self) -> UserReply:
        return self._say({})

    async def reply(self, said: str, calls: Sequence[CallSeen]) -> UserReply:
        self.heard.append(said)
        taken = take(self.reader, said)
        if self._said < len(self._wishes):
            return self._say(taken)
        return UserReply("Thanks, bye.", ends=True, taken=tuple(taken.items()))

    def _say(self, taken: Mapping[str, str]) -> UserReply:
        first, wish = not self._said, self._said
        self._said += 1
        about = " ".join(["", *(fact.said for fact in self._facts)]) if first else ""
        tells = tuple(fact.proves for fact in self._facts if fact.proves) if first else ()
        return UserReply(self._wishes[wish] + about, wishes=(wish,), tells=tells, taken=tuple(taken.items()))


def take(reader: AnswerReader, said: str) -> dict[str, str]:
    """What the lines "NAME: value" of a message state."""
    lines = {
        name: line for line in said.splitlines() for name in reader.answers if line.lower().startswith(f"{name}: ")
    }
    read = {name: reader.read(name, line) for name, line in lines.items()}
    return {name: value for name, value in read.items() if value is not None}
