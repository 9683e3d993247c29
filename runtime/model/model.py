"""What a model is asked and what it answers, what a model spec says, and what tokens cost."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from runtime.errors import UsageError
from runtime.wording import have

CHARACTERS_PER_TOKEN = 4  # a rule of thumb for English and code, for prompts and answers alike

CUT = "was cut off at a limit of tokens: its option max_tokens, the server's own default, or its context"

# Around what a model thinks, where its server leaves it in the text: the end, then what may begin it. In any case.
_THOUGHTS: Mapping[bytes, tuple[bytes, ...]] = {
    b"</think>": (b"<think>",),
    b"</thinking>": (b"<thinking>",),
    b"</thought>": (b"<thought>",),
    b"</reasoning>": (b"<reasoning>",),
    b"</seed:think>": (b"<seed:think>",),
    b"[/think]": (b"[think]",),
    b"<channel|>": (b"<|channel>thought",),
    b"<|end_thinking|>": (b"<|start_thinking|>",),
    b"<|channel|>final<|message|>": (b"<|channel|>analysis", b"<|channel|>commentary"),
}
_BEFORE_A_MENTION = b" \t'\"`("


@dataclass(frozen=True)
class Turn:
    """An earlier answer to the same question and the complaints about it."""

    answer: Mapping[str, Any]
    complaints: tuple[str, ...]


@dataclass(frozen=True)
class Request:
    """One question, with the JSON Schema that its answer must fit.

    `stage`, `key` and `attempt` (from 1) identify it, the same in every run. `prefix` is the first part of the prompt,
    shared by many questions and worth caching. `earlier` holds the attempts before this one, oldest first; `repair`
    says what is wanted after them. It is question `number` of `about` so many, for a person. `max_tokens` is enough for
    the answer, without what the model thinks before it.
    """

    role: str
    stage: str
    key: str
    attempt: int
    prefix: str = field(repr=False)
    prompt: str = field(repr=False)
    schema: Mapping[str, Any] = field(repr=False)
    earlier: tuple[Turn, ...] = field(default=(), repr=False)
    repair: str = "Give the whole corrected answer."
    max_tokens: int = 32_000
    number: int = field(default=0, compare=False)
    about: int = field(default=0, compare=False)

    @property
    def place(self) -> str:
        """`question 12 of about 60`, as far as it is known."""
        of = f" of about {self.about}" if self.number <= self.about else ""
        return f"question {self.number}{of}" if self.number else ""


@dataclass(frozen=True)
class Usage:
    """Tokens of one request, failed tries included; `cached` are prompt tokens that were read from a cache.

    `cost` is in US dollars, None if the price is unknown.
    """

    prompt: int
    completion: int
    cached: int = 0
    estimated: bool = False
    cost: float | None = 0.0


@dataclass(frozen=True)
class Answer:
    """A JSON object that fits the request's schema, the model that gave it, and its usage."""

    content: Mapping[str, Any]
    model: str
    usage: Usage


class Model(Protocol):
    """Answers requests, several at once."""

    @property
    def name(self) -> str:
        """How it was asked for: `anthropic:MODEL`, `openai:MODEL`, `relay:DIR`, `recorded`, `scripted`."""

    async def answer(self, request: Request) -> Answer:
        """Answer one request; errors: ModelFailed if there is no usable answer, UsageError for a wrong setup."""


@dataclass(frozen=True)
class ChatRequest:
    """A conversation in blocks of the Messages API, whose last turn is not the model's; `where` names it in errors.

    The reply should fit the `schema`, if there is one. `draw` identifies the request for a model with a seed.
    """

    where: str
    turns: Sequence[Mapping[str, Any]] = field(repr=False)
    system: Sequence[Mapping[str, Any]] = field(default=(), repr=False)
    tools: Sequence[Mapping[str, Any]] = field(default=(), repr=False)
    max_tokens: int = 8_000
    schema: Mapping[str, Any] | None = field(default=None, repr=False)
    draw: str = ""


@dataclass(frozen=True)
class ChatReply:
    """The model's next turn: its blocks as they came, why it stopped, what it took.

    `stop` is a `stop_reason` of the Messages API, or "too_long" where the conversation no longer fits the model, or
    "unreadable" where the server could not parse what its model wrote; `why` quotes the server.
    """

    blocks: Sequence[Mapping[str, Any]] = field(repr=False)
    stop: str
    why: str | None
    usage: Usage

    @property
    def text(self) -> str:
        return "".join(str(block.get("text", "")) for block in self.blocks if block.get("type") == "text")


