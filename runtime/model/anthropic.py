"""Asking the Anthropic API, or a server that speaks it: the only file that imports `anthropic`."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import anthropic
import httpx2  # what the SDK calls with; a stream that is cut raises its errors as they are
from anthropic import AsyncAnthropic

from runtime.errors import ModelFailed, UsageError
from runtime.model.backoff import Backoff
from runtime.model.chat import ChatReply, ChatRequest
from runtime.model.conversation import correct, open_conversation
from runtime.model.fit import Misfit, bare_json, read_answer
from runtime.model.model import Answer, Request, Usage
from runtime.model.prices import Price, find_price
from runtime.model.reply import Nonsense, Reply
from runtime.model.strictness import can_be_held
from runtime.model.usage import estimate_tokens, estimate_usage, total_usage

OWN_SERVER = "api.anthropic.com"
MOST_UNREACHED = 3  # requests that fail before anything was ever answered; then the address is wrong
_WORTH_RETRYING = ("rate_limit_error", "overloaded_error", "api_error", "timeout_error")
_LOG = logging.getLogger(__name__)
_OUTGROWN = re.compile(r"prompt is too long|context (length|window|size)|request_too_large", re.IGNORECASE)


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
        price: Price | None = None,
    ) -> None:
        """`asks` bounds how often one request is put until its answer is JSON that fits; errors: UsageError, no key."""
        self.connection = _Connection(model, base_url, backoff, price)
        self.spent = Usage(0, 0)
        self.asks = asks
        self._slots = asyncio.Semaphore(at_once)
        self.unheld: set[str] = set()  # schemas that the server would not hold an answer to

    @property
    def name(self) -> str:
        """How it was asked for."""
        return self.connection.name

    async def answer(self, request: Request) -> Answer:
        """Answer one request; errors: ModelFailed for a refusal, a cut-off answer or no connection, UsageError."""
        spent: list[Usage] = []
        try:
            async with self._slots, self.connection.open() as client:
                content = await _Asking(self, client, request, spent).until_it_fits()
        finally:
            self.spent = total_usage([self.spent, *spent])
        return Answer(content, self.name, total_usage(spent))


class AnthropicChat:
    """`anthropic:MODEL` in a conversation with tools; the environment is that of `AnthropicModel`."""

    def __init__(
        self, model: str, *, base_url: str | None = None, backoff: Backoff | None = None, price: Price | None = None
    ) -> None:
        """Errors: UsageError where there is no key."""
        self._connection = _Connection(model, base_url, backoff, price)

    @property
    def name(self) -> str:
        """How it was asked for."""
        return self._connection.name

    async def reply(self, request: ChatRequest) -> ChatReply:
        """The next turn; errors: ModelFailed with the usage of the failed tries, UsageError for a wrong set-up."""
        body = {
            "system": list(request.system),
            "messages": list(request.turns),
            "tools": list(request.tools),
            "max_tokens": request.max_tokens,
        }
        spent: list[Usage] = []

        def estimate(reply: Reply) -> Usage:
            return Usage(estimate_tokens(json.dumps(body)), reply.estimated_completion, estimated=True)

        try:
            async with self._connection.open() as client:
                reply = await self._connection.whole_reply(client, body, request.where, spent, estimate)
        except _NotTaken as error:
            if _OUTGROWN.search(str(error)):
                return ChatReply((), "too_long", str(error), total_usage(spent))
            if not self._connection.has_answered:  # so it takes no first turn either, such as an account without credit
                raise self._connection.unusable(str(error)) from error
            raise self._failed(error.failure, spent) from error
        except ModelFailed as error:
            raise self._failed(error, spent) from error
        return ChatReply(reply.blocks, reply.stop or "", reply.why, total_usage(spent))

    def _failed(self, error: ModelFailed, spent: list[Usage]) -> ModelFailed:
        error.usage = total_usage(spent)
        return error


class _NotTaken(Exception):
    """The server said that it does not take this request; `failure` is what that means if nothing helps."""

    def __init__(self, failure: ModelFailed, said: str) -> None:
        super().__init__(said)
        self.failure = failure


class _Connection:
    """How one model is reached: who pays, where, and how often a call is tried again.

    Until it `has_answered` once, what cannot pass by itself is a wrong set-up and ends the command.
    """

    def __init__(self, model: str, base_url: str | None, backoff: Backoff | None, price: Price | None) -> None:
        self.model = model
        self.name = f"anthropic:{model}"
        self.has_answered = False
        self._unreached = 0  # requests that no try of came through
        self._price = price or find_price(model)
        self._backoff = backoff or Backoff()
        self._options = self._choose_options(base_url)

    def open(self) -> AsyncAnthropic:
        """A client for one request, as a client belongs to one event loop; what is dear to make they share."""
        return AsyncAnthropic(**self._options, http_client=anthropic.DefaultAsyncHttpxClient(verify=self._trust))

    @cached_property
    def _trust(self) -> ssl.SSLContext | bool:
        """The certificates that are trusted, read once; a server that speaks plain HTTP shows none."""
        client = AsyncAnthropic(**self._options)
        return httpx2.create_ssl_context() if client.base_url.scheme == "https" else False

    async def whole_reply(
        self,
        client: AsyncAnthropic,
        body: Mapping[str, Any],
        where: str,
        spent: list[Usage],
        estimate: Callable[[Reply], Usage],
    ) -> Reply:
        """One reply that arrived whole; whatever may pass by itself is tried again, and each try is added to `spent`.

        `estimate` is for servers that do not count. Errors: ModelFailed, UsageError, _NotTaken.
        """
        failures = 0
        while True:
            reply = Reply()
            was_reached = True
            headers: Mapping[str, str] = {}
            try:
                await self._call(client, body, reply)
                if reply.stop is not None:
                    self.has_answered = True
                    return reply
                reason = "the connection ended before the answer did"
            except (
                anthropic.BadRequestError,
                anthropic.UnprocessableEntityError,
                anthropic.RequestTooLargeError,
            ) as error:
                said = _said(error)
                what = f"was asked what the server does not take: {said}"
                raise _NotTaken(self.failed(where, what), f"{error.type}: {said}") from error
            except anthropic.APIStatusError as error:
                self._raise_if_lasting(error, client, where)
                reason, headers = f"the server answered {error.status_code}: {_said(error)}", error.response.headers
            except (Nonsense, json.JSONDecodeError) as error:
                sent = error if isinstance(error, Nonsense) else f"events that are not JSON ({error})"
                reason = f"{client.base_url} does not speak the Messages API: it sent {sent}"
                if not self.has_answered:
                    raise self.unusable(f"{reason}; see ANTHROPIC_BASE_URL") from error
            except (anthropic.APIConnectionError, httpx2.TransportError) as error:
                reason = f"{client.base_url} could not be reached or broke off: {error.__cause__ or error!r}"
                if not self.has_answered and _is_lasting(error):
                    raise self.unusable(f"{reason}; see ANTHROPIC_BASE_URL") from error
                was_reached = False
            except anthropic.AnthropicError as error:
                raise UsageError(f"Model {self.name!r} cannot be used: {error}") from error
            finally:
                usage = reply.usage(self._price)
                if not usage.prompt and reply.stop is not None:  # some local servers do not count
                    usage = replace(estimate(reply), cost=usage.cost)
                if usage.prompt:
                    spent.append(usage)
            failures += 1
            wait = self._backoff.seconds(failures, headers)
            if wait is None:
                self._unreached += not was_reached
                if not self.has_answered and self._unreached >= MOST_UNREACHED:
                    tried = f"{self._unreached} requests failed after {failures} tries each and none was ever answered"
                    raise self.unusable(f"{reason}; {tried}; see ANTHROPIC_BASE_URL")
                raise self.failed(where, f"failed after {failures} tries; {reason}")
            again = f"try {failures + 1} of {self._backoff.tries} in {wait:.0f} s"
            _LOG.warning("%s: %s; %s", self.name, reason, again)
            await asyncio.sleep(wait)

    def unusable(self, what: str) -> UsageError:
        """The error that ends the command: asking again would not help."""
        return UsageError(f"Model {self.name!r} cannot be used: {what}.")

    def failed(self, where: str, what: str) -> ModelFailed:
        """The error that says what the model did, and of which request."""
        return ModelFailed(f"{where}: {self.name} {what}.")

    async def _call(self, client: AsyncAnthropic, body: Mapping[str, Any], reply: Reply) -> None:
        """Call once, filling the reply as it streams in."""
        options: dict[str, Any] = {"model": self.model, "stream": True, **body}
        stream = await client.messages.create(**options)
        async with stream:
            kind = stream.response.headers.get("content-type", "nothing").partition(";")[0]
            if kind != "text/event-stream":
                raise Nonsense(f"{kind!r} in place of a stream of events")
            async for event in stream:
                # What the SDK does not know it leaves as it came.
                reply.take(event.to_dict(warnings=False) if isinstance(event, anthropic.BaseModel) else event)

    def _choose_options(self, base_url: str | None) -> dict[str, Any]:
        options: dict[str, Any] = {"base_url": base_url, "max_retries": 0}
        try:
            client = AsyncAnthropic(**options)
        except (anthropic.AnthropicError, ValueError) as error:
            raise UsageError(f"Model {self.name!r} cannot be set up: {error}") from error
        if client.api_key or client.auth_token or client.credentials is not None:
            return options
        if client.base_url.host == OWN_SERVER:
            raise UsageError(f"Model {self.name!r} needs a key: set ANTHROPIC_API_KEY.")
        return {**options, "api_key": "none"}  # a local server asks for none, but the SDK does

    def _raise_if_lasting(self, error: anthropic.APIStatusError, client: AsyncAnthropic, where: str) -> None:
        said = _said(error)
        if isinstance(error, anthropic.AuthenticationError | anthropic.PermissionDeniedError):
            raise UsageError(f"Model {self.name!r} is not open to this key, see ANTHROPIC_API_KEY: {said}") from error
        if isinstance(error, anthropic.NotFoundError) and error.type == "not_found_error":
            raise UsageError(f"There is no model {self.model!r} at {client.base_url}: {said}") from error
        if error.status_code in (404, 405):
            what = f"{client.base_url} does not offer the Messages API, the server answered {error.status_code}: {said}"
            raise self.unusable(f"{what}; see ANTHROPIC_BASE_URL") from error
        passing = error.status_code in (408, 409, 429) or error.status_code >= 500 or error.type in _WORTH_RETRYING
        if not passing and not self.has_answered:
            raise self.unusable(f"the server answered {error.status_code}: {said}") from error
        if not passing or error.response.headers.get("x-should-retry") == "false":
            raise self.failed(where, f"failed, the server answered {error.status_code}: {said}") from error


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
        """Ask, and ask again while the answer is not JSON or does not fit the schema."""
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
        reply = await self._held_reply()
        if reply.stop == "max_tokens" and self._room == self._request.max_tokens:
            self._room *= 2
            reply = await self._held_reply()
        match reply.stop:
            case "refusal":
                raise self._failed(f"refused to answer: {_one_line(reply.why or 'it gave no reason')}")
            case "max_tokens":
                raise self._failed(f"was cut off at {self._room} tokens")
            case "model_context_window_exceeded":
                raise self._failed("had no room left: prompt and answer together are too long for it")
        return reply.text

    async def _held_reply(self) -> Reply:
        """One reply, held to the schema unless the server does not take it."""
        try:
            return await self._call()
        except _NotTaken as error:
            if not self._held:
                raise error.failure from error
        self._held = False  # its limits on schemas are its own; in the prompt, it takes any
        try:
            reply = await self._call()
        except _NotTaken as error:
            raise error.failure from error
        self._model.unheld.add(self._schema)
        return reply

    async def _call(self) -> Reply:
        body: dict[str, Any] = {
            "messages": open_conversation(self._request, show_schema=not self._held) + self._corrections,
            "max_tokens": self._room,
        }
        if self._held:
            schema = anthropic.transform_schema(dict(self._request.schema))
            body["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
        return await self._model.connection.whole_reply(
            self._client, body, self._where, self._spent, lambda reply: estimate_usage(self._request, reply.text)
        )

    def _failed(self, what: str) -> ModelFailed:
        return self._model.connection.failed(self._where, what)


def _is_lasting(error: BaseException) -> bool:
    """Whether a connection fails by what it is made to: no such host, no such protocol, no certificate to trust."""
    return any(
        isinstance(each, httpx2.UnsupportedProtocol | httpx2.LocalProtocolError | ssl.SSLError)
        or (isinstance(each, socket.gaierror) and each.errno == socket.EAI_NONAME)
        for each in _causes(error)
    )


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _said(error: anthropic.APIStatusError) -> str:
    """The server's own words."""
    return _one_line(error.api_message or error.message)


def _one_line(text: str) -> str:
    return " ".join(text.split())[:300].rstrip(".")
