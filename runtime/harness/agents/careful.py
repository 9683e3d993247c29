"""Two references for worlds whose services fail: one looks whether a call went through, the other repeats it at once.

Both follow the task's chain, a call at a time. How a careful agent can tell whether a timed-out write happened is found
by execution: the tool itself refuses or ignores a second call, or some reading tool shows the difference.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from runtime.domain.domain import Domain
from runtime.domain.tool import Tool
from runtime.domain.waiting import WAIT
from runtime.errors import REJECTION_KINDS
from runtime.harness.agents.reference import Replaying
from runtime.harness.conversation import Agent, AgentContext, AssistantTurn, Message, ToolCall
from runtime.session.hybrid import start_session
from runtime.session.session import Session, Snapshot
from runtime.session.world import World, WorldCache
from runtime.task.origin import JsonPath, is_reference, leaves_of, path_of, scalars_of, steps_named, value_at
from runtime.task.task import Task, bind, start_world

_WAITED = 30  # seconds after a fault, where waiting is offered
_MOST_FAULTS = 100  # that one of them puts up with in an episode
_MOST_LOOKS = 24  # calls of one reading tool that are tried as a look
_MOST_KNOWN = 6  # values of one name that are tried

_Leaf = tuple[JsonPath, str | int | float | None]


@dataclass(frozen=True)
class Look:
    """A way to tell whether a write happened: a reading call and what it shows if so, or to call the tool again."""

    result: Mapping[str, Any]
    """What the write returned, as far as the look shows it too."""
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    shows: Counter[_Leaf] = field(default_factory=Counter)
    stamps: Set[JsonPath] = frozenset()
    """Where it shows when something was done: that, and the order that follows from it, need not be as in the chain."""

    def sees(self, result: Any) -> bool:
        """Whether a result of the reading call shows that the write happened."""
        return Counter(leaf for leaf in _leaves(result) if leaf[0] not in self.stamps) == self.shows

    @property
    def repeats(self) -> bool:
        return not self.tool


def find_looks(task: Task, domain: Domain, world: World) -> dict[int, Look | None]:
    """For each write of a task's chain, by step, how to tell that it happened; None where nothing tells."""
    looks: dict[int, Look | None] = {}
    results: dict[int, Mapping[str, Any]] = {}
    known: dict[str, dict[Any, None]] = {}  # values by name, as an agent that came so far knows them
    moments: set[str] = set()
    with start_session(domain, world) as session:
        for number, step in enumerate(task.chain):
            arguments, tool = bind(step.arguments, results), domain.tools[step.tool]
            for earlier in sorted(steps_named(step.arguments)):  # it remembers how it found what it now changes
                _learn(known, bind(task.chain[earlier].arguments, results))
            _learn(known, arguments)
            start = session.snapshot()
            moments.add(session.clock.now)
            results[number] = session.call(step.tool, **arguments)
            if not tool.read_only and tool.name != WAIT:
                needed = _needed(task, number, results[number])
                looks[number] = _find_look(session, start, tool, arguments, results[number], needed, known, moments)
            _learn(known, results[number])
    return looks


def hidden_writes(task: Task, domain: Domain, worlds: WorldCache | None = None) -> set[str]:
    """The tools of a task's chain of which nothing tells, after a timeout, whether the call happened."""
    looks = find_looks(task, domain, start_world(task, domain, worlds))
    return {task.chain[number].tool for number, look in looks.items() if look is None}


_Reading = tuple[str, tuple[tuple[str, Any], ...]]


def _find_look(
    session: Session,
    start: Snapshot,
    tool: Tool,
    arguments: Mapping[str, Any],
    result: Mapping[str, Any],
    needed: Sequence[Any],
    known: Mapping[str, Mapping[Any, None]],
    moments: Set[str],
) -> Look | None:
    """What tells that a call happened since `start`; the session is left as it is."""
    done = session.snapshot()
    is_forbidden = bool(session.forbidding(tool.name, arguments))
    again = session.perform(tool.name, arguments)
    is_harmless = not is_forbidden and session.snapshot().changes == done.changes
    session.restore(done)
    if is_harmless and not needed:
        return Look({})
    if is_harmless and again.result == result:
        return Look(result)
    written = {table for (table, _), _ in start.changes.steps_to(done.changes)}
    shown: list[Look] = []
    for name, given in _readings(session.domain, known, written):
        outcome = session.perform(name, dict(given))
        values = [value for _, value in scalars_of(outcome.result or {})]
        if outcome.result is not None and all(value in values for value in needed):
            leaves = list(_leaves(outcome.result))
            stamps = {path for path, value in leaves if value in moments}
            told = Counter(leaf for leaf in leaves if leaf[0] not in stamps)
            shown.append(Look(result, name, dict(given), told, stamps))
    session.restore(start)
    look = next((each for each in shown if not each.sees(session.perform(each.tool, each.arguments).result)), None)
    session.restore(done)
    return look


def _leaves(result: Any) -> Iterator[_Leaf]:
    """Every single value with its path, which has no places in lists."""
    for path, value in scalars_of(result):
        yield tuple(part for part in path if isinstance(part, str)), value


