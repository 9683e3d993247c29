"""What a model's tokens cost: list prices, and what a person says of a model that has none here."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from runtime.errors import UsageError
from runtime.model.options import model_of

LONG_PROMPT = 100_000  # tokens, from which on a model with a `long` price charges that one for the whole request


@dataclass(frozen=True)
class Price:
    """US dollars for a million tokens; `write` is what the first use of a cached prefix costs (kept five minutes)."""

    prompt: float
    write: float
    cached: float
    completion: float
    long: Price | None = None

    @classmethod
    def plain(cls, prompt: float, completion: float) -> Price:
        """The price of a model of which two numbers are known: what a cache holds is reckoned in full."""
        return cls(prompt, prompt, prompt, completion)

    def of(self, prompt: int, written: int, cached: int, completion: int) -> float:
        """The cost of one request in US dollars; `prompt` are the tokens that no cache wrote or read."""
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
    """The list price of a model of the Anthropic API, dated or not; None where it is not known."""
    return PRICES.get(re.sub(r"-\d{8}$", "", model))


def knows_cost(name: str, own: Collection[str] = ()) -> bool:
    """Whether the cost of a model's answers is known, so that a limit on it can hold; takes `Model.name`.

    `own` are the models that a person gave a price.
    """
    model = model_of(name)
    return model is None or model in own or (name.startswith("anthropic:") and find_price(model) is not None)


def read_prices(words: Iterable[str]) -> dict[str, tuple[float, float]]:
    """Prices as `--price` takes them, `MODEL=IN,OUT`, by model; errors: UsageError."""
    prices: dict[str, tuple[float, float]] = {}
    for each in words:
        model, _, numbers = each.rpartition("=")
        try:
            prompt, completion = map(float, numbers.split(","))
        except ValueError:
            prompt = completion = math.nan
        if not model or not (0 <= prompt < math.inf and 0 <= completion < math.inf):
            raise UsageError(
                f"--price is {each!r}; give MODEL=IN,OUT, dollars for a million tokens each, as in my-model=0.5,2."
            )
        prices[model_of(model) or model] = prompt, completion
    return prices
