"""What must be the same in all of one run: who plays, with whom, over what, within which limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from runtime.harness.episode import EpisodeLimits
from runtime.harness.transports.open import Transport

Prices = tuple[tuple[str, float, float], ...]
"""Of models without a list price: name, dollars for a million tokens in, and out."""


@dataclass(frozen=True)
class RunConfig:
    """Agent and user as they were asked for, transport, limits, and whether the agent is given the policy.

    Prices may differ between the sittings of a run: they change what is reckoned, not what is played.
    """

    agent: str
    user: str = "scripted"
    transport: Transport = "memory"
    limits: EpisodeLimits = field(default_factory=EpisodeLimits)
    with_policy: bool = False
    prices: Prices = ()

    @property
    def connection(self) -> tuple[Transport, ...]:
        """What the agent's calls go over, in this order: a program's come over HTTP, whatever passes them on."""
        return ("http", self.transport) if self.agent.startswith("command:") else (self.transport,)

    def as_json(self) -> dict[str, Any]:
        """The configuration as plain JSON values."""
        return asdict(self)

    def differences(self, other: RunConfig) -> Iterator[tuple[str, Any, Any]]:
        """What differs: its name in words, the value here, the value there."""
        for name, value in self.as_json().items():
            there = other.as_json()[name]
            if name == "limits":
                for limit, most in value.items():
                    if most != there[limit]:
                        yield f"limit of {limit}", most, there[limit]
            elif value != there and name != "prices":
                yield _WORDS.get(name, name), value, there


_WORDS = {"with_policy": "policy given to the agent"}


def read_config(parts: Mapping[str, Any]) -> RunConfig:
    """A configuration from its JSON; errors: TypeError, KeyError for another form."""
    prices = tuple((str(name), float(prompt), float(completion)) for name, prompt, completion in parts["prices"])
    return RunConfig(**{**parts, "limits": EpisodeLimits(**parts["limits"]), "prices": prices})
