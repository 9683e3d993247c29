"""Ask a server of OpenAI's chat completions: vLLM, SGLang, Ollama, llama.cpp, OpenRouter, Gemini, OpenAI."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import httpx2

from runtime.errors import UsageError
from runtime.model.ask import ApiModel, NotTaken, one_line
from runtime.model.model import ChatReply, ChatRequest, Usage

OWN_URL = "https://api.openai.com/v1"
KEPT = ("reasoning_content", "reasoning", "reasoning_details", "extra_content")  # of a message, to be sent back

_TIMEOUT = httpx2.Timeout(1_800, connect=30)  # a reply comes whole, after the model has thought
_STOPS = {"length": "max_tokens", "content_filter": "refusal"}


class ChatCompletionsModel(ApiModel):
    """`openai:MODEL`; OPENAI_BASE_URL names the server, which needs no key unless it is OpenAI's own."""

    kind, url_variable, key_variable = "openai", "OPENAI_BASE_URL", "OPENAI_API_KEY"

    def set_up(self, base_url: str | None) -> None:
        """Find the server's URL and the key; errors: UsageError where OpenAI's own server needs one."""
        self.url = (base_url or os.environ.get("OPENAI_BASE_URL", "").strip() or OWN_URL).rstrip("/")
        self._key = os.environ.get("OPENAI_API_KEY", "").strip()
        self._refused: frozenset[str] = frozenset()  # parts of a body that the server does not take
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
        """Try once, and again without thoughts or the schema if the server refuses them, as it then always does.

        Errors as `ApiModel.call` has them.
        """
        refused = self._refused
        while True:
            try:
                reply = await self._try_once(client, self._body_of(request, refused), request.where, spent)
            except NotTaken as error:
                given = {"thoughts": _has_thoughts(request), "schema": bool(request.schema)}
                left = [name for name in given if given[name] and name not in refused]
                if not left or error.is_unreadable or error.is_too_long:
                    raise
                refused |= {left[0]}
            else:
                self._refused = refused
                return reply

    def _body_of(self, request: ChatRequest, refused: frozenset[str]) -> dict[str, Any]:
        options = self.options
        schema = "schema" not in refused and request.schema and {"name": "answer", "schema": dict(request.schema)}
        parts = {
            "model": self.model,
            "messages": list(_messages_of(request, with_thoughts="thoughts" not in refused)),
            "tools": [_function_of(tool) for tool in request.tools] or None,
            "max_completion_tokens" if self.url == OWN_URL else "max_tokens": options.max_tokens,
            "temperature": options.temperature,
            "seed": options.seed_of(request.draw),
            "reasoning_effort": options.effort,
            "chat_template_kwargs": None if options.thinking is None else {"enable_thinking": options.thinking},
            "response_format": {"type": "json_schema", "json_schema": schema} if schema else None,
        }
        return {name: value for name, value in parts.items() if value is not None}

    async def _try_once(
        self, client: httpx2.AsyncClient, body: Mapping[str, Any], where: str, spent: list[Usage]
    ) -> ChatReply:
        content = json.dumps(body, ensure_ascii=False).encode(
            "utf-8", "replace"
        )  # a model may write half a surrogate pair
        headers = {"content-type": "application/json"}
        try:
            response = await client.post(f"{self.url}/chat/completions", content=content, headers=headers)
        except (httpx2.TransportError, httpx2.InvalidURL) as error:
            self.raise_unreachable(error)
        if response.status_code != 200:
            self.raise_for(response.status_code, _said(response.text), response.headers, where)
        try:
            reply = json.loads(response.content)
            choice = (reply.get("choices") or [{}])[0]
            failed = reply.get("error") or choice.get("error")
            if failed or choice.get("finish_reason") in ("error", "abort"):  # as OpenRouter says it
                self.raise_for(500, _said(json.dumps(failed or "the reply ended early")), {}, where)
            message = choice["message"]
            spent.append(self._usage_of(reply.get("usage") or {}))
            return self._reply_of(choice.get("finish_reason"), message, spent[-1])
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            self.raise_nonsense(f"{one_line(response.text)[:80]!r}, which is not a chat completion", error)

    def _reply_of(self, reason: str | None, message: Mapping[str, Any], usage: Usage) -> ChatReply:
        """Return what the model thought, said and called, as blocks of the Messages API."""
        blocks: list[dict[str, Any]] = [
            {"type": "reasoning", "name": name, "value": message[name]} for name in KEPT if message.get(name)
        ]
        text = message.get("content") or ""
        if not isinstance(text, str):  # some servers give it in parts
            text = "".join(str(part.get("text") or "") for part in text)
        blocks += [{"type": "text", "text": text}] if text else []
        for call in message.get("tool_calls") or []:
            function = call["function"]
            named = {"id": call.get("id") or "", "name": function.get("name") or ""}
            extra = {name: call[name] for name in call.keys() - _CALL if call[name] is not None}
            blocks.append({"type": "tool_use", **named, "input": _input_of(function.get("arguments")), "extra": extra})
        stop, refusal = _STOPS.get(reason or "", "end_turn"), message.get("refusal")
        return ChatReply(blocks, "refusal" if refusal else stop, refusal or None, usage)

    def _usage_of(self, counts: Mapping[str, Any]) -> Usage:
        prompt, completion = counts.get("prompt_tokens") or 0, counts.get("completion_tokens") or 0
        cached = min((counts.get("prompt_tokens_details") or {}).get("cached_tokens") or 0, prompt)
        cost = None if self.price is None or not prompt else self.price.of(prompt - cached, 0, cached, completion)
        return Usage(prompt, completion, cached, cost=cost)


