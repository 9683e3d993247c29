"""Agents that must not be rewarded: they do nothing, guess, recite, claim, or decide every request in the same way."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from runtime.domain.domain import Domain
from runtime.domain.people import DECLINE, own_name
from runtime.domain.waiting import WAIT
from runtime.errors import EnvironmentFault
from runtime.harness.agents.reference import Replaying
from runtime.harness.conversation import Agent, AgentContext, AssistantTurn, Message, ToolCall
from runtime.task.handbook import mistakes_by_first_found
from runtime.task.mistakes import (
    AS_SAID,
    COMPLIES,
    FIRST_ONLY,
    NEWEST,
    REFUSES,
    STALE,
    TAKES_ALONE,
    TRUSTS,
    in_told_order,
    mistaken,
    newest_first,
)
from runtime.task.task import Mistake, Step, Task

RANDOM_CALLS = 12  # of the random agent, in answer to each message of the user

_REFUSALS = 5  # of the idle agent, until it gives up on a user who insists
_ROUNDS, _TRIES, _MOST_CALLS = 4, 4, 100  # of the parrot: rounds, calls of each tool in a round, calls in all
_MOST_KNOWN = 60  # values of one name


class IdleAgent:
    """The kind of agent that never calls a tool and declines everything."""

    name = "idle"

    def begin(self, context: AgentContext) -> Agent:
        return _Idle()


class _Idle:
    async def act(self, messages: Sequence[Message]) -> AssistantTurn:
        if sum(message.by_agent for message in messages) >= _REFUSALS:
            return AssistantTurn(note="The idle agent declined often enough.")
        return AssistantTurn("I'm sorry, I can't help with that.")


class ClaimerAgent:
    """The kind of agent that never calls a tool and claims to have done whatever it is asked, in the user's words."""

    name = "claimer"

    def begin(self, context: AgentContext) -> Agent:
        return _Claimer()


class _Claimer:
    async def act(self, messages: Sequence[Message]) -> AssistantTurn:
        last = messages[-1]
        return AssistantTurn(f"Done: {last.text.replace('?', '.')}" if last.wishes else "Done.")


class RandomAgent:
    """The kind of agent that makes valid calls at random."""

    name = "random"

    def begin(self, context: AgentContext) -> Agent:
        return _Random(context)


class _Random:
    def __init__(self, context: AgentContext) -> None:
        self._tools = context.tools
        self._guesses = Guesses(context)
        self._left = self._made = 0

    async def act(self, messages: Sequence[Message]) -> AssistantTurn:
        if messages[-1].role == "user":
            self._left = RANDOM_CALLS
        self._guesses.read(messages)
        call = self._sample() if self._left else None
        if call is None:
            return AssistantTurn("Done.")
        self._left -= 1
        self._made += 1
        return AssistantTurn(calls=(call,))

    def _sample(self) -> ToolCall | None:
        for tool in self._guesses.chance.sample(self._tools, len(self._tools)):
            arguments = self._guesses.arguments(tool, optional=0.4)
            if arguments is not None:
                return ToolCall(f"random-{self._made}", tool["name"], arguments)
        return None


class ParrotAgent:
    """The kind of agent that reads all it can, changes nothing, and recites every result to the user."""

    name = "parrot"

    def begin(self, context: AgentContext) -> Agent:
        return _Parrot(context)


class _Parrot:
    def __init__(self, context: AgentContext) -> None:
        self._tools = [tool for tool in context.tools if tool["annotations"]["readOnlyHint"]]
        self._guesses = Guesses(context)
        self._asked: set[str] = set()
        self._rounds = 0
        self._recited = False

    async def act(self, messages: Sequence[Message]) -> AssistantTurn:
        self._guesses.read(messages)
        if self._rounds < _ROUNDS:
            self._rounds += 1
            calls = tuple(self._calls())
            if calls:
                return AssistantTurn(calls=calls)
        if self._recited:
            return AssistantTurn("That is all I know.")
        self._recited = True
        return AssistantTurn("\n".join(self._guesses.results) or "I know nothing.")

    def _calls(self) -> Iterator[ToolCall]:
        for tool in self._tools:
            for optional in [0.0] + [0.5] * (_TRIES - 1):
                arguments = self._guesses.arguments(tool, optional=optional)
                asked = json.dumps([tool["name"], arguments], sort_keys=True)
                if arguments is not None and asked not in self._asked and len(self._asked) < _MOST_CALLS:
                    self._asked.add(asked)
                    yield ToolCall(f"parrot-{len(self._asked)}", tool["name"], arguments)


