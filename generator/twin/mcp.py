"""What the tools of a running MCP server say by their names and schemas: tables, operations, and what stays open."""

from __future__ import annotations

import asyncio
import logging
import shlex
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
import inflection
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from generator.twin.document import Document, DocumentNode
from generator.twin.meanings import PAGING, OpenOperation, role_of, state_of
from generator.twin.resources import row_of_list, unwrapped
from generator.twin.shapes import Shape, folded, noun_of, properties_of, required_of, type_of, words_of
from generator.twin.source import Operation, OperationParameter, SourceColumn, SourceTable, TwinSource, Verb
from runtime.errors import UsageError

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
_FLAGS = {"dryrun", "force", "confirm", "verbose", "notify", "preview"}  # how a call is made, not what a row holds
_EVERYTHING = {"all", "any"}  # values of a filter that filter nothing


@dataclass
class ServedTool:
    """A tool as its server lists it, and what its name says."""

    name: str
    description: str
    inputs: DocumentNode
    outputs: DocumentNode | None
    verb: Verb | None = None
    action: str = ""
    noun: str = ""
    key: str = ""
    """The required parameter that names a row."""

    @property
    def properties(self) -> dict[str, DocumentNode]:
        return properties_of(self.inputs)

    @property
    def required(self) -> set[str]:
        return required_of(self.inputs)


@dataclass
class ToolList:
    """What a server offers."""

    server: str
    tools: list[ServedTool]
    others: list[str] = field(default_factory=list)
    """Its resources and prompts, one line each."""


def read_mcp(target: str) -> TwinSource:
    """Ask a running server for its tools, by an address or a command to start it; errors: UsageError."""
    noise = logging.getLogger("mcp")
    level = noise.level
    noise.setLevel(logging.CRITICAL)  # of what the server prints beside the protocol, each line is an error there
    try:
        offered = asyncio.run(_ask(target))
    except UsageError:
        raise
    except Exception as error:  # whatever a foreign program or its client library comes up with
        raise UsageError(f"{target!r} does not answer as an MCP server: {_said(error)}.") from error
    finally:
        noise.setLevel(level)
    return read_tools(offered, target)


def read_tools(offered: ToolList, target: str) -> TwinSource:
    """Make tables and operations of a list of tools; errors: UsageError."""
    if not offered.tools:
        raise UsageError(f"{target!r} is an MCP server without tools.")
    source = TwinSource(offered.server, f"{target} (MCP server, {len(offered.tools)} tools)")
    for tool in offered.tools:
        _name_parts(tool)
    tables = _tables(offered.tools, source)
    for tool in offered.tools:
        try:
            source.operations.append(_operation(tool, tables, source))
        except OpenOperation as reason:
            source.opened[tool.name] = str(reason)
    used = {each.table for each in source.operations}
    for shape in tables.values():
        shape.refer_by_name({name: each.table for name, each in tables.items()})
    used |= {reference.table for name in used for reference in tables[name].table.references}
    source.tables = {name: shape.table for name, shape in tables.items() if name in used}
    for shape in tables.values():
        if shape.table.name in used:
            source.losses += shape.losses
    if not source.operations:
        raise UsageError(f"{target!r}: none of its {len(offered.tools)} tools says what it does to which rows.")
    source.losses.append("answers have the twin's form: the rows of its tables")
    source.losses += offered.others
    source.losses[:] = list(dict.fromkeys(source.losses))
    return source


async def _ask(target: str) -> ToolList:
    async with asyncio.timeout(_SECONDS), _connected(target) as client:
        listed = await client.list_tools()
        tools = []
        for each in listed.tools:
            dumped = each.model_dump(mode="json", by_alias=True, exclude_none=True)
            outputs = dumped.get("outputSchema")
            tools.append(
                ServedTool(
                    each.name,
                    " ".join((each.description or "").split()),
                    Document.of(dumped["inputSchema"], each.name).root,
                    None if outputs is None else Document.of(outputs, each.name).root,
                )
            )
        others = []
        for kind, ask in (("resources", client.list_resources), ("prompts", client.list_prompts)):
            try:
                offered = await ask()
            except MCPError:
                continue  # a server that has none may refuse to be asked
            others += [f"{kind[:-1]} {each.name!r} of the server" for each in getattr(offered, kind)]
        info = client.server_info
        return ToolList(getattr(info, "title", None) or info.name, tools, others)


