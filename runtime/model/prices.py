"""What a model spec says, such as `openai:qwen3:8b,temperature=0.7,seed=1`, and what the model's tokens cost."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from runtime.errors import UsageError
from runtime.wording import have

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