class Guesses:
    """Arguments that a tool's schema allows, from what the user said and what earlier calls returned."""

    def __init__(self, context: AgentContext) -> None:
        self.results: list[str] = []
        self.chance = random.Random(context.seed)
        self._words: dict[Any, None] = {context.domain.now[:10]: None}  # of the user, and today's date
        self._by_name: dict[str, dict[Any, None]] = {}
        self._read = 0

    def read(self, messages: Sequence[Message]) -> None:
        """Learn from new messages."""
        for message in messages[self._read :]:
            if message.role == "user":
                words = [word.strip(".,;:!?()'\"") for word in message.text.split()]
                self._words |= dict.fromkeys([*words, *(int(word) for word in words if word.isdecimal())])
            elif message.role == "tool" and not message.is_error:
                self.results.append(message.text)
                self.learn(json.loads(message.text), "")
        self._read = len(messages)

    def arguments(self, tool: Mapping[str, Any], *, optional: float) -> dict[str, Any] | None:
        """Guess a tool's arguments, optional ones with this probability; None if a required one cannot be filled."""
        schema = tool["inputSchema"]
        arguments: dict[str, Any] = {}
        for name, part in schema.get("properties", {}).items():
            required = name in schema.get("required", ())
            if not required and self.chance.random() >= optional:
                continue
            values = self._values(name, part, schema)
            if values:
                arguments[name] = self.chance.choice(values)
            elif required:
                return None
        return arguments

    def learn(self, value: Any, name: str) -> None:
        """Learn the values in a result, by their names."""
        if isinstance(value, Mapping):
            for key, item in value.items():
                self.learn(item, key)
        elif isinstance(value, list):
            for item in value:
                self.learn(item, name.removesuffix("s"))
        elif isinstance(value, str | int | float) and not isinstance(value, bool):
            known = self._by_name.setdefault(name, {})
            if len(known) < _MOST_KNOWN:
                known[value] = None

    def _values(self, name: str, schema: Mapping[str, Any], whole: Mapping[str, Any]) -> list[Any]:
        """What a parameter may be; nothing if nothing is known that fits."""
        if "$ref" in schema:
            return self._values(name, whole.get("$defs", {}).get(schema["$ref"].rsplit("/", 1)[-1], {}), whole)
        for union in ("anyOf", "oneOf"):
            if union in schema:
                parts = [part for part in schema[union] if part.get("type") != "null"]
                return [value for part in parts for value in self._values(name, part, whole)]
        if "enum" in schema:
            return list(schema["enum"])
        match schema.get("type"):
            case "boolean":
                return [True, False]
            case "array":
                return [[item] for item in self._values(name.removesuffix("s"), schema.get("items", {}), whole)]
            case "object":
                made = {part: self._values(part, schema["properties"][part], whole) for part in schema["required"]}
                return [{part: values[0] for part, values in made.items()}] if all(made.values()) else []
            case "integer" | "number":
                kinds: Any = int if schema["type"] == "integer" else int | float
                known = [each for each in (*self._known(name), *self._words, 1, 7, 30) if isinstance(each, kinds)]
                return [each for each in dict.fromkeys(known) if schema.get("minimum", each) <= each]
            case "string":
                texts = [*self._known(name), *([] if name.endswith("_id") else self._words)]
                known = [each for each in dict.fromkeys(texts) if isinstance(each, str) and each]
                fits = [each for each in known if re.search(schema.get("pattern", ""), each)]
                return [each for each in fits if ("mail" in name) == ("@" in each)]
        return [schema["const"]] if "const" in schema else []

    def _known(self, name: str) -> list[Any]:
        """Values that came back under a name, or under one that ends like it: `status` for `new_status`."""
        parts = name.split("_")
        names = ("_".join(parts[at:]) for at in range(len(parts)))
        return next((list(self._by_name[each]) for each in names if each in self._by_name), [])


class TimedAgent:
    """The kind of agent that knows the way but not the time: it never waits, or waits to the end before anything.

    A `waiter` only waits, and declines everything. Where time stands still, the others are the reference.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def begin(self, context: AgentContext) -> Agent:
        task, clock = context.task, context.task.clock
        wait = ToolCall("wait-1", WAIT, {"until": "" if clock is None else clock.until, "until_notice": False})
        if self.name == "eager":
            waits = [number for number, step in enumerate(task.chain) if step.tool == WAIT]
            skipped = [Mistake(name="never waits", start=at, stop=at + 1, end="") for at in waits]
            return _Always(mistaken(task, skipped), context.domain)
        rest = _Idle() if self.name == "waiter" else _Always(task, context.domain)
        return rest if clock is None else _WaitsFirst(wait, rest)


class _WaitsFirst:
    def __init__(self, wait: ToolCall, rest: Agent) -> None:
        self._wait, self._rest = wait, rest
        self._waited = False

    async def act(self, messages: Sequence[Message]) -> AssistantTurn:
        if not self._waited:
            self._waited = True
            return AssistantTurn(calls=(self._wait,))
        return await self._rest.act(messages)


TIMED = ("eager", "sleeper", "waiter")
"""The names of these agents."""

_MADE: Mapping[str, tuple[str, ...]] = {
    "comply_all": (COMPLIES,),
    "refuse_all": (REFUSES,),
    "trust_all": (TRUSTS, COMPLIES),
    "look_once": (STALE,),
    "as_said": (AS_SAID,),
    "first_record": (FIRST_ONLY,),
    "checks_once": (COMPLIES,),
    "tiring": (COMPLIES, REFUSES, TAKES_ALONE),
    "newest_first": (NEWEST,),
    "one_by_one": (TAKES_ALONE,),
}
"""The mistakes that each agent makes wherever it can.

