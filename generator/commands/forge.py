"""`worldsmith forge --mcp`: build domains from any MCP client, which answers one question after another."""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import subprocess
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import Field

from generator.author.locale import choose_locale
from generator.commands.child_build import ChildBuild, stop
from generator.commands.new import check_keyword
from runtime.commands.options import command, option, path_option
from runtime.environment import require_mcp
from runtime.errors import UsageError, WorldsmithError
from runtime.model.ask import bare_json
from runtime.model.relay import open_questions, write_answer
from runtime.sandbox.files import is_there, parse_json, read_text, replacing
from runtime.wording import have

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context
    from mcp_types import CreateMessageRequest, InputRequiredResult

_Domain: TypeAlias = Annotated[str, Field(description="name of the domain, where several are being built")]

_POLL = 0.2  # seconds
_JUDGED = 1.0  # after this long an answer that does not fit its schema is back
_MOST_WAIT = 25.0  # of a call; clients give up after a minute
_MOST_ROUNDS = 8  # of a call in which the client's model answers; clients give up after ten
_MOST_REJECTED = 3  # answers of the client's model to a question, which then is shown
_MOST_TOKENS = 32_000  # of an answer of the client's model
_SYSTEM = "Answer with exactly one JSON object that fits the schema at the end of the message, and nothing else."
_ORDER = "order.json"
_INSTRUCTIONS = """Build a simulated office, a domain, by answering questions: its tools, its database, its rules,
and what people want from it. Call start_build with a keyword, then answer one question after another until the domain
is there, then check. A question says everything that is needed; answer it with one JSON object that fits its schema.
What is proven wrong comes back as a new question with complaints. Everything answered is kept: after any interruption,
call next_question and go on. Where the client lends its model (sampling), start_build and next_question have it
answer, and say how far it is: call next_question until the domain is there."""


@command(
    "forge",
    "Serve over stdio, as MCP tools, what builds domains: start_build, next_question, answer, status, check. Any MCP "
    "client builds a domain by answering, or its model does where it lends that (sampling); no key is needed. Each "
    "build is a `worldsmith new` in a process of its own; "
    "a client or server that was stopped loses nothing.",
    option("--mcp", action="store_true", required=True, help="serve MCP over stdio"),
    path_option("--out", "DIR", "where the domains are made (default: domains)", default=Path("domains")),
)
def forge(arguments: argparse.Namespace) -> int:
    """Serve until stdin closes."""
    require_mcp()
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a thread that reads stdin would hold up any other way to end
    builder = Forge(arguments.out.resolve())
    try:
        make_server(builder).run("stdio")
    finally:
        stop(builder.processes.values())
    return 0


