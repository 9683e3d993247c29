"""Ask a model behind an API: retries with backoff, which errors end what, and answers until one fits."""

from __future__ import annotations

import asyncio
import json
import logging
import random
import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import httpx2

from runtime.errors import ModelFailed, UsageError
from runtime.model.model import (
    CUT,
    Answer,
    ChatReply,
    ChatRequest,
    Price,
    Request,
    Usage,
    read_spec,
    total_usage,
    without_reasoning,
)
from runtime.sandbox.files import parse_json

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

MOST_LINES = 20  # complaints about one answer

# How servers refuse a conversation that has outgrown its model: OpenAI, vLLM, SGLang, llama.cpp, Groq, Gemini and
# Anthropic, each in words, as no field says it everywhere. Ollama answers 500.
_CONTEXT = re.compile(r"context[ _](length|size|window|limit)", re.IGNORECASE)
_TOO_LONG = re.compile(
    rf"{_CONTEXT.pattern}"
    r"|\b(inputs?|prompt|model|request|conversation|messages?)\W+((is|are) too (long|large)|length|tokens?)\b"
    r"|length of the (input|prompt|messages)|token count|too many tokens",
    re.IGNORECASE,
)
_UNREADABLE = re.compile(r"tool_use_failed|failed to parse|model (produced|generated) output", re.IGNORECASE)
_WRONG_ADDRESS = (httpx2.ConnectError, httpx2.UnsupportedProtocol, httpx2.LocalProtocolError, httpx2.InvalidURL)
_LONGEST_WAIT = 600.0  # seconds that a server may ask for

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Backoff:
    """`tries` calls in all; `first` seconds before the second, doubling up to `most`, or what the server asks for."""

    tries: int = 8
    first: float = 1.0
    most: float = 60.0

    def seconds(self, failures: int, headers: Mapping[str, str]) -> float | None:
        """Return the wait after this many failures; None when it is time to give up."""
        try:
            wait = max(0.0, float(headers["retry-after"]))
        except (KeyError, ValueError):
            wait = min(self.first * 2 ** (failures - 1), self.most) * random.uniform(0.75, 1.0)  # jitter
        return wait if failures < self.tries and wait <= _LONGEST_WAIT else None


