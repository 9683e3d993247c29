"""What a running MCP server serves: which rows each tool is about, by its name and schemas, and what it takes."""

from __future__ import annotations

import asyncio
import logging
import shlex
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import IO, Any

import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from generator.twin.document import BadReference, Document, DocumentNode
from generator.twin.meanings import FLAGS, PAGING
from generator.twin.served import ServedOperation, Taken, row_of_list, take_served, unwrapped
from generator.twin.shapes import folded, is_scalar, noun_of, only, properties_of, required_of, type_of, words_of
from generator.twin.source import TwinSource, Verb
from runtime.errors import UsageError

_MOST_PAGES = 200  # of a list, which nothing else ends
_LEAST_SHARE = 0.5  # of the tools that must be understood
_LAST_WORDS = 300  # characters of what a child printed before it died
_SECONDS = 30.0
_VERBS: dict[str, Verb] = {
    **dict.fromkeys(("create", "add", "new", "append", "insert", "register", "make"), "create"),
    **dict.fromkeys(("get", "show", "read", "fetch", "view", "describe"), "get"),
    **dict.fromkeys(("list", "search", "find", "query"), "find"),
    **dict.fromkeys(("update", "set", "edit", "change", "modify", "rename", "move"), "update"),
    **dict.fromkeys(("delete", "remove"), "delete"),
    **dict.fromkeys(
        ("complete", "close", "reopen", "cancel", "archive", "unarchive", "finish", "approve", "reject", "activate")
        + ("deactivate", "lock", "unlock", "publish", "pause", "resume", "start", "stop", "submit", "pay", "ship"),
        "set",
    ),
}
_ENDS = {"by", "for", "from", "with", "in", "of", "to", "on"}  # behind them a name says how, no longer what
_LANGUAGES = {"q", "query", "sql", "search", "statement"}  # no values of a row
_SEARCHES = {"search", "find", "query"}  # what they need is a filter


@dataclass
class ToolList:
    """What a server offers."""

    server: str
    tools: list[dict[str, Any]]
    """As the protocol has them: name, description, inputSchema, outputSchema."""
    others: list[str] = field(default_factory=list)
    """Its resources and prompts."""


def read_mcp(target: str, *, needs_tools: bool = True) -> TwinSource:
    """Ask a running server for its tools, by an address or a command to start it; errors: UsageError.

    `needs_tools` is false where a model designs the tools, which may then be none of those that rules understand.
    """
    noise = logging.getLogger("mcp")
    level = noise.level
    noise.setLevel(logging.CRITICAL)  # of what the server prints beside the protocol, each line is an error there
    with tempfile.TemporaryFile("w+") as errors:
        try:
            offered = asyncio.run(_ask(target, errors))
        except UsageError:
            raise
        except Exception as error:  # whatever a foreign program or its client library comes up with
            cause: BaseException = error
            while isinstance(cause, BaseExceptionGroup):
                cause = cause.exceptions[0]
            if isinstance(cause, UsageError):
                raise cause from None
            said = f"{target!r} does not answer as an MCP server: {_said(cause)}{_last_words(errors)}"
            raise UsageError(f"{said}.") from error
        finally:
            noise.setLevel(level)
    return read_tools(offered, target, needs_tools=needs_tools)


def read_tools(offered: ToolList, target: str, *, needs_tools: bool = True) -> TwinSource:
    """Make tables and operations of a list of tools; errors: UsageError."""
    if not offered.tools:
        raise UsageError(f"{target!r} is an MCP server without tools.")
    source = TwinSource(offered.server, f"{target} (MCP server, {len(offered.tools)} tools)")
    source.account.counts["operation"] = len(offered.tools)
    served = [*map(_served, offered.tools)]
    for each in served:
        _read_as_update(each, served)
    take_served(served, source, repr(target), by_name=True, needs=_LEAST_SHARE if needs_tools else 0)
    source.account.remarks.append("Answers have the twin's form: the rows of its tables.")
    for other in offered.others:
        source.account.lose("statement", other, "Resources and prompts of the server")
    return source


async def _ask(target: str, errors: IO[str]) -> ToolList:
    async with asyncio.timeout(_SECONDS), _connected(target, errors) as client:
        tools = [
            each.model_dump(mode="json", by_alias=True, exclude_none=True) async for each in _pages(client, "tools")
        ]
        others = []
        for kind in ("resources", "prompts"):
            try:
                others += [f"{kind[:-1]} {each.name!r}" async for each in _pages(client, kind)]
            except MCPError:
                continue  # a server that has none may refuse to be asked
        info = client.server_info
        return ToolList(getattr(info, "title", None) or info.name, tools, others)


async def _pages(client: Client, kind: str) -> AsyncIterator[Any]:
    """Yield all entries of a list, page by page."""
    ask: Callable[..., Any] = getattr(client, f"list_{kind}")
    cursor, seen = None, set[str]()
    while True:
        page = await ask(cursor=cursor)
        for each in getattr(page, kind):
            yield each
        cursor = page.next_cursor
        if cursor is None:
            return
        if cursor in seen or len(seen) >= _MOST_PAGES:
            raise UsageError(f"The server's list of {kind} does not end: {len(seen) + 1} pages were read.")
        seen.add(cursor)


@asynccontextmanager
async def _connected(target: str, errors: IO[str]) -> Any:
    if target.startswith(("http://", "https://")):
        async with (
            httpx2.AsyncClient(timeout=_SECONDS) as plain,
            Client(streamable_http_client(target, http_client=plain)) as client,
        ):
            yield client
        return
    try:
        command, *words = shlex.split(target)
    except ValueError as error:
        raise UsageError(f"{target!r} is not a valid command: {error}.") from error
    server = StdioServerParameters(command=command, args=words)
    try:
        async with Client(stdio_client(server, errlog=errors)) as client:  # type: ignore[arg-type]
            yield client
    except OSError as error:
        raise UsageError(f"{command!r} cannot be started: {error.strerror}.") from error


