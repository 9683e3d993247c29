"""The agent `command:PROGRAM ARGS...`: any program that speaks MCP, given a folder with its task and a server's URL."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any, NamedTuple

import mcp_types as types

from runtime.environment import without_secrets
from runtime.errors import ModelFailed, UsageError
from runtime.harness.conversation import Agent, AgentContext, AssistantTurn, Message, ToolCall, converses
from runtime.harness.mcp_connection import serving_http
from runtime.model.model import Usage
from runtime.session.hybrid import start_session
from runtime.session.pool import ServedSession

TALK = "talk_to_user"  # the tool with which the program speaks, beside those of the world
OVER = "The conversation is over; there is nothing more to do."
GRACE = 2.0  # seconds from the end of the conversation to SIGKILL

_STYLE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")  # terminal colors and the like
_TAIL = 16_384  # bytes of output in which its last line is looked for

_TALK_TOOL = types.Tool(
    name=TALK,
    description=(
        "Say something to the user and wait for what the user says next, which is the result. Begin with a greeting. "
        "The user sees nothing but these messages: neither the other calls nor their results."
    ),
    input_schema={
        "type": "object",
        "properties": {"message": {"type": "string", "minLength": 1, "description": "What you say to the user"}},
        "required": ["message"],
        "additionalProperties": False,
    },
    annotations=types.ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False),
)


class CommandAgent:
    """`command:PROGRAM ARGS...`, split as a shell splits words but run without a shell; placeholders are filled in."""

    def __init__(self, command: str, pass_env: Sequence[str] = ()) -> None:
        """Raise UsageError for a command that cannot run, and for a variable in `pass_env` that is not set."""
        if os.name != "posix":
            raise UsageError("Agents of the kind command:PROGRAM run on Linux and macOS only.")
        self.name = f"command:{command}"
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise UsageError(f"Agent {self.name!r} cannot be split into words: {error}.") from error
        found = shutil.which(self._words[0]) if self._words else None
        if found is None:
            raise UsageError(f"Agent {self.name!r} cannot be started: there is no such program.")
        self._words[0] = os.path.abspath(found)
        for name in pass_env:
            if name not in os.environ:
                raise UsageError(f"--pass-env {name!r} names a variable that is not set.")
        self._pass_env = tuple(pass_env)

    def begin(self, context: AgentContext) -> Agent:
        if TALK in context.domain.tools:
            raise UsageError(f"Domain {context.domain.name!r} has a tool {TALK!r}; programs talk to the user with it.")
        return ProgramAgent(self._words, self._pass_env, context)


class _PendingCall(NamedTuple):
    """A call whose result the program waits for."""

    name: str
    arguments: Mapping[str, Any]
    answered: asyncio.Future[types.CallToolResult]

    def answer(self, text: str, *, is_error: bool = False) -> None:
        """Give the program its answer, unless it has stopped waiting."""
        if not self.answered.done():
            structured = None if is_error or self.name == TALK else json.loads(text)
            self.answered.set_result(_result(text, is_error=is_error, structured=structured))


def _result(text: str, *, is_error: bool, structured: Any = None) -> types.CallToolResult:
    content: list[Any] = [types.TextContent(type="text", text=text)]
    if structured is None:
        return types.CallToolResult(content=content, is_error=is_error)
    return types.CallToolResult(content=content, structured_content=structured)


class _Calls:
    """The `Extras` of the program's server: `talk_to_user`, and a queue of every call until it is answered."""

    def __init__(self) -> None:
        self._is_over = False
        self._waiting: deque[_PendingCall] = deque()
        self._arrived = asyncio.Event()

    def tools(self) -> list[types.Tool]:
        return [_TALK_TOOL]

    async def call(self, _: ServedSession, name: str, arguments: dict[str, Any]) -> types.CallToolResult:
        if self._is_over:
            return _result(OVER, is_error=True)
        said = arguments.get("message")
        if name == TALK and not (set(arguments) == {"message"} and isinstance(said, str) and said.strip()):
            sentence = f"The arguments of {TALK} are {str(arguments)[:80]}; give {{'message': 'what you say'}}."
            return _result(f"INVALID_ARGUMENT: {sentence}", is_error=True)
        asked = _PendingCall(name, arguments, asyncio.get_running_loop().create_future())
        self._waiting.append(asked)
        self._arrived.set()
        return await asked.answered

    async def next(self) -> list[_PendingCall]:
        """Wait for what the program does next: one message to the user, or all tool calls made so far."""
        while not self._has_waiting():
            self._arrived.clear()
            await self._arrived.wait()
        calls = [self._waiting.popleft()]
        while calls[0].name != TALK and self._has_waiting() and self._waiting[0].name != TALK:
            calls.append(self._waiting.popleft())
        return calls

    def end(self) -> None:
        """Reject every pending and later call."""
        self._is_over = True
        for asked in self._waiting:
            asked.answer(OVER, is_error=True)

    def _has_waiting(self) -> bool:
        while self._waiting and self._waiting[0].answered.done():  # the caller has disconnected
            self._waiting.popleft()
        return bool(self._waiting)


