"""`serve --debug`: what a person in a desktop client needs: tasks, changes, violations, verdict, fork and reset."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol
from weakref import WeakKeyDictionary

import mcp_types as types

from runtime.domain.changes import RowDifference
from runtime.domain.domain import Domain
from runtime.domain.schema import Value
from runtime.errors import UsageError, WorldsmithError
from runtime.server.offer import answer
from runtime.session.pool import ServedSession
from runtime.session.session import Outcome, Session, Snapshot

MOST_ROWS = 200  # shown of what changed


class BrokenRule(NamedTuple):
    """A rule that an accepted call broke; `call` counts the calls since the start, `key` names the row."""

    rule: str
    call: int
    tool: str
    key: Value


class Tasks(Protocol):
    """The tasks of a domain, for a person to play; a compiled server has none."""

    def titles(self) -> dict[str, str]: ...

    def words(self, task_id: str) -> str: ...

    def open(self, task_id: str) -> Session: ...

    def verify(self, task_id: str, session: Session, told: Mapping[str, str], broken: Sequence[BrokenRule]) -> str: ...

    def save(self, origin: Mapping[str, Any], made: Sequence[tuple[str, Mapping[str, Any]]]) -> str: ...


@dataclass
class _Trail:
    """The branch that a session is on, what its calls broke there, and the other branches as they were left."""

    branch: str = "main"
    calls: int = 0
    broken: tuple[BrokenRule, ...] = ()
    made: tuple[tuple[str, dict[str, Any]], ...] = ()  # the calls that were accepted
    left: dict[str, tuple[Snapshot, int, tuple[BrokenRule, ...], Any]] = field(default_factory=dict)

    def perform(self, session: Session, name: str, arguments: dict[str, Any]) -> Outcome:
        """Call a tool of the domain and note the rules that the call broke."""
        session.judges = True
        outcome = session.perform(name, arguments)
        self.calls += 1
        self.made += ((name, arguments),) if outcome.rejection is None else ()
        self.broken += tuple(BrokenRule(each.rule, self.calls, name, each.key) for each in outcome.broken)
        return outcome

    def reset(self, session: Session) -> None:
        session.reset()
        self.calls, self.broken, self.made = 0, (), ()

    def fork(self, session: Session, name: str) -> None:
        """Continue under another name from the present state; errors: UsageError."""
        if name in self.names:
            raise UsageError(f"There is a branch {name!r} already; have: {', '.join(self.names)}.")
        self._leave(session)
        self.branch = name

    def switch(self, session: Session, name: str) -> None:
        """Leave the present branch as it is and continue another one; errors: UsageError."""
        if name not in self.names:
            raise UsageError(f"There is no branch {name!r}; have: {', '.join(self.names)}.")
        if name != self.branch:
            self._leave(session)
            snapshot, self.calls, self.broken, self.made = self.left.pop(name)
            session.restore(snapshot)
            self.branch = name

    @property
    def names(self) -> list[str]:
        return [*self.left, self.branch]

    def _leave(self, session: Session) -> None:
        session.open()  # reads what another program wrote to a stored state
        self.left[self.branch] = session.snapshot(), self.calls, self.broken, self.made


class Debug:
    """The extras of one domain. `tasks` is None where there are none to play."""

    def __init__(self, domain: Domain, tasks: Tasks | None = None) -> None:
        self._domain = domain
        self._tasks = tasks
        self._trails: WeakKeyDictionary[ServedSession, _Trail] = WeakKeyDictionary()

    def tools(self) -> list[types.Tool]:
        """Tools whose names begin with debug_, so that nobody takes them for the domain's."""
        return list(_ALWAYS if self._tasks is None else _ALWAYS + _WITH_TASKS)

    async def call(self, served: ServedSession, name: str, arguments: dict[str, Any]) -> types.CallToolResult | None:
        """Answer a debug tool, or call a tool of the domain and note which rules that breaks."""
        tool = next((each for each in self.tools() if each.name == name), None)
        if tool is None:
            return answer(
                await served.run(lambda: self._trail(served).perform(served.session, name, arguments)),
            )
        try:
            _check_arguments(tool, arguments)
            return _text(await self._answer(served, name, arguments))
        except WorldsmithError as error:
            return _text(str(error), is_error=True)

    def _trail(self, served: ServedSession) -> _Trail:
        return self._trails.setdefault(served, _Trail())

    async def _answer(self, served: ServedSession, name: str, arguments: dict[str, Any]) -> str:
        trail, tasks = self._trail(served), self._tasks
        match name:
            case "debug_show_changes":
                changes = describe_changes(await served.run(lambda: served.session.diff()))
                return changes if len(trail.names) == 1 else f"On branch {trail.branch!r}: {changes}"
            case "debug_show_violations":
                return await served.run(lambda: self._describe_violations(served.session, trail.broken))
            case "debug_reset":
                await served.run(lambda: trail.reset(served.session))
                return "The database is back at the start."
        assert tasks is not None
        match name:
            case "debug_list_tasks":
                return "\n".join(f"{task}: {title}" for task, title in tasks.titles().items()) or "There are no tasks."
            case "debug_start_task":
                return await self._start(served, tasks, arguments["task"])
            case "debug_verify":
                return await self._verify(served, tasks, arguments.get("told", {}))
            case "debug_save_play":
                return await asyncio.to_thread(tasks.save, served.session.world.origin, trail.made)
        change = trail.fork if name == "debug_fork" else trail.switch
        await served.run(lambda: change(served.session, arguments["branch"]))
        return f"This is branch {trail.branch!r} now; debug_switch goes back. Have: {', '.join(trail.names)}."

    def _describe_violations(self, session: Session, broken: Sequence[BrokenRule]) -> str:
        if not self._domain.rules:
            return "The domain has no rules that a call could break."
        prose = {rule.code: rule.prose for rule in self._domain.rules.rules}
        lines = [
            f"Call {each.call}, {each.tool}{'' if each.key is None else f' for {each.key!r}'}, "
            f"broke {each.rule}: {prose[each.rule]}"
            for each in broken
        ]
        lines += [f"The duty {duty.code} is not fulfilled: {duty.prose}" for duty in session.unmet_duties()]
        return "\n".join(lines) or "No rule was broken since the start or the last reset."

    async def _start(self, served: ServedSession, tasks: Tasks, task_id: str) -> str:
        words, origin = tasks.words(task_id), served.session.world.origin
        if "file" in origin:
            raise UsageError(
                f"The session is on your own database {origin['file']!r}, and a task has a world of its own; "
                "serve without --world to start it."
            )
        if served.session.is_stored:
            if origin.get("task") != task_id:
                raise UsageError(
                    f"The state is kept in a folder; serve with --task {task_id}, or without --state, to start it."
                )
            await served.run(lambda: self._trail(served).reset(served.session))
            return words
        session = await asyncio.to_thread(tasks.open, task_id)
        await served.replace(lambda: session)
        self._trails.pop(served, None)
        return words

    async def _verify(self, served: ServedSession, tasks: Tasks, told: object) -> str:
        task_id = served.session.world.origin.get("task")
        if task_id is None:
            raise UsageError("No task was started; call debug_start_task first.")
        if not isinstance(told, dict) or not all(isinstance(value, str) for value in told.values()):
            raise UsageError(f"told is {told!r}; it must be an object of texts, by the names of the answers.")
        return await served.run(lambda: tasks.verify(task_id, served.session, told, self._trail(served).broken))


