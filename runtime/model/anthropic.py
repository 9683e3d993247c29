"""Asking the Anthropic API, or a server that speaks it: the only file that imports `anthropic`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import anthropic
import httpx2  # what the SDK calls with; a stream that is cut raises its errors as they are
from anthropic import AsyncAnthropic
from anthropic.types import Message, MessageDeltaUsage
from anthropic.types import Usage as ApiUsage

from runtime.errors import ModelFailed, UsageError
from runtime.model.backoff import Backoff
from runtime.model.conversation import correct, open_conversation
from runtime.model.fit import Misfit, bare_json, read_answer
from runtime.model.model import Answer, Request, Usage
from runtime.model.prices import find_price
from runtime.model.strictness import can_be_held
from runtime.model.usage import estimate_tokens, estimate_usage, total_usage

OWN_SERVER = "api.anthropic.com"
_WORTH_RETRYING = ("rate_limit_error", "overloaded_error", "api_error", "timeout_error")


class AnthropicModel:
    """`anthropic:MODEL`. ANTHROPIC_API_KEY says who pays; ANTHROPIC_BASE_URL names another server of the same API.

    `spent` is all usage so far, that of failed requests included.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        at_once: int = 8,
        asks: int = 3,
        backoff: Backoff | None = None,
    ) -> None:
        """`asks` bounds how often one request is put until its answer is JSON that fits; errors: UsageError, no key."""
        self.model = model
        self.spent = Usage(0, 0)
        self._base_url = base_url
        self.asks = asks
        self.backoff = backoff or Backoff()
        self._slots = asyncio.Semaphore(at_once)
        self.unheld: set[str] = set()  # schemas that the server would not hold an answer to
        self._options = self._choose_options()

    @property
    def name(self) -> str:
        """How it was asked for."""
        return f"anthropic:{self.model}"

    async def answer(self, request: Request) -> Answer:
        """Answer one request; errors: ModelFailed for a refusal, a cut-off answer or no connection, UsageError."""
        spent: list[Usage] = []
        # A client a request: it belongs to one event loop, and costs little next to an answer.
        try:
            async with self._slots, AsyncAnthropic(**self._options) as client:
                content = await _Asking(self, client, request, spent).until_it_fits()
        finally:
            self.spent = total_usage([self.spent, *spent])
        return Answer(content, self.name, total_usage(spent))

    def _choose_options(self) -> dict[str, Any]:
        options: dict[str, Any] = {"base_url": self._base_url, "max_retries": 0}
        try:
            client = AsyncAnthropic(**options)
        except (anthropic.AnthropicError, ValueError) as error:
            raise UsageError(f"Model {self.name!r} cannot be set up: {error}") from error
        if client.api_key or client.auth_token or client.credentials is not None:
            return options
        if client.base_url.host == OWN_SERVER:
            raise UsageError(f"Model {self.name!r} needs a key: set ANTHROPIC_API_KEY.")
        return {**options, "api_key": "none"}  # a local server asks for none, but the SDK does


@dataclass
class _Reply:
    """What came back of one call so far; `stop` is None until the reply is whole."""

    text: str = ""
    stop: str | None = None
    why: str | None = None
    prompt: int = 0
    written: int = 0
    cached: int = 0
    completion: int = 0

    def count(self, usage: ApiUsage | MessageDeltaUsage | None) -> None:
        """Take over the tokens counted so far; what an event leaves out stays, as some local servers leave out much."""
        if usage is None:
            return
        self.prompt = self.prompt if usage.input_tokens is None else usage.input_tokens
        written, cached = usage.cache_creation_input_tokens, usage.cache_read_input_tokens
        self.written = self.written if written is None else written
        self.cached = self.cached if cached is None else cached
        self.completion = usage.output_tokens or self.completion

    def usage(self, model: str) -> Usage:
        """What it took; of a reply that was cut, the answer's tokens are estimated."""
        whole = self.stop is not None
        completion = self.completion if whole else max(self.completion, estimate_tokens(self.text))
        price = find_price(model)
        cost = None if price is None else price.of(self.prompt, self.written, self.cached, completion)
        return Usage(self.prompt + self.written + self.cached, completion, self.cached, not whole, cost)


