"""The idle agent: it declines everything; a world that rewards it can be gamed."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.harness.agent import Agent, AgentContext, AssistantTurn
from runtime.harness.messages import Message

_MOST_TIMES = 5  # it declines; then it gives up on a user who insists


class IdleAgent:
    """The kind of agent that never calls a tool."""

    name = "idle"

    def begin(self, context: AgentContext) -> Agent:
        """A fresh agent."""
        return _Idle()


class _Idle:
    async def act(self, messages: Sequence[Message]) -> AssistantTurn:
        if sum(message.by_agent for message in messages) >= _MOST_TIMES:
            return AssistantTurn(note="The idle agent declined often enough.")
        return AssistantTurn("I'm sorry, I can't help with that.")