def _needed(task: Task, number: int, result: Mapping[str, Any]) -> list[Any]:
    """The values of a step's result that later steps refer to."""
    return [
        value_at(result, path_of(leaf))
        for step in task.chain
        for _, leaf in leaves_of(step.arguments)
        if is_reference(leaf) and leaf["$step"] == number
    ]


def _learn(known: dict[str, dict[Any, None]], value: Any) -> None:
    for path, leaf in scalars_of(value):
        names = [part for part in path if isinstance(part, str)]
        if names and leaf is not None:
            own = known.setdefault(names[-1], {})
            own.pop(leaf, None)
            own[leaf] = None  # the latest comes last


def _readings(domain: Domain, known: Mapping[str, Mapping[Any, None]], written: Set[str]) -> Iterator[_Reading]:
    """Calls of tools that read what was written, with values that are known under the names of their parameters."""
    for tool in domain.tools.values():
        if not tool.read_only or not tool.reads & written:
            continue
        schema = tool.arguments.schema
        required = list(schema.get("required", ()))
        optional = [name for name in schema.get("properties", {}) if name not in required and name in known]
        for extra in ([], *([name] for name in optional)):
            names = [*required, *extra]
            values = [list(known.get(name, ()))[-_MOST_KNOWN:] for name in names]
            for chosen in itertools.islice(itertools.product(*values), _MOST_LOOKS):
                yield tool.name, tuple(zip(names, chosen, strict=True))


class CarefulAgent:
    """The kind of agent that knows the way and, after a fault, looks before it repeats a write."""

    name = "careful"

    def begin(self, context: AgentContext) -> Agent:
        return _Careful(context)


class BlindAgent:
    """The kind of agent that knows the way and repeats whatever seems to have failed, at once."""

    name = "blind"

    def begin(self, context: AgentContext) -> Agent:
        return _Blind(context)


class _Blind(Replaying):
    """Replay the chain a call at a time; a call that meets a fault is made again."""

    def __init__(self, context: AgentContext) -> None:
        super().__init__(context.task, context.domain)
        self._faults = self._calls = 0
        self._gave_up = False

    async def act(self, messages: Sequence[Message]) -> AssistantTurn:
        turn = await super().act(messages)
        return AssistantTurn(note="The service failed too often.") if self._gave_up else turn

    def _take_in(self, message: Message) -> None:
        if message.role == "tool" and message.is_error and _is_fault(message.text):
            self._faults += 1
            self._gave_up = self._faults > max(_MOST_FAULTS, 2 * len(self._task.chain))
            if message.call_id in self._called:
                self._failed(self._called[message.call_id])
        else:
            super()._take_in(message)

    def _failed(self, number: int) -> None:
        """Decide what follows a step that met a fault; by default it is the next call again."""

    def _next_calls(self) -> tuple[ToolCall, ...]:
        calls = super()._next_calls()[:1]
        if not calls:
            return ()
        self._calls += 1
        again = ToolCall(f"{calls[0].id}-{self._calls}", calls[0].name, calls[0].arguments)
        self._called[again.id] = self._called[calls[0].id]
        return (again,)


class _Careful(_Blind):
    def __init__(self, context: AgentContext) -> None:
        super().__init__(context)
        self._looks = find_looks(self._task, context.domain, context.world)
        self._can_wait = any(tool["name"] == WAIT for tool in context.tools)
        self._waits = False
        self._doubtful: set[int] = set()  # steps of which it is not known whether they happened
        self._looking: int | None = None

    def _failed(self, number: int) -> None:
        self._waits = self._can_wait
        if number in self._looks:
            self._doubtful.add(number)
            look = self._looks[number]
            self._looking = number if look is not None and not look.repeats else None

    def _take_in(self, message: Message) -> None:
        if message.role != "tool" or message.is_error and _is_fault(message.text):
            super()._take_in(message)
            return
        call_id, number = message.call_id or "", self._looking
        step = self._called.get(call_id)
        if call_id.startswith(f"{WAIT}-"):
            self._waits = False
        elif call_id.startswith("look-") and number is not None:
            look = self._looks[number]
            if look is not None and not message.is_error and look.sees(json.loads(message.text)):
                self._settle(number, look)
            self._looking = None
        elif message.is_error and step is not None and self._task.chain[step].tool == WAIT:
            self._results[step] = {}  # the time came while the service was waited for
        elif message.is_error and step is not None and step in self._doubtful:
            look = self._looks[step]
            if look is not None and look.repeats:
                self._settle(step, look)  # refused now, since it was done
            else:
                super()._take_in(message)
        else:
            super()._take_in(message)

    def _settle(self, number: int, look: Look) -> None:
        self._doubtful.discard(number)
        self._results[number] = look.result

    def _next_calls(self) -> tuple[ToolCall, ...]:
        self._calls += 1
        if self._waits:
            return (ToolCall(f"{WAIT}-{self._calls}", WAIT, {"seconds": _WAITED}),)
        look = self._looks.get(self._looking) if self._looking is not None else None
        if look is not None:
            return (ToolCall(f"look-{self._calls}", look.tool, dict(look.arguments)),)
        return super()._next_calls()


def _is_fault(text: str) -> bool:
    """Whether an error is none of the tool's own, which begin with their kind."""
    return text.partition(":")[0] not in REJECTION_KINDS
