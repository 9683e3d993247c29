"""The random agent: valid calls without sense; a world that rewards it can be gamed."""

from __future__ import annotations

import random
from collections.abc import Sequence

from runtime.harness.agent import Agent, AgentContext, AssistantTurn
from runtime.harness.agents.guess import SeenValues, guess_arguments
from runtime.harness.messages import Message, ToolCall

CALLS = 12  # in answer to each message of the user
_OPTIONAL = 0.4  # how often an optional parameter is given


class RandomAgent:
    """The kind of agent that calls what it can at random."""

    name = "random"

    def begin(self, context: AgentContext) -> Agent:
        """A fresh agent that draws from the seed of its episode."""
        return _Random(context)


class _Random:
    def __init__(self, context: AgentContext) -> None:
        self._tools = context.tools
        self._chance = random.Random(context.seed)
        self._known = SeenValues(context.domain.now)
        self._left = 0  # calls to be made before it speaks
        self._made = 0

    async def act(self, messages: Sequence[Message]) -> AssistantTurn:
        if messages[-1].role == "user":
            self._left = CALLS
        self._known.read(messages)
        call = self._draw() if self._left else None
        if call is None:
            return AssistantTurn("Done.")
        self._left -= 1
        self._made += 1
        return AssistantTurn(calls=(call,))

    def _draw(self) -> ToolCall | None:
        for tool in self._chance.sample(self._tools, len(self._tools)):
            arguments = guess_arguments(tool, self._known, self._chance, optional=_OPTIONAL)
            if arguments is not None:
                return ToolCall(f"random-{self._made}", tool["name"], arguments)
        return None