def describe_changes(differences: Sequence[RowDifference]) -> str:
    if not differences:
        return "Nothing has changed."
    kinds = Counter(difference.kind for difference in differences)
    by_kind = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    differ = "row differs" if len(differences) == 1 else "rows differ"
    lines = [f"{len(differences)} {differ} from the start: {by_kind}."]
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


def _check_arguments(tool: types.Tool, arguments: dict[str, Any]) -> None:
    for name in tool.input_schema["required"]:
        if not isinstance(arguments.get(name), str) or not arguments[name].strip():
            raise UsageError(f"{tool.name} needs {name!r}, a text; it was given {arguments.get(name)!r}.")


def _text(text: str, *, is_error: bool = False) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=is_error)


def _tool(name: str, title: str, description: str, *, reads: bool = False, **needed: str) -> types.Tool:
    """A debug tool whose arguments are all required texts, by name, each with its description."""
    properties = {name: {"type": "string", "description": text} for name, text in needed.items()}
    return types.Tool(
        name=f"debug_{name}",
        title=title,
        description=f"For people debugging this server. {description}",
        input_schema={
            "type": "object",
            "properties": properties,
            "required": list(needed),
            "additionalProperties": False,
        },
        annotations=types.ToolAnnotations(read_only_hint=reads, open_world_hint=False),
    )


_ALWAYS = (
    _tool("show_changes", "What changed?", "Show every row added, changed or removed since the start.", reads=True),
    _tool("show_violations", "Violations", "Show which of the domain's rules the calls so far broke.", reads=True),
    _tool("reset", "Reset", "Put the database back to the start."),
)
_VERIFY = _tool(
    "verify",
    "Verify",
    "Judge the present state against the task that was started: the verdict, and every reason for it.",
    reads=True,
)
_VERIFY.input_schema["properties"]["told"] = {
    "type": "object",
    "additionalProperties": {"type": "string"},
    "description": "What the user was told, by the name of the answer",
}
_WITH_TASKS = (
    _tool("list_tasks", "List tasks", "List the tasks that can be started, each with its title.", reads=True),
    _tool(
        "start_task",
        "Start a task",
        "Start a task in a fresh world and return the user's words. Earlier changes and branches are dropped.",
        task="Id of the task, as debug_list_tasks lists it",
    ),
    _VERIFY,
    _tool("save_play", "Save the play", "Write the calls that were accepted to a file, for a task to be made of them."),
    _tool(
        "fork",
        "Fork",
        "Try something: continue in a new branch from the present state; the branch left stays as it is.",
        branch="Name of the new branch",
    ),
    _tool(
        "switch",
        "Switch branch",
        "Continue another branch where it was left; the branch left stays as it is.",
        branch="Name of the branch; the first one is 'main'",
    ),
)
