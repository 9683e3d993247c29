"""Asking a server of OpenAI's chat completions: vLLM, SGLang, Ollama, llama.cpp, OpenRouter, Gemini, OpenAI."""

from __future__ import annotations

import json
import os
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import httpx2
from pydantic import BaseModel, ConfigDict, ValidationError

from runtime.errors import UsageError
from runtime.model.ask import ApiModel, NotTaken, Retryable, one_line
from runtime.model.model import ChatReply, ChatRequest, Usage, estimate_tokens
from runtime.model.prices import Price

OWN_URL = "https://api.openai.com/v1"
KEPT = ("reasoning_content", "reasoning", "reasoning_details", "extra_content")  # of a message, to be sent back

_TIMEOUT = httpx2.Timeout(600, connect=30)
_STOPS = {"length": "max_tokens", "content_filter": "refusal"}


class ChatCompletionsModel(ApiModel):
    """`openai:MODEL`; OPENAI_BASE_URL names the server, which needs no key unless it is OpenAI's own."""

    kind, url_variable, key_variable = "openai", "OPENAI_BASE_URL", "OPENAI_API_KEY"

    def set_up(self, base_url: str | None) -> None:
        """Find the server's URL and the key; errors: UsageError where OpenAI's own server needs one."""
        self.url = (base_url or os.environ.get("OPENAI_BASE_URL", "").strip() or OWN_URL).rstrip("/")
        self._key = os.environ.get("OPENAI_API_KEY", "").strip()
        self._unsupported: set[str] = set()  # parts of a request that this server refuses and can do without
        if not self._key and self.url == OWN_URL:
            raise UsageError(
                f"Model {self.name!r} needs a key: set OPENAI_API_KEY, or OPENAI_BASE_URL for another server."
            )

    def open(self) -> httpx2.AsyncClient:
        """Return a client for one request; loading certificates takes long, so they are shared."""
        headers = {"authorization": f"Bearer {self._key}"} if self._key else {}
        try:
            return httpx2.AsyncClient(headers=headers, timeout=_TIMEOUT, verify=self._trust)
        except ValueError as error:  # a key with a character that no header can hold
            raise self.unusable(f"OPENAI_API_KEY is not valid, {error}") from None

    @cached_property
    def _trust(self) -> Any:
        return httpx2.create_ssl_context() if self.url.startswith("https:") else False

    async def call(self, client: httpx2.AsyncClient, request: ChatRequest, spent: list[Usage]) -> ChatReply:
        """Try once, and again without what the server does not support; errors as `ApiModel.call` has them."""
        while True:
            body = self._body_of(request)
            try:
                return await self._try_once(client, body, request.where, spent)
            except NotTaken as error:
                refused = self._find_unsupported(str(error), body)
                if refused is None or error.is_unreadable or (error.is_too_long and refused not in str(error)):
                    raise
                self._unsupported.add(refused)

    def _body_of(self, request: ChatRequest) -> dict[str, Any]:
        options, unsupported = self.options, self._unsupported
        schema = request.schema and {"name": "answer", "schema": dict(request.schema)}
        parts = {
            "model": self.model,
            "messages": list(_messages_of(request, unsupported)),
            "tools": [_function_of(tool) for tool in request.tools] or None,
            "stream": True,
            "stream_options": {"include_usage": True},
            "max_tokens": options.max_tokens,
            "temperature": options.temperature,
            "seed": options.seed_of(request.draw),
            "reasoning_effort": options.effort,
            "chat_template_kwargs": None if options.thinking is None else {"enable_thinking": options.thinking},
            "response_format": schema and {"type": "json_schema", "json_schema": schema},
        }
        if "max_tokens" in unsupported:
            parts["max_completion_tokens"] = parts["max_tokens"]
        return {name: value for name, value in parts.items() if value is not None and name not in unsupported}

    def _find_unsupported(self, said: str, body: Mapping[str, Any]) -> str | None:
        """The part of a refused request that the server names, or the schema if there is one."""
        if "max_completion_tokens" in said and "max_tokens" in body:
            return "max_tokens"
        for name in ("stream_options", *KEPT):
            is_sent = name in body or any(name in message for message in body["messages"])
            if is_sent and re.search(rf"\b{name}\b", said):
                return name
        return "response_format" if "response_format" in body else None

    async def _try_once(
        self, client: httpx2.AsyncClient, body: Mapping[str, Any], where: str, spent: list[Usage]
    ) -> ChatReply:
        asked = json.dumps(body, ensure_ascii=False)
        reply = _Completion()
        try:
            await self._stream(client, asked, reply, where)
        except (ValidationError, json.JSONDecodeError) as error:
            self.raise_nonsense(f"what is no chunk of chat completions ({one_line(str(error))})", error)
        except (httpx2.TransportError, httpx2.InvalidURL) as error:
            self.raise_unreachable(error)
        finally:
            if reply.has_begun:
                spent.append(reply.usage(self.price, asked))
        if reply.stop is None:
            raise Retryable("the connection ended before the answer did")
        stop = reply.stop
        if stop == "max_tokens" and self.options.max_tokens is None:  # nothing but the context limits it
            stop = "model_context_window_exceeded"
        return ChatReply(reply.blocks, "refusal" if reply.refusal else stop, reply.refusal or None, spent[-1])

    async def _stream(self, client: httpx2.AsyncClient, asked: str, reply: _Completion, where: str) -> None:
        """Call once, adding to the reply as it streams in, or at once where the server does not stream."""
        content = asked.encode("utf-8", "replace")  # a model may write half of a surrogate pair
        headers = {"content-type": "application/json"}
        async with client.stream("POST", f"{self.url}/chat/completions", content=content, headers=headers) as response:
            if response.status_code != 200:
                self.raise_for(response.status_code, _said(await response.aread()), response.headers, where)
            kind = response.headers.get("content-type", "nothing").partition(";")[0]
            if kind == "application/json":
                self._take(json.loads(await response.aread()), reply, where)
                return
            if kind != "text/event-stream":
                self.raise_nonsense(f"{kind!r} instead of a stream of events")
            async for line in _lines_of(response):
                data = line.removeprefix(b"data:").strip() if line.startswith(b"data:") else b""
                if data == b"[DONE]":
                    reply.stop = reply.stop or "end_turn"
                elif data:
                    self._take(json.loads(data), reply, where)

    def _take(self, data: Any, reply: _Completion, where: str) -> None:
        chunk = _Chunk.model_validate(data)
        choices = chunk.choices or []
        error = chunk.error or (data if chunk.object == "error" else None)
        error = error or next((choice.error for choice in choices if choice.error), None)
        if error is None and choices and choices[0].finish_reason in ("error", "abort"):
            error = f"the reply ended with {choices[0].finish_reason!r}"
        if error is not None:
            code = str(error.get("code")) if isinstance(error, Mapping) else ""
            status = int(code) if re.fullmatch("[45][0-9][0-9]", code) else 500
            self.raise_for(status, _said(json.dumps(error).encode()), {}, where)
        if chunk.choices is None and chunk.usage is None:
            self.raise_nonsense(f"{json.dumps(data)[:80]} as a chunk")
        reply.add(chunk)


