"""What a model that converses with tools is asked and what it replies, in the blocks of the Messages API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from runtime.model.model import Usage


@dataclass(frozen=True)
class ChatRequest:
    """The conversation so far, the last turn not the model's; `where` names it in errors."""

    where: str
    system: Sequence[Mapping[str, Any]] = field(repr=False)
    turns: Sequence[Mapping[str, Any]] = field(repr=False)
    tools: Sequence[Mapping[str, Any]] = field(default=(), repr=False)
    max_tokens: int = 8_000


@dataclass(frozen=True)
class ChatReply:
    """The model's next turn: its blocks as they came, why it stopped, what it took.

    `stop` is the API's `stop_reason`, or "too_long" where the conversation had outgrown the model before it replied;
    `why` is the server's own sentence about it.
    """

    blocks: Sequence[Mapping[str, Any]] = field(repr=False)
    stop: str
    why: str | None
    usage: Usage


class Chat(Protocol):
    """Whatever converses with tools; several conversations may be under way at once."""

    @property
    def name(self) -> str:
        """How it was asked for: `anthropic:MODEL`."""

    async def reply(self, request: ChatRequest) -> ChatReply:
        """The next turn; errors: ModelFailed with the usage of the failed tries, UsageError for a wrong set-up."""
