"""A model behind an API: what it is asked for, answers that fit a schema or turns of a conversation with tools."""

from __future__ import annotations

import asyncio
from typing import ClassVar, Protocol

from runtime.errors import ModelFailed
from runtime.model.asking import ApiRoute, Asking
from runtime.model.backoff import Backoff
from runtime.model.chat import ChatReply, ChatRequest
from runtime.model.endpoint import NotTaken
from runtime.model.model import Answer, Request, Usage
from runtime.model.prices import Price
from runtime.model.usage import total_usage


class RouteTo(Protocol):
    """How a model is reached by its name and options, at another URL than the API's own if one is given."""

    def __call__(self, words: str, base_url: str | None, backoff: Backoff | None, price: Price | None, /) -> ApiRoute:
        """Errors: UsageError where a key is missing, or an option is not one."""


class AnsweringModel:
    """A model that answers requests; `spent` is all usage so far, that of failed requests included."""

    route: ClassVar[RouteTo]

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        at_once: int = 8,
        asks: int = 3,
        backoff: Backoff | None = None,
        price: Price | None = None,
    ) -> None:
        """`asks` bounds how often one request is put until its answer is JSON that fits. Errors: those of `route`."""
        self.spent = Usage(0, 0)
        self._route = self.route(model, base_url, backoff, price)
        self._asks = asks
        self._slots = asyncio.Semaphore(at_once)

    @property
    def name(self) -> str:
        """How it was asked for."""
        return self._route.endpoint.name

    async def answer(self, request: Request) -> Answer:
        """Answer one request; errors: ModelFailed for a refusal, a cut-off answer or no connection, UsageError."""
        spent: list[Usage] = []
        try:
            async with self._slots, self._route.open() as client:
                content = await Asking(self._route, client, request, spent).until_it_fits(self._asks)
        except ModelFailed as error:
            raise _with_usage(error, spent) from error.__cause__
        finally:
            self.spent = total_usage([self.spent, *spent])
        return Answer(content, self.name, total_usage(spent))


class ConversingModel:
    """A model in conversations with tools."""

    route: ClassVar[RouteTo]

    def __init__(
        self, model: str, *, base_url: str | None = None, backoff: Backoff | None = None, price: Price | None = None
    ) -> None:
        """Errors: those of `route`."""
        self._route = self.route(model, base_url, backoff, price)

    @property
    def name(self) -> str:
        """How it was asked for."""
        return self._route.endpoint.name

    def rooms_for(self, tokens: int) -> tuple[int | None, ...]:
        """The tokens that a reply may have where so many are enough, then those where it was cut; None: no bound."""
        return self._route.rooms_for(tokens)

    async def reply(self, request: ChatRequest) -> ChatReply:
        """The next turn; errors: ModelFailed with the usage of the failed tries, UsageError for a wrong set-up."""
        route, spent = self._route, list[Usage]()
        try:
            async with route.open() as client:
                reply = await route.write(client, request, spent)
        except NotTaken as error:
            if not route.endpoint.has_answered:  # no first turn either: no credit, or no room for the tools
                raise route.endpoint.unusable(str(error)) from error
            if error.is_outgrown:
                return ChatReply((), "too_long", str(error), total_usage(spent))
            if error.is_unreadable:
                return ChatReply((), "unreadable", str(error), total_usage(spent))
            raise _with_usage(error.failure, spent) from error
        except ModelFailed as error:
            raise _with_usage(error, spent) from error
        return ChatReply(reply.blocks, reply.stop or "", reply.why, total_usage(spent))


def _with_usage(error: ModelFailed, spent: list[Usage]) -> ModelFailed:
    error.usage = total_usage(spent)
    return error