async def _lines_of(response: httpx2.Response) -> AsyncIterator[bytes]:
    """The lines of a stream, which line feeds end, and nothing else that Unicode calls a line break."""
    rest = b""
    async for piece in response.aiter_bytes():
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            yield line
    yield rest


class _Function(BaseModel):
    name: str | None = None
    arguments: Any = None


class _CallPart(BaseModel):
    model_config = ConfigDict(extra="allow")  # such as Gemini's `extra_content`, which goes back with the call

    index: int | None = None
    id: str | None = None
    type: str | None = None
    function: _Function | None = None


class _Delta(BaseModel):
    model_config = ConfigDict(extra="allow")

    content: str | list[dict[str, Any]] | None = None
    refusal: str | None = None
    tool_calls: list[_CallPart] | None = None


class _Choice(BaseModel):
    delta: _Delta | None = None
    message: _Delta | None = None  # of a reply that is not streamed
    finish_reason: str | None = None
    error: Any = None


class _Cached(BaseModel):
    cached_tokens: int | None = None


class _Counts(BaseModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _Cached | None = None


class _Chunk(BaseModel):
    choices: list[_Choice] | None = None
    usage: _Counts | None = None
    error: Any = None
    object: str | None = None


class _Call:
    """A call as far as it came; `extra` holds the fields that only its server knows."""

    def __init__(self, place: int) -> None:
        self.place = place
        self.id = self.name = self.arguments = ""
        self.extra: dict[str, Any] = {}

    @property
    def input(self) -> Any:
        """The arguments; text that is not valid JSON is kept as it is."""
        try:
            return json.loads(self.arguments) if self.arguments.strip() else {}
        except (ValueError, RecursionError):
            return self.arguments


class _Completion:
    """A reply as far as it came; `stop` is None until the server says why it ends."""

    def __init__(self) -> None:
        self.stop: str | None = None
        self.text = self.refusal = ""
        self._kept: dict[str, Any] = {}
        self._calls: list[_Call] = []
        self._prompt = self._completion = self._cached = 0

    @property
    def has_begun(self) -> bool:
        """True once something came that has to be paid for."""
        return bool(self._prompt or self.stop or self.text or self._kept or self._calls)

    @property
    def blocks(self) -> list[dict[str, Any]]:
        """What the model thought, said and called, as blocks of the Messages API."""
        kept = [{"type": "reasoning", "name": name, "value": value} for name, value in self._kept.items()]
        said = [{"type": "text", "text": self.text}] if self.text else []
        calls = [
            {"type": "tool_use", "id": call.id, "name": call.name, "input": call.input, "extra": call.extra}
            for call in self._calls
        ]
        return [*kept, *said, *calls]

    def usage(self, price: Price | None, asked: str) -> Usage:
        """Return its usage; what the server did not count is estimated from what was sent and written."""
        whole = self.stop is not None and self._prompt > 0
        prompt, completion = self._prompt or estimate_tokens(asked), self._completion
        if not whole:
            thoughts = [value for value in self._kept.values() if isinstance(value, str)]
            calls = [call.name + call.arguments for call in self._calls]
            completion = max(completion, estimate_tokens(self.text, *thoughts, *calls))
        cached = min(self._cached, prompt)
        cost = None if price is None else price.of(prompt - cached, 0, cached, completion)
        return Usage(prompt, completion, cached, not whole, cost)

    def add(self, chunk: _Chunk) -> None:
        """Add a chunk, or a whole reply."""
        if chunk.usage is not None:
            details = chunk.usage.prompt_tokens_details
            self._prompt = chunk.usage.prompt_tokens or self._prompt
            self._completion = chunk.usage.completion_tokens or self._completion
            self._cached = (details and details.cached_tokens) or self._cached
        for choice in (chunk.choices or [])[:1]:
            delta = choice.delta or choice.message or _Delta()
            content = delta.content or ""
            parts = [content] if isinstance(content, str) else [str(part.get("text") or "") for part in content]
            self.text += "".join(parts)
            self.refusal += delta.refusal or ""
            for name in KEPT:
                if value := (delta.model_extra or {}).get(name):
                    self._kept[name] = _joined(self._kept[name], value) if name in self._kept else value
            for number, part in enumerate(delta.tool_calls or []):
                self._add_call(part, number)
            if choice.finish_reason:
                self.stop = _STOPS.get(choice.finish_reason, "end_turn")

    def _add_call(self, part: _CallPart, number: int) -> None:
        """Add a part to its call; calls made at once may all have index 0, or none, and ids may be missing."""
        place = number if part.index is None else part.index
        function = part.function or _Function()
        call = next((each for each in reversed(self._calls) if each.place == place), None)
        if call is None or _is_another(part.id, function.name, call):
            call = _Call(place)
            self._calls.append(call)
        call.id, call.name = call.id or part.id or "", call.name or function.name or ""
        given = function.arguments
        call.arguments += given if isinstance(given, str) else "" if given is None else json.dumps(given)
        call.extra |= {name: value for name, value in (part.model_extra or {}).items() if value is not None}


def _is_another(given: str | None, name: str | None, call: _Call) -> bool:
    """True if a part in the place of a call begins another call, as only a part with a name does."""
    if not (name and call.name):
        return False
    if given and call.id:
        return given != call.id
    return name != call.name or isinstance(call.input, dict)


def _joined(old: Any, new: Any) -> Any:
    """Two pieces of one value: text is joined, and so is text in list entries of the same type and index."""
    if isinstance(old, str) and isinstance(new, str):
        return old + new
    if not (isinstance(old, list) and isinstance(new, list)):
        return new
    joined = list(old)
    for entry in new:
        last = joined[-1] if joined else None
        if not (isinstance(last, dict) and isinstance(entry, dict)):
            joined.append(entry)
        elif (last.get("type"), last.get("index")) == (entry.get("type"), entry.get("index")):
            pieces = {
                name: last[name] + entry[name] for name in ("text", "summary", "data") if name in last and name in entry
            }
            joined[-1] = {**last, **entry, **pieces}
        else:
            joined.append(entry)
    return joined


def _messages_of(request: ChatRequest, unsupported: set[str]) -> Iterator[dict[str, Any]]:
    """The conversation as chat completions have it; what a model thought goes back by the name under which it came."""
    system = "\n\n".join(str(block["text"]) for block in request.system)
    if system:
        yield {"role": "system", "content": system}
    for turn in request.turns:
        content = turn["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        words = "\n\n".join(str(block["text"]) for block in blocks if block["type"] == "text")
        if turn["role"] == "assistant":
            yield {"role": "assistant", "content": words or None, **_parts_of(blocks, unsupported)}
            continue
        for block in blocks:
            if block["type"] == "tool_result":
                yield {"role": "tool", "tool_call_id": block["tool_use_id"], "content": block["content"]}
        if words:
            yield {"role": "user", "content": words}


def _parts_of(blocks: Sequence[Mapping[str, Any]], unsupported: set[str]) -> dict[str, Any]:
    """What an assistant's message has beside its words."""
    thought = {block["name"]: block["value"] for block in blocks if block["type"] == "reasoning"}
    calls = []
    for block in blocks:
        if block["type"] == "tool_use":
            function = {"name": block["name"], "arguments": json.dumps(block["input"], ensure_ascii=False)}
            calls.append({**block.get("extra", {}), "id": block["id"], "type": "function", "function": function})
    parts = {name: value for name, value in thought.items() if name not in unsupported}
    return parts | ({"tool_calls": calls} if calls else {})


def _function_of(tool: Mapping[str, Any]) -> dict[str, Any]:
    function = {"name": tool["name"], "description": tool["description"], "parameters": tool["input_schema"]}
    return {"type": "function", "function": function}


def _said(body: bytes) -> str:
    """The server's own words about an error, in whatever form it gives them, and its code if that says more."""
    text = body.decode("utf-8", "replace")
    try:
        said = json.loads(text)
    except ValueError:
        return one_line(text) or "nothing"
    if isinstance(said, list) and said:  # Gemini
        said = said[0]
    if isinstance(said, Mapping):
        said = said.get("error") or said.get("message") or said.get("detail") or said
    if not isinstance(said, Mapping):
        return one_line(said if isinstance(said, str) else json.dumps(said))
    words, code = said.get("message") or dict(said), str(said.get("code") or "")
    words = one_line(words if isinstance(words, str) else json.dumps(words))
    return words if not code or code.isdecimal() or code in words else f"{words} ({code})"
