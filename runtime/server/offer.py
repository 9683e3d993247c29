"""Offer a domain over MCP: its tools, the results of calls, the server's instructions; over stdio, or in memory."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import cache
from inspect import signature
from pathlib import Path
from typing import Any, Protocol

import mcp_types as types
from anyio import create_memory_object_stream, create_task_group, move_on_after, sleep
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage

from runtime.domain.domain import Domain
from runtime.errors import UsageError
from runtime.server.listing import instructions, list_tools
from runtime.session.faults import FaultPlan
from runtime.session.pool import ServedPart, ServedSession, SessionPool
from runtime.session.session import Outcome, Session

_LAST_ANSWERS = 5.0  # seconds for requests that are under way when stdin closes
ENVIRONMENT_FAULT = -32050  # in the range that JSON-RPC leaves to servers

_logger = logging.getLogger(__name__)  # standard error, which the agent does not see

Context = ServerRequestContext[Any, Any]
FindSession = Callable[[Context], ServedSession | ServedPart]


class Extras(Protocol):
    """What a server offers to people beside the domain's tools (`--debug`)."""

    def tools(self) -> list[types.Tool]: ...

    async def call(
        self, served: ServedSession, name: str, arguments: dict[str, Any]
    ) -> types.CallToolResult | None: ...


def make_server(
    domain: Domain,
    find_session: FindSession,
    *,
    with_policy: bool = False,
    extras: Extras | None = None,
    faults: FaultPlan | None = None,
    timed: bool = False,
) -> Server[Any]:
    """The MCP server of a domain; `find_session` says whose session a request is for.

    Its instructions are those of sessions whose clock moves if it is `timed`; its tools are always the session's own.
    """
    others = extras.tools() if extras else []

    @cache
    def own(timed: bool) -> tuple[Mapping[str, Any], ...]:
        return list_tools(domain, faults is not None and faults.throttles, timed)

    @cache
    def tools(timed: bool) -> list[types.Tool]:
        return [*map(types.Tool.model_validate, own(timed)), *others]

    async def answer_list(context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        if params is not None and params.cursor is not None:
            raise MCPError(
                types.INVALID_PARAMS, f"No cursor {params.cursor[:100]!r} was given out; all tools are on one page."
            )
        return types.ListToolsResult(tools=list(tools(find_session(context).session.plan is not None)))

    async def answer_call(context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        arguments = params.arguments or {}
        try:
            served = find_session(context)
            answered = None
            if extras is not None and isinstance(served, ServedSession):
                answered = await extras.call(served, params.name, arguments)
            if answered is None:
                outcome = await served.run(_perform, served, params.name, arguments)
                if faults is not None and faults.real_time and outcome.fault is not None and outcome.result is not None:
                    await asyncio.sleep(outcome.fault.seconds)
                answered = answer(outcome)
            return answered
        except UsageError as ended:
            raise _fault("The session has ended; nothing was changed.", params.name, ended) from ended
        except Exception as fault:  # a crash in a tool, or a state file that cannot be opened or written
            _logger.error("tool %s: %s", params.name, fault)
            sentence = "The environment failed; this is not the caller's fault, and nothing was changed."
            if extras is not None:  # a person looks for what is wrong
                sentence = f"{str(fault).rstrip('.')}{_line_of(fault)}. Nothing was changed."
            raise _fault(sentence, params.name, fault) from fault

    handlers: dict[str, Any] = {}
    if "get_tool_input_schema" in signature(Server).parameters:  # in newer versions, which else ask list_tools
        each_schema = {each["name"]: each["inputSchema"] for each in (*own(True), *own(False))}
        handlers["get_tool_input_schema"] = (each_schema | {each.name: each.input_schema for each in others}).get
    return Server(
        domain.name,
        version=domain.card.version,
        title=domain.card.title,
        description=domain.card.summary,
        instructions=instructions(domain, with_policy=with_policy, timed=timed),
        on_list_tools=answer_list,
        on_call_tool=answer_call,
        **handlers,
    )


def _line_of(fault: Exception) -> str:
    """The line of a domain's file in which a tool crashed, if it is known."""
    frames = traceback.extract_tb(fault.__cause__.__traceback__) if fault.__cause__ else []
    lines = [frame for frame in frames if Path(frame.filename).parent.name == "tools"]
    return f", at tools/{Path(lines[-1].filename).name}:{lines[-1].lineno}" if lines else ""


def answer(outcome: Outcome) -> types.CallToolResult:
    """An outcome as a model reads it: structured content beside text, or a rejection with its kind, or a fault.

    Whether anything happened behind a timeout is not said; how long a slow call took is.
    """
    content: list[Any] = [types.TextContent(type="text", text=outcome.text)]
    if outcome.result is None:
        return types.CallToolResult(content=content, is_error=True)
    slow = {"elapsed_seconds": outcome.fault.seconds} if outcome.fault is not None else None
    return types.CallToolResult(content=content, structured_content=dict(outcome.result), _meta=slow)


def _perform(served: ServedSession | ServedPart, name: str, arguments: dict[str, Any]) -> Outcome:
    """Call a tool on the session that is served by the time its turn comes, which a debug tool may have replaced."""
    return served.session.perform(name, arguments)


def _fault(sentence: str, tool: str, fault: Exception) -> MCPError:
    return MCPError(
        ENVIRONMENT_FAULT, sentence, {"kind": "environment_fault", "tool": tool, "fault": type(fault).__name__}
    )


async def serve_stdio(session: Session, *, with_policy: bool = False, extras: Extras | None = None) -> None:
    """Answer requests on stdin, by one session, until stdin closes."""
    faults = None if session.faults is None else session.faults.plan
    timed = session.plan is not None
    served = serving(
        session.domain, lambda: session, with_policy=with_policy, extras=extras, faults=faults, timed=timed
    )
    async with served as (server, _), stdio_server() as (requests, answers), create_task_group() as forwarding:
        asked, read = create_memory_object_stream[SessionMessage | Exception](0)
        answered, written = create_memory_object_stream[SessionMessage](0)
        forwarding.start_soon(_forward, requests, asked, answers, written)
        await server.run(read, answered, server.create_initialization_options())


async def _forward(requests: Any, asked: Any, answers: Any, written: Any) -> None:
    """Pass messages on, and the end of the requests only once they are answered: the SDK drops those under way."""
    open_requests: set[Any] = set()

    async def pass_answers() -> None:
        async with written, answers:
            async for answer in written:
                await answers.send(answer)
                open_requests.discard(getattr(answer.message, "id", None))

    async with create_task_group() as group:
        group.start_soon(pass_answers)
        async with asked:
            async for request in requests:
                if isinstance(getattr(request, "message", None), types.JSONRPCRequest):
                    open_requests.add(request.message.id)
                await asked.send(request)
            with move_on_after(_LAST_ANSWERS):  # a canceled request has no answer
                while open_requests:
                    await sleep(0.01)


@asynccontextmanager
async def serving(
    domain: Domain,
    open_session: Callable[[], Session],
    *,
    with_policy: bool = False,
    extras: Extras | None = None,
    faults: FaultPlan | None = None,
    timed: bool = False,
) -> AsyncIterator[tuple[Server[Any], ServedSession]]:
    """Yield a server over one session, for `Client(server)` in the same process."""
    pool = SessionPool(most_sessions=1, most_open=1, threads=False)
    served = pool.add(open_session())
    try:
        server = make_server(
            domain, lambda _: served, with_policy=with_policy, extras=extras, faults=faults, timed=timed
        )
        yield server, served
    finally:
        await pool.close()
