"""A program in one episode: what it calls and says are the turns of an agent."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass

from runtime.harness.agent import AssistantTurn
from runtime.harness.agents.folder import Folder
from runtime.harness.agents.given import Given, environment_of
from runtime.harness.agents.isolated_program import IsolatedProgram
from runtime.harness.agents.isolation import Isolation
from runtime.harness.agents.program import Program
from runtime.harness.agents.talk import OVER, PendingCall, Talk
from runtime.harness.messages import Message, ToolCall, converses
from runtime.model.model import Usage

_UNKNOWN = Usage(0, 0, cost=None)  # what the program spends, it alone knows


@dataclass(frozen=True)
class ProgramTrace:
    """What is known of a program beside its calls: whether it ever reached its server, and its last error lines."""

    reached: bool
    log: tuple[str, ...]


class ProgramAgent:
    """A program in one episode.

    Each turn is what it asks for next; what came of it is found among the messages of the turn after.
    """

    def __init__(self, words: Sequence[str], talk: Talk, given: Given, isolation: Isolation | None) -> None:
        self._words = words
        self._given = given
        self._isolation = isolation
        self._talk = talk
        self._folder: Folder | None = None
        self._program: Program | None = None
        self._opening: str | None = None  # of the user, for the first words of a program that somebody answers
        self._seen = 0
        self._calls = 0
        self._under_way: dict[str, PendingCall] = {}
        self._speaking: PendingCall | None = None

    @property
    def trace(self) -> ProgramTrace | None:
        """What is kept of the program, none of which it said over MCP; None if it was not started."""
        return None if self._program is None else ProgramTrace(self._talk.was_reached, self._program.log())

    async def act(self, messages: Sequence[Message]) -> AssistantTurn:
        """The next turn, given all messages so far; errors: UsageError if the program cannot be started."""
        usage = None
        if self._program is None:
            self._program = await self._start(messages)
            usage = _UNKNOWN
        else:
            self._pass_on(messages[self._seen :])
        self._seen = len(messages)
        turn = await self._next_turn(self._program)
        return AssistantTurn(turn.text, turn.calls, usage, turn.note)

    async def close(self) -> None:
        """End the program with all that it started, stop serving, and remove the folder."""
        politely = self._speaking is not None
        if self._speaking is not None:
            self._speaking.answer(OVER)
        for asked in self._under_way.values():
            asked.answer(OVER, is_error=True)
        self._talk.end()
        try:
            if self._program is not None:
                await self._program.stop(politely=politely)
        finally:
            await self._talk.close()
            if self._folder is not None:
                await asyncio.to_thread(self._folder.remove)

    async def _start(self, messages: Sequence[Message]) -> Program:
        if converses(messages):
            self._opening = "\n\n".join(message.text for message in messages if message.role == "user")
        folder = self._folder = Folder()
        environment = environment_of(self._given, os.environ, folder.path)
        if self._isolation is None:
            await self._talk.open()
            folder.write(self._talk.url, messages)
            return await Program.start(folder.fill(self._words), folder.path, environment)
        isolated = await IsolatedProgram.start(self._isolation, folder.path)
        self._program = isolated.program  # from here on it is to be ended, whatever happens
        await self._talk.open(isolated.listener)
        folder.write(self._talk.url, messages)
        await isolated.run(folder.fill(self._words), environment)
        return isolated.program

    def _pass_on(self, messages: Sequence[Message]) -> None:
        """Give the program what came of its last turn."""
        for message in messages:
            if message.role == "tool" and message.call_id in self._under_way:
                self._under_way.pop(message.call_id).answer(message.text, is_error=message.is_error)
        said = [message.text for message in messages if message.role == "user"]
        if self._speaking is not None and said:
            self._speaking.answer("\n\n".join(said))
            self._speaking = None

    async def _next_turn(self, program: Program) -> AssistantTurn:
        """What the program asks for next; nothing if it has ended."""
        while True:
            waiting = asyncio.create_task(self._talk.next_calls())
            try:
                await asyncio.wait((waiting, program.ended), return_when=asyncio.FIRST_COMPLETED)
                if not waiting.done():
                    words = program.end_words()
                    return AssistantTurn(note=f"The program {words}" + ("" if ": " in words else "."))
                calls = waiting.result()
            finally:
                waiting.cancel()
            said = calls[0].words
            if said is None:
                return AssistantTurn(calls=tuple(self._note(asked) for asked in calls))
            if self._opening is None:
                self._speaking = calls[0]
                return AssistantTurn(said)
            calls[0].answer(self._opening)  # the greeting is the same for every agent and was said already
            self._opening = None

    def _note(self, asked: PendingCall) -> ToolCall:
        self._calls += 1
        call = ToolCall(f"call_{self._calls}", asked.name, dict(asked.arguments))
        self._under_way[call.id] = asked
        return call
