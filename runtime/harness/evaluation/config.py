"""What must be the same in all of one run: who plays, with whom, over what, within which limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from runtime.harness.agents.program import program_name
from runtime.harness.episode import EpisodeLimits
from runtime.harness.transports import Transport
from runtime.verification.verdict import RewardKind

Prices = tuple[tuple[str, float, float], ...]
"""Of models without a list price: name, dollars for a million tokens in, and out."""


@dataclass(frozen=True)
class RunConfig:
    """Agent and user as they were asked for, transport, limits, and whether the agent is given the policy.

    Name, prices, kind of reward, suite and the tasks' file may differ between the sittings of a run: they do not change
    what is played.
    """

    agent: str
    user: str = "scripted"
    transport: Transport = "memory"
    limits: EpisodeLimits = field(default_factory=EpisodeLimits)
    with_policy: bool = True
    prices: Prices = ()
    pass_env: tuple[str, ...] = ()  # variables that an agent's program is given although they look secret
    name: str = ""  # of the agent, as it is shown
    program: str = ""  # a digest of the files that a program's command names
    reward: RewardKind = "final_state_and_rules"  # what scores count; the store keeps what either kind needs
    matcher: str = ""  # of texts, if it is not the reward's own
    tasks_file: str = ""  # from which the tasks were taken, if it was not the domain's own
    suite: str = ""  # the name of the suite that the tasks are of

    @property
    def shown(self) -> str:
        """The agent as it is shown: its name, or what it was asked for by.

        Wherever a score is shown, what differs from the usual conditions is named with it: a matcher that is not the
        reward's own, a policy that was not given, a reward that ignores the rules.
        """
        notes = [f"matcher {self.matcher}"] if self.matcher else []
        notes += [] if self.with_policy else ["without the policy"]
        notes += [] if self.reward == "final_state_and_rules" else [f"reward {self.reward}"]
        name = self.name or self.unnamed
        return f"{name} ({', '.join(notes)})" if notes else name

    @property
    def unnamed(self) -> str:
        """What the agent was asked for by, a model with its options, a command without its folders."""
        if not self.runs_program:
            return self.agent
        return f"command:{program_name(self.agent.partition(':')[2])}"

    @property
    def runs_program(self) -> bool:
        """Whether the agent is a program of somebody else's."""
        return self.agent.startswith("command:")

    @property
    def is_scripted(self) -> bool:
        """Whether neither a model nor a program is waited for."""
        return not any(":" in name for name in (self.agent, self.user, self.matcher))

    @property
    def connection(self) -> tuple[Transport, ...]:
        """What the agent's calls go over, in this order: a program's come over HTTP, whatever passes them on."""
        return ("http", self.transport) if self.runs_program else (self.transport,)

    def differences(self, other: RunConfig) -> Iterator[tuple[str, Any, Any]]:
        """What differs: its name in words, the value here, the value there."""
        others = asdict(other)
        for name, value in asdict(self).items():
            there = others[name]
            if name == "limits":
                for limit, most in value.items():
                    if most != there[limit]:
                        yield f"limit of {limit}", most, there[limit]
            elif name == "program" and not (value and there):
                continue  # of a store that says nothing about it
            elif value != there and name not in _FREE:
                yield _WORDS.get(name, name), value, there


_WORDS = {
    "with_policy": "policy given to the agent",
    "pass_env": "--pass-env",
    "program": "files of the agent's program with digest",
}
_FREE = ("prices", "name", "tasks_file", "suite")
