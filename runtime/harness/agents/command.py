"""The agent `command:PROGRAM ARGS...`: any program that speaks MCP, told in a folder of its own what it is to do."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from runtime.errors import UsageError
from runtime.harness.agent import Agent, AgentContext, AssistantTurn
from runtime.harness.agents.program import Program, program_environment
from runtime.harness.agents.talk import OVER, TALK, PendingCall, Talk
from runtime.harness.messages import Message, ToolCall, converses
from runtime.model.model import Usage
from runtime.wording import have

_PLACEHOLDERS = ("config", "url", "folder", "prompt")
_IN_BRACES = re.compile(r"(?<!\$)\{([A-Za-z_]+)\}")
_UNKNOWN = Usage(0, 0, cost=None)  # only the program knows what it spends

_ABOUT_TOOLS = (
    'You are the assistant. Your tools are those of the MCP server "world", which `mcp.json` names. They are the only '
    "way to look anything up or to change anything. "
)
_ABOUT_USER = (
    f"A user is waiting. The user reads nothing that you write and hears only what you say with the tool `{TALK}`: "
    "give it your message, and it returns what the user says next. Greet the user with it to begin with; the user "
    "then says what is wanted. Ask, confirm and report with the same tool. When it says that the conversation is "
    "over, stop."
)
_ABOUT_WORDS = (
    "The user has said everything at once, see below, and answers nothing. When all is done, or cannot be done, report "
    f"it once with the tool `{TALK}`, with whatever the user wanted to know. That ends the conversation; then stop."
)


class CommandAgent:
    """`command:PROGRAM ARGS...`, split as a shell splits words but run without a shell; placeholders are filled in."""

    def __init__(self, command: str, pass_env: Sequence[str] = ()) -> None:
        """Raise UsageError for a command that cannot run, and for a variable in `pass_env` that is not set."""
        self.name = f"command:{command}"
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise UsageError(f"Agent {self.name!r} cannot be split into words: {error}.") from error
        if not self._words:
            raise UsageError("Agent 'command:' names no program; write for example 'command:my-agent --mcp {config}'.")
        for unknown in sorted(set(_IN_BRACES.findall(command)) - set(_PLACEHOLDERS)):
            word, known = f"{{{unknown}}}", sorted(f"{{{name}}}" for name in _PLACEHOLDERS)
            raise UsageError(f"Agent {self.name!r} has an unknown placeholder {word!r}; {have(word, known)}.")
        found = shutil.which(self._words[0])
        if found is None:
            raise UsageError(f"Agent program {self._words[0]!r} cannot be started: there is no such program.")
        self._words[0] = os.path.abspath(found)
        self._pass_env = tuple(pass_env)
        program_environment(os.environ, self._pass_env, Path())

    def begin(self, context: AgentContext) -> Agent:
        """Return a fresh agent, whose program starts with its first turn."""
        return ProgramAgent(self._words, Talk(context.domain, context.world), self._pass_env)


@dataclass(frozen=True)
class ProgramTrace:
    """What a record keeps of a program: whether it ever reached its server, and its last lines of standard error."""

    reached: bool
    log: tuple[str, ...]


class ProgramAgent:
    """A program in one episode: each turn is what it asks for next, and the messages after it are its answers."""

    def __init__(self, words: Sequence[str], talk: Talk, pass_env: Sequence[str]) -> None:
        self._words = words
        self._pass_env = pass_env
        self._talk = talk
        self._folder = tempfile.TemporaryDirectory(prefix="worldsmith-agent-", ignore_cleanup_errors=True)
        self._program: Program | None = None
        self._opening: str | None = None  # what the user said first, to be told once the program has greeted
        self._seen = 0
        self._calls = 0
        self._under_way: dict[str, PendingCall] = {}
        self._speaking: PendingCall | None = None

    @property
    def trace(self) -> ProgramTrace | None:
        """What is known of the program; None if it was never started."""
        return None if self._program is None else ProgramTrace(self._talk.was_reached, self._program.log)

    async def act(self, messages: Sequence[Message]) -> AssistantTurn:
        """Return the next turn; errors: UsageError if the program cannot be started."""
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
        """End the program and what it started, stop the server, and remove the folder."""
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
            await asyncio.to_thread(self._folder.cleanup)

    async def _start(self, messages: Sequence[Message]) -> Program:
        if converses(messages):
            self._opening = "\n\n".join(message.text for message in messages if message.role == "user")
        folder = Path(self._folder.name).resolve()
        await self._talk.open()
        prompt, config, url = write_prompt(messages), folder / "mcp.json", self._talk.url
        servers = {"mcpServers": {"world": {"type": "http", "url": url}}}
        config.write_text(json.dumps(servers, indent=2) + "\n", encoding="utf-8")
        (folder / "TASK.md").write_text(prompt, encoding="utf-8")
        command = fill_placeholders(self._words, config=str(config), url=url, folder=str(folder), prompt=prompt)
        return await Program.start(command, folder, program_environment(os.environ, self._pass_env, folder))

    def _pass_on(self, messages: Sequence[Message]) -> None:
        """Answer the calls that the program made in its last turn."""
        for message in messages:
            if message.role == "tool" and message.call_id in self._under_way:
                self._under_way.pop(message.call_id).answer(message.text, is_error=message.is_error)
        said = [message.text for message in messages if message.role == "user"]
        if self._speaking is not None and said:
            self._speaking.answer("\n\n".join(said))
            self._speaking = None

    async def _next_turn(self, program: Program) -> AssistantTurn:
        """What the program asks for next; a note if it has ended."""
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
            calls[0].answer(self._opening)  # every agent's episode begins with the same greeting, said already
            self._opening = None

    def _note(self, asked: PendingCall) -> ToolCall:
        self._calls += 1
        call = ToolCall(f"call_{self._calls}", asked.name, dict(asked.arguments))
        self._under_way[call.id] = asked
        return call


def write_prompt(messages: Sequence[Message]) -> str:
    """Return what the program is asked: the system message, how to act and speak, and the words of a silent user."""
    system = "\n\n".join(message.text for message in messages if message.role == "system")
    if converses(messages):
        return f"{system}\n\n{_ABOUT_TOOLS}{_ABOUT_USER}\n"
    words = "\n\n".join(message.text for message in messages if message.role == "user")
    return f"{system}\n\n{_ABOUT_TOOLS}{_ABOUT_WORDS}\n\nThe user says:\n\n{words}\n"


def fill_placeholders(words: Sequence[str], **values: str) -> list[str]:
    """Return the words of a command with `{config}` and the like filled in; other braces stay."""
    return [re.sub(rf"\{{({'|'.join(values)})\}}", lambda found: values[found[1]], word) for word in words]