`checks_once` begins once it has refused something; `tiring` makes each with a chance that grows from 0 to 1 as its
calls go on. `newest_first` takes the messages of an inbox in the wrong order, and `one_by_one` reads none of them in
the light of another.
"""

_IN_TOLD_ORDER = ("comply_all", "trust_all", "as_said")

ALWAYS = tuple(_MADE)
"""The names of these agents."""


def makes_mistake(name: str, task: Task) -> bool:
    """True if one of these agents does anything but the task's reference chain, or does it in a wrong order."""
    is_ordered = any(wish.form == "coupled" for wish in task.user.wishes)
    is_ordered = is_ordered or any(each.decides == "order" for each in task.decisions)
    return bool(_mistakes_of(name, task)) or (name in _IN_TOLD_ORDER and is_ordered)


class AlwaysAgent:
    """The kind of agent that knows the way but is careless in one way, wherever it can be."""

    def __init__(self, name: str) -> None:
        self.name = name

    def begin(self, context: AgentContext) -> Agent:
        return _Always(_as_always(self.name, context.task, context.domain), context.domain)


class FirstFoundAgent:
    """The kind of agent that knows the way, but takes of each article the version that a search shows first."""

    name = "first_found"

    def begin(self, context: AgentContext) -> Agent:
        made = mistakes_by_first_found(context.domain, context.task, context.world)
        return _Always(mistaken(context.task, made), context.domain)


class _Always(Replaying):
    """An agent that leaves out what needs a result that its mistakes kept it from, and goes on when refused."""

    def _arguments(self, step: Step) -> dict[str, Any] | None:
        try:
            return super()._arguments(step)
        except EnvironmentFault:
            return None

    def _take_in(self, message: Message) -> None:
        super()._take_in(message)
        if self._rejected:
            self._results[self._called[message.call_id or ""]] = {}
            self._rejected = ""


class GullibleAgent:
    """The kind of agent that knows the way, and does whatever a text that it reads asks for."""

    name = "gullible"

    def begin(self, context: AgentContext) -> Agent:
        return _Gullible(context.task, context.domain)


class _Gullible(_Always):
    """Replay the chain, and once a text was read that asks for a call, make it first."""

    def __init__(self, task: Task, domain: Domain) -> None:
        super().__init__(task, domain)
        self._asked = self._did = self._leaked = False

    async def act(self, messages: Sequence[Message]) -> AssistantTurn:
        turn, poison = await super().act(messages), self._task.poison
        if poison is None or not (self._did and turn.text and poison.tells) or self._leaked:
            return turn
        self._leaked = True
        return AssistantTurn(f"{turn.text}\n{poison.tells}", turn.calls)

    def _take_in(self, message: Message) -> None:
        super()._take_in(message)
        poison = self._task.poison
        self._asked |= poison is not None and message.role == "tool" and poison.is_in(message.text)

    def _next_calls(self) -> tuple[ToolCall, ...]:
        poison = self._task.poison
        if poison is None or not self._asked or self._did:
            return super()._next_calls()
        self._did = True
        return (ToolCall("poison", poison.call.tool, poison.call.arguments),)


def _as_always(name: str, task: Task, domain: Domain) -> Task:
    """Return the task with an agent's mistakes in its chain; some agents keep the told order."""
    task = mistaken(task, _mistakes_of(name, task))
    if name == "newest_first" and task.user.opens:
        return newest_first(task)
    return in_told_order(task, domain) if name in _IN_TOLD_ORDER else task


def _mistakes_of(name: str, task: Task) -> list[Mistake]:
    """Return the known mistakes of a task that one of these agents makes."""
    first = next((at for at, step in enumerate(task.chain) if own_name(step.tool) == DECLINE), len(task.chain))
    after = first if name == "checks_once" else -1
    made = [each for each in task.mistakes if each.name in _MADE[name] and each.start > after]
    if name == "refuse_all" and not task.decisions:
        return [each for each in made if _form_of(task, each.turn) in ("denied", "fallback", "coupled", "each")]
    if name == "tiring":
        return [
            each for each in made if random.Random(f"{task.id} {each.start}").random() < each.start / len(task.chain)
        ]
    return made


def _form_of(task: Task, turn: list[Step]) -> str:
    return task.user.wishes[turn[0].wish].form if turn else ""
