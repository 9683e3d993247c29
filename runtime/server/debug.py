"""`serve --debug`: what a person in a desktop client needs beside the tools: tasks, changes, verdict, fork, reset."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Protocol
from weakref import WeakKeyDictionary

import mcp_types as types
from mcp.shared.exceptions import MCPError

from runtime.domain.changes import RowDifference
from runtime.domain.domain import Domain
from runtime.errors import UsageError, WorldsmithError
from runtime.server.branches import Branches
from runtime.session.pool import ServedSession
from runtime.session.session import Session
from runtime.wording import counted

MOST_ROWS = 200  # of a table, or of what changed
_SCHEME = "world://"


class Tasks(Protocol):
    """The tasks of a domain, for a person to play; a compiled server has none."""

    def titles(self) -> dict[str, str]: ...

    def words(self, task_id: str) -> str: ...

    def open(self, task_id: str) -> Session: ...

    def verify(self, task_id: str, session: Session, told: Mapping[str, str]) -> str: ...


class Debug:
    """The extras of one domain. `tasks` is None where there are none to play."""

    def __init__(self, domain: Domain, tasks: Tasks | None = None) -> None:
        self._domain = domain
        self._tasks = tasks
        self._branches: WeakKeyDictionary[ServedSession, Branches] = WeakKeyDictionary()

    def tools(self) -> list[types.Tool]:
        """Tools whose names begin with debug_, so that nobody takes them for the domain's."""
        offered = [
            _tool(
                "debug_show_changes",
                "What changed?",
                "Show what changed: every row added, changed or removed since the start.",
                reads=True,
            ),
            _tool("debug_reset", "Reset", "Put the database back to the start."),
        ]
        if self._tasks is None:
            return offered
        told = {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "description": "What the user was told, by the name of the answer",
        }
        return [
            *offered,
            _tool(
                "debug_list_tasks", "List tasks", "List the tasks that can be started, each with its title.", reads=True
            ),
            _tool(
                "debug_start_task",
                "Start a task",
                "Start a task in a fresh world and return the user's words. Earlier changes and branches are dropped, "
                "and the answer says so.",
                task={"type": "string", "description": "Id of the task, as debug_list_tasks lists it"},
            ),
            _tool(
                "debug_verify",
                "Verify",
                "Judge the present state against the task that was started: the verdict, and every reason for it.",
                reads=True,
                required=(),
                told=told,
            ),
            _tool(
                "debug_fork",
                "Fork",
                "Try something out: go on in a new branch from the present state; the branch left stays as it is.",
                branch={"type": "string", "description": "Name of the new branch"},
            ),
            _tool(
                "debug_switch",
                "Switch branch",
                "Go on with another branch, where it was left; the branch left stays as it is.",
                branch={"type": "string", "description": "Name of the branch; the first one is 'main'"},
            ),
        ]

    async def call(self, served: ServedSession, name: str, arguments: dict[str, Any]) -> types.CallToolResult | None:
        """Answer a debug tool; None for any other tool."""
        tool = next((each for each in self.tools() if each.name == name), None)
        if tool is None:
            return None
        try:
            _check_arguments(tool, arguments)
            said = await self._answer(served, name, arguments)
        except WorldsmithError as error:
            return _say(str(error), is_error=True)
        return None if said is None else _say(said)

    async def _answer(self, served: ServedSession, name: str, arguments: dict[str, Any]) -> str | None:
        branches = self._branches.setdefault(served, Branches())
        if name == "debug_show_changes":
            changes = describe_changes(await served.run(lambda: served.session.diff()))
            return changes if len(branches.names) == 1 else f"On branch {branches.current!r}: {changes}"
        if name == "debug_reset":
            await served.run(lambda: served.session.reset())
            return "The database is back at the start."
        if self._tasks is None:
            return None
        branch = str(arguments.get("branch", ""))
        match name:
            case "debug_list_tasks":
                titles = self._tasks.titles()
                return "\n".join(f"{task}: {title}" for task, title in titles.items()) or "There are no tasks."
            case "debug_start_task":
                return await self._start(served, self._tasks, str(arguments.get("task", "")))
            case "debug_verify":
                return await self._verify(served, self._tasks, arguments.get("told", {}))
            case "debug_fork":
                await served.run(lambda: branches.fork(served.session, branch))
                return f"This is branch {branch!r} now; come back with debug_switch. Have: {', '.join(branches.names)}."
            case "debug_switch":
                await served.run(lambda: branches.switch(served.session, branch))
                return f"This is branch {branch!r} now, as it was left. Have: {', '.join(branches.names)}."
        return None

    async def _start(self, served: ServedSession, tasks: Tasks, task_id: str) -> str:
        words = tasks.words(task_id)
        lost = await self._describe_lost(served)
        if served.session.is_stored:
            if served.session.world.origin.get("task") != task_id:
                raise UsageError(
                    f"The state is kept in a folder; serve with --task {task_id}, or without --state, to start it."
                )
            await served.run(lambda: served.session.reset())
            return lost + words
        session = await asyncio.to_thread(tasks.open, task_id)
        await served.replace(lambda: session)
        self._branches.pop(served, None)
        return lost + words

    async def _describe_lost(self, served: ServedSession) -> str:
        """What starting a task drops: changed rows, and branches that live as long as the session."""
        rows = len(await served.run(lambda: served.session.diff()))
        names = [] if served.session.is_stored else self._branches.setdefault(served, Branches()).names
        lost = [counted(rows, "changed row")] * bool(rows)
        lost += [f"the branches {', '.join(map(repr, names))}"] * (len(names) > 1)
        return f"(For the person: {' and '.join(lost)} of before were dropped.)\n\n" if lost else ""

    async def _verify(self, served: ServedSession, tasks: Tasks, told: object) -> str:
        task_id = served.session.world.origin.get("task")
        if task_id is None:
            raise UsageError("No task was started; call debug_start_task first.")
        if not isinstance(told, dict) or not all(isinstance(value, str) for value in told.values()):
            raise UsageError(f"told is {told!r}; it must be an object of texts, by the names of the answers.")
        return await served.run(lambda: tasks.verify(task_id, served.session, told))

    def resources(self) -> list[types.Resource]:
        """The tables, and what changed."""
        tables = [
            types.Resource(
                uri=f"{_SCHEME}table/{table.name}",
                name=table.name,
                description=f"{table.comment} (first {MOST_ROWS} rows)",
                mime_type="application/json",
            )
            for table in self._domain.schema.tables.values()
        ]
        changes = types.Resource(
            uri=f"{_SCHEME}changes", name="changes", description="What changed since the start", mime_type="text/plain"
        )
        return [changes, *tables]

    async def read(self, served: ServedSession, uri: str) -> types.ReadResourceResult:
        """The rows of a table as JSON, or the changes as text; errors: MCPError for an unknown URI."""
        name = uri.removeprefix(f"{_SCHEME}table/")
        if uri == f"{_SCHEME}changes":
            text, kind = describe_changes(await served.run(lambda: served.session.diff())), "text/plain"
        elif uri.startswith(f"{_SCHEME}table/") and name in self._domain.schema.tables:
            rows = await served.run(lambda: _read_rows(served.session, name))
            text, kind = json.dumps(rows, ensure_ascii=False, indent=1), "application/json"
        else:
            raise MCPError(types.INVALID_PARAMS, f"No resource {uri!r}.", None)
        return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, text=text, mime_type=kind)])

    def prompts(self) -> list[types.Prompt]:
        """One prompt per task, with its title and the user's first wish."""
        if self._tasks is None:
            return []
        return [
            types.Prompt(name=task_id, title=title, description=self._tasks.words(task_id).partition("\n")[0])
            for task_id, title in self._tasks.titles().items()
        ]

    def prompt(self, name: str) -> types.GetPromptResult:
        """Ask the assistant to start a task and do what its user wants; errors: MCPError for an unknown task."""
        titles = self._tasks.titles() if self._tasks is not None else {}
        if self._tasks is None or name not in titles:
            raise MCPError(types.INVALID_PARAMS, f"No task {name!r}; have: {', '.join(titles)}.", None)
        text = f"Call debug_start_task with task {name!r}, then do what the user wants:\n\n{self._tasks.words(name)}"
        message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
        return types.GetPromptResult(description=titles[name], messages=[message])


