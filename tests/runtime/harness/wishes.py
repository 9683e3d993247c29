"""The least user there can be: says one wish after another, whatever it hears, and ends."""

from __future__ import annotations

from runtime.harness.user import UserReply
from runtime.task.task import Task


class WishfulUser:
    """A kind of user that says its wishes word for word."""

    name = "wishful"
    converses = True

    def meet(self, task: Task, seed: int) -> OneWishfulUser:
        """A fresh user."""
        return OneWishfulUser(list(task.user.words))


class OneWishfulUser:
    """The user of one episode; `heard` is what the assistant said."""

    def __init__(self, wishes: list[str]) -> None:
        self.heard: list[str] = []
        self._wishes = wishes

    async def open(self) -> UserReply:
        return UserReply(self._wishes.pop(0))

    async def reply(self, said: str) -> UserReply:
        self.heard.append(said)
        return UserReply(self._wishes.pop(0)) if self._wishes else UserReply("Thanks, bye.", ends=True)