@asynccontextmanager
async def _connected(target: str) -> Any:
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
    with tempfile.TemporaryFile("w+") as errors:
        try:
            async with Client(
                stdio_client(StdioServerParameters(command=command, args=words), errlog=errors)
            ) as client:
                yield client
        except OSError as error:
            raise UsageError(f"{command!r} cannot be started: {error.strerror}.") from error


def _said(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, TimeoutError):
        return f"nothing came within {_SECONDS:g} s"
    return " ".join(str(error).split()).rstrip(".") or type(error).__name__


def _name_parts(tool: ServedTool) -> None:
    """Read verb and noun from a name: create_task, task-create, getTaskById, update_deal_stage with deal_id."""
    words = words_of(tool.name)
    if len(words) < 2:
        return
    at = next((place for place in (0, len(words) - 1) if words[place] in _VERBS), None)
    tool.action = words.pop(at or 0)
    tool.verb = _VERBS.get(tool.action)
    end = next((place for place, word in enumerate(words) if word in _ENDS), len(words))
    words = words[:end]
    named = [name for name in tool.properties if name in tool.required and words_of(name)[-1] in ("id", "key", "name")]
    for name in named:
        stem = words_of(name)[:-1]
        if tool.verb != "create" and words[: len(stem)] == stem and stem:
            words, tool.key = stem, name
            break
    if not words and named and tool.verb != "create" and len(words_of(named[0])) > 1:
        words, tool.key = words_of(named[0])[:-1], named[0]
    if not tool.key and tool.verb != "create":
        tool.key = next((name for name in named if len(words_of(name)) == 1), "")
    tool.noun = noun_of("_".join(words)) if words else ""
    if tool.verb == "get" and not tool.key:
        tool.verb = "find"  # get_tasks


def _tables(tools: Sequence[ServedTool], source: TwinSource) -> dict[str, Shape]:
    nouns = dict.fromkeys(tool.noun for tool in tools if tool.noun and (tool.key or tool.verb in ("create", "find")))
    shapes = {}
    for noun in nouns:
        own = [tool for tool in tools if tool.noun == noun]
        if not any(tool.verb == "create" or _row(tool) is not None or tool.key for tool in own):
            continue
        shape = Shape(SourceTable(noun, {}))
        created = [tool for tool in own if tool.verb == "create"]
        keyed = next((tool for tool in own if tool.key), None)
        if keyed is None:
            shape.table.columns[f"{noun}_id"] = SourceColumn(f"{noun}_id", "integer", True, made="counter")
            shape.table.key = (f"{noun}_id",)
            source.losses.append(f"{noun}.{noun}_id: a key that no tool of the server shows")
        else:
            shape.add(keyed.key, keyed.properties[keyed.key], True, _no_table)
            shape.table.key = (keyed.key,)
            is_given = any(keyed.key in tool.required for tool in created)
            shape.table.columns[keyed.key].made = "" if is_given else "counter"
        for tool in own:
            _add_columns(shape, tool, source)
        for column in shape.table.columns.values():
            _settle(column, shape, created, source)
        shapes[noun] = shape
    return shapes


def _no_table(_: DocumentNode) -> None:
    return None


def _row(tool: ServedTool) -> DocumentNode | None:
    """What a tool says that it answers with: a row, or the rows of a list."""
    if tool.outputs is None:
        return None
    row = row_of_list(tool.outputs) or unwrapped(tool.outputs)
    return row if len(properties_of(row)) > 1 else None


def _add_columns(shape: Shape, tool: ServedTool, source: TwinSource) -> None:
    table = shape.table
    answered = _row(tool)
    given: list[tuple[str, DocumentNode, bool]] = []
    if tool.verb in ("create", "update"):
        given += [
            (name, node, name in tool.required and tool.verb == "create") for name, node in tool.properties.items()
        ]
    if tool.verb in ("get", "find") and answered is not None:
        given += [(name, node, name in required_of(answered)) for name, node in properties_of(answered).items()]
    if tool.verb == "find":
        given += [(name, node, False) for name, node in tool.properties.items() if _is_state(node)]
    for name, node, required in given:
        if folded(name) in shape.places or folded(name) in PAGING | _FLAGS:
            continue
        is_key = folded(name) in ("id", folded(table.name) + "id")
        if is_key:
            shape.places[folded(name)] = list(table.key)
            continue
        shape.add(name, node, required, _no_table)
        column = table.columns.get(name)
        if column is not None and column.kind == "text" and words_of(name)[-1] == "date":
            column.kind = "date"
            source.losses.append(f"{table.name}.{name}: a date by its name, as YYYY-MM-DD")
        if column is not None and _EVERYTHING & set(column.choices):
            column.choices = tuple(each for each in column.choices if each not in _EVERYTHING)


