"""What the user of an episode hears and sees of it, what it has been told at the end, and which rules were broken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from runtime.domain.domain import Domain
from runtime.harness.episode import Episode
from runtime.harness.messages import Message, converses, said_to_user
from runtime.harness.user import CallSeen
from runtime.session.world import World
from runtime.task.judge import told_in
from runtime.task.read_back import read_block
from runtime.task.task import Task
from runtime.task.violations import AcceptedCall, find_violations
from runtime.verification.verdict import Violation


def calls_seen(domain: Domain, episode: Episode) -> list[CallSeen]:
    """The agent's calls since the user spoke, as the agent knows them: the tool, and whether it was accepted.

    A note about the caller, that they were identified or refused something, fulfils no wish.
    """
    people = domain.people
    writing = {
        name for name, tool in domain.tools.items() if not tool.read_only and not (people and people.noting(name))
    }
    declining = people.refusal.tool if people is not None and people.refusal is not None else ""
    return [CallSeen(name, name in writing, is_ok, name == declining) for name, is_ok in episode.answered]


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


def violations_in(task: Task, domain: Domain, world: World, messages: Sequence[Message]) -> tuple[Violation, ...]:
    """The rules of the domain that the calls of a conversation broke, and duties left undone; errors: EnvironmentFault.

    The calls are made again, so an episode and its record come to the same.
    """
    return find_violations(domain, world, accepted_calls(messages), task.principal)


def accepted_calls(messages: Sequence[Message]) -> Iterator[AcceptedCall]:
    """The calls of a conversation that went through; the answers to the calls of a message follow it in their order."""
    number = 0
    for place, message in enumerate(messages):
        for offset, call in enumerate(message.calls, start=1):
            number += 1
            answer = messages[place + offset] if place + offset < len(messages) else None
            if answer is None or answer.role != "tool" or answer.is_error or not isinstance(call.arguments, Mapping):
                continue
            yield AcceptedCall(number, str(call.name), call.arguments)
