"""Which agent and simulated user a name means: `--agent SPEC`, `--user SPEC`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from runtime.environment import require_mcp
from runtime.errors import UsageError
from runtime.harness.agents.baselines import (
    ALWAYS,
    AlwaysAgent,
    ClaimerAgent,
    FirstFoundAgent,
    IdleAgent,
    ParrotAgent,
    RandomAgent,
)
from runtime.harness.agents.careful import BlindAgent, CarefulAgent
from runtime.harness.agents.models import ChattingKind
from runtime.harness.agents.reference import ReferenceAgent
from runtime.harness.conversation import AgentKind, UserKind
from runtime.harness.users.model_user import FreeKind, ReaderKind
from runtime.harness.users.scripted import NoUser, ScriptedKind
from runtime.model.model import Price
from runtime.wording import have

_SCRIPTED: dict[str, Callable[[], AgentKind]] = {
    kind.name: kind
    for kind in (ReferenceAgent, IdleAgent, RandomAgent, ParrotAgent, ClaimerAgent, CarefulAgent, BlindAgent)
}
AGENTS = (*_SCRIPTED, "anthropic:MODEL", "openai:MODEL", "command:PROGRAM", *ALWAYS, FirstFoundAgent.name)
USERS = ("scripted", "reader:MODEL", "anthropic:MODEL", "openai:MODEL", "relay:DIR", "none")
"""The MODEL of a reader is anthropic:MODEL, openai:MODEL or relay:DIR, too."""


def choose_agent(spec: str, prices: Mapping[str, Price] | None = None, pass_env: Sequence[str] = ()) -> AgentKind:
    """Return the agent of this name; a program is given the variables in `pass_env`. Errors: UsageError."""
    kind, _, rest = spec.partition(":")
    rest = rest.strip()
    if spec in _SCRIPTED:
        return _SCRIPTED[spec]()
    if spec == FirstFoundAgent.name:
        return FirstFoundAgent()
    if spec in ALWAYS:
        return AlwaysAgent(spec)
    if kind in ("anthropic", "openai") and rest:
        from runtime.model.choose import open_api  # with an HTTP client, which a trainer may lack

        return ChattingKind(open_api(f"{kind}:{rest}", prices or {}))
    if kind == "command" and rest:
        require_mcp()
        from runtime.harness.agents.program import CommandAgent  # imports the server

        return CommandAgent(rest, pass_env)
    raise UsageError(f"no agent {spec!r}; {have(spec, AGENTS)}")


def choose_user(spec: str, prices: Mapping[str, Price] | None = None) -> UserKind:
    """Return the kind of user of this name; errors: UsageError, also for a model that cannot be set up."""
    if spec == "scripted":
        return ScriptedKind()
    if spec == "none":
        return NoUser()
    is_reader, model = spec.startswith("reader:"), spec.removeprefix("reader:")
    if not model.startswith(("anthropic:", "openai:", "relay:")) or model.endswith(":"):
        raise UsageError(f"No user {spec!r}; {have(spec, USERS)}.")
    from runtime.model.choose import choose_models

    opened = choose_models([model], ["user"], prices=prices).of("user")
    return ReaderKind(opened) if is_reader else FreeKind(opened)
