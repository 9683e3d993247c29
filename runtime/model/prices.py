"""What a model's tokens cost: list prices, and which models have none here."""

from __future__ import annotations

import re
from dataclasses import dataclass

LONG_PROMPT = 100_000  # tokens, from which on a model with a `long` price charges that one for the whole request


@dataclass(frozen=True)
class Price:
    """US dollars for a million tokens; `write` is what the first use of a cached prefix costs (kept five minutes)."""

    prompt: float
    write: float
    cached: float
    completion: float
    long: Price | None = None

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


def knows_cost(name: str) -> bool:
    """Whether the cost of a model's answers is known, so that a limit on it can hold; takes `Model.name`."""
    kind, _, model = name.partition(":")
    return kind != "anthropic" or find_price(model) is not None