def describe_changes(differences: Sequence[RowDifference]) -> str:
    """A diff as text that a person reads."""
    if not differences:
        return "Nothing has changed."
    kinds = Counter(difference.kind for difference in differences)
    by_kind = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    lines = [
        f"{len(differences)} {'row differs' if len(differences) == 1 else 'rows differ'} from the start: {by_kind}."
    ]
    for difference in differences[:MOST_ROWS]:
        lines.append(f"{difference.table} {' / '.join(map(str, difference.key))} was {difference.kind}")
        if difference.kind == "changed":
            lines += [f"    {column}: {old!r} -> {new!r}" for column, (old, new) in difference.changed.items()]
        else:
            row = difference.after or difference.before or {}
            lines += [f"    {column}: {value!r}" for column, value in row.items()]
    if len(differences) > MOST_ROWS:
        lines.append(f"and {len(differences) - MOST_ROWS} more rows")
    return "\n".join(lines)


def _read_rows(session: Session, table: str) -> list[dict[str, Any]]:
    session.open()
    assert session.connection is not None
    declared = session.domain.schema.tables[table]
    columns = ", ".join(f'"{name}"' for name in declared.column_names)
    order = ", ".join(f'"{name}"' for name in declared.primary_key)
    rows = session.connection.execute(f'SELECT {columns} FROM "{table}" ORDER BY {order} LIMIT {MOST_ROWS}')
    return [declared.record(row) for row in rows]


def _tool(
    name: str,
    title: str,
    description: str,
    *,
    reads: bool = False,
    required: Sequence[str] | None = None,
    **properties: Any,
) -> types.Tool:
    schema: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    needed = list(properties if required is None else required)
    if needed:
        schema["required"] = needed
    return types.Tool(
        name=name,
        title=title,
        description=f"For people debugging this server. {description}",
        input_schema=schema,
        annotations=types.ToolAnnotations(read_only_hint=reads, open_world_hint=False),
    )


def _check_arguments(tool: types.Tool, arguments: dict[str, Any]) -> None:
    """Refuse what a debug tool does not take; errors: UsageError."""
    taken = tool.input_schema["properties"]
    for name in arguments:
        if name not in taken:
            raise UsageError(f"{tool.name} has no argument {name!r}; it takes {', '.join(taken) or 'none'}.")
    for name in tool.input_schema.get("required", ()):
        if not isinstance(arguments.get(name), str) or not arguments[name]:
            raise UsageError(f"{tool.name} needs {name!r}, a text; it was given {arguments.get(name)!r}.")


def _say(text: str, *, is_error: bool = False) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=is_error)
