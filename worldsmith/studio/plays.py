"""Plays: a task, or a domain without one, as a tree of steps; each step has a rollout of its own to go on from."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from generator.tasks.sessions import PlayedSession, nobodys_task, steps_of
from runtime.domain.domain import Domain
from runtime.errors import UsageError
from runtime.harness.choose import choose_agent
from runtime.harness.conversation import Agent, AgentContext, AssistantTurn, Message, episode_seed
from runtime.harness.evaluation.store import describe_domain
from runtime.page.steps import changed_cells, cut, exact, tell_time
from runtime.page.tell import tell_poison, tell_verdict
from runtime.server.listing import list_tools
from runtime.session.world import DEFAULT_SEED, DEFAULT_SIZE
from runtime.task.task import WorldRecipe
from runtime.verification.verdict import Violation
from worldsmith.catalog import DomainTask, tasks
from worldsmith.rollout import Rollout
from worldsmith.studio.domains import load_shown, read_rows, tasks_shown

_UNBOUNDED = 100_000  # turns, and calls: nobody is stopped in the middle of looking around
_YOU = "you"


class Asked(BaseModel):
    """What is to be played. Without a task nobody is there to talk to, and nothing is judged."""

    model_config = ConfigDict(extra="forbid", strict=True)

    domain: str
    task: str | None = None
    user: str = "scripted"
    policy: Literal["prompt", "handbook"] = "prompt"
    seed: int = 0
    poison: str = "none"


@dataclass
class PlayStep:
    """A point of a play: what was done to get there from `parent`, and the rollout as it was then."""

    number: int
    parent: int | None
    rollout: Rollout = field(repr=False)
    told: dict[str, Any]  # as the page shows it


@dataclass
class _WatchedAgent:
    """An agent at a step of a play; the calls of one of its turns are made one by one."""

    agent: Agent
    waiting: list[AssistantTurn]

    async def next_turn(self, messages: Sequence[Message]) -> AssistantTurn:
        if not self.waiting:
            turn = await self.agent.act(messages)
            texts = [turn.text] + [""] * (len(turn.calls) - 1)
            parts = zip(texts, turn.calls, strict=True) if turn.calls else ()
            self.waiting = [AssistantTurn(text, (call,), note=turn.note) for text, call in parts] or [turn]
        return self.waiting.pop(0)


class Play:
    """One play; acting from a step that has been acted from before makes another branch."""

    def __init__(self, name: str, asked: Asked, task: DomainTask, tell: Callable[[str, Any], None]) -> None:
        self.name = name
        self.asked = asked
        self.task = task
        self.steps: list[PlayStep] = []
        self._tell = tell
        self._watched: dict[tuple[str, int], _WatchedAgent] = {}  # by agent and by the step that it acts from next

    @property
    def domain(self) -> Domain:
        return self.task.domain

    async def open(self) -> None:
        """Make the first step; errors: UsageError, EnvironmentFault, ModelFailed."""
        user = "none" if self.asked.task is None else self.asked.user
        asked = self.asked
        rollout = Rollout(
            self.task, user=user, policy=asked.policy, seed=asked.seed, turns=_UNBOUNDED, calls=_UNBOUNDED
        )
        await rollout.open()
        self._add(None, rollout, {"kind": "start", "by": ""})

    async def call(
        self, at: int, tool: str, arguments: Any, *, by: str = _YOU, text: str = "", id: str = ""
    ) -> PlayStep:
        """Make a call; the step that it leads to. Errors: UsageError, EnvironmentFault."""
        rollout = self._fork(at)
        call = {"id": id or None, "name": tool, "arguments": arguments}
        await rollout.take({"content": text, "tool_calls": [call]})
        return self._add(at, rollout, {"kind": "call", "tool": tool, "arguments": arguments, "text": text, "by": by})

    async def say(self, at: int, text: str, *, by: str = _YOU, note: str = "") -> PlayStep:
        """Say something to the user, or give up with no words; the step that it leads to.

        Errors: UsageError, EnvironmentFault, ModelFailed.
        """
        if self.asked.task is None:
            raise UsageError("Nobody is there to talk to: no task is played.")
        rollout = self._fork(at)
        await rollout.take({"content": text})
        return self._add(at, rollout, {"kind": "say", "text": text, "by": by, "note": note})

    async def watch(self, at: int, agent: str) -> PlayStep:
        """Have an agent act once from a step; the step that it leads to.

        It knows what it knew when it went on from there before, or else what the conversation tells.
        Errors: UsageError, EnvironmentFault, ModelFailed.
        """
        if self.asked.task is None:
            raise UsageError("An agent needs somebody to talk to: no task is played.")
        if self._step(at).rollout.done:
            raise UsageError(f"The conversation is over at step {at}; let the agent go on from an earlier step.")
        messages = self._step(at).rollout.conversation
        watched = self._watched.pop((agent, at), None) or await self._start_agent(at, agent)
        turn = await watched.next_turn(messages)
        if turn.calls:
            (call,) = turn.calls
            step = await self.call(at, call.name, call.arguments, by=agent, text=turn.text, id=call.id)
        else:
            step = await self.say(at, turn.text, by=agent, note=turn.note)
        self._watched[agent, step.number] = watched
        return step

    async def _start_agent(self, at: int, name: str) -> _WatchedAgent:
        """An agent at a step. One without a model goes through the conversation first as if it had played it."""
        if name.startswith("command:"):
            raise UsageError("A program cannot be watched here; `worldsmith eval --agent command:...` runs it.")
        rollout, task = self._step(at).rollout, self.task
        messages, tools = rollout.conversation, list_tools(rollout.domain, timed=rollout.is_timed)
        seed = episode_seed(task.domain, task.id, self.asked.seed)
        world = rollout.session.world
        agent = choose_agent(name).begin(AgentContext(rollout.domain, task.task, world, messages[0].text, tools, seed))
        if ":" not in name:
            for place, message in enumerate(messages):
                if message.by_agent:
                    await agent.act(messages[:place])
        return _WatchedAgent(agent, [])

    def _fork(self, at: int) -> Rollout:
        return self._step(at).rollout.fork()

    def _step(self, number: int) -> PlayStep:
        if not 0 <= number < len(self.steps):
            raise UsageError(f"Play {self.name} has no step {number}; its last one is {len(self.steps) - 1}.")
        return self.steps[number]

    def path(self, at: int) -> list[PlayStep]:
        """The steps from the start to one."""
        path = [self._step(at)]
        while path[-1].parent is not None:
            path.append(self.steps[path[-1].parent])
        return path[::-1]

    def _add(self, parent: int | None, rollout: Rollout, told: dict[str, Any]) -> PlayStep:
        number, session = len(self.steps), rollout.session
        known = 0 if parent is None else len(self.steps[parent].rollout.conversation)
        new = rollout.conversation[known:]
        before = session.changes if parent is None else self.steps[parent].rollout.session.changes
        outcome = session.last if told["kind"] == "call" else None
        calls = 0 if parent is None else sum(step.told["kind"] == "call" for step in self.path(parent))
        broken = () if outcome is None else outcome.broken
        told |= {
            "number": number,
            "parent": parent,
            "replies": [{"role": each.role, "text": cut(each.text)} for each in new if _is_reply(each)],
            "refused": any(each.role == "tool" and each.is_error for each in new),
            "cells": list(changed_cells(self.domain.schema, before.steps_to(session.changes))),
            "violations": [Violation(each.rule, calls + 1, told["tool"], each.key).sentence for each in broken],
            "done": rollout.done,
            "ended": rollout.ended,
        }
        if "arguments" in told:
            told["arguments"] = exact(told["arguments"])
        happened = 0 if parent is None else len(self.steps[parent].rollout.session.clock.state.fired)
        if (time := tell_time(session.clock, happened)) is not None:
            told["time"] = time
        session.park()  # an open database takes half a megabyte
        step = PlayStep(number, parent, rollout, told)
        self.steps.append(step)
        self._tell("play", {"play": self.name, "step": told})
        return step

    def describe(self) -> dict[str, Any]:
        """Return everything but rows and verdicts."""
        task, first = self.task, self.steps[0].rollout.conversation[0]
        return {
            "play": self.name,
            "domain": self.asked.domain,
            "task": self.asked.task,
            "title": task.title,
            "level": task.level,
            "forms": sorted(task.forms) if self.asked.task else [],
            "user": self.asked.user,
            "policy": self.asked.policy,
            "seed": self.asked.seed,
            "poison": (told := tell_poison(task.task)) and told | {"plan": self.asked.poison},
            "prompt": first.text,
            "steps": [step.told for step in self.steps],
        }

    def rows(self, at: int, table: str, page: int, find: str) -> dict[str, Any]:
        """Return a page of a table as it is at a step, and its changed rows apart; errors: UsageError."""
        session = self._step(at).rollout.session
        session.open()
        try:
            part, own = session.part_of(table)
            assert part.connection is not None
            found = read_rows(part.domain, part.connection, own, page, find)
        finally:
            session.park()
        record = self.domain.schema.tables[table].record
        found["changed"] = [
            {
                "key": [exact(part) for part in key],
                "before": None if before is None else exact(record(before)),
                "after": None if after is None else exact(record(after)),
            }
            for (name, key), (before, after) in session.changes.rows.items()
            if name == table
        ]
        return found

    def verdict(self, at: int) -> dict[str, Any]:
        """Return the verdict on a step as if the conversation ended there; errors: UsageError, EnvironmentFault."""
        if self.asked.task is None:
            raise UsageError("Nothing is expected, so nothing is judged: no task is played.")
        rollout = self._step(at).rollout
        record = rollout.record()
        rollout.session.park()
        steps = [step.told for step in self.path(at)]
        return tell_verdict(record, self.task.task, describe_domain(self.domain), steps)

    def session(self, at: int) -> PlayedSession:
        """Return the session as it is at a step, for a task to be made of it."""
        rollout = self._step(at).rollout
        calls = steps_of(rollout.conversation, rollout.domain)
        return PlayedSession(f"play-{self.name}", self.domain, self.task.task.clean, calls)

    def compare(self, one: int, other: int) -> list[dict[str, Any]]:
        """Return the cells in which the state at a step differs from that at another; errors: UsageError."""
        here, there = (self._step(number).rollout.session.changes for number in (one, other))
        return list(changed_cells(self.domain.schema, here.steps_to(there)))


def _is_reply(message: Message) -> bool:
    """Whether a message answers, or greets: anything but the prompt and what the player said."""
    return message.role != "system" and not message.by_agent


class Plays:
    """All plays of a server, which live as long as it does."""

    def __init__(self, tell: Callable[[str, Any], None]) -> None:
        """`tell` is told of every step."""
        self._tell = tell
        self._plays: dict[str, Play] = {}

    async def start(self, asked: Mapping[str, Any]) -> Play:
        """Start a play; errors: UsageError, EnvironmentFault, ModelFailed."""
        try:
            wanted = Asked.model_validate(asked)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise UsageError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}.") from None
        domain = load_shown(wanted.domain)
        task = _free_task(domain) if wanted.task is None else _task_of(domain, wanted.task).poisoned(wanted.poison)
        play = Play(secrets.token_hex(3), wanted, task, self._tell)
        await play.open()
        self._plays[play.name] = play
        return play

    def find(self, name: str) -> Play:
        """Errors: UsageError if there is no such play."""
        if name not in self._plays:
            raise UsageError(
                f"There is no play {name!r:.50} any more: plays live only as long as the server. Start a new one."
            )
        return self._plays[name]

    def list(self) -> list[dict[str, Any]]:
        """Return what the list of plays shows, the latest first."""
        return [
            {
                "play": play.name,
                "domain": play.asked.domain,
                "domain_title": play.domain.card.title,
                "task": play.asked.task,
                "title": play.task.title,
                "steps": len(play.steps),
                "done": play.steps[-1].rollout.done,
            }
            for play in reversed(self._plays.values())
        ]


def _task_of(domain: Domain, name: str) -> DomainTask:
    """A task that the domain's page shows; errors: UsageError."""
    return next((each for each in tasks_shown(domain) if each.id == name), None) or tasks(domain, ids=[name])[0]


def _free_task(domain: Domain) -> DomainTask:
    """A task in which nobody wants anything, in the world that the domain is shown with."""
    return DomainTask(domain, nobodys_task(domain, WorldRecipe(seed=DEFAULT_SEED, size=DEFAULT_SIZE)))
