"""The least user there can be: says one wish after another, whatever it hears, and ends."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.harness.user import CallSeen, UserReply
from runtime.task.answers_taken import AnswerReader
from runtime.task.task import Task


class WishfulUser:
    """A kind of user that says its wishes word for word."""

    name = "wishful"
    converses = True

    def meet(self, task: Task, seed: int, reader: AnswerReader) -> OneWishfulUser:
        """A fresh user."""
        return OneWishfulUser(list(task.user.words))


class OneWishfulUser:
    """The user of one episode; `heard` is what the assistant said."""

    def __init__(self, wishes: list[str]) -> None:
        self.heard: list[str] = []
        self._wishes = wishes
        self._said = 0

    async def open(self) -> UserReply:
        self._said += 1
        return UserReply(self._wishes[self._said - 1], wishes=(self._said - 1,))

    async def reply(self, said: str, calls: Sequence[CallSeen]) -> UserReply:
        self.heard.append(said)
        return await self.open() if self._said < len(self._wishes) else UserReply("Thanks, bye.", ends=True)