def _is_state(node: DocumentNode) -> bool:
    value = node.value if isinstance(node.value, dict) else {}
    return bool(value.get("enum")) or type_of(node) == "boolean" and not isinstance(value.get("default"), bool)


def _settle(column: SourceColumn, shape: Shape, created: Sequence[ServedTool], source: TwinSource) -> None:
    """Give a column that no create tool fills a value for new rows."""
    name = f"{shape.table.name}.{column.name}"
    is_given = any(folded(column.name) == folded(each) for tool in created for each in tool.properties)
    if is_given or column.name in shape.table.key or not created:
        return
    if column.choices:
        column.required = True
        column.default = column.default if column.default in column.choices else column.choices[0]
        source.losses.append(f"{name} of a new row is {column.default!r}: the server's tools do not say so")
    elif column.kind == "boolean":
        column.required, column.default = True, False
        source.losses.append(f"{name} of a new row is false: the server's tools do not say so")
    elif column.kind == "timestamp":
        column.made = "clock"
    else:
        column.required = False


def _operation(tool: ServedTool, tables: Mapping[str, Shape], source: TwinSource) -> Operation:
    shape = tables.get(tool.noun)
    if tool.verb is None:
        _take_as_update(tool, shape, source)
    if shape is None:
        raise OpenOperation(f"no tool shows or makes a {tool.noun.replace('_', ' ') or 'row'}")
    table = shape.table
    if all(column.kind == "json" or name in table.key for name, column in table.columns.items()) and (
        tool.verb in ("get", "find", "create")
    ):
        raise OpenOperation(f"no schema says what a {table.name} holds")
    parameters = list(_parameters(tool, shape, source))
    assert tool.verb is not None
    constants: dict[str, Any] = {}
    if tool.verb in ("get", "update", "delete", "set") and not any(each.role == "key" for each in parameters):
        raise OpenOperation(f"none of its parameters names one {table.name}")
    if tool.verb in ("create", "update") and not any(each.role == "value" for each in parameters):
        raise OpenOperation("none of its parameters is a column")
    if tool.verb == "set":
        column, value = state_of(tool.action, table)
        constants[column] = value
    name = inflection.underscore(tool.name).replace("-", "_").replace(".", "_").replace("/", "_")
    if name != tool.name:
        source.losses.append(f"tool {tool.name!r} is called {name!r}")
    return Operation(name, tool.verb, table.name, tuple(parameters), constants, tool.description[:400], tool.name)


def _take_as_update(tool: ServedTool, shape: Shape | None, source: TwinSource) -> None:
    """Take a tool with another verb for one that sets columns, if its parameters are a key and columns, and no more."""
    columns = {} if shape is None else {name: shape.column_for(name) for name in tool.properties}
    named = [column.name for column in columns.values() if column is not None]
    is_clear = all(columns.get(name) is not None for name in tool.required) and tool.key in tool.required
    if shape is None or not is_clear or len(set(named)) < 2:
        raise OpenOperation("its name has no verb whose meaning is fixed (create, get, list, update, delete, ...)")
    tool.verb = "update"
    others = [name for name in named if name not in shape.table.key]
    source.losses.append(f"{tool.name}: sets {', '.join(others)}; what else it does its schema does not say")


def _parameters(tool: ServedTool, shape: Shape, source: TwinSource) -> Iterator[OperationParameter]:
    table, required = shape.table, tool.required
    place: Callable[[str], SourceColumn | None] = shape.column_for
    for name, node in tool.properties.items():
        column, words, is_required = place(name), node.text("description"), name in required
        is_key = column is not None and column.name in table.key
        if tool.verb == "find":
            role, about = role_of(name, folded(name), column, shape)
            if role is not None:
                yield OperationParameter(name, role, about, is_required, words)
                if role == "equals" and node.value.get("default") is not None:
                    source.losses.append(f"{tool.name}: {name!r} is not {node.value['default']!r} by itself")
                continue
        elif is_key and tool.verb != "create" and is_required:
            yield OperationParameter(name, "key", table.key[0], True, words)
            continue
        elif column is not None and tool.verb in ("create", "update") and not (is_key and column.made):
            yield OperationParameter(name, "value", column.name, is_required, words)
            continue
        if is_required:
            many = "several rows at once" if type_of(node) == "array" else "something that no column holds"
            raise OpenOperation(f"its parameter {name!r} is {many}")
        source.losses.append(f"{tool.name}: parameter {name!r} is left out")
