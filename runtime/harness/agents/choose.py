"""Find the agent that `--agent` names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from runtime.errors import UsageError
from runtime.harness.agent import AgentKind
from runtime.harness.agents.baselines import ALWAYS, AlwaysAgent, IdleAgent, ParrotAgent, RandomAgent
from runtime.harness.agents.chatting import ChattingKind
from runtime.harness.agents.reference import ReferenceAgent
from runtime.model.prices import Price
from runtime.wording import have

_SCRIPTED: dict[str, type[ReferenceAgent | IdleAgent | RandomAgent | ParrotAgent]] = {
    kind.name: kind for kind in (ReferenceAgent, IdleAgent, RandomAgent, ParrotAgent)
}
CHOICES = (*_SCRIPTED, "anthropic:MODEL", "openai:MODEL", "command:PROGRAM", *ALWAYS)


def choose_agent(
    spec: str,
    prices: Mapping[str, Price] | None = None,
    pass_env: Sequence[str] = (),
) -> AgentKind:
    """Return the agent of this name; a program is given the variables in `pass_env`. Errors: UsageError."""
    kind, _, rest = spec.partition(":")
    rest = rest.strip()
    if spec in _SCRIPTED:
        return _SCRIPTED[spec]()
    if spec in ALWAYS:
        return AlwaysAgent(spec)
    if kind in ("anthropic", "openai") and rest:
        from runtime.model.choose import open_api  # with what asks over HTTP, which a trainer may lack

        return ChattingKind(open_api(f"{kind}:{rest}", prices or {}))
    if kind == "command" and rest:
        from runtime.harness.agents.command import CommandAgent  # imports the server

        return CommandAgent(rest, pass_env)
    raise UsageError(f"no agent {spec!r}; {have(spec, CHOICES)}")
