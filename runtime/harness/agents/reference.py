"""The reference agent: it replays a task's chain request by request and reports the answers that the task asks for."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from runtime.domain.domain import Domain
from runtime.domain.people import DECLINE, IDENTIFY, own_name
from runtime.harness.conversation import Agent, AgentContext, AssistantTurn, Message, ToolCall, converses
from runtime.task.handbook import with_neutral_codes
from runtime.task.origin import steps_named
from runtime.task.task import Step, Task, bind
from runtime.task.values import said_value

_DONE = "Done: that is all taken care of."
_OUTSIDE = "I'm sorry, that is beyond what I can do here."
_REFUSED = "I'm sorry, I can't do that: our rules do not allow it."
_NOTHING_LEFT = "You're welcome."
_WHO = "Happy to help. To verify who you are, could you tell me your name and two details we have on file?"


class ReferenceAgent:
    """The kind of agent that knows the way."""

    name = "reference"

    def begin(self, context: AgentContext) -> Agent:
        return Replaying(context.task, context.domain)


class Replaying:
    """An agent that replays a chain."""

    def __init__(self, task: Task, domain: Domain) -> None:
        self._task = task = with_neutral_codes(task, domain)
        self._locale = domain.locale
        recorded = (step.wish for step in task.chain if own_name(step.tool) == DECLINE)
        repeated = (at for at, wish in enumerate(task.user.wishes) if wish.again is not None and not wish.writes)
        self._refused = frozenset((*recorded, *repeated))  # wishes
        self._needs = [frozenset(steps_named(step.arguments)) for step in task.chain]  # steps, by step
        self._needed = frozenset[int]().union(*self._needs)
        self._read = 0  # messages
        self._told: set[str] = set()  # columns of the caller's own row
        self._said: set[int] = set()  # wishes
        self._reported: set[int] = set()  # wishes
        self._refuses = False  # what was said last
        self._called: dict[str, int] = {}  # numbers of steps by the ids of their calls
        self._results: dict[int, Mapping[str, Any]] = {}
        self._rejected = ""
        self._asked_who: set[str] = set()  # tools that identify the caller
        self._is_alone = False  # nobody answers, so that all is said at once

    async def act(self, messages: Sequence[Message]) -> AssistantTurn:
        if self._rejected:
            return AssistantTurn(note=self._rejected)
        asked: tuple[str, ...] = ()
        for message in messages[self._read :]:
            self._take_in(message)
            asked = message.asks if message.role == "user" else asked
        self._read = len(messages)
        self._is_alone = not converses(messages)
        if asked and self._reported:
            return AssistantTurn(self._answer(asked))
        if self._rejected:
            return AssistantTurn(f"I'm sorry, I could not do that: {self._rejected}")
        if not self._knows_caller():
            return AssistantTurn(_WHO)
        calls = self._next_calls()
        return AssistantTurn(calls=calls) if calls else AssistantTurn(self._report())

    def _take_in(self, message: Message) -> None:
        if message.role == "user":
            self._said |= set(message.wishes)
            self._told |= set(message.tells)
        elif message.role == "tool" and message.call_id in self._called:
            number = self._called[message.call_id]
            if message.is_error:
                tool = self._task.chain[number].tool
                self._rejected = self._rejected or f"{tool} was rejected with {message.text}"
            else:
                self._results[number] = json.loads(message.text) if number in self._needed else {}

    def _knows_caller(self) -> bool:
        """True unless a step that is due identifies the caller by details that the user has not given yet."""
        for step in self._task.chain:
            if own_name(step.tool) != IDENTIFY or step.wish not in self._said or step.tool in self._asked_who:
                continue
            given = {step.tool.removesuffix(IDENTIFY) + name for name in step.arguments}
            if any(fact.proves in given - self._told for fact in self._task.user.facts):
                self._asked_who.add(step.tool)
                return False
        return True

    def _next_calls(self) -> tuple[ToolCall, ...]:
        """The next steps of the requests made so far that do not need each other's results."""
        calls: list[ToolCall] = []
        for number, step in enumerate(self._task.chain):
            if number in self._results or step.wish not in self._said:
                continue
            if not self._needs[number] <= self._results.keys():
                break
            arguments = self._arguments(step)
            if arguments is None:
                self._results[number] = {}
                continue
            call = ToolCall(f"step-{number}", step.tool, arguments)
            self._called[call.id] = number
            calls.append(call)
        return tuple(calls)

    def _arguments(self, step: Step) -> dict[str, Any] | None:
        """What a step is called with; None for one that is left out. Errors: EnvironmentFault."""
        return bind(step.arguments, self._results)

    def _report(self) -> str:
        """The outcome of requests without an answer, and the answers to the others, one per line."""
        wishes = sorted(self._said - self._reported)
        self._reported |= self._said
        own = self._task.answers if self._is_alone else self._task.own_answers
        wanted = [each for each in own if each.wish in wishes]
        outside, answered = self._task.user.outside, {each.wish for each in wanted}
        became = dict.fromkeys(
            _OUTSIDE if wish in outside else _REFUSED if wish in self._refused else _DONE
            for wish in wishes
            if wish not in answered
        )
        answers = [f"{each.name}: {said_value(each, self._locale)}" for each in wanted]
        if wishes:
            self._refuses = list(became) == [_REFUSED]
        return "\n".join([*became, *answers]) or (_REFUSED if self._refuses else _NOTHING_LEFT)

    def _answer(self, names: Collection[str]) -> str:
        own = [each for each in self._task.answers if each.name in names]
        told = [f"{each.name}: {said_value(each, self._locale)}" for each in own]
        return "\n".join(told) or _DONE
