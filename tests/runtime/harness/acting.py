"""Agents and users that do what a test says, and episodes of the library's tasks that they play."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from runtime.domain.domain import Domain
from runtime.harness.conversation import AgentContext, AgentKind, AssistantTurn, CallSeen, Message, ToolCall, UserReply
from runtime.harness.play import Setting, play
from runtime.harness.record import EpisodeRecord
from runtime.session.world import World
from runtime.task.answers import AnswerReader
from runtime.task.task import Task
from runtime.task.task_file import find_task

Turn = AssistantTurn | Exception | Callable[[], Awaitable[AssistantTurn]]
NORA = {"email": "nora.moreno9@example.org"}
IDENTIFY = ("note_identification", {"member_id": "MEMBER-0009", **NORA, "phone": "(937) 555-0174"})
RENEW = {"loan_id": "LOAN-0016"}  # what the task `keep-a-book` is about
KEPT = "New due date: 2026-04-03"


class Doing:
    """An agent that takes the given turns, and then falls silent."""

    name = "doing"

    def __init__(self, *turns: Turn) -> None:
        self._turns = turns

    def begin(self, context: AgentContext) -> _Actor:
        return _Actor(list(self._turns))


class _Actor:
    def __init__(self, turns: list[Turn]) -> None:
        self._turns = turns

    async def act(self, messages: Sequence[Message]) -> AssistantTurn:
        turn = self._turns.pop(0) if self._turns else AssistantTurn(note="It has no more turns.")
        if isinstance(turn, Exception):
            raise turn
        return turn if isinstance(turn, AssistantTurn) else await turn()


class Saying:
    """A user that says these replies and goes; one that is an error is raised, and a number is waited for."""

    name, converses = "saying", True

    def __init__(self, *replies: UserReply | Exception | float) -> None:
        self._replies = replies

    def meet(self, task: Task, seed: int, reader: AnswerReader) -> _Sayer:
        return _Sayer(list(self._replies))


class _Sayer:
    def __init__(self, replies: list[UserReply | Exception | float]) -> None:
        self._replies = replies

    async def open(self) -> UserReply:
        return await self.reply("", ())

    async def reply(self, said: str, calls: Sequence[CallSeen]) -> UserReply:
        reply = self._replies.pop(0) if self._replies else UserReply("Thank you, goodbye.", ends=True)
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, float):
            await asyncio.sleep(reply)
        return reply if isinstance(reply, UserReply) else UserReply("Hm?")


class WishfulUser:
    """A user that says its wishes word for word, and all its facts with the first."""

    name, converses = "wishful", True

    def meet(self, task: Task, seed: int, reader: AnswerReader) -> OneWishfulUser:
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
    """Read the lines "NAME: value" of a message."""
    lines = {
        name: line for line in said.splitlines() for name in reader.answers if line.lower().startswith(f"{name}: ")
    }
    read = {name: reader.read(name, line) for name, line in lines.items()}
    return {name: value for name, value in read.items() if value is not None}


def says(text: str) -> AssistantTurn:
    """Return a turn of words alone."""
    return AssistantTurn(text)


def calls(*named: tuple[str, Any]) -> AssistantTurn:
    """Return a turn of calls alone, given as tool and arguments."""
    return AssistantTurn(
        calls=tuple(ToolCall(f"c{number}", name, arguments) for number, (name, arguments) in enumerate(named))
    )


def play_one(
    domain: Domain, world: World, agent: AgentKind, task: Task | str = "keep-a-book", trial: int = 0, **setting: Any
) -> EpisodeRecord:
    """Play one episode, by default with a user of wishes alone."""
    task = find_task(domain, task) if isinstance(task, str) else task
    playing = play(task, domain, world, trial, Setting(agent, **{"user": WishfulUser(), **setting}))
    with ThreadPoolExecutor(1) as alone:  # a browser's driver has a loop of its own on the thread of its tests
        return alone.submit(asyncio.run, playing).result()


def answers(record: EpisodeRecord) -> list[Message]:
    """Return what the agent read of its calls."""
    return [message for message in record.messages if message.role == "tool"]


def told(record: EpisodeRecord) -> list[str]:
    """Return what the agent said."""
    return [message.text for message in record.messages if message.by_agent and message.text]
