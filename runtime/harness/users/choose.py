"""Which simulated user talks to the agent: `--user SPEC`."""

from __future__ import annotations

from collections.abc import Mapping

from runtime.errors import UsageError
from runtime.harness.user import UserKind
from runtime.model.prices import Price
from runtime.wording import have

CHOICES = ("scripted", "anthropic:MODEL", "relay:DIR", "none")
"""What `--user` takes."""


def choose_user(spec: str, prices: Mapping[str, Price] | None = None) -> UserKind:
    """The kind of user that a spec names; errors: UsageError for any other spec, or a model that cannot be set up."""
    kind, colon, rest = spec.partition(":")
    match kind:
        case "scripted" if not colon:
            from runtime.harness.users.scripted import ScriptedKind

            return ScriptedKind()
        case "none" if not colon:
            from runtime.harness.users.none import NoUser

            return NoUser()
        case "anthropic" | "relay" if rest:
            from runtime.harness.users.model import ModelUserKind
            from runtime.model.choose import choose_models

            return ModelUserKind(choose_models([spec], ["user"], prices=prices).of("user"))
        case "anthropic" | "relay":
            raise UsageError(f"User {spec!r} is not complete; have: {', '.join(CHOICES)}.")
        case _:
            raise UsageError(f"No user {spec!r}; {have(spec, CHOICES)}.")
