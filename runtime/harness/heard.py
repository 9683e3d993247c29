"""What the user of an episode sees of it, what it has been told at the end, and which rules were broken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from runtime.domain.desk import people_key
from runtime.domain.domain import Domain
from runtime.domain.people import DECLINE, IDENTIFY, is_desk_tool
from runtime.harness.episode import Episode
from runtime.harness.messages import Message, converses, heard
from runtime.harness.user import CallSeen
from runtime.session.world import World
from runtime.task.answers import read_block
from runtime.task.judge import AcceptedCall, answer_reader, find_violations
from runtime.task.task import Task
from runtime.verification.verdict import Violation


def calls_seen(domain: Domain, episode: Episode) -> list[CallSeen]:
    """The agent's calls since the user spoke, as the agent knows them: the tool, and whether it was accepted.

    A record that the caller was identified, or refused something, carries no request out.
    """
    return [
        CallSeen(
            name,
            writes=name in domain.tools and not domain.tools[name].read_only and not is_desk_tool(name),
            accepted=is_ok,
            declines=name == DECLINE,
            identifies=name == IDENTIFY,
        )
        for name, is_ok in episode.answered
    ]


def told_to_user(task: Task, domain: Domain, world: World, messages: Sequence[Message]) -> dict[str, str]:
    """The answers that the user was told, by name: those written down, and those in a last reply to a closed question.

    Where nobody answers, they are read from the lines at the end of the last message.
    """
    if not task.answers:
        return {}
    if not converses(messages):
        last = next((each for each in reversed(messages) if each.by_agent and each.text.strip()), None)
        return {} if last is None else read_block(task, last.text)
    told: dict[str, str] = {}
    asked: tuple[str, ...] = ()
    unheard: list[str] = []
    for each in messages:
        if each.role == "user":
            told = {**dict(each.taken), **told}
            asked, unheard = each.asks, []
        elif each.by_agent and each.text.strip():
            unheard.append(each.text)
    if unheard and asked:
        reader = answer_reader(task, domain, world)
        told = {**reader.read_reply([name for name in asked if name not in told], heard(unheard)), **told}
    return told


def violations_in(task: Task, domain: Domain, world: World, messages: Sequence[Message]) -> tuple[Violation, ...]:
    """The rules of the domain that the calls of a conversation broke, and duties left undone; errors: EnvironmentFault.

    The calls are made again, so an episode and its record come to the same.
    """
    calls = list(accepted_calls(messages))
    found = find_violations(domain, world, (each for _, each in calls), task.principal)
    return (*_looked_up(task, domain, calls, messages), *found)


def accepted_calls(messages: Sequence[Message]) -> Iterator[tuple[int, AcceptedCall]]:
    """The calls of a conversation that went through, each with the place of its message among all.

    The answers to the calls of a message follow it in their order.
    """
    number = 0
    for place, message in enumerate(messages):
        for offset, call in enumerate(message.calls, start=1):
            number += 1
            answer = messages[place + offset] if place + offset < len(messages) else None
            if answer is None or answer.role != "tool" or answer.is_error or not isinstance(call.arguments, Mapping):
                continue
            yield place, AcceptedCall(number, str(call.name), call.arguments)


def _looked_up(
    task: Task, domain: Domain, calls: Sequence[tuple[int, AcceptedCall]], messages: Sequence[Message]
) -> Iterator[Violation]:
    """Identifications of the caller by details that the user had not told by then.

    That of anybody else is a row that no task expects.
    """
    people, caller = domain.people, task.caller
    if people is None or caller is None:
        return
    for place, call in calls:
        key = call.arguments.get(people_key(people, domain.schema))
        if call.tool == IDENTIFY and [key] == caller.key:
            given = {column for column in people.proven_by if call.arguments.get(column) is not None}
            told = {column for message in messages[:place] for column in message.tells}
            if not given <= told:
                yield Violation(IDENTIFIED_BY_CALLER, call.number, call.tool, key)


IDENTIFIED_BY_CALLER = "IDENTIFIED_BY_CALLER"
"""The code of a violation: an identification with details that the caller had not told in the conversation."""
