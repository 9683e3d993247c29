"""The user `none`: all wishes and all that is known in one message, and nobody answers (EnvScaler's setting)."""

from __future__ import annotations

from runtime.harness.user import SimulatedUser, UserReply
from runtime.task.task import Task


class NoUser:
    """The kind of user that does not converse."""

    name = "none"
    converses = False

    def meet(self, task: Task, seed: int) -> SimulatedUser:
        """A user who says everything at once."""
        return _OneMessage(tell_everything(task))


def tell_everything(task: Task) -> str:
    """All wishes, and the known facts that these do not say."""
    wishes = "\n\n".join(task.user.words)
    told = wishes.casefold()
    facts = [f"- {fact.name}: {fact.said}" for fact in task.user.facts if fact.said.casefold() not in told]
    return "\n".join((wishes, "", "What else you may need to know:", *dict.fromkeys(facts))) if facts else wishes


class _OneMessage:
    def __init__(self, text: str) -> None:
        self._text = text

    async def open(self) -> UserReply:
        return UserReply(self._text)

    async def reply(self, said: str) -> UserReply:
        return UserReply("", ends=True)
