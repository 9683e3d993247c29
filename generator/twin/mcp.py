"""What a running MCP server serves: which rows each tool is about, by its name and schemas, and what it takes."""

from __future__ import annotations

import asyncio
import logging
import shlex
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import IO, Any
from urllib.parse import quote

from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError

from generator.twin.document import NOTHING, BadReference, Document, DocumentNode
from generator.twin.served import ServedOperation, Taken, row_of_list, take_served, unwrapped
from generator.twin.shapes import FLAGS, PAGING, reason
from generator.twin.source import TwinSource, Verb
from generator.twin.words import folded, noun_of, tokens, word_set
from runtime.errors import UsageError

_MOST_PAGES = 200  # of a list, which nothing else ends
_LEAST_SHARE = 0.5  # of the tools that must be understood
_LAST_WORDS = 300  # characters of what a child printed before it died
_SECONDS = 30.0
_VERBS: dict[str, Verb] = {
    **dict.fromkeys(word_set("create add new append insert register make"), "create"),
    **dict.fromkeys(word_set("get show read fetch view describe"), "get"),
    **dict.fromkeys(word_set("list search find query"), "find"),
    **dict.fromkeys(word_set("update set edit change modify rename move"), "update"),
    **dict.fromkeys(word_set("delete remove"), "delete"),
    **dict.fromkeys(word_set("complete close reopen cancel archive unarchive finish approve reject activate"), "set"),
    **dict.fromkeys(word_set("deactivate lock unlock publish pause resume start stop submit pay ship"), "set"),
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
        except Exception as error:  # whatever a foreign program or its client library comes up with
            cause: BaseException = error
            while isinstance(cause, BaseExceptionGroup):
                cause = cause.exceptions[0]
            if isinstance(cause, UsageError):
                raise cause from None
            if isinstance(cause, OSError) and cause.filename:
                raise UsageError(f"{cause.filename!r} cannot be started: {cause.strerror}.") from error
            why = " ".join(str(cause).split()).rstrip(".") or type(cause).__name__
            why = f"nothing came within {_SECONDS:g} s" if isinstance(cause, TimeoutError) else why
            said = f"{target!r} does not answer as an MCP server: {why}{_last_words(errors)}"
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


async def _ask(target: str, errors: Any) -> ToolList:
    transport: Any = target
    if not target.startswith(("http://", "https://")):
        try:
            command, *words = shlex.split(target)
        except ValueError as error:
            raise UsageError(f"{target!r} is not a valid command: {error}.") from error
        transport = stdio_client(StdioServerParameters(command=command, args=words), errlog=errors)
    async with asyncio.timeout(_SECONDS), Client(transport) as client:
        tools = [
            each.model_dump(mode="json", by_alias=True, exclude_none=True) async for each in _pages(client, "tools")
        ]
        others = []
        for kind in ("resources", "prompts"):
            try:
                others += [f"{kind[:-1]} {each.name!r}" async for each in _pages(client, kind)]
            except MCPError:
                continue  # a server that has none may refuse to be asked
        info: Any = client.server_info
        return ToolList(info.title or info.name, tools, others)


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


def _last_words(errors: IO[str]) -> str:
    """Return what a child printed last, as the end of a sentence."""
    errors.seek(0)
    lines = [" ".join(line.split()) for line in errors.read().splitlines() if line.strip()]
    words = " / ".join(lines[-3:])[-_LAST_WORDS:]
    return f"; it printed last: {words.rstrip('.')}" if words else ""


def _served(tool: dict[str, Any]) -> ServedOperation:
    served = ServedOperation(tool["name"], tool["name"], " ".join(tool.get("description", "").split()))
    try:
        _understand(served, tool)
    except BadReference as error:
        served.why = reason(error)
    return served


def _understand(served: ServedOperation, tool: dict[str, Any]) -> None:
    """Read verb and noun from a name: create_task, task-create, getTaskById, update_deal_stage with deal_id."""
    inputs, outputs = _schema(served, tool["inputSchema"]), _schema(served, tool.get("outputSchema") or {})
    properties, required = inputs.properties, inputs.required
    words = tokens(tool["name"].replace("/", "_"))
    at = next((place for place in (0, len(words) - 1) if words[place] in _VERBS), None) if len(words) > 1 else None
    served.action = words.pop(at or 0)
    served.verb = _VERBS.get(served.action) if at is not None else None
    words = words[: next((place for place, word in enumerate(words) if word in _ENDS), len(words))]
    named = [name for name in properties if name in required and tokens(name)[-1] in ("id", "key", "name")]
    stems = {name: tokens(name)[:-1] for name in named if served.verb != "create"}
    key = next((name for name, stem in stems.items() if stem and (not words or words[: len(stem)] == stem)), "")
    words = stems[key] if key else words
    key = key or next((name for name, stem in stems.items() if not stem), "")
    noun = noun_of("_".join(words)) if words else ""
    served.resource = (noun,) if noun else ()
    is_list = served.verb == "find" or served.verb == "get" and not key
    if is_list:
        served.verb = "find"  # get_tasks
    rows = row_of_list(outputs, noun)
    served.why = _why_not(served, "_".join(words), inputs, has_rows=bool(rows))
    for name, node in properties.items():
        if name == key and not is_list:
            served.takes.append(Taken(name, "row", node.resolved(), True, node.text("description")))
        elif served.verb in ("find", "get", "delete"):
            served.takes.append(Taken(name, "query", node.resolved(), name in required, node.text("description")))
    if served.verb in ("create", "update", "set", None):
        served.body = _narrowed(served, inputs, [name for name in properties if name != key])
        if served.verb is None:
            served.action = key
    if served.verb in ("get", "find"):
        row = rows if is_list else unwrapped(outputs)
        served.gives = row if len(row.only().properties) > 1 else NOTHING


def _schema(served: ServedOperation, value: Any) -> DocumentNode:
    return Document(f"memory:/{quote(served.said)}", value).root


def _narrowed(served: ServedOperation, schema: DocumentNode, names: Sequence[str]) -> DocumentNode:
    """Return a schema of an object with these properties alone; nothing if there are none."""
    properties = {name: schema.properties[name].value for name in names}
    required = [name for name in names if name in schema.required]
    value = {**schema.fields, "properties": properties, "required": required}
    return _schema(served, value) if names else NOTHING


def _why_not(served: ServedOperation, words: str, inputs: DocumentNode, *, has_rows: bool) -> str:
    """Return why a tool stays open that only looks like one on rows: `list_directory(path)`, `create_table(query)`."""
    noun = "".join(served.resource)
    if served.verb is None:
        return ""
    if not noun:
        return "its name does not say which rows it is about"
    if served.verb == "find" and words == noun and served.action not in _SEARCHES and not has_rows:
        told = [name for name in inputs.properties if name in inputs.required and folded(name) not in PAGING | FLAGS]
        of = f" ({', '.join(told)})" if told else ""
        return f"it shows what one thing holds, and no schema says what{of}" if told or served.action != "list" else ""
    for name, node in inputs.properties.items() if served.verb == "create" else ():
        items = node.only().get("items") if node.type == "array" else NOTHING
        if name in inputs.required and folded(name) in _LANGUAGES:
            return f"it takes a text in a language, not values of a row ({name})"
        if name in inputs.required and items and not items.is_scalar and noun_of(name) == noun:
            return f"it makes several rows at once ({name})"
    return ""


def _read_as_update(served: ServedOperation, others: list[ServedOperation]) -> None:
    """Take a tool with another verb for one that sets columns, if its parameters are a key and columns, and no more."""
    if served.verb is not None or served.why:
        return
    served.why = "its name has no verb whose meaning is fixed (create, get, list, update, delete, ...)"
    rows = [each for each in others if each.resource == served.resource and each.verb in ("create", "update", "find")]
    columns = {folded(name) for each in rows for node in (each.body, each.gives) for name in node.properties}
    body = served.body.properties
    known = [name for name in body if folded(name) in columns]
    if served.action and known and served.body.required <= {*known}:
        served.verb, served.why = "update", ""
        served.takes += [Taken(name, "query", body[name], False) for name in body if name not in known]
        served.body = _narrowed(served, served.body, known)
