"""A request put to a model until its answer is one: JSON that fits, held to its schema while written if possible."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from runtime.errors import ModelFailed
from runtime.model.chat import ChatRequest
from runtime.model.conversation import correct, open_conversation
from runtime.model.endpoint import Endpoint, NotTaken, one_line
from runtime.model.fit import Misfit, bare_json, read_answer
from runtime.model.model import Request, Usage
from runtime.model.options import ModelOptions
from runtime.model.reasoning import without_reasoning
from runtime.model.strictness import can_be_held


class Written(Protocol):
    """What came back of one call: its blocks, their words, and why they end, all as the Messages API has them."""

    @property
    def blocks(self) -> Sequence[Mapping[str, Any]]: ...

    @property
    def text(self) -> str: ...

    @property
    def stop(self) -> str | None: ...

    @property
    def why(self) -> str | None: ...


class ApiRoute(Protocol):
    """How one model is reached over one API."""

    endpoint: Endpoint
    options: ModelOptions
    shows_schema: bool  # in the prompt, too, where an answer is held to it
    unheld: set[str]  # schemas that the server would not hold an answer to

    def rooms_for(self, tokens: int) -> tuple[int | None, ...]:
        """The tokens that an answer may have where so many are enough, then those where it was cut; None: no bound."""

    def open(self) -> AbstractAsyncContextManager[Any]:
        """A client for one request and its tries."""

    async def write(self, client: Any, request: ChatRequest, spent: list[Usage]) -> Written:
        """One whole reply; each try is added to `spent`. Errors: ModelFailed, UsageError, NotTaken."""


class Asking:
    """One request under way: what was said so far, and what it took."""

    def __init__(self, route: ApiRoute, client: Any, request: Request, spent: list[Usage]) -> None:
        self._route = route
        self._client = client
        self._request = request
        self._spent = spent
        self._schema = json.dumps(dict(request.schema), sort_keys=True)
        self._held = can_be_held(request.schema) and self._schema not in route.unheld
        self._rooms = route.rooms_for(request.max_tokens)
        self._corrections: list[dict[str, Any]] = []
        self._where = f"{request.stage}/{request.key} attempt {request.attempt}"

    async def until_it_fits(self, asks: int) -> Mapping[str, Any]:
        """Ask, and ask again while the answer is not JSON or does not fit the schema; errors: ModelFailed."""
        lines: tuple[str, ...] = ()
        for _ in range(asks):
            text = await self._whole_reply()
            try:
                return read_answer(bare_json(without_reasoning(text)), self._request.schema)
            except Misfit as misfit:
                lines = misfit.lines
                self._corrections += correct(text, "This answer is not the JSON object that was asked for:", lines)
        raise self._failed(f"gave no answer that fits in {asks} tries, at last: {'; '.join(lines)[:500]}")

    async def _whole_reply(self) -> str:
        """The text of one reply; one that is cut off is asked for again, with more room if there is any."""
        reply = await self._held_reply()
        while reply.stop == "max_tokens" and len(self._rooms) > 1:
            self._rooms = self._rooms[1:]
            reply = await self._held_reply()
        match reply.stop:
            case "refusal":
                raise self._failed(f"refused to answer: {one_line(reply.why or 'it gave no reason')}")
            case "max_tokens":
                raise self._failed(f"was cut off at {self._rooms[0]} tokens")
            case "model_context_window_exceeded":
                raise self._failed("had no room left: prompt and answer together are too long for it")
        return reply.text

    async def _held_reply(self) -> Written:
        """One reply, held to the schema unless the server does not take it."""
        try:
            return await self._write()
        except NotTaken as error:
            if not self._held:
                raise error.failure from error
        self._held = False  # its limits on schemas are its own; in the prompt, it takes any
        try:
            reply = await self._write()
        except NotTaken as error:
            raise error.failure from error
        self._route.unheld.add(self._schema)
        return reply

    async def _write(self) -> Written:
        turns = open_conversation(self._request, show_schema=self._route.shows_schema or not self._held)
        request = ChatRequest(
            where=self._where,
            turns=turns + self._corrections,
            max_tokens=self._rooms[0],
            schema=self._request.schema if self._held else None,
            draw=self._where,
        )
        return await self._route.write(self._client, request, self._spent)

    def _failed(self, what: str) -> ModelFailed:
        return self._route.endpoint.failed(self._where, what)