class _Asking:
    """One request under way: what was said so far, and what it took."""

    def __init__(self, model: AnthropicModel, client: AsyncAnthropic, request: Request, spent: list[Usage]) -> None:
        self._model = model
        self._client = client
        self._request = request
        self._spent = spent
        self._schema = json.dumps(dict(request.schema), sort_keys=True)
        self._held = can_be_held(request.schema) and self._schema not in model.unheld
        self._room = request.max_tokens
        self._corrections: list[dict[str, Any]] = []
        self._where = f"{request.stage}/{request.key} attempt {request.attempt}"

    async def until_it_fits(self) -> Mapping[str, Any]:
        """Ask, and ask again while the answer is no JSON or misses the schema."""
        lines: tuple[str, ...] = ()
        for _ in range(self._model.asks):
            text = await self._whole_reply()
            try:
                return read_answer(bare_json(text), self._request.schema)
            except Misfit as misfit:
                lines = misfit.lines
                self._corrections += correct(text, "This answer is not the JSON object that was asked for:", lines)
        raise self._failed(f"gave no answer that fits in {self._model.asks} tries, at last: {'; '.join(lines)[:500]}")

    async def _whole_reply(self) -> str:
        """The text of one reply; one that is cut off is asked for once more, with twice the room."""
        reply = await self._call_until_it_holds()
        if reply.stop == "max_tokens" and self._room == self._request.max_tokens:
            self._room *= 2
            reply = await self._call_until_it_holds()
        match reply.stop:
            case "refusal":
                raise self._failed(f"refused to answer: {_one_line(reply.why or 'it gave no reason')}")
            case "max_tokens":
                raise self._failed(f"was cut off at {self._room} tokens")
            case "model_context_window_exceeded":
                raise self._failed("had no room left: prompt and answer together are too long for it")
        return reply.text

    async def _call_until_it_holds(self) -> _Reply:
        """One reply that arrived whole; whatever may pass by itself is tried again."""
        failures, unheld = 0, False
        while True:
            reply = _Reply()
            headers: Mapping[str, str] = {}
            try:
                await self._call(reply)
                if reply.stop is not None:
                    if unheld:
                        self._model.unheld.add(self._schema)
                    return reply
                reason = "the connection ended before the answer did"
            except (anthropic.BadRequestError, anthropic.UnprocessableEntityError) as error:
                if not self._held:
                    raise self._failed(f"was asked what the server does not take: {_said(error)}") from error
                # Its limits on schemas are its own; in the prompt, it takes any.
                self._held, unheld = False, True
                continue
            except anthropic.APIStatusError as error:
                self._raise_if_lasting(error)
                reason, headers = f"the server answered {error.status_code}: {_said(error)}", error.response.headers
            except (anthropic.APIConnectionError, httpx2.TransportError, json.JSONDecodeError) as error:
                reason = f"{self._client.base_url} could not be reached or broke off: {error.__cause__ or error!r}"
            except anthropic.AnthropicError as error:
                raise UsageError(f"Model {self._model.name!r} cannot be used: {error}") from error
            finally:
                self._count(reply)
            failures += 1
            wait = self._model.backoff.seconds(failures, headers)
            if wait is None:
                raise self._failed(f"failed after {failures} tries; {reason}")
            await asyncio.sleep(wait)

    async def _call(self, reply: _Reply) -> None:
        """Call once, filling the reply as it streams in."""
        turns: Any = open_conversation(self._request, show_schema=not self._held) + self._corrections
        options: dict[str, Any] = {}
        if self._held:
            schema = anthropic.transform_schema(dict(self._request.schema))
            options["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
        stream = await self._client.messages.create(
            model=self._model.model, max_tokens=self._room, messages=turns, stream=True, **options
        )
        stop: str | None = None
        async with stream:
            async for event in stream:
                if event.type == "message_start":
                    message: Message = event.message
                    reply.count(message.usage)
                elif event.type == "content_block_delta" and event.delta.type == "text_delta":
                    reply.text += event.delta.text
                elif event.type == "message_delta":
                    reply.count(event.usage)
                    stop = event.delta.stop_reason
                    details = event.delta.stop_details
                    reply.why = details and (details.explanation or details.category)
                elif event.type == "message_stop":
                    reply.stop = stop or "end_turn"

    def _count(self, reply: _Reply) -> None:
        usage = reply.usage(self._model.model)
        if not usage.prompt and reply.stop is not None:  # some local servers do not count
            usage = replace(estimate_usage(self._request, reply.text), cost=usage.cost)
        if usage.prompt:
            self._spent.append(usage)

    def _raise_if_lasting(self, error: anthropic.APIStatusError) -> None:
        name, said = self._model.name, _said(error)
        if isinstance(error, anthropic.AuthenticationError | anthropic.PermissionDeniedError):
            raise UsageError(f"Model {name!r} is not open to this key, see ANTHROPIC_API_KEY: {said}") from error
        if isinstance(error, anthropic.NotFoundError):
            raise UsageError(f"There is no model {self._model.model!r} at {self._client.base_url}: {said}") from error
        passing = error.status_code in (408, 409, 429) or error.status_code >= 500 or error.type in _WORTH_RETRYING
        if not passing or error.response.headers.get("x-should-retry") == "false":
            raise self._failed(f"failed, the server answered {error.status_code}: {said}") from error

    def _failed(self, what: str) -> ModelFailed:
        return ModelFailed(f"{self._where}: {self._model.name} {what}.")


def _said(error: anthropic.APIStatusError) -> str:
    """The server's own words."""
    return _one_line(error.api_message or error.message)


def _one_line(text: str) -> str:
    return " ".join(text.split())[:300].rstrip(".")