class Retryable(Exception):
    """A try failed in a way that may pass; the headers may ask for a wait."""

    def __init__(self, reason: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(reason)
        self.headers: Mapping[str, str] = headers or {}


class NotTaken(Exception):
    """The server refused this very request; the text is its own."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(said)
        self.is_unreadable = bool(_UNREADABLE.search(said))
        words = _CONTEXT if status >= 500 else _TOO_LONG
        self.is_too_long = not self.is_unreadable and (status == 413 or bool(words.search(said)))


class ApiModel:
    """A model behind an API, as `Model` and as `Chat`; `spent` is the usage of all requests for answers, failed or not.

    Until the server `has_answered` once, an error that cannot pass by itself is a wrong setup and ends the command.
    """

    kind: ClassVar[str]  # the part of its name before the colon
    url_variable: ClassVar[str]
    key_variable: ClassVar[str]
    url: str

    def __init__(
        self,
        words: str,
        *,
        base_url: str | None = None,
        at_once: int = 8,
        asks: int = 3,
        backoff: Backoff | None = None,
        price: Price | None = None,
    ) -> None:
        """`asks` limits how often one request is sent until its answer fits. Errors: UsageError for a missing key."""
        self.name = f"{self.kind}:{words}"
        self.model, self.options = read_spec(self.kind, words)
        self.price = price
        self.spent = Usage(0, 0)
        self.has_answered = False
        self._asks = asks
        self._backoff = backoff or Backoff()
        self._slots = asyncio.Semaphore(at_once)
        self.set_up(base_url)

    def set_up(self, base_url: str | None) -> None:
        """Find the server's URL and the key; errors: UsageError where a key is missing."""
        raise NotImplementedError

    def open(self) -> AbstractAsyncContextManager[Any]:
        """Return a client for one request and its retries, as a client belongs to one event loop."""
        raise NotImplementedError

    async def call(self, client: Any, request: ChatRequest, spent: list[Usage]) -> ChatReply:
        """Try once and add the usage to `spent`; errors: Retryable, NotTaken, ModelFailed, UsageError."""
        raise NotImplementedError

    async def answer(self, request: Request) -> Answer:
        """Answer one request; errors: ModelFailed for a refusal, a cut answer or no connection, UsageError."""
        where = f"{request.stage}/{request.key} attempt {request.attempt}"
        turns = _open_conversation(request)
        spent: list[Usage] = []
        try:
            async with self._slots, self.open() as client:
                for _ in range(self._asks):
                    asked = ChatRequest(where, turns, max_tokens=request.max_tokens, schema=request.schema, draw=where)
                    text = self._text_of(await self._retry(client, asked, spent), where)
                    try:
                        content = read_answer(bare_json(without_reasoning(text)), request.schema)
                        return Answer(content, self.name, total_usage(spent))
                    except Misfit as misfit:
                        lines = misfit.lines
                        turns += _correct(text, "This answer is not the JSON object that was asked for:", lines)
                raise self.failed(where, f"gave no answer that fits in {self._asks} tries: {'; '.join(lines)[:500]}")
        except NotTaken as error:
            raise self.failed(where, f"refused the request: {error}", spent) from error
        except ModelFailed as error:
            error.usage = total_usage(spent)
            raise
        finally:
            self.spent = total_usage([self.spent, *spent])

    async def reply(self, request: ChatRequest) -> ChatReply:
        """Return the next turn of a conversation; errors: ModelFailed with its usage, UsageError."""
        spent: list[Usage] = []
        try:
            async with self.open() as client:
                reply = await self._retry(client, request, spent)
            return replace(reply, usage=total_usage(spent))
        except NotTaken as error:
            if error.is_unreadable:
                return ChatReply((), "unreadable", str(error), total_usage(spent))
            if not self.has_answered:
                raise self.unusable(str(error)) from error
            if error.is_too_long:
                return ChatReply((), "too_long", str(error), total_usage(spent))
            raise self.failed(request.where, f"refused the request: {error}", spent) from error
        except ModelFailed as error:
            error.usage = total_usage(spent)
            raise

    async def _retry(self, client: Any, request: ChatRequest, spent: list[Usage]) -> ChatReply:
        failures = 0
        while True:
            try:
                reply = await self.call(client, request, spent)
            except Retryable as failure:
                reason, headers = str(failure), failure.headers
            else:
                self.has_answered = True
                return reply
            failures += 1
            wait = self._backoff.seconds(failures, headers)
            if wait is None:
                raise self.failed(request.where, f"failed after {failures} tries; {reason}")
            again = f"try {failures + 1} of {self._backoff.tries} in {wait:.0f} s"
            _LOG.warning("%s: %s; %s", self.name, reason, again)
            await asyncio.sleep(wait)

    def _text_of(self, reply: ChatReply, where: str) -> str:
        match reply.stop:
            case "refusal":
                raise self.failed(where, f"refused to answer: {one_line(reply.why or 'it gave no reason')}")
            case "max_tokens":
                raise self.failed(where, CUT)
            case "model_context_window_exceeded":
                raise self.failed(where, "had no room left: prompt and answer together are too long for it")
        return reply.text

    def raise_for(self, status: int, said: str, headers: Mapping[str, str], where: str) -> NoReturn:
        """Raise what an error of the server means."""
        answered = f"the server answered {status}: {said}"
        if status in (401, 402, 404, 405) or "insufficient_quota" in said:
            raise self.unusable(answered)
        error = NotTaken(status, said)
        if status in (400, 413, 422) or error.is_unreadable or (status >= 500 and error.is_too_long):
            raise error
        if status in (408, 409, 429) or status >= 500:
            raise Retryable(answered, headers)
        raise self.failed(where, f"failed, {answered}") if self.has_answered else self.unusable(answered)

    def raise_unreachable(self, error: Exception) -> NoReturn:
        """Raise what a failed connection means: at first a wrong address, later something that may pass."""
        causes = (error.__cause__, error)  # an SDK wraps what its client raised
        reason = f"{self.url} could not be reached or broke off: {one_line(str(error.__cause__ or error))}"
        if self.has_answered or not any(isinstance(each, _WRONG_ADDRESS) for each in causes):
            raise Retryable(reason) from error
        raise self.unusable(reason) from error

    def raise_nonsense(self, what: str, error: Exception) -> NoReturn:
        """Raise what a reply in another protocol means."""
        reason = f"{self.url} does not speak this API: it sent {what}"
        raise (Retryable(reason) if self.has_answered else self.unusable(reason)) from error

    def unusable(self, what: str) -> UsageError:
        """Return the error that ends the command, as asking again would not help."""
        check = f"check {self.url_variable} and {self.key_variable}"
        return UsageError(f"Model {self.name!r} cannot be used: {what}; {check}.")

    def failed(self, where: str, what: str, spent: Sequence[Usage] = ()) -> ModelFailed:
        error = ModelFailed(f"{where}: {self.name} {what}.")
        error.usage = total_usage(spent)
        return error


def one_line(text: str) -> str:
    """Return a server's own words in a form that fits into a sentence of ours."""
    return " ".join(text.split())[:300].rstrip(".")


def _open_conversation(request: Request) -> list[dict[str, Any]]:
    """The turns so far, the last one the user's; the shared prefix is a block of its own, marked for the cache."""
    wanted = (
        "Answer with exactly one JSON object and nothing else: no code fence, no words around it. "
        f"It must fit this JSON Schema:\n\n{json.dumps(dict(request.schema), ensure_ascii=False)}"
    )
    question: list[dict[str, Any]] = [{"type": "text", "text": f"{request.prompt}\n\n{wanted}"}]
    if request.prefix:
        question.insert(0, {"type": "text", "text": request.prefix, "cache_control": {"type": "ephemeral"}})
    turns: list[dict[str, Any]] = [{"role": "user", "content": question}]
    for turn in request.earlier:
        answer = json.dumps(dict(turn.answer), ensure_ascii=False)
        verdict = "This answer was checked, and these complaints came back:"
        turns += _correct(answer, verdict, turn.complaints, request.repair)
    return turns


def _correct(
    answer: str, verdict: str, complaints: Sequence[str], wanted: str = "Give the whole corrected answer."
) -> list[dict[str, Any]]:
    """Two more turns: an answer, and why another one is wanted; an empty answer cannot be sent."""
    asked = "\n".join([verdict, *(f"- {line}" for line in complaints), "", wanted])
    return [
        {"role": "assistant", "content": answer.strip() or "(an empty answer)"},
        {"role": "user", "content": asked},
    ]


class Misfit(Exception):
    """Why a text is not an answer, one line per fault."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__("; ".join(lines))
        self.lines = tuple(lines)


def read_answer(text: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON object in a text; errors: Misfit."""
    try:
        content = parse_json(text.removeprefix("\ufeff"))
        json.dumps(content, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        near = text[max(0, error.pos - 30) : error.pos + 30]
        where = f"line {error.lineno}, column {error.colno}"
        raise Misfit([f"it is not JSON: {error.msg} at {where}, near {near!r}"]) from error
    except RecursionError as error:
        raise Misfit(["it is nested too deeply"]) from error
    except ValueError as error:  # NaN, an endless number, half of a surrogate pair
        raise Misfit([f"it is not JSON that can be stored: {error}"]) from error
    lines = find_misfits(content, schema)
    if lines:
        raise Misfit(lines)
    assert isinstance(content, dict)
    return content


def find_misfits(content: Any, schema: Mapping[str, Any]) -> list[str]:
    if not isinstance(content, dict):
        return [f"$: {_cut(json.dumps(content), 80)} is not a JSON object"]
    from jsonschema import Draft202012Validator  # slow to import, and only needed where models answer

    errors = sorted(Draft202012Validator(dict(schema)).iter_errors(content), key=lambda error: error.json_path)
    return list(dict.fromkeys(map(_complaint, errors)))[:MOST_LINES]


def _complaint(error: ValidationError) -> str:
    from jsonschema.exceptions import best_match

    error = best_match([error]) or error  # of a union that nothing fits, the branch that comes closest
    value = json.dumps(error.instance, ensure_ascii=False)
    said = error.message if len(value) <= 80 else f"{_cut(value, 80)} misses {error.validator} {error.validator_value}"
    known = ""
    if error.validator == "additionalProperties" and isinstance(error.schema, Mapping):
        known = f"; have: {', '.join(sorted(error.schema.get('properties', ()))) or 'nothing'}"
    return f"{error.json_path}: {_cut(said, 300)}{known}"


def bare_json(text: str) -> str:
    """Return the JSON in a model's text, without the code fence or the words that some models put around it."""
    fenced = re.fullmatch(r"\s*```(?:json)?\s*\n(.*?)\n?\s*```\s*", text, re.DOTALL)
    if fenced:
        return fenced.group(1)
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if 0 <= start < end else text


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."
