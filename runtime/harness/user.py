"""What a simulated user is: it opens the conversation, answers, and says when it is done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from runtime.model.model import Usage
from runtime.task.task import Task


@dataclass(frozen=True)
class UserReply:
    """What the user says. With `ends` the conversation is over; what is said with it the agent still gets to answer.

    `slips` counts replies that broke the brief and were asked for again.
    """

    text: str
    ends: bool = False
    usage: Usage | None = None
    slips: int = 0


class SimulatedUser(Protocol):
    """One user in one episode."""

    async def open(self) -> UserReply:
        """The first thing that the user says, after the assistant's greeting."""

    async def reply(self, said: str) -> UserReply:
        """The answer to all that the assistant said since the user spoke last; errors: ModelFailed, UsageError."""


class UserKind(Protocol):
    """What `--user` names; it makes a fresh user in every episode."""

    @property
    def name(self) -> str:
        """How it was asked for: `scripted`, `anthropic:MODEL`, `none`."""

    @property
    def converses(self) -> bool:
        """False if everything is told at once and nobody answers (EnvScaler's non-conversational setting)."""

    def meet(self, task: Task, seed: int) -> SimulatedUser:
        """A fresh user for a task; `seed` is of this episode."""