class Forge:
    """The builds of a folder; a process is started where one is needed and none runs."""

    def __init__(self, root: Path) -> None:
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self._root = root

    async def start_build(
        self,
        keyword: Annotated[str, Field(description='what the office is about, in a few words: "dental practice"')],
        tools: Annotated[int, Field(description="3 to 100; 18 take about 35 answers, 50 about 60")] = 18,
        tasks: Annotated[int, Field(description="how many are made of it at the end")] = 64,
        rules: Annotated[bool, Field(description="whether people call, and rules bind whoever serves them")] = True,
        locale: Annotated[str, Field(description="a country other than the United States, as in en-GB")] = "",
        context: Any = None,
    ) -> Any:
        """Start to build a domain, or try a failed build again, and get the first question."""
        keyword, name = check_keyword(keyword)
        build = ChildBuild(self._root / name)
        words = [keyword, "--tools", str(tools), "-n", str(tasks), *([] if rules else ["--no-rules"])]
        words += ["--locale", choose_locale(locale).tag] if locale else []
        words += ["--model", f"relay:{build.beside / 'questions'}"]
        order = build.beside / _ORDER
        if is_there(order) and parse_json(read_text(order)) != words:
            raise UsageError(f"{name!r} is built in another shape already; next_question goes on with it.")
        build.beside.mkdir(parents=True, exist_ok=True)
        with replacing(order) as file:
            file.write(json.dumps(words).encode())
        is_begun = context is not None and context.input_responses
        if (process := self.processes.get(name)) is not None and process.poll() is not None and not is_begun:
            del self.processes[name]  # it has failed
        return await self._go_on(build, context)

    async def next_question(
        self,
        domain: _Domain = "",
        by_hand: Annotated[bool, Field(description="to get it even where the client lends its model")] = False,
        context: Any = None,
    ) -> Any:
        """Get the question of a build that has waited longest."""
        return await self._go_on(self._find(domain), None if by_hand else context)

    async def answer(
        self,
        question: Annotated[str, Field(description="its name, from its first line")],
        answer: Annotated[dict[str, Any] | str, Field(description="one JSON object that fits the schema")],
        domain: _Domain = "",
    ) -> str:
        """Answer a question, and get the next one; or the same one, with what is wrong with the answer."""
        build = self._find(domain)
        write_answer(build.beside / "questions", question, answer)
        await asyncio.sleep(_JUDGED)
        return _asked(*await self._next(build))

    async def status(self) -> str:
        """Say how each build goes: its stage, how many questions were asked, what it waits for."""
        return "\n".join(map(self._described, self._builds())) or "Nothing is being built; call start_build."

    async def check(self, domain: _Domain = "") -> str:
        """Prove a finished domain again and get its figures, with a verdict: keep, mend or look."""
        build = self._find(domain)
        if not build.is_done:
            raise UsageError(f"There is nothing to check yet; {self._described(build)}.")
        key, line = f"check of {build.folder.name}", build.line()
        if line is None:
            process = self.processes.setdefault(key, self.processes.get(key) or build.start_check())
            if not await _until(lambda: process.poll() is not None):
                return "The check takes longer; call check again."
            line = build.line()
            del self.processes[key]
        if line is None:
            raise UsageError(f"The check failed: {build.why()}")
        return f"{line['verdict']}\n{json.dumps(line, ensure_ascii=False, indent=2)}"

    def _builds(self) -> list[ChildBuild]:
        orders = sorted(self._root.glob(f".*.build/{_ORDER}"))
        return [ChildBuild(self._root / path.parent.name[1:].removesuffix(".build")) for path in orders]

    def _find(self, domain: str) -> ChildBuild:
        """Return the build of this name, or else the only one, or the only unfinished one; errors: UsageError."""
        builds = self._builds()
        found = [each for each in builds if each.folder.name == domain or not domain]
        found = [each for each in found if not each.is_done] or found
        if len(found) != 1:
            names = have(domain, [each.folder.name for each in builds])
            raise UsageError(f"Say which build as `domain`; {names}. start_build begins another one.")
        return found[0]

    async def _go_on(self, build: ChildBuild, context: Context | None) -> str | InputRequiredResult:
        """Return the next question, or have the client's model answer one after another, where the client lends it."""
        lends = context is not None and (able := context.client_capabilities) is not None and able.sampling is not None
        if context is None or not lends:
            return _asked(*await self._next(build))
        from mcp.shared.exceptions import MCPError
        from mcp_types import CreateMessageResult, InputRequiredResult

        until, round_before = time.monotonic() + _MOST_WAIT, int(context.request_state or 0)
        for name, reply in (context.input_responses or {}).items():
            await _take_answer(build, name, reply)
        while True:
            name, text = await self._next(build)
            rejected = [*(build.beside / "questions").glob(f"{name}.rejected-*")]
            if not name or len(rejected) >= _MOST_REJECTED:
                return _asked(name, text)
            if time.monotonic() > until or round_before >= _MOST_ROUNDS:
                return f"{self._described(build)}. Call next_question again: the client's model goes on."
            if not context.session.can_send_request:  # a client of today gets the request as a result, and calls again
                return InputRequiredResult(input_requests={name: _sampling(text)}, request_state=str(round_before + 1))
            try:
                reply = await context.session.send_request(_sampling(text), CreateMessageResult)
            except MCPError:  # the person, or the client, said no
                return _asked(name, text)
            await _take_answer(build, name, reply)

    async def _next(self, build: ChildBuild) -> tuple[str, str]:
        """Wait for the next question, its name and text; or, without a name, how it stands.

        Errors: UsageError with why it failed.
        """
        name, found = build.folder.name, dict[str, str]()

        def is_over() -> bool:
            if name not in self.processes and not build.is_done and not build.is_held:
                words = parse_json(read_text(build.beside / _ORDER))
                self.processes[name] = build.start([str(word) for word in words])
            found.update(open_questions(build.beside / "questions"))
            return bool(found) or not self._runs(build)

        await _until(is_over)
        for question in found.items():
            return question
        if not self._runs(build) and not build.is_done:
            raise UsageError(f"The build has failed: {build.why()} start_build tries it again.")
        then = "Call next_question again" if self._runs(build) else "Call check to prove it again"
        return "", f"{self._described(build)}. {then}."

    def _runs(self, build: ChildBuild) -> bool:
        process = self.processes.get(build.folder.name)
        return build.is_held if process is None else process.poll() is None

    def _described(self, build: ChildBuild) -> str:
        name, status = build.folder.name, build.status()
        if build.is_done and not self._runs(build):
            return f"{name}: the domain is there, in {str(build.folder)!r}"
        doing = f"waits for {status.get('waits_for', 'its first step')}" if self._runs(build) else "stopped"
        return f"{name}: {status.get('place', 'question 0')}, stage {status.get('stage', 0)}; {doing}"


