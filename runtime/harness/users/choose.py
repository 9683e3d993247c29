"""Which simulated user talks to the agent: `--user SPEC`."""

from __future__ import annotations

from collections.abc import Mapping

from runtime.errors import UsageError
from runtime.harness.user import UserKind
from runtime.harness.users.scripted import NoUser, ScriptedKind
from runtime.model.model import Model
from runtime.model.prices import Price
from runtime.wording import have

CHOICES = ("scripted", "reader:MODEL", "anthropic:MODEL", "openai:MODEL", "relay:DIR", "none")
"""What `--user` takes; the MODEL of a reader is anthropic:MODEL, openai:MODEL or relay:DIR, too."""


def choose_user(spec: str, prices: Mapping[str, Price] | None = None) -> UserKind:
    """The kind of user that a spec names; errors: UsageError for any other spec, or a model that cannot be set up."""
    kind, colon, rest = spec.partition(":")
    match kind:
        case "scripted" if not colon:
            return ScriptedKind()
        case "none" if not colon:
            return NoUser()
        case "reader" if rest.startswith(("anthropic:", "openai:", "relay:")) and not rest.endswith(":"):
            from runtime.harness.users.model_user import ReaderKind

            return ReaderKind(_open(rest, prices))
        case "anthropic" | "openai" | "relay" if rest:
            from runtime.harness.users.model_user import FreeKind

            return FreeKind(_open(spec, prices))
        case "anthropic" | "openai" | "relay" | "reader":
            raise UsageError(f"User {spec!r} is not complete; have: {', '.join(CHOICES)}.")
        case _:
            raise UsageError(f"No user {spec!r}; {have(spec, CHOICES)}.")


def _open(spec: str, prices: Mapping[str, Price] | None) -> Model:
    from runtime.model.choose import choose_models

    return choose_models([spec], ["user"], prices=prices).of("user")
