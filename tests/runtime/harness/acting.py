"""Agents that do what a test says, and episodes of the library's tasks."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from runtime.domain.domain import Domain
from runtime.harness.conversation import AgentContext, AgentKind, AssistantTurn, Message, ToolCall
from runtime.harness.play import Setting, play
from runtime.harness.record import EpisodeRecord
from runtime.session.world import World
from runtime.task.task import Task
from runtime.task.task_file import find_task
from tests.runtime.harness.wishes import WishfulUser

Turn = AssistantTurn | Exception | Callable[[], Awaitable[AssistantTurn]]


class Doing:
    """An agent that takes the given turns, and then falls silent."""

    name = "doing"

    def __init__(self, *turns: Turn) -> None:
        self._turns = turns
        self.seen: list[Message] = []
        self.seated: AgentContext | None = None

    def begin(self, context: AgentContext) -> _Actor:
        self.seated = context
        return _Actor(self, list(self._turns))


class _Actor:
    def __init__(self, kind: Doing, turns: list[Turn]) -> None:
        self._kind, self._turns = kind, turns

    async def act(self, messages: Sequence[Message]) -> AssistantTurn:
        self._kind.seen = list(messages)
        turn = self._turns.pop(0) if self._turns else AssistantTurn(note="It has no more turns.")
        if isinstance(turn, Exception):
            raise turn
        return turn if isinstance(turn, AssistantTurn) else await turn()


def says(text: str) -> AssistantTurn:
    """A turn of words alone."""
    return AssistantTurn(text)


def calls(*named: tuple[str, Any]) -> AssistantTurn:
    """A turn of calls alone, given as tool and arguments."""
    return AssistantTurn(
        calls=tuple(ToolCall(f"c{number}", name, arguments) for number, (name, arguments) in enumerate(named))
    )


def play_one(
    domain: Domain, world: World, agent: AgentKind, task: Task | str = "keep-a-book", **setting: Any
) -> EpisodeRecord:
    """One episode, by default directly on a session and with a user of wishes alone."""
    chosen = {"user": WishfulUser(), **setting}
    task = find_task(domain, task) if isinstance(task, str) else task
    return asyncio.run(play(task, domain, world, 0, Setting(agent, **chosen)))


def answers(record: EpisodeRecord) -> list[Message]:
    """What the agent read of its calls."""
    return [message for message in record.messages if message.role == "tool"]


NORA = {"email": "nora.moreno9@example.org"}
IDENTIFY = ("note_identification", {"member_id": "MEMBER-0009", **NORA, "phone": "(937) 555-0174"})
RENEW = {"loan_id": "LOAN-0016"}  # what the task `keep-a-book` is about
KEPT = "New due date: 2026-04-03"