class Chat(Protocol):
    """Converses with tools; several conversations may be under way at once."""

    @property
    def name(self) -> str:
        """How it was asked for: `anthropic:MODEL`, `openai:MODEL`."""

    async def reply(self, request: ChatRequest) -> ChatReply:
        """Return the next turn; errors: ModelFailed with the usage of failed tries, UsageError for a wrong setup."""


def estimate_tokens(*texts: str) -> int:
    """Return the number of characters divided by four, rounded up."""
    return math.ceil(sum(map(len, texts)) / CHARACTERS_PER_TOKEN)


def estimate_usage(request: Request, *answers: str) -> Usage:
    """Estimate the usage of a model that does not count: all that was sent, and every answer that came back."""
    turns = [text for turn in request.earlier for text in (json.dumps(dict(turn.answer)), *turn.complaints)]
    prompt = estimate_tokens(request.prefix, request.prompt, *turns, json.dumps(dict(request.schema)))
    return Usage(prompt, estimate_tokens(*answers), estimated=True)


def total_usage(usages: Iterable[Usage]) -> Usage:
    """Add up; the sum is estimated if a part is, and of unknown cost if a part is."""
    prompt = completion = cached = 0
    estimated = False
    cost: float | None = 0.0
    for usage in usages:
        prompt += usage.prompt
        completion += usage.completion
        cached += usage.cached
        estimated = estimated or usage.estimated
        cost = None if cost is None or usage.cost is None else cost + usage.cost
    return Usage(prompt, completion, cached, estimated, cost)


def without_reasoning(text: str) -> str:
    """Return a text without what the model thought: `<think>...</think>` and its kin.

    The end may be missing, or the beginning if the prompt opened it. Behind a space or quote, a mark is only mentioned.
    """
    content = text.encode("utf-8", "surrogatepass")
    beginning = len(content) - len(content.lstrip())
    kept: list[bytes] = []
    mentioned: set[bytes] = set()
    thinking, place, was_thought = b"", 0, False
    for start, end, kind, opens in _marks_in(content.lower()):  # ASCII only, so that places stay
        if start < place or (thinking and (opens or kind != thinking)):
            continue
        if opens and start > beginning and content[start - 1] in _BEFORE_A_MENTION:
            mentioned.add(kind)
        elif opens:
            kept.append(content[place:start])
            thinking, was_thought = kind, True
        elif thinking or kind not in mentioned:
            kept = kept if thinking else []
            thinking, place, was_thought = b"", end, True
    if not was_thought:
        return text
    return b"".join([*kept, b"" if thinking else content[place:]]).decode("utf-8", "surrogatepass").strip()


def _marks_in(content: bytes) -> list[tuple[int, int, bytes, bool]]:
    """Return where each mark is, from start to end, the end of its kind, and whether it begins a thought."""
    found = []
    for kind, beginnings in _THOUGHTS.items():
        for mark in (kind, *beginnings):
            start = content.find(mark)
            while start >= 0:
                found.append((start, start + len(mark), kind, mark != kind))
                start = content.find(mark, start + len(mark))
    return sorted(found)


OPTIONS: Mapping[str, tuple[str, ...]] = {
    "anthropic": ("temperature", "max_tokens", "effort", "thinking"),
    "openai": ("temperature", "max_tokens", "effort", "thinking", "seed"),
}
"""The options of each API."""

_MOST_SEED = 2**31 - 1


class ModelOptions(BaseModel):
    """How a model is to be asked; None leaves it to the server."""

    model_config = ConfigDict(frozen=True)

    temperature: float | None = Field(None, ge=0, le=2, allow_inf_nan=False)
    max_tokens: int | None = Field(None, ge=1, le=10_000_000)  # of one reply
    effort: str | None = Field(None, pattern="^[a-z_]{1,20}$")
    thinking: bool | None = None
    seed: int | None = Field(None, ge=0, le=_MOST_SEED)

    def seed_of(self, name: str) -> int | None:
        """Return the seed of one request: another one for every name, the same in every run."""
        if self.seed is None:
            return None
        digest = hashlib.blake2b(f"{self.seed}\0{name}".encode(), digest_size=4).digest()
        return int.from_bytes(digest, "big") & _MOST_SEED


