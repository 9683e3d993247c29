"""The agent `anthropic:MODEL`: a model over the Messages API."""

from __future__ import annotations

from runtime.harness.agents.chatting import ROOM, ChattingKind
from runtime.model.anthropic import AnthropicChat
from runtime.model.backoff import Backoff
from runtime.model.prices import Price


class AnthropicAgent(ChattingKind):
    """`anthropic:MODEL`; ANTHROPIC_BASE_URL names another server of the same API, which may need no key."""

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        backoff: Backoff | None = None,
        room: int = ROOM,
        price: Price | None = None,
    ) -> None:
        """Errors: UsageError where there is no key, or an option that is not one."""
        super().__init__(AnthropicChat(model, base_url=base_url, backoff=backoff, price=price), room)
