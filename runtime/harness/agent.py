"""What an agent is, and what it is told before the first word: it sees the messages and says what it does next."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from runtime.domain.dates import weekday
from runtime.domain.domain import Domain
from runtime.harness.messages import Message, ToolCall
from runtime.model.model import Usage
from runtime.session.world import World
from runtime.task.task import Task


@dataclass(frozen=True)
class AssistantTurn:
    """What the agent does next: words for the user, calls, or both. Neither means that it gave up, `note` says why."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    note: str = ""


@dataclass(frozen=True)
class AgentContext:
    """What an agent is given at the start of an episode.

    `tools` are those that the session's server lists, as MCP has them: name, description, inputSchema, outputSchema,
    annotations. `task` and `world` are for agents that are no contestants, such as the reference agent; no other looks.
    """

    domain: Domain
    task: Task = field(repr=False)
    world: World = field(repr=False)
    system: str = field(repr=False)
    tools: Sequence[Mapping[str, Any]] = field(repr=False)
    seed: int  # of this episode; an agent that draws, draws from it


class Agent(Protocol):
    """One agent in one episode."""

    async def act(self, messages: Sequence[Message]) -> AssistantTurn:
        """The next turn, given all messages so far; errors: ModelFailed, UsageError."""


@runtime_checkable
class Lasting(Protocol):
    """An agent that holds on to something, such as a program; whoever seated it closes it, however it all ended."""

    async def close(self) -> None:
        """Give back all that the agent holds; nothing of it outlives this."""


class AgentKind(Protocol):
    """What `--agent` names; it seats a fresh agent in every episode."""

    @property
    def name(self) -> str:
        """How it was asked for: `reference`, `anthropic:MODEL`, `command:...`."""

    def begin(self, context: AgentContext) -> Agent:
        """A fresh agent."""


_RULES = (
    "You are the assistant of the {title}. {summary}\n\n"
    "The current time is {now}, a {weekday}. It does not advance.\n\n"
    "You help one user with the tools you are given. The user reads what you write, but sees neither your calls nor "
    "their results, so tell them what matters. Change only what the user asks for{duties}. Record text that the user "
    "gives you in quotes exactly as it is. Ask for what you need and cannot look up. If your tools{rules} do not allow "
    "something, say plainly that you cannot do it. When you have done something, say so, and answer what the user "
    "wanted to know."
)


def system_message(domain: Domain, with_policy: bool) -> str:
    """The first message of an episode: who the assistant is, the frozen clock, how to work, and the policy."""
    policy = domain.policy.strip() if with_policy else ""
    text = _RULES.format(
        title=domain.card.title,
        summary=domain.card.summary.strip(),
        now=domain.now,
        weekday=weekday(domain.now),
        duties=" and what the policy below tells you to record or do" if policy else "",
        rules=" or the policy" if policy else "",
    )
    return f"{text}\n\n{policy}" if policy else text


def episode_seed(domain: Domain, task_id: str, trial: int) -> int:
    """The seed of whatever draws in an episode: the same in every run and every process."""
    name = "\0".join((domain.name, task_id, str(trial)))
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "big")
