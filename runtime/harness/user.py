"""What a simulated user is: it opens the conversation, answers, and says when it is done."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar, runtime_checkable

from runtime.errors import EnvironmentFault
from runtime.model.model import Usage
from runtime.task.task import Task

if TYPE_CHECKING:
    from runtime.task.answers import AnswerReader

Said = TypeVar("Said")


def at_once(reply: Coroutine[Any, Any, Said]) -> Said:
    """What a user or agent says who waits for nothing: no event loop is needed, and a notebook's own may be running.

    Errors: EnvironmentFault if it waits all the same.
    """
    try:
        reply.send(None)
    except StopIteration as done:
        answer: Said = done.value
        return answer
    reply.close()
    raise EnvironmentFault("The user or agent of a rollout waits for something, which needs an event loop.")


@dataclass(frozen=True)
class CallSeen:
    """A call that the agent made since the user spoke last, as far as the agent itself knows what came of it."""

    tool: str
    writes: bool
    accepted: bool
    declines: bool = False  # it records that a rule forbids a request
    identifies: bool = False  # it records who the caller is


@dataclass(frozen=True)
class UserReply:
    """What the user says. With `ends` the conversation is over; nobody answers what is said with it.

    `asks` names the answers whose closed question it carries, `wishes` are the requests that it says, counted from 0,
    `tells` the columns of the caller's own row that it tells, and `taken` the answers that were written down just
    before it. `slips` counts what a model said or read wrongly on the way to it.
    """

    text: str
    ends: bool = False
    usage: Usage | None = None
    slips: int = 0
    asks: tuple[str, ...] = ()
    wishes: tuple[int, ...] = ()
    tells: tuple[str, ...] = ()
    taken: tuple[tuple[str, str], ...] = ()


class SimulatedUser(Protocol):
    """One user in one episode."""

    async def open(self) -> UserReply:
        """The first thing that the user says, after the assistant's greeting."""

    async def reply(self, said: str, calls: Sequence[CallSeen]) -> UserReply:
        """The answer to all that the assistant said, and what it did, since the user spoke last.

        Errors: ModelFailed, UsageError.
        """


@runtime_checkable
class Forking(Protocol):
    """A user who changes in the course of an episode, and can be copied."""

    def fork(self) -> Self:
        """The same user at the same point, for a conversation that goes on otherwise."""


class UserKind(Protocol):
    """What `--user` names; it makes a fresh user in every episode."""

    @property
    def name(self) -> str:
        """How it was asked for: `scripted`, `reader:relay:DIR`, `anthropic:MODEL`, `none`."""

    @property
    def converses(self) -> bool:
        """False if everything is told at once and nobody answers (EnvScaler's non-conversational setting)."""

    def meet(self, task: Task, seed: int, reader: AnswerReader) -> SimulatedUser:
        """A fresh user for a task, who takes the answers down with `reader`; `seed` is of this episode."""
