"""The parrot: it reads all that it can, changes nothing, and recites; a world that rewards it can be gamed."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from runtime.harness.agent import Agent, AgentContext, AssistantTurn
from runtime.harness.agents.guess import SeenValues, guess_arguments
from runtime.harness.messages import Message, ToolCall

_ROUNDS = 4  # each with what the earlier ones returned
_TRIES = 4  # of each tool in a round
_MOST_CALLS = 100


class ParrotAgent:
    """The kind of agent that recites every result to the user."""

    name = "parrot"

    def begin(self, context: AgentContext) -> Agent:
        """A fresh agent."""
        return _Parrot(context)


class _Parrot:
    def __init__(self, context: AgentContext) -> None:
        self._tools = [tool for tool in context.tools if tool["annotations"]["readOnlyHint"]]
        self._chance = random.Random(context.seed)
        self._known = SeenValues(context.domain.now)
        self._asked: set[str] = set()
        self._rounds = 0
        self._recited = False

    async def act(self, messages: Sequence[Message]) -> AssistantTurn:
        self._known.read(messages)
        if self._rounds < _ROUNDS:
            self._rounds += 1
            calls = tuple(self._calls())
            if calls:
                return AssistantTurn(calls=calls)
        if self._recited:  # a user who asks on hears the same again, but not the results
            return AssistantTurn("That is all I know.")
        self._recited = True
        return AssistantTurn("\n".join(self._known.results) or "I know nothing.")

    def _calls(self) -> Iterator[ToolCall]:
        for tool in self._tools:
            for optional in [0.0] + [0.5] * (_TRIES - 1):
                arguments = guess_arguments(tool, self._known, self._chance, optional=optional)
                if arguments is not None and self._is_new(tool, arguments):
                    yield ToolCall(f"parrot-{len(self._asked)}", tool["name"], arguments)

    def _is_new(self, tool: Mapping[str, Any], arguments: Mapping[str, Any]) -> bool:
        asked = json.dumps([tool["name"], arguments], sort_keys=True)
        if asked in self._asked or len(self._asked) >= _MOST_CALLS:
            return False
        self._asked.add(asked)
        return True