def _asked(name: str, text: str) -> str:
    return f"question: {name}\n\n{text}" if name else text


def _sampling(text: str) -> CreateMessageRequest:
    """The request to the client that its model answers a question."""
    from mcp_types import CreateMessageRequest, CreateMessageRequestParams, SamplingMessage, TextContent

    message = SamplingMessage(role="user", content=TextContent(type="text", text=text))
    params = CreateMessageRequestParams(messages=[message], system_prompt=_SYSTEM, max_tokens=_MOST_TOKENS)
    return CreateMessageRequest(params=params)


async def _take_answer(build: ChildBuild, name: str, reply: Any) -> None:
    """Hand in what the client's model said, and wait until it is judged."""
    with suppress(UsageError):  # somebody else has answered
        write_answer(build.beside / "questions", name, bare_json(getattr(reply.content, "text", "")))
        await asyncio.sleep(_JUDGED)


async def _until(holds: Callable[[], bool]) -> bool:
    """Wait until something holds, for as long as a call may take; False if it does not."""
    until = time.monotonic() + _MOST_WAIT
    while not (is_so := holds()) and time.monotonic() < until:
        await asyncio.sleep(_POLL)
    return is_so


def make_server(builder: Forge) -> Any:
    """Return the MCP server of these builds, whose errors are answers that say what would be right."""
    from mcp.server.mcpserver import Context, MCPServer
    from mcp.server.mcpserver.exceptions import ToolError

    def told(tool: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        @wraps(tool)
        async def call(**arguments: Any) -> Any:
            try:
                return await tool(**arguments)
            except WorldsmithError as error:
                raise ToolError(str(error)) from error

        own = {name: hint for name, hint in tool.__annotations__.items() if name != "return"}
        call.__annotations__ = own | ({"context": Context} if "context" in own else {})  # by which it is found
        return call

    server = MCPServer("worldsmith-forge", title="Worldsmith forge", instructions=_INSTRUCTIONS, log_level="ERROR")
    for tool in (builder.start_build, builder.next_question, builder.answer, builder.status, builder.check):
        server.add_tool(told(tool), structured_output=False)
    return server
