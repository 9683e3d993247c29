"""Which model a spec names behind an API, and how it is to be asked: `openai:qwen3:8b,temperature=0.7,seed=1`."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from runtime.errors import UsageError
from runtime.wording import have

OPTIONS: Mapping[str, tuple[str, ...]] = {
    "anthropic": ("temperature", "max_tokens", "effort", "thinking"),
    "openai": ("temperature", "max_tokens", "effort", "thinking", "seed"),
}
"""What each API can be asked for; those of models that a person can name are its keys."""

MOST_TEMPERATURE, MOST_TOKENS, MOST_SEED = 2.0, 10_000_000, 2**31 - 1


@dataclass(frozen=True)
class ModelOptions:
    """How a model is to be asked; None leaves it to the server."""

    temperature: float | None = None
    max_tokens: int | None = None  # of one reply
    effort: str | None = None
    thinking: bool | None = None
    seed: int | None = None

    def seed_of(self, *names: object) -> int | None:
        """The seed of one request: requests of other names draw otherwise, the same in every run."""
        if self.seed is None:
            return None
        name = "\0".join(map(str, (self.seed, *names)))
        return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=4).digest(), "big") & MOST_SEED


@dataclass(frozen=True)
class ModelSpec:
    """A model by the name that its server knows, and its options."""

    model: str
    options: ModelOptions


def read_spec(api: str, words: str) -> ModelSpec:
    """What stands behind `openai:` or `anthropic:`; errors: UsageError for an option that is not one."""
    found = re.fullmatch(r"(.*?)((?:,[A-Za-z_]+=[^,]*)*)", words.strip(), re.DOTALL)
    assert found is not None  # the first group takes anything
    model, given = found[1].strip(), found[2].split(",")[1:]
    if not model:
        raise UsageError(f"Model {f'{api}:{words}'!r} is not complete; give {api}:MODEL, then options.")
    options: dict[str, Any] = {}
    for each in given:
        name, _, value = each.partition("=")
        if name not in OPTIONS[api]:
            raise UsageError(f"{api}:MODEL has no option {name!r} in {words!r}; {have(name, OPTIONS[api])}.")
        if name in options:
            raise UsageError(f"Option {name!r} appears twice in {words!r}.")
        read, right = _READERS[name]
        options[name] = read(value)
        if options[name] is None:
            raise UsageError(f"Option {name!r} is {value!r} in {words!r}; give {right}.")
    return ModelSpec(model, ModelOptions(**options))


def model_of(name: str) -> str | None:
    """The model that a person pays for under this name: `m` of `reader:openai:m,seed=1`; None if there is none."""
    api, _, words = name.removeprefix("reader:").partition(":")
    return read_spec(api, words).model if api in OPTIONS and words.strip() else None


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) and 0 <= number <= MOST_TEMPERATURE else None


def _whole_number(most: int, least: int) -> Callable[[str], int | None]:
    def read(value: str) -> int | None:
        number = int(value) if re.fullmatch(r"[0-9]{1,10}", value) else -1
        return number if least <= number <= most else None

    return read


def _word(value: str) -> str | None:
    return value if re.fullmatch(r"[a-z_]{1,20}", value) else None


_READERS: Mapping[str, tuple[Callable[[str], Any], str]] = {
    "temperature": (_number, f"a number from 0 to {MOST_TEMPERATURE:g}"),
    "max_tokens": (_whole_number(MOST_TOKENS, 1), "a number of tokens from 1"),
    "effort": (_word, "a word that the server knows, such as low, medium or high"),
    "thinking": ({"on": True, "off": False}.get, "on or off"),
    "seed": (_whole_number(MOST_SEED, 0), f"a whole number from 0 to {MOST_SEED}"),
}
