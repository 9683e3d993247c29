"""The user `none`: all wishes and all that is known in one message, and nobody answers (EnvScaler's setting)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from runtime.harness.user import CallSeen, SimulatedUser, UserReply
from runtime.task.task import Task

if TYPE_CHECKING:
    from runtime.task.answers import AnswerReader


class NoUser:
    """The kind of user that does not converse."""

    name = "none"
    converses = False

    def meet(self, task: Task, seed: int, reader: AnswerReader) -> SimulatedUser:
        """A user who says everything at once."""
        tells = tuple(dict.fromkeys(fact.proves for fact in task.user.facts if fact.proves))
        return _OneMessage(UserReply(tell_everything(task), wishes=tuple(range(len(task.user.wishes))), tells=tells))


def tell_everything(task: Task) -> str:
    """All wishes, the known facts that these do not say, and the lines in which the answers are to be given."""
    wishes = "\n\n".join(task.user.words)
    told = wishes.casefold()
    facts = dict.fromkeys(f"- {fact.name}: {fact.said}" for fact in task.user.facts if fact.said.casefold() not in told)
    parts = [wishes]
    if facts:
        parts.append("\n".join(["What else you may need to know:", *facts]))
    if task.answers:
        lines = [f"{answer.name}: ..." for answer in task.answers]
        parts.append("\n".join(["End your last message with these lines, filled in, and nothing after them:", *lines]))
    return "\n\n".join(parts)


class _OneMessage:
    def __init__(self, message: UserReply) -> None:
        self._message = message

    async def open(self) -> UserReply:
        return self._message

    async def reply(self, said: str, calls: Sequence[CallSeen]) -> UserReply:
        return UserReply("", ends=True)
