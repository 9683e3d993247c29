"""What the user of an episode hears and sees of it, and what it has been told at the end."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.domain.domain import Domain
from runtime.harness.episode import Episode
from runtime.harness.messages import Message, converses, said_to_user
from runtime.harness.user import CallSeen
from runtime.session.world import World
from runtime.task.judge import told_in
from runtime.task.read_back import read_block
from runtime.task.task import Task


def calls_seen(domain: Domain, episode: Episode) -> list[CallSeen]:
    """The agent's calls since the user spoke, as the agent knows them: the tool, and whether it was accepted."""
    tools = domain.tools
    return [CallSeen(name, name in tools and not tools[name].read_only, is_ok) for name, is_ok in episode.answered]


def told_to_user(task: Task, domain: Domain, world: World, messages: Sequence[Message]) -> dict[str, str]:
    """The answers that the user was told, by name: as they were taken down, or, where nobody answers, as they stand in
    the last message, a line each.
    """
    if not task.answers:
        return {}
    said = list(said_to_user(messages))
    if converses(messages):
        return told_in(task, domain, world, said)
    return read_block(task, said[-1].text) if said else {}
