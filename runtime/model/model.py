"""What a model is asked and what it answers: the two protocols, their values, and how usage is counted."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

CHARACTERS_PER_TOKEN = 4  # a rule of thumb for English and code, for prompts and answers alike

_THOUGHT = re.compile(r"<think>.*?(?:</think>|\Z)", re.DOTALL)


@dataclass(frozen=True)
class Turn:
    """An earlier answer to the same question and the complaints about it."""

    answer: Mapping[str, Any]
    complaints: tuple[str, ...]


@dataclass(frozen=True)
class Request:
    """One question, with the JSON Schema that its answer must fit.

    `stage`, `key` and `attempt` (from 1) identify it, the same in every run. `prefix` is the first part of the prompt,
    shared by many questions and worth caching. `earlier` holds the attempts before this one, oldest first; `repair`
    says what is wanted after them. `max_tokens` is enough for the answer, without what the model thinks before it.
    """

    role: str
    stage: str
    key: str
    attempt: int
    prefix: str = field(repr=False)
    prompt: str = field(repr=False)
    schema: Mapping[str, Any] = field(repr=False)
    earlier: tuple[Turn, ...] = field(default=(), repr=False)
    repair: str = "Give the whole corrected answer."
    max_tokens: int = 32_000


@dataclass(frozen=True)
class Usage:
    """Tokens of one request, failed tries included; `cached` are prompt tokens that were read from a cache.

    `cost` is in US dollars, None if the price is unknown.
    """

    prompt: int
    completion: int
    cached: int = 0
    estimated: bool = False
    cost: float | None = 0.0


@dataclass(frozen=True)
class Answer:
    """A JSON object that fits the request's schema, the model that gave it, and its usage."""

    content: Mapping[str, Any]
    model: str
    usage: Usage


class Model(Protocol):
    """Answers requests, several at once."""

    @property
    def name(self) -> str:
        """How it was asked for: `anthropic:MODEL`, `openai:MODEL`, `relay:DIR`, `recorded`, `scripted`."""

    async def answer(self, request: Request) -> Answer:
        """Answer one request; errors: ModelFailed if there is no usable answer, UsageError for a wrong setup."""


@dataclass(frozen=True)
class ChatRequest:
    """A conversation in blocks of the Messages API, whose last turn is not the model's; `where` names it in errors.

    The reply should fit the `schema`, if there is one. `draw` identifies the request for a model with a seed.
    """

    where: str
    turns: Sequence[Mapping[str, Any]] = field(repr=False)
    system: Sequence[Mapping[str, Any]] = field(default=(), repr=False)
    tools: Sequence[Mapping[str, Any]] = field(default=(), repr=False)
    max_tokens: int = 8_000
    schema: Mapping[str, Any] | None = field(default=None, repr=False)
    draw: str = ""


@dataclass(frozen=True)
class ChatReply:
    """The model's next turn: its blocks as they came, why it stopped, what it took.

    `stop` is a `stop_reason` of the Messages API, or "too_long" where the conversation no longer fits the model, or
    "unreadable" where the server could not parse what its model wrote; `why` quotes the server.
    """

    blocks: Sequence[Mapping[str, Any]] = field(repr=False)
    stop: str
    why: str | None
    usage: Usage

    @property
    def text(self) -> str:
        return "".join(str(block.get("text", "")) for block in self.blocks if block.get("type") == "text")


class Chat(Protocol):
    """Converses with tools; several conversations may be under way at once."""

    @property
    def name(self) -> str:
        """How it was asked for: `anthropic:MODEL`, `openai:MODEL`."""

    async def reply(self, request: ChatRequest) -> ChatReply:
        """Return the next turn; errors: ModelFailed with the usage of failed tries, UsageError for a wrong setup."""


def estimate_tokens(*texts: str) -> int:
    """Return the number of characters divided by four, rounded up."""
    return math.ceil(sum(map(len, texts)) / CHARACTERS_PER_TOKEN)


def estimate_usage(request: Request, *answers: str) -> Usage:
    """Estimate the usage of a model that does not count: all that was sent, and every answer that came back."""
    turns = [text for turn in request.earlier for text in (json.dumps(dict(turn.answer)), *turn.complaints)]
    prompt = estimate_tokens(request.prefix, request.prompt, *turns, json.dumps(dict(request.schema)))
    return Usage(prompt, estimate_tokens(*answers), estimated=True)


def total_usage(usages: Iterable[Usage]) -> Usage:
    """Add up; the sum is estimated if a part is, and of unknown cost if a part is."""
    prompt = completion = cached = 0
    estimated = False
    cost: float | None = 0.0
    for usage in usages:
        prompt += usage.prompt
        completion += usage.completion
        cached += usage.cached
        estimated = estimated or usage.estimated
        cost = None if cost is None or usage.cost is None else cost + usage.cost
    return Usage(prompt, completion, cached, estimated, cost)


def without_reasoning(text: str) -> str:
    """Return a text without its `<think>` part, which may lack its end, or its beginning if the prompt opened it."""
    if "think>" not in text:
        return text
    return _THOUGHT.sub("", text).rpartition("</think>")[2].strip()
