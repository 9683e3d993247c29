"""Asking the Anthropic API, or a server that speaks it, with Anthropic's SDK; no other file imports it."""

from __future__ import annotations

import json
import ssl
from functools import cached_property
from typing import Any

import anthropic
import httpx2  # what the SDK calls with; a stream that is cut raises its errors as they are
from anthropic import AsyncAnthropic

from runtime.errors import UsageError
from runtime.model.ask import ApiModel, Retryable, one_line
from runtime.model.model import ChatReply, ChatRequest, Usage, find_price

THINKING_TOKENS = 16_000  # for what a model thinks, beside the tokens of its answer

_RETRYABLE = ("rate_limit_error", "overloaded_error", "api_error", "timeout_error")  # also within a stream


class AnthropicModel(ApiModel):
    """`anthropic:MODEL`; ANTHROPIC_BASE_URL names another server of the same API, which may need no key."""

    kind, url_variable, key_variable = "anthropic", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"

    def set_up(self, base_url: str | None) -> None:
        """Find the server's URL and the key as the SDK does; errors: UsageError where a key is missing."""
        self.price = self.price or find_price(self.model)
        self._setup: dict[str, Any] = {"base_url": base_url, "max_retries": 0}
        try:
            client = AsyncAnthropic(**self._setup)
        except (anthropic.AnthropicError, ValueError) as error:
            raise self.unusable(str(error)) from error
        self.url = str(client.base_url)
        if not (client.api_key or client.auth_token or client.credentials is not None):
            if client.base_url.host == "api.anthropic.com":
                raise UsageError(f"Model {self.name!r} needs a key: set ANTHROPIC_API_KEY.")
            self._setup["api_key"] = "none"  # a local server needs none, but the SDK does

    def open(self) -> AsyncAnthropic:
        """Return a client for one request; loading certificates takes long, so they are shared."""
        return AsyncAnthropic(**self._setup, http_client=anthropic.DefaultAsyncHttpxClient(verify=self._trust))

    @cached_property
    def _trust(self) -> ssl.SSLContext | bool:
        return httpx2.create_ssl_context() if self.url.startswith("https:") else False

    async def call(self, client: AsyncAnthropic, request: ChatRequest, spent: list[Usage]) -> ChatReply:
        """Try once; errors: Retryable, NotTaken, ModelFailed, UsageError."""
        body = self._body_of(request)
        try:
            async with client.messages.stream(**body) as stream:
                message = await stream.get_final_message()
        except anthropic.APIStatusError as error:
            status = error.status_code
            if error.type in _RETRYABLE and status < 400:  # sent as an event, after the status
                status = 500
            said = one_line(error.api_message or error.message)
            self.raise_for(status, said, error.response.headers, request.where)
        except (anthropic.APIConnectionError, httpx2.TransportError) as error:
            self.raise_unreachable(error)
        except anthropic.AnthropicError as error:
            raise self.unusable(str(error)) from error
        except (AssertionError, AttributeError, TypeError, LookupError, RuntimeError, json.JSONDecodeError) as error:
            self.raise_nonsense(f"no events of the Messages API ({type(error).__name__}: {error})", error)
        except ValueError as error:  # the SDK cannot parse the arguments of a call
            return ChatReply((), "unreadable", one_line(str(error)), Usage(0, 0))
        spent.append(self._usage_of(message.usage))
        if message.stop_reason is None:
            raise Retryable("the connection ended before the answer did")
        details = message.stop_details
        why: str | None = getattr(details, "explanation", None) or getattr(details, "category", None)
        blocks = [block.to_dict(warnings=False) for block in message.content]
        return ChatReply(blocks, message.stop_reason, why, spent[-1])

    def _body_of(self, request: ChatRequest) -> dict[str, Any]:
        options = self.options
        body: dict[str, Any] = {
            "model": self.model,
            "messages": list(request.turns),
            "max_tokens": options.max_tokens or request.max_tokens + THINKING_TOKENS,
            "system": list(request.system) or None,
            "tools": list(request.tools) or None,
            "output_config": options.effort and {"effort": options.effort},
        }
        extra = {} if options.temperature is None else {"temperature": options.temperature}
        if options.thinking is not None:
            body["thinking"] = {"type": "adaptive" if options.thinking else "disabled"}
        return {**{name: value for name, value in body.items() if value is not None}, "extra_body": extra}

    def _usage_of(self, usage: Any) -> Usage:
        prompt, completion = usage.input_tokens or 0, usage.output_tokens or 0
        written, cached = usage.cache_creation_input_tokens or 0, usage.cache_read_input_tokens or 0
        cost = (
            None if self.price is None or not (prompt or cached) else self.price.of(prompt, written, cached, completion)
        )
        return Usage(prompt + written + cached, completion, cached, cost=cost)