class ProgramAgent:
    """A program in one episode: each turn is what it asks for next, and the messages after it are its answers."""

    def __init__(self, words: Sequence[str], pass_env: Sequence[str], context: AgentContext) -> None:
        self._words, self._pass_env, self._context = words, pass_env, context
        self._calls = _Calls()
        self._held = AsyncExitStack()
        self._process: asyncio.subprocess.Process | None = None
        self._opening: str | None = None  # what the user said first, to be told once the program has greeted
        self._seen = self._made = 0  # messages, calls
        self._under_way: dict[str, _PendingCall] = {}
        self._speaking: _PendingCall | None = None

    async def act(self, messages: Sequence[Message]) -> AssistantTurn:
        """Return the next turn; errors: UsageError if the program does not start, ModelFailed if it is not a client."""
        usage = None
        if self._process is None:
            await self._start(messages)
            usage = Usage(0, 0, cost=None)  # only the program knows what it spends
        else:
            self._pass_on(messages[self._seen :])
        self._seen = len(messages)
        return replace(await self._next_turn(), usage=usage)

    async def close(self) -> None:
        """Stop the program and its children, stop the server, and remove the folder."""
        if self._speaking is not None:
            self._speaking.answer(OVER)
        for asked in self._under_way.values():
            asked.answer(OVER, is_error=True)
        self._calls.end()
        try:
            if self._process is not None:
                # One that was told that the conversation is over may end by itself.
                await asyncio.wait((self._ended,), timeout=0.0 if self._speaking is None else GRACE)
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._process.pid, signal.SIGKILL)  # it leads a group: also what it left running
                await asyncio.wait((self._ended,))
        finally:
            await self._held.aclose()

    async def _start(self, messages: Sequence[Message]) -> None:
        if converses(messages):
            self._opening = "\n\n".join(message.text for message in messages if message.role == "user")
        name = self._held.enter_context(TemporaryDirectory(prefix="worldsmith-agent-", ignore_cleanup_errors=True))
        self._output = self._held.enter_context(TemporaryFile())  # noqa: SIM115
        folder = Path(name).resolve()
        session = start_session(self._context.domain, self._context.world)  # never opened; the server needs one
        serving = serving_http(self._context.domain, session, self._calls)
        url, self._server = await self._held.enter_async_context(serving)
        prompt, config = write_prompt(messages), folder / "mcp.json"
        servers = {"mcpServers": {"world": {"type": "http", "url": url}}}
        config.write_text(json.dumps(servers, indent=2) + "\n", encoding="utf-8")
        (folder / "TASK.md").write_text(prompt, encoding="utf-8")
        values = {"config": str(config), "url": url, "folder": str(folder), "prompt": prompt}
        words = [re.sub(rf"\{{({'|'.join(values)})\}}", lambda found: values[found[1]], word) for word in self._words]
        try:
            self._process = await asyncio.create_subprocess_exec(
                *words,
                stdin=subprocess.DEVNULL,
                stdout=self._output,
                stderr=subprocess.STDOUT,
                cwd=folder,
                env=self._environment(folder),
                start_new_session=True,
            )
        except OSError as error:
            raise UsageError(f"Agent program {words[0]!r} cannot be started: {error.strerror}.") from error
        self._ended = asyncio.create_task(self._process.wait())

    def _environment(self, folder: Path) -> dict[str, str]:
        """Return our environment without secrets, except those in `pass_env`, and with no proxy between us."""
        given = without_secrets(os.environ) | {name: os.environ[name] for name in self._pass_env}
        given.pop("OLDPWD", None)
        for name in ("NO_PROXY", "no_proxy"):
            given[name] = ",".join(filter(None, (given.get(name), "127.0.0.1")))
        return given | {"PWD": str(folder)}

    def _pass_on(self, messages: Sequence[Message]) -> None:
        """Answer the calls that the program made in its last turn."""
        for message in messages:
            if message.role == "tool" and message.call_id in self._under_way:
                self._under_way.pop(message.call_id).answer(message.text, is_error=message.is_error)
        said = [message.text for message in messages if message.role == "user"]
        if self._speaking is not None and said:
            self._speaking.answer("\n\n".join(said))
            self._speaking = None

    async def _next_turn(self) -> AssistantTurn:
        """Return what the program asks for next; a note if it has ended."""
        while True:
            waiting = asyncio.create_task(self._calls.next())
            try:
                await asyncio.wait((waiting, self._ended), return_when=asyncio.FIRST_COMPLETED)
                if not waiting.done():
                    if not self._server.server_state.total_requests:
                        raise ModelFailed(f"The program never connected to its MCP server; it {self._end_words()}")
                    return AssistantTurn(note=f"The program {self._end_words()}")
                calls = waiting.result()
            finally:
                waiting.cancel()
            if calls[0].name != TALK:
                return AssistantTurn(calls=tuple(map(self._note, calls)))
            if self._opening is None:
                self._speaking = calls[0]
                return AssistantTurn(str(calls[0].arguments["message"]))
            calls[0].answer(self._opening)  # every agent's episode begins with the same greeting, said already
            self._opening = None

    def _note(self, asked: _PendingCall) -> ToolCall:
        self._made += 1
        call = ToolCall(f"call_{self._made}", asked.name, dict(asked.arguments))
        self._under_way[call.id] = asked
        return call

    def _end_words(self) -> str:
        """Say how it ended: the exit status and the last line of output that has a letter or digit in it."""
        self._output.seek(max(0, self._output.seek(0, os.SEEK_END) - _TAIL))
        text = _STYLE.sub("", self._output.read().decode(errors="replace"))
        lines = [line.strip() for line in text.splitlines() if any(map(str.isalnum, line))]
        assert self._process is not None
        return f"ended with exit status {self._process.returncode}" + (f": {lines[-1][:300]}" if lines else ".")


def write_prompt(messages: Sequence[Message]) -> str:
    """Return what the program is asked: the system message, how to act and speak, and the words of a silent user."""
    with_user, alone = Path(__file__).with_name("program.md").read_text(encoding="utf-8").split("<<<>>>\n")
    said = {
        role: "\n\n".join(message.text for message in messages if message.role == role) for role in ("system", "user")
    }
    prompt = with_user if converses(messages) else alone
    return prompt.format(system=said["system"], talk=TALK, words=said["user"])
