"""Asking a server of OpenAI's chat completions: vLLM, SGLang, Ollama, llama.cpp, OpenRouter, Gemini, OpenAI."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import httpx2
from pydantic import BaseModel, ConfigDict

from runtime.errors import UsageError
from runtime.model.ask import ApiModel, NotTaken, one_line
from runtime.model.model import ChatReply, ChatRequest, Usage, estimate_tokens

OWN_URL = "https://api.openai.com/v1"
KEPT = ("reasoning_content", "reasoning", "reasoning_details", "extra_content")  # of a message, to be sent back

_TIMEOUT = httpx2.Timeout(1_800, connect=30)  # a reply comes whole, after all that the model thinks
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
        for name in KEPT:
            if any(name in message for message in body["messages"]) and re.search(rf"\b{name}\b", said):
                return name
        return "response_format" if "response_format" in body else None

    async def _try_once(
        self, client: httpx2.AsyncClient, body: Mapping[str, Any], where: str, spent: list[Usage]
    ) -> ChatReply:
        asked = json.dumps(body, ensure_ascii=False)
        content = asked.encode("utf-8", "replace")  # a model may write half of a surrogate pair
        headers = {"content-type": "application/json"}
        try:
            response = await client.post(f"{self.url}/chat/completions", content=content, headers=headers)
        except (httpx2.TransportError, httpx2.InvalidURL) as error:
            self.raise_unreachable(error)
        if response.status_code != 200:
            self.raise_for(response.status_code, _said(response.content), response.headers, where)
        try:
            reply = _Completion.model_validate_json(response.content)
        except ValueError as error:
            self.raise_nonsense(f"what is no chat completion ({one_line(str(error))})", error)
        choice = reply.choices[0] if reply.choices else _Choice()
        failed = reply.error or choice.error
        if failed is None and choice.finish_reason in ("error", "abort"):
            failed = f"the reply ended with {choice.finish_reason!r}"
        if failed is not None:
            code = str(failed.get("code")) if isinstance(failed, Mapping) else ""
            status = int(code) if re.fullmatch("[45][0-9][0-9]", code) else 500
            self.raise_for(status, _said(json.dumps(failed).encode()), {}, where)
        if choice.message is None:
            self.raise_nonsense(f"{one_line(response.text)[:80]!r} as a chat completion")
        spent.append(self._usage_of(reply.usage, asked, choice.message))
        return self._reply_of(choice, choice.message, spent[-1])

    def _reply_of(self, choice: _Choice, message: _Message, usage: Usage) -> ChatReply:
        """What the model thought, said and called, as blocks of the Messages API."""
        blocks: list[dict[str, Any]] = [
            {"type": "reasoning", "name": name, "value": value}
            for name in KEPT
            if (value := (message.model_extra or {}).get(name))
        ]
        blocks += [{"type": "text", "text": message.text}] if message.text else []
        for call in message.tool_calls or []:
            extra = {name: value for name, value in (call.model_extra or {}).items() if value is not None}
            named = {"id": call.id or "", "name": call.function.name or "", "input": call.function.input}
            blocks.append({"type": "tool_use", **named, "extra": extra})
        stop = _STOPS.get(choice.finish_reason or "", "end_turn")
        if stop == "max_tokens" and self.options.max_tokens is None:  # nothing but the context limits it
            stop = "model_context_window_exceeded"
        return ChatReply(blocks, "refusal" if message.refusal else stop, message.refusal or None, usage)

    def _usage_of(self, counts: _Counts | None, asked: str, message: _Message) -> Usage:
        """Return the usage of a reply, estimated where the server does not count."""
        counts = counts or _Counts()
        details = counts.prompt_tokens_details
        prompt = counts.prompt_tokens or estimate_tokens(asked)
        completion = counts.completion_tokens or 0
        if not counts.prompt_tokens:
            completion = estimate_tokens(message.model_dump_json(exclude_none=True))
        cached = min((details and details.cached_tokens) or 0, prompt)
        cost = None if self.price is None else self.price.of(prompt - cached, 0, cached, completion)
        return Usage(prompt, completion, cached, not counts.prompt_tokens, cost)


class _Function(BaseModel):
    name: str | None = None
    arguments: Any = None

    @property
    def input(self) -> Any:
        """The arguments; text that is not valid JSON is kept as it is."""
        if not isinstance(self.arguments, str):
            return self.arguments or {}
        try:
            return json.loads(self.arguments) if self.arguments.strip() else {}
        except (ValueError, RecursionError):
            return self.arguments


class _Call(BaseModel):
    model_config = ConfigDict(extra="allow")  # such as Gemini's `extra_content`, which goes back with the call

    index: int | None = None
    id: str | None = None
    type: str | None = None
    function: _Function


class _Message(BaseModel):
    model_config = ConfigDict(extra="allow")

    content: str | list[dict[str, Any]] | None = None
    refusal: str | None = None
    tool_calls: list[_Call] | None = None

    @property
    def text(self) -> str:
        """What was said, which some servers give in parts."""
        content = self.content or ""
        return content if isinstance(content, str) else "".join(str(part.get("text") or "") for part in content)


class _Choice(BaseModel):
    message: _Message | None = None
    finish_reason: str | None = None
    error: Any = None


class _Cached(BaseModel):
    cached_tokens: int | None = None


class _Counts(BaseModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _Cached | None = None


class _Completion(BaseModel):
    choices: list[_Choice] | None = None
    usage: _Counts | None = None
    error: Any = None


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