def _said(error: BaseException) -> str:
    if isinstance(error, TimeoutError):
        return f"nothing came within {_SECONDS:g} s"
    return " ".join(str(error).split()).rstrip(".") or type(error).__name__


def _last_words(errors: IO[str]) -> str:
    """What a child printed last, as the end of a sentence."""
    errors.seek(0)
    lines = [" ".join(line.split()) for line in errors.read().splitlines() if line.strip()]
    words = " / ".join(lines[-3:])[-_LAST_WORDS:]
    return f"; it printed last: {words.rstrip('.')}" if words else ""


def _served(tool: dict[str, Any]) -> ServedOperation:
    try:
        return _understood(tool)
    except BadReference as error:
        return ServedOperation(tool["name"], tool["name"], why=str(error).rstrip("."))


def _understood(tool: dict[str, Any]) -> ServedOperation:
    """Read verb and noun from a name: create_task, task-create, getTaskById, update_deal_stage with deal_id."""
    inputs = Document.of(tool["inputSchema"], tool["name"]).root
    outputs = Document.of(tool["outputSchema"], tool["name"]).root if tool.get("outputSchema") else None
    served = ServedOperation(tool["name"], tool["name"], " ".join(tool.get("description", "").split()))
    properties, required = properties_of(inputs), required_of(inputs)
    words = words_of(tool["name"].replace("-", "_").replace("/", "_"))
    at = next((place for place in (0, len(words) - 1) if words[place] in _VERBS), None) if len(words) > 1 else None
    served.action = words.pop(at or 0)
    served.verb = _VERBS.get(served.action) if at is not None else None
    words = words[: next((place for place, word in enumerate(words) if word in _ENDS), len(words))]
    named = [name for name in properties if name in required and words_of(name)[-1] in ("id", "key", "name")]
    key = ""
    for name in named if served.verb != "create" else ():
        stem = words_of(name)[:-1]
        if stem and (not words or words[: len(stem)] == stem):
            words, key = stem, name
            break
        key = key or (name if not stem else "")
    if words and not key and served.verb != "create":
        key = next((name for name in named if not words_of(name)[:-1]), "")
    noun = noun_of("_".join(words)) if words else ""
    served.resource = (noun,) if noun else ()
    is_list = served.verb == "find" or served.verb == "get" and not key
    if is_list:
        served.verb = "find"  # get_tasks
    _check_meaning(served, "_".join(words), properties, required, outputs)
    for name, node in properties.items():
        node = node.resolved()
        if name == key and not is_list:
            served.takes.append(Taken(name, "row", node, True, node.text("description")))
        elif served.verb in ("find", "get", "delete"):
            served.takes.append(Taken(name, "query", node, name in required, node.text("description")))
    if served.verb in ("create", "update", "set", None):
        rest = {name: node.value for name, node in properties.items() if name != key}
        schema = {**inputs.value, "properties": rest, "required": [name for name in required if name in rest]}
        served.body = Document.of(schema, tool["name"]).root if rest else None
        if served.verb is None:
            served.action = key
    if outputs is not None and served.verb in ("get", "find"):
        row = row_of_list(outputs, noun) if is_list else unwrapped(outputs)
        served.gives = row if row is not None and len(properties_of(only(row))) > 1 else None
    return served


def _check_meaning(
    served: ServedOperation,
    words: str,
    properties: dict[str, DocumentNode],
    required: set[str],
    outputs: DocumentNode | None,
) -> None:
    """Leave open what only looks like an operation on rows: `list_directory(path)`, `create_table(query)`."""
    noun = served.resource[0] if served.resource else ""
    if served.verb is None:
        return
    if not noun:
        served.why = "its name does not say which rows it is about"
    elif served.verb == "find" and words == noun and served.action not in _SEARCHES:
        told = [name for name in properties if name in required and folded(name) not in PAGING | FLAGS]
        has_rows = outputs is not None and row_of_list(outputs, noun) is not None
        if not has_rows and (told or served.action != "list"):
            of = f" ({', '.join(told)})" if told else ""
            served.why = f"it shows what one thing holds, and no schema says what{of}"
    elif served.verb == "create":
        for name in required:
            node = properties[name]
            items = only(node).get("items") if type_of(node) == "array" else None
            if folded(name) in _LANGUAGES:
                served.why = f"it takes a text in a language, not values of a row ({name})"
            elif items is not None and not is_scalar(items) and noun_of(name) == noun:
                served.why = f"it makes several rows at once ({name})"


def _read_as_update(served: ServedOperation, others: list[ServedOperation]) -> None:
    """Take a tool with another verb for one that sets columns, if its parameters are a key and columns, and no more."""
    if served.verb is not None or served.why:
        return
    served.why = "its name has no verb whose meaning is fixed (create, get, list, update, delete, ...)"
    rows = [each for each in others if each.resource == served.resource and each.verb in ("create", "update", "find")]
    told = [node for each in rows for node in (each.body, each.gives) if node is not None]
    columns = {folded(name) for node in told for name in properties_of(node)}
    body = properties_of(served.body) if served.body is not None else {}
    known = [name for name in body if folded(name) in columns]
    if served.action and served.body is not None and known and required_of(served.body) <= {*known}:
        served.verb, served.why = "update", ""
        served.takes += [Taken(name, "query", body[name], False) for name in body if name not in known]
        properties = {name: body[name].value for name in known}
        whole = {**served.body.value, "properties": properties, "required": [*required_of(served.body)]}
        served.body = Document.of(whole, served.name).root
