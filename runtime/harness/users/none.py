"""The user `none`: all wishes and all that is known in one message, and nobody answers (EnvScaler's setting)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from runtime.harness.user import CallSeen, SimulatedUser, UserReply
from runtime.task.task import Task

if TYPE_CHECKING:
    from runtime.task.read_back import AnswerReader


class NoUser:
    """The kind of user that does not converse."""

    name = "none"
    converses = False

    def meet(self, task: Task, seed: int, reader: AnswerReader) -> SimulatedUser:
        """A user who says everything at once."""
        return _OneMessage(tell_everything(task), tuple(range(len(task.user.wishes))))


def tell_everything(task: Task) -> str:
    """All wishes, and the known facts that these do not say."""
    wishes = "\n\n".join(task.user.words)
    told = wishes.casefold()
    facts = [f"- {fact.name}: {fact.said}" for fact in task.user.facts if fact.said.casefold() not in told]
    return "\n".join((wishes, "", "What else you may need to know:", *dict.fromkeys(facts))) if facts else wishes


class _OneMessage:
    def __init__(self, text: str, wishes: tuple[int, ...]) -> None:
        self._text = text
        self._wishes = wishes

    async def open(self) -> UserReply:
        return UserReply(self._text, wishes=self._wishes)

    async def reply(self, said: str, calls: Sequence[CallSeen]) -> UserReply:
        return UserReply("", ends=True)
