"""Asking a server that offers OpenAI's chat completions: vLLM, SGLang, Ollama, llama.cpp, OpenRouter, OpenAI."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any, NoReturn

import httpx2

from runtime.errors import UsageError
from runtime.model.backoff import Backoff
from runtime.model.behind_api import AnsweringModel, ConversingModel
from runtime.model.chat import ChatRequest
from runtime.model.completion import DETAILS, REASONING, Completion, ServerError
from runtime.model.endpoint import (
    Endpoint,
    NotTaken,
    Passing,
    causes,
    is_lasting,
    one_line,
    says_outgrown,
    says_unreadable,
)
from runtime.model.model import Usage
from runtime.model.openai_messages import format_of, messages_of, tools_of
from runtime.model.options import read_spec
from runtime.model.prices import Price
from runtime.model.reply import Nonsense
from runtime.model.usage import estimate_tokens

OWN_URL = "https://api.openai.com/v1"
LEAST_READ = 0.5  # of the tokens that we estimate; a server that counts fewer has cut the prompt
_TIMEOUT = httpx2.Timeout(600, connect=30)
_TEMPLATE = re.compile(r"jinja|chat template", re.IGNORECASE)  # what a server calls its own error, but does not pass
_WRITTEN_CALL = r"<tool_call|\[TOOL_CALLS\]|<\|python_tag\|>|\"name\"\s*:\s*\"({names})\"|<function=({names})>"


class _CompletionsRoute:
    """How one model is reached, what it is asked, and what its server was found not to take."""

    shows_schema = True  # some servers ignore `response_format` without a word

    def __init__(self, words: str, base_url: str | None, backoff: Backoff | None, price: Price | None) -> None:
        spec = read_spec("openai", words)
        self.model = spec.model
        self.options = spec.options
        self.endpoint = Endpoint(f"openai:{words}", "OPENAI_BASE_URL", backoff)
        self.unheld: set[str] = set()
        self._unwanted: set[str] = set()  # parts of a request that the server does not take, and can do without
        self._warned: set[str] = set()
        self._price = price
        self._key = os.environ.get("OPENAI_API_KEY", "").strip()
        self._url = (base_url or os.environ.get("OPENAI_BASE_URL", "").strip() or OWN_URL).rstrip("/")
        if not self._key and httpx2.URL(OWN_URL).host in self._url:
            raise UsageError(
                f"Model {self.endpoint.name!r} needs a key: set OPENAI_API_KEY, or OPENAI_BASE_URL for another server."
            )

    def rooms_for(self, tokens: int) -> tuple[int | None, ...]:
        """What a person says, or else no bound: a local server counts it against the context, whoever reads it all."""
        return (self.options.max_tokens,)

    def open(self) -> httpx2.AsyncClient:
        """A client for one request, as a client belongs to one event loop; what is dear to make they share."""
        headers = {"authorization": f"Bearer {self._key}"} if self._key else {}
        try:
            return httpx2.AsyncClient(headers=headers, timeout=_TIMEOUT, verify=self._trust)
        except ValueError as error:  # such as a key with a letter that no header can have
            raise self.endpoint.unusable(f"OPENAI_API_KEY is not valid, {error}") from None

    @cached_property
    def _trust(self) -> Any:
        """The certificates that are trusted, read once; a server that speaks plain HTTP shows none."""
        return httpx2.create_ssl_context() if self._url.startswith("https:") else False

    async def write(self, client: httpx2.AsyncClient, request: ChatRequest, spent: list[Usage]) -> Completion:
        """One reply that arrived whole; errors: ModelFailed, UsageError, NotTaken."""
        while True:
            body = self._body_of(request)
            asked = json.dumps(body, ensure_ascii=False)

            async def attempt(asked: str = asked) -> Completion:
                reply = Completion(self.options.max_tokens)
                try:
                    await self._try_once(client, asked, reply, request.where)
                finally:
                    if reply.has_begun:
                        spent.append(reply.usage(self._price, asked))
                return reply

            try:
                reply = await self.endpoint.until_whole(attempt, request.where)
            except NotTaken as error:
                unwanted = self._find_unwanted(str(error), body)
                if error.is_outgrown or unwanted is None:
                    raise
                self._unwanted.add(unwanted)
                continue
            self._warn_of_set_up(request, asked, reply)
            return reply

    def _body_of(self, request: ChatRequest) -> dict[str, Any]:
        options = self.options
        thinking = None if options.thinking is None else {"enable_thinking": options.thinking}
        parts = {
            "model": self.model,
            "messages": messages_of(request, self._unwanted),
            "tools": tools_of(request) or None,
            "stream": True,
            "stream_options": {"include_usage": True},
            "max_tokens": request.max_tokens,
            "temperature": options.temperature,
            "seed": options.seed_of(request.draw),
            "reasoning_effort": options.effort,
            "chat_template_kwargs": thinking,
            "response_format": None if request.schema is None else format_of(request.schema),
        }
        if "max_tokens" in self._unwanted:
            parts["max_completion_tokens"] = parts["max_tokens"]
        return {name: value for name, value in parts.items() if value is not None and name not in self._unwanted}

    def _find_unwanted(self, said: str, body: Mapping[str, Any]) -> str | None:
        """The part that the server names as what it does not take, of those that a request can do without."""
        thoughts = [name for name in (DETAILS, *REASONING) if any(name in each for each in body["messages"])]
        for name in (*thoughts, "stream_options"):
            if re.search(rf"\b{name}\b", said) and (name in thoughts or name in body):
                return name
        return "max_tokens" if "max_completion_tokens" in said and "max_tokens" in body else None

    async def _try_once(self, client: httpx2.AsyncClient, asked: str, reply: Completion, where: str) -> None:
        """Fill the reply; errors: Passing, NotTaken, ModelFailed, UsageError."""
        try:
            await self._call(client, asked, reply, where)
        except ServerError as error:
            self._raise_for(error.status, one_line(str(error)), {}, where)
        except (Nonsense, json.JSONDecodeError) as error:
            sent = error if isinstance(error, Nonsense) else f"what is not JSON ({error})"
            reason = f"{self._url} does not speak chat completions: it sent {sent}"
            if not self.endpoint.has_answered:
                raise self.endpoint.misplaced(reason) from error
            raise Passing(reason) from error
        except (httpx2.TransportError, httpx2.InvalidURL) as error:
            reason = f"{self._url} could not be reached or broke off: {str(error) or repr(error)}"
            refused = any(isinstance(each, ConnectionRefusedError) for each in causes(error))
            lasting = refused or isinstance(error, httpx2.InvalidURL) or is_lasting(error)
            if not self.endpoint.has_answered and lasting:
                raise self.endpoint.misplaced(reason) from error
            raise Passing(reason, was_reached=False) from error
        if reply.stop is None:
            raise Passing("the connection ended before the answer did")

    async def _call(self, client: httpx2.AsyncClient, asked: str, reply: Completion, where: str) -> None:
        """Call once, filling the reply as it streams in, or at once where the server does not stream."""
        content = asked.encode("utf-8", "replace")  # a model may say half a character
        headers = {"content-type": "application/json"}
        async with client.stream("POST", f"{self._url}/chat/completions", content=content, headers=headers) as response:
            if response.status_code != 200:
                said = _said(await response.aread())
                self._raise_for(response.status_code, said, response.headers, where)
            kind = response.headers.get("content-type", "nothing").partition(";")[0]
            if kind == "application/json":
                reply.take(json.loads(await response.aread()))
                reply.finish()
                return
            if kind != "text/event-stream":
                raise Nonsense(f"{kind!r} in place of a stream of events")
            async for line in response.aiter_lines():
                event = line.removeprefix("data:").strip() if line.startswith("data:") else ""
                if event == "[DONE]":
                    reply.finish()
                elif event:
                    reply.take(json.loads(event))
        if reply.stop is not None:  # a few servers end without saying that they are done
            reply.finish()

    def _raise_for(self, status: int, said: str, headers: Mapping[str, str], where: str) -> NoReturn:
        endpoint = self.endpoint
        if status == 401 or (status == 403 and not endpoint.has_answered):
            raise UsageError(f"Model {endpoint.name!r} is not open to this key, see OPENAI_API_KEY: {said}.")
        if status == 402 or "insufficient_quota" in said:
            raise endpoint.unusable(f"nobody pays for it, the server answered {status}: {said}")
        if status in (404, 405) and "model" in said.lower():
            raise UsageError(f"There is no model {self.model!r} at {self._url}: {said}.")
        if status in (404, 405):
            what = f"{self._url} does not offer chat completions, the server answered {status}: {said}"
            raise endpoint.misplaced(f"{what}; most addresses end in /v1")
        endpoint.has_answered |= says_unreadable(said)
        of_template = status == 500 and _TEMPLATE.search(said)
        if status in (400, 413, 422) or of_template or says_unreadable(said) or says_outgrown(said):
            raise NotTaken(endpoint.failed(where, f"was asked what the server does not take: {said}"), said)
        passing = status in (408, 409, 429) or status >= 500
        if passing and headers.get("x-should-retry") != "false":
            raise Passing(f"the server answered {status}: {said}", headers)
        if not endpoint.has_answered:
            raise endpoint.unusable(f"the server answered {status}: {said}")
        raise endpoint.failed(where, f"failed, the server answered {status}: {said}")

    def _warn_of_set_up(self, request: ChatRequest, asked: str, reply: Completion) -> None:
        """Say once what a reply shows of a server that was started wrongly; it would only be scored low."""
        estimate = estimate_tokens(asked)
        if "read" not in self._warned and reply.prompt and reply.prompt < LEAST_READ * estimate:
            self._warned.add("read")
            self.endpoint.warn(
                f"the server counts {reply.prompt:,} tokens in a prompt of about {estimate:,}; if it cuts prompts to "
                "its context in silence, give it a longer one (Ollama: OLLAMA_CONTEXT_LENGTH=64000)"
            )
        self._warned.add("read")  # only the first prompt is compared: of later ones some servers count what is new
        names = "|".join(re.escape(str(tool["name"])) for tool in request.tools)
        is_written = names and re.search(_WRITTEN_CALL.format(names=names), reply.text)
        if is_written and not reply.has_calls and "parser" not in self._warned:
            self._warned.add("parser")
            self.endpoint.warn(
                "a call of a tool came as text, so nobody makes it; start the server with the tool-call parser of this "
                "model (vLLM: --enable-auto-tool-choice --tool-call-parser NAME, SGLang: --tool-call-parser NAME, "
                "llama.cpp: --jinja)"
            )


class OpenAIModel(AnsweringModel):
    """`openai:MODEL`. OPENAI_BASE_URL names the server, OPENAI_API_KEY says who pays."""

    route = _CompletionsRoute


class OpenAIChat(ConversingModel):
    """`openai:MODEL` in a conversation with tools; the environment is that of `OpenAIModel`."""

    route = _CompletionsRoute


def _said(body: bytes) -> str:
    """The server's own words about an error, in whatever form it gives them."""
    text = body.decode("utf-8", "replace")
    try:
        said = json.loads(text)
    except ValueError:
        return one_line(text) or "nothing"
    if isinstance(said, Mapping):
        said = said.get("error") or said.get("message") or said.get("detail") or said
    kind = ""
    if isinstance(said, Mapping):
        kind, said = str(said.get("code") or ""), said.get("message") or dict(said)
    words = one_line(said if isinstance(said, str) else json.dumps(said))
    return words if not kind or kind.isdecimal() or kind in words else f"{words} ({kind})"