_CALL = {"id", "type", "index", "function"}  # other fields, such as Gemini's signature, go back with the call


def _input_of(arguments: Any) -> Any:
    """Return the arguments of a call; text that is not valid JSON is kept as it is."""
    if not isinstance(arguments, str):
        return arguments or {}
    try:
        return json.loads(arguments) if arguments.strip() else {}
    except (ValueError, RecursionError):
        return arguments


def _has_thoughts(request: ChatRequest) -> bool:
    contents = [turn["content"] for turn in request.turns if not isinstance(turn["content"], str)]
    return any(block["type"] == "reasoning" for content in contents for block in content)


def _messages_of(request: ChatRequest, *, with_thoughts: bool) -> Iterator[dict[str, Any]]:
    """Yield the conversation as chat completions; what a model thought goes back by the name under which it came."""
    system = "\n\n".join(str(block["text"]) for block in request.system)
    if system:
        yield {"role": "system", "content": system}
    for turn in request.turns:
        content = turn["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        words = "\n\n".join(str(block["text"]) for block in blocks if block["type"] == "text")
        if turn["role"] == "assistant":
            thoughts = [block for block in blocks if with_thoughts and block["type"] == "reasoning"]
            thought = {block["name"]: block["value"] for block in thoughts}
            calls = [_call_of(block) for block in blocks if block["type"] == "tool_use"]
            yield {"role": "assistant", "content": words or None, **thought, **({"tool_calls": calls} if calls else {})}
            continue
        for block in blocks:
            if block["type"] == "tool_result":
                yield {"role": "tool", "tool_call_id": block["tool_use_id"], "content": block["content"]}
        if words:
            yield {"role": "user", "content": words}


def _call_of(block: Mapping[str, Any]) -> dict[str, Any]:
    function = {"name": block["name"], "arguments": json.dumps(block["input"], ensure_ascii=False)}
    return {**block.get("extra", {}), "id": block["id"], "type": "function", "function": function}


def _function_of(tool: Mapping[str, Any]) -> dict[str, Any]:
    function = {"name": tool["name"], "description": tool["description"], "parameters": tool["input_schema"]}
    return {"type": "function", "function": function}


def _said(text: str) -> str:
    """Return the server's own words about an error."""
    try:
        said = json.loads(text)
    except ValueError:
        return one_line(text) or "nothing"
    said = said[0] if isinstance(said, list) and said else said  # Gemini
    said = said.get("error", said) if isinstance(said, dict) else said
    return one_line(said if isinstance(said, str) else json.dumps(said, ensure_ascii=False))
