"""What the user of an episode hears and sees of it, and what it has been told at the end."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.domain.domain import Domain
from runtime.harness.episode import Episode
from runtime.harness.messages import Message, converses, said_to_user
from runtime.harness.user import CallSeen
from runtime.session.world import World
from runtime.task.judge import _read_column as values_of
from runtime.task.read_back import AnswerReader, read_block, take_answers
from runtime.task.task import Task


def make_reader(task: Task, domain: Domain, world: World) -> AnswerReader:
    """What reads the answers of a task from what is said."""
    return AnswerReader(task, domain.now, lambda source: values_of(world, source))


def calls_seen(domain: Domain, episode: Episode) -> list[CallSeen]:
    """The agent's calls since the user spoke, as the agent knows them: the tool, and whether it was accepted."""
    tools = domain.tools
    return [CallSeen(name, name in tools and not tools[name].read_only, is_ok) for name, is_ok in episode.answered]


def told_in(task: Task, domain: Domain, world: World, messages: Sequence[Message]) -> dict[str, str]:
    """The answers that were taken down in a conversation, by name; one that was contradicted later is left out.

    Where nobody answers they stand in the last message, a line each.
    """
    if not task.answers:
        return {}
    said = list(said_to_user(messages))
    if not converses(messages):
        return dict(read_block(task, said[-1].text)) if said else {}
    taken = take_answers(task, make_reader(task, domain, world), said)
    return {name: value for name, value in taken.values.items() if name not in taken.contradicted}
