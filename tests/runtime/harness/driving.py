"""An episode of a library task driven step by step on a session, so that a test sees each state that it passes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from runtime.domain.domain import Domain
from runtime.harness.conversation import AgentContext, AgentKind, UserReply
from runtime.harness.episode import Episode, EpisodeLimits, ToolAnswer
from runtime.harness.outcome import told_to_user
from runtime.model.model import Usage, total_usage
from runtime.server.listing import list_tools
from runtime.session.session import Session
from runtime.session.world import World
from runtime.task.judge import answer_reader, judge
from runtime.task.task import Task
from tests.runtime.harness.wishes import take

SYSTEM = "You work at the desk of a library. It is 2026-03-16 09:30:00."
THANKS = UserReply("Thank you.")
BYE = UserReply("Thank you, goodbye.", ends=True)


@dataclass(frozen=True)
class Driven:
    """How an episode went."""

    episode: Episode
    reward: int
    usage: Usage


def seat_at(domain: Domain, task: Task, world: World) -> AgentContext:
    """What an agent is given at the start."""
    return AgentContext(domain, task, world, SYSTEM, list_tools(domain), seed=7)


async def drive(
    kind: AgentKind,
    domain: Domain,
    task: Task,
    world: World,
    replies: Sequence[UserReply] | None = None,
    *,
    limits: EpisodeLimits | None = None,
) -> Driven:
    """Play with a user that says these replies and goes; without any, everything is told at once and nobody answers."""
    converses = replies is not None
    waiting = list(replies or [UserReply("\n\n".join(task.user.words))])
    episode = Episode(SYSTEM, limits, converses=converses)
    agent = kind.begin(seat_at(domain, task, world))
    spent: list[Usage] = []
    reader = answer_reader(task, domain, world)
    with Session(domain, world) as session:
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(episode.limits.seconds):
                    while episode.needs != "nothing":
                        match episode.needs:
                            case "user":
                                reply = waiting.pop(0) if waiting else UserReply("", ends=True)
                                said = [each.text for each in episode.messages if each.by_agent]
                                taken = take(reader, said[-1] if said else "") if converses else {}
                                episode.user(replace(reply, taken=tuple(taken.items())))
                            case "assistant":
                                turn = await agent.act(episode.messages)
                                spent += [turn.usage] if turn.usage else []
                                episode.assistant(turn)
                            case "tools":
                                outcomes = [session.perform(call.name, call.arguments) for call in episode.pending]
                                episode.tools([ToolAnswer(each.text, each.rejection is not None) for each in outcomes])
            episode.end("out_of_time")
        finally:
            if close := getattr(agent, "close", None):
                await close()
        told = told_to_user(task, domain, world, episode.messages)
        verdict = judge(task, domain, world, session.changes, told)
    return Driven(episode, verdict.reward, total_usage(spent))