def read_spec(api: str, words: str) -> tuple[str, ModelOptions]:
    """Return the model and options in what follows `openai:` or `anthropic:`; errors: UsageError."""
    found = re.fullmatch(r"(.*?)((?:,[A-Za-z_]+=[^,]*)*)", words.strip(), re.DOTALL)
    assert found is not None  # the first group takes anything
    model, given = found[1].strip(), found[2].split(",")[1:]
    if not model:
        raise UsageError(f"Model {f'{api}:{words}'!r} is not complete; give {api}:MODEL, then options.")
    options: dict[str, str] = {}
    for each in given:
        name, _, value = each.partition("=")
        if name not in OPTIONS[api]:
            raise UsageError(f"{api}:MODEL has no option {name!r} in {words!r}; {have(name, OPTIONS[api])}.")
        if name in options:
            raise UsageError(f"Option {name!r} appears twice in {words!r}.")
        options[name] = value
    try:
        return model, ModelOptions.model_validate(options)
    except ValidationError as error:
        name, said = error.errors()[0]["loc"][0], error.errors()[0]["msg"]
        raise UsageError(f"Option {name!r} is {options[str(name)]!r} in {words!r}: {said}.") from error


def model_of(name: str) -> str | None:
    """Return the model that is paid for under a name, `m` of `reader:openai:m,seed=1`; None if there is none."""
    api, _, words = name.removeprefix("reader:").partition(":")
    return read_spec(api, words)[0] if api in OPTIONS and words.strip() else None


LONG_PROMPT = 100_000  # tokens; a model with a `long` price charges it for a whole request above this


@dataclass(frozen=True)
class Price:
    """US dollars per million tokens; `write` is the price of writing a prefix to the cache (kept five minutes)."""

    prompt: float
    write: float
    cached: float
    completion: float
    long: Price | None = None

    @classmethod
    def plain(cls, prompt: float, completion: float) -> Price:
        """Return a price without a discount for cached tokens."""
        return cls(prompt, prompt, prompt, completion)

    def of(self, prompt: int, written: int, cached: int, completion: int) -> float:
        """Return the cost of a request in US dollars; `prompt` excludes tokens written to or read from a cache."""
        if self.long is not None and prompt + written + cached > LONG_PROMPT:
            return self.long.of(prompt, written, cached, completion)
        dollars = prompt * self.prompt + written * self.write + cached * self.cached + completion * self.completion
        return dollars / 1_000_000


_OPUS = Price(5.00, 6.25, 0.50, 25.00)

# Source: https://platform.claude.com/docs/en/about-claude/pricing and .../docs/en/models/*/overview, read in November
# 2026; the cached price of claude-sonnet-5-5 is the one since 2026-10-07. A model that is not here has no known price.
PRICES = {
    "claude-fable-5-1": Price(10.00, 12.50, 0.25, 50.00),
    "claude-fable-5": Price(10.00, 12.50, 1.00, 50.00),
    "claude-opus-5-5": Price(4.00, 5.00, 0.20, 20.00),
    "claude-opus-5": _OPUS,
    "claude-opus-4-8": _OPUS,
    "claude-opus-4-7": _OPUS,
    "claude-opus-4-6": _OPUS,
    "claude-opus-4-5": _OPUS,
    "claude-sonnet-5-5": Price(2.00, 2.50, 0.10, 10.00),
    "claude-sonnet-5": Price(2.00, 2.50, 0.20, 10.00),
    "claude-haiku-5-5": Price(0.10, 0.125, 0.01, 0.50, long=Price(0.50, 0.625, 0.05, 2.50)),
}


def find_price(model: str) -> Price | None:
    """Return the list price of a model of the Anthropic API, dated or not; None where it is not known."""
    return PRICES.get(re.sub(r"-\d{8}$", "", model))


def knows_cost(name: str, own: Collection[str] = ()) -> bool:
    """True if the cost of a model's answers is known, so that a limit on it can hold; takes `Model.name`.

    `own` are the models with a price from the command line.
    """
    model = model_of(name)
    return model is None or model in own or (name.startswith("anthropic:") and find_price(model) is not None)


def read_prices(words: Iterable[str]) -> dict[str, tuple[float, float]]:
    """Return prices by model from values of `--price`, `MODEL=IN,OUT`; errors: UsageError."""
    prices: dict[str, tuple[float, float]] = {}
    for each in words:
        model, _, numbers = each.rpartition("=")
        try:
            prompt, completion = map(float, numbers.split(","))
        except ValueError:
            prompt = completion = math.nan
        if not model or not (0 <= prompt < math.inf and 0 <= completion < math.inf):
            raise UsageError(
                f"--price is {each!r}; give MODEL=IN,OUT, dollars per million tokens, as in my-model=0.5,2."
            )
        prices[model_of(model) or model] = prompt, completion
    return prices
