"""Asking the Anthropic API, or a server that speaks it: the only file that imports `anthropic`."""

from __future__ import annotations

import json
import ssl
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import anthropic
import httpx2  # what the SDK calls with; a stream that is cut raises its errors as they are
from anthropic import AsyncAnthropic

from runtime.errors import UsageError
from runtime.model.backoff import Backoff
from runtime.model.behind_api import AnsweringModel, ConversingModel
from runtime.model.chat import ChatRequest
from runtime.model.endpoint import Endpoint, NotTaken, Passing, is_lasting, one_line
from runtime.model.model import Usage
from runtime.model.options import read_spec
from runtime.model.prices import Price, find_price
from runtime.model.reply import Nonsense, Reply

OWN_SERVER = "api.anthropic.com"
_WORTH_RETRYING = ("rate_limit_error", "overloaded_error", "api_error", "timeout_error")


class _MessagesRoute:
    """How one model is reached: who pays, where, and what it is asked."""

    shows_schema = False

    def __init__(self, words: str, base_url: str | None, backoff: Backoff | None, price: Price | None) -> None:
        spec = read_spec("anthropic", words)
        self.model = spec.model
        self.options = spec.options
        self.endpoint = Endpoint(f"anthropic:{words}", "ANTHROPIC_BASE_URL", backoff)
        self.unheld: set[str] = set()
        self._price = price or find_price(spec.model)
        self._setup = self._choose_setup(base_url)

    def rooms_for(self, tokens: int) -> tuple[int | None, ...]:
        """As many, then twice as many; where a person says how many, those."""
        most = self.options.max_tokens
        return (tokens, 2 * tokens) if most is None else (most,)

    def open(self) -> AsyncAnthropic:
        """A client for one request, as a client belongs to one event loop; what is dear to make they share."""
        return AsyncAnthropic(**self._setup, http_client=anthropic.DefaultAsyncHttpxClient(verify=self._trust))

    @cached_property
    def _trust(self) -> ssl.SSLContext | bool:
        """The certificates that are trusted, read once; a server that speaks plain HTTP shows none."""
        client = AsyncAnthropic(**self._setup)
        return httpx2.create_ssl_context() if client.base_url.scheme == "https" else False

    async def write(self, client: AsyncAnthropic, request: ChatRequest, spent: list[Usage]) -> Reply:
        """One reply that arrived whole; errors: ModelFailed, UsageError, NotTaken."""
        body = self._body_of(request)

        async def attempt() -> Reply:
            reply = Reply()
            try:
                await self._try_once(client, body, reply, request.where)
            finally:
                usage = reply.usage(self._price)
                if not usage.prompt and reply.stop is not None:  # some local servers do not count
                    usage = reply.estimated_usage(json.dumps(body), self._price)
                if usage.prompt:
                    spent.append(usage)
            return reply

        return await self.endpoint.until_whole(attempt, request.where)

    def _body_of(self, request: ChatRequest) -> dict[str, Any]:
        options = self.options
        body: dict[str, Any] = {"messages": list(request.turns), "max_tokens": request.max_tokens}
        parts = {"system": list(request.system), "tools": list(request.tools), "temperature": options.temperature}
        body |= {name: value for name, value in parts.items() if value not in (None, [])}
        output: dict[str, Any] = {}
        if request.schema is not None:
            output["format"] = {"type": "json_schema", "schema": anthropic.transform_schema(dict(request.schema))}
        if options.effort is not None:
            output["effort"] = options.effort
        if output:
            body["output_config"] = output
        if options.thinking is not None:
            body["thinking"] = {"type": "adaptive" if options.thinking else "disabled"}
        return body

    async def _try_once(self, client: AsyncAnthropic, body: Mapping[str, Any], reply: Reply, where: str) -> None:
        """Fill the reply; errors: Passing, NotTaken, ModelFailed, UsageError."""
        try:
            await self._call(client, body, reply)
        except (
            anthropic.BadRequestError,
            anthropic.UnprocessableEntityError,
            anthropic.RequestTooLargeError,
        ) as error:
            said = _said(error)
            what = f"was asked what the server does not take: {said}"
            raise NotTaken(self.endpoint.failed(where, what), f"{error.type}: {said}") from error
        except anthropic.APIStatusError as error:
            self._raise_if_lasting(error, client, where)
            reason = f"the server answered {error.status_code}: {_said(error)}"
            raise Passing(reason, error.response.headers) from error
        except (Nonsense, json.JSONDecodeError) as error:
            sent = error if isinstance(error, Nonsense) else f"events that are not JSON ({error})"
            reason = f"{client.base_url} does not speak the Messages API: it sent {sent}"
            if not self.endpoint.has_answered:
                raise self.endpoint.misplaced(reason) from error
            raise Passing(reason) from error
        except (anthropic.APIConnectionError, httpx2.TransportError) as error:
            reason = f"{client.base_url} could not be reached or broke off: {error.__cause__ or error!r}"
            if not self.endpoint.has_answered and is_lasting(error):
                raise self.endpoint.misplaced(reason) from error
            raise Passing(reason, was_reached=False) from error
        except anthropic.AnthropicError as error:
            raise UsageError(f"Model {self.endpoint.name!r} cannot be used: {error}") from error
        if reply.stop is None:
            raise Passing("the connection ended before the answer did")

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

    def _choose_setup(self, base_url: str | None) -> dict[str, Any]:
        setup: dict[str, Any] = {"base_url": base_url, "max_retries": 0}
        try:
            client = AsyncAnthropic(**setup)
        except (anthropic.AnthropicError, ValueError) as error:
            raise UsageError(f"Model {self.endpoint.name!r} cannot be set up: {error}") from error
        if client.api_key or client.auth_token or client.credentials is not None:
            return setup
        if client.base_url.host == OWN_SERVER:
            raise UsageError(f"Model {self.endpoint.name!r} needs a key: set ANTHROPIC_API_KEY.")
        return {**setup, "api_key": "none"}  # a local server asks for none, but the SDK does

    def _raise_if_lasting(self, error: anthropic.APIStatusError, client: AsyncAnthropic, where: str) -> None:
        said = _said(error)
        if isinstance(error, anthropic.AuthenticationError | anthropic.PermissionDeniedError):
            raise UsageError(
                f"Model {self.endpoint.name!r} is not open to this key, see ANTHROPIC_API_KEY: {said}"
            ) from error
        if isinstance(error, anthropic.NotFoundError) and error.type == "not_found_error":
            raise UsageError(f"There is no model {self.model!r} at {client.base_url}: {said}") from error
        if error.status_code in (404, 405):
            what = f"{client.base_url} does not offer the Messages API, the server answered {error.status_code}: {said}"
            raise self.endpoint.misplaced(what) from error
        passing = error.status_code in (408, 409, 429) or error.status_code >= 500 or error.type in _WORTH_RETRYING
        if not passing and not self.endpoint.has_answered:
            raise self.endpoint.unusable(f"the server answered {error.status_code}: {said}") from error
        if not passing or error.response.headers.get("x-should-retry") == "false":
            raise self.endpoint.failed(where, f"failed, the server answered {error.status_code}: {said}") from error


class AnthropicModel(AnsweringModel):
    """`anthropic:MODEL`. ANTHROPIC_API_KEY says who pays; ANTHROPIC_BASE_URL names another server of the same API."""

    route = _MessagesRoute


class AnthropicChat(ConversingModel):
    """`anthropic:MODEL` in a conversation with tools; the environment is that of `AnthropicModel`."""

    route = _MessagesRoute


def _said(error: anthropic.APIStatusError) -> str:
    """The server's own words."""
    return one_line(error.api_message or error.message)
