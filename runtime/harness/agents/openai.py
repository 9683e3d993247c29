"""The agent `openai:MODEL`: a model over chat completions."""

from __future__ import annotations

from runtime.harness.agents.chatting import ChattingKind
from runtime.model.backoff import Backoff
from runtime.model.openai import OpenAIChat
from runtime.model.prices import Price


class OpenAIAgent(ChattingKind):
    """`openai:MODEL`; OPENAI_BASE_URL names the server, which needs no key unless it is OpenAI's own."""

    def __init__(
        self, model: str, *, base_url: str | None = None, backoff: Backoff | None = None, price: Price | None = None
    ) -> None:
        """Errors: UsageError where there is no key, or an option that is not one."""
        super().__init__(OpenAIChat(model, base_url=base_url, backoff=backoff, price=price))
