"""What a model that converses with tools is asked and what it replies, in the blocks of the Messages API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from runtime.model.model import Usage


@dataclass(frozen=True)
class ChatRequest:
    """The conversation so far, the last turn not the model's; `where` names it in errors.

    The reply is held to the `schema`, if there is one, and has at most `max_tokens`, None being as many as the server
    gives. `draw` names what a seed is to draw for: the same in every run, another one in every episode.
    """

    where: str
    turns: Sequence[Mapping[str, Any]] = field(repr=False)
    system: Sequence[Mapping[str, Any]] = field(default=(), repr=False)
    tools: Sequence[Mapping[str, Any]] = field(default=(), repr=False)
    max_tokens: int | None = 8_000
    schema: Mapping[str, Any] | None = field(default=None, repr=False)
    draw: str = ""


@dataclass(frozen=True)
class ChatReply:
    """The model's next turn: its blocks as they came, why it stopped, what it took.

    `stop` is the API's `stop_reason`, or "too_long" where the conversation had outgrown the model before it replied, or
    "unreadable" where the server could not read what its model wrote; `why` is the server's own sentence about it.
    """

    blocks: Sequence[Mapping[str, Any]] = field(repr=False)
    stop: str
    why: str | None
    usage: Usage


class Chat(Protocol):
    """Whatever converses with tools; several conversations may be under way at once."""

    @property
    def name(self) -> str:
        """How it was asked for: `anthropic:MODEL`, `openai:MODEL`."""

    def rooms_for(self, tokens: int) -> tuple[int | None, ...]:
        """The tokens that a reply may have where so many are enough, then those where it was cut; None: no bound."""

    async def reply(self, request: ChatRequest) -> ChatReply:
        """The next turn; errors: ModelFailed with the usage of the failed tries, UsageError for a wrong set-up."""
