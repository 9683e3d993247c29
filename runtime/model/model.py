"""What a model is asked and what it answers: the protocol that every kind of model implements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True)
class Turn:
    """An earlier answer to the same question, and what was wrong with it: one line per complaint."""

    answer: Mapping[str, Any]
    complaints: tuple[str, ...]


@dataclass(frozen=True)
class Request:
    """One question, with the JSON Schema that its answer must fit.

    `stage`, `key` and `attempt` (from 1) name it: the same question has the same name in every run. `prefix` is the
    first part of the prompt, shared by many questions and worth caching; `prompt` is the rest. `earlier` holds the
    attempts before this one, the oldest first; `repair` says what is wanted after them.
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
    """Tokens of one request, failed tries included; `cached` are those of the prompt that were read from a cache.

    `cost` is in US dollars; None says that nobody knows the price.
    """

    prompt: int
    completion: int
    cached: int = 0
    estimated: bool = False
    cost: float | None = 0.0


@dataclass(frozen=True)
class Answer:
    """A JSON object that fits the request's schema, who gave it, and what it took."""

    content: Mapping[str, Any]
    model: str
    usage: Usage


class Model(Protocol):
    """Whatever answers requests; several may be under way at once."""

    @property
    def name(self) -> str:
        """How it was asked for: `anthropic:MODEL`, `openai:MODEL`, `relay:DIR`, `recorded`, `scripted`."""

    async def answer(self, request: Request) -> Answer:
        """Answer one request; errors: ModelFailed if no usable answer can be had, UsageError for a wrong set-up."""
