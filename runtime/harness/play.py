"""Play one episode: agent, user and session of one task, until the verdict on the session's own database."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from typing import Any

from runtime.domain.changes import Changes
from runtime.domain.domain import Domain
from runtime.environment import require_mcp
from runtime.errors import EnvironmentFault, ModelFailed, UsageError
from runtime.harness.connection import Connection, ConnectionFault, Transport, open_session
from runtime.harness.conversation import (
    Agent,
    AgentContext,
    AgentKind,
    AssistantTurn,
    SimulatedUser,
    UserKind,
    episode_seed,
    system_message,
)
from runtime.harness.episode import Episode, EpisodeLimits
from runtime.harness.outcome import attribute, calls_seen, told_to_user, violations_in
from runtime.harness.record import EpisodeRecord, Fault, write_changes
from runtime.model.model import Usage, total_usage
from runtime.session.world import World
from runtime.task.judge import answer_reader, judge
from runtime.task.mistakes import mistake_of
from runtime.task.task import Task, task_policies
from runtime.verification.texts import TextMatcher
from runtime.verification.verdict import UndecidedVerdict

_log = logging.getLogger(__name__)

LEAST_FOR_USER = 60.0  # seconds; the user's slowness is not the agent's

_UNDECIDED, _SERVER_DIED = "the verdict is undecided", "the world's server died"
_REASONS: Mapping[Fault, str] = {
    "agent": "the agent's model failed",
    "user": "the user's model failed",
    "environment": "the environment failed",
    "harness": "the harness failed",
}


@dataclass(frozen=True)
class Setting:
    """What is the same for all episodes of an evaluation."""

    agent: AgentKind
    user: UserKind
    transport: Transport = "memory"
    limits: EpisodeLimits = EpisodeLimits()
    with_policy: bool = True
    matcher: TextMatcher | None = None  # of texts, in place of the reward's own
    server: tuple[str, ...] = ()  # the command that stdio starts; none: `worldsmith serve`


@dataclass
class EpisodeCosts:
    """What an episode takes, while it goes on: seconds of the agent and of the user, tokens, slips of the user."""

    started: float = field(default_factory=time.perf_counter)
    agent_seconds: float = 0.0
    user_seconds: float = 0.0
    usages: list[Usage] = field(default_factory=list)
    slips: int = 0
    log: tuple[str, ...] = ()

    def note(self, usage: Usage | None) -> None:
        """Count what a model took."""
        if usage is not None:
            self.usages.append(usage)


async def play(task: Task, domain: Domain, world: World, trial: int, setting: Setting) -> EpisodeRecord:
    """Play an episode of a task on its world and judge it.

    A fault of ours is a void record. Errors: UsageError for a wrong set-up.
    """
    play = _Play(task, domain, world, trial, setting)
    try:
        final = await play.converse()
        parts = task, domain, world, trial, play.episode, final, play.tally
        if setting.matcher is None:
            return judge_episode(*parts)
        return await asyncio.to_thread(judge_episode, *parts, setting.matcher)  # it may ask a model
    except UsageError:
        raise
    except Exception as error:  # whatever breaks one episode must not end the others; it is not scored
        return void_episode(task, trial, play.episode, play.tally, error, play.turn_of)


def judge_episode(
    task: Task,
    domain: Domain,
    world: World,
    trial: int,
    episode: Episode,
    final: Changes,
    tally: EpisodeCosts,
    matcher: TextMatcher | None = None,
) -> EpisodeRecord:
    """The record of an episode that is over, whatever its end, with the verdict on the changes of its database.

    Errors: UndecidedVerdict, UsageError if the task does not fit its world.
    """
    told = told_to_user(task, domain, world, episode.messages)
    violations = violations_in(task, domain, world, episode.messages)
    verdict = judge(task, domain, world, final, told, matcher=matcher, violations=violations)
    record = replace(
        _record(task, trial, episode, tally),
        reward=verdict.reward,
        progress=verdict.progress,
        differences=verdict.differences,
        warnings=verdict.warnings,
        pairs=verdict.pairs,
        violations=verdict.violations,
        final=write_changes(final),
    )
    mistake = None
    if not verdict.reward:
        mistake = mistake_of(task, final, told, domain.schema, task_policies(task, domain))
    blame = attribute(record, task, domain, mistake)
    return (
        record
        if blame is None
        else replace(record, fault=blame.fault, reason=blame.reason, why=record.why or blame.why)
    )


def void_episode(
    task: Task, trial: int, episode: Episode, tally: EpisodeCosts, error: BaseException, turn_of: Fault
) -> EpisodeRecord:
    """The record of an episode that is not scored because of an error during somebody's turn."""
    record = replace(_record(task, trial, episode, tally), end="void", why=_describe(error))
    if isinstance(error, UndecidedVerdict | ConnectionFault):
        reason = _SERVER_DIED if isinstance(error, ConnectionFault) else _UNDECIDED
        return replace(record, fault="environment", reason=reason)
    fault: Fault = "harness"
    if isinstance(error, EnvironmentFault) or turn_of == "environment":
        fault = "environment"
    elif isinstance(error, ModelFailed):
        fault = turn_of
    return replace(record, fault=fault, reason=_REASONS[fault])


def open_connection(
    transport: Transport, domain: Domain, world: World, principal: str | None, server: Sequence[str] = ()
) -> AbstractAsyncContextManager[Connection]:
    """Connect to a fresh session of a world; entering it raises EnvironmentFault if its server does not start.

    `server` is the command that stdio starts, by default `worldsmith serve`.
    """
    if transport == "session":
        return open_session(domain, world, principal)
    require_mcp()
    from runtime.harness.mcp_connection import open_http, open_memory, open_stdio

    if transport == "stdio":
        return open_stdio(domain, world, principal, server)
    return (open_memory if transport == "memory" else open_http)(domain, world, principal)


class _Play:
    """The driver of one episode; `turn_of` says whose turn it is, and so whose fault it is if something breaks."""

    def __init__(self, task: Task, domain: Domain, world: World, trial: int, setting: Setting) -> None:
        self.task, self.domain, self.world, self.setting = task, domain, world, setting
        self.seed = episode_seed(domain, task.id, trial)
        self.episode = Episode(
            system_message(domain, setting.with_policy), setting.limits, converses=setting.user.converses
        )
        self.tally = EpisodeCosts()
        self.turn_of: Fault = "harness"

    async def converse(self) -> Changes:
        """Let everybody take their turns; the final changes of the session's database."""
        episode = self.episode
        self.turn_of = "environment"
        setting = self.setting
        async with open_connection(
            setting.transport, self.domain, self.world, self.task.principal, setting.server
        ) as connection:
            self.turn_of = "agent"
            system, tools = episode.messages[0].text, connection.tools
            agent = setting.agent.begin(AgentContext(self.domain, self.task, self.world, system, tools, self.seed))
            try:
                self.turn_of = "user"
                user = setting.user.meet(self.task, self.seed, answer_reader(self.task, self.domain, self.world))
                while episode.needs != "nothing":
                    if episode.needs == "assistant":
                        self.turn_of = "agent"
                        await self._ask_agent(agent)
                    elif episode.needs == "tools":
                        self.turn_of = "environment"
                        episode.tools([await connection.call(call) for call in episode.pending])
                    else:
                        self.turn_of = "user"
                        await self._ask_user(user)
            finally:
                await self._close(agent)
            self.turn_of = "environment"
            return await connection.final()

    async def _ask_agent(self, agent: Agent) -> None:
        """The agent's turn. Only its own seconds count, so that no one else's slowness ends the episode."""
        limit, started = self.setting.limits.seconds, time.perf_counter()
        turn: AssistantTurn | None = None
        try:
            async with asyncio.timeout(max(0.0, limit - self.tally.agent_seconds)) as clock:
                turn = await agent.act(self.episode.messages)
        except TimeoutError:
            if not clock.expired():
                raise
        except ModelFailed as failure:
            self.tally.note(failure.usage)
            raise
        finally:
            self.tally.agent_seconds += time.perf_counter() - started
        if turn is not None:
            self.tally.note(turn.usage)
        if turn is None or self.tally.agent_seconds > limit:
            self.episode.end("out_of_time", f"The agent had {limit:g} seconds.")
        else:
            self.episode.assistant(turn)

    async def _close(self, agent: Agent) -> None:
        started = time.perf_counter()
        try:
            if close := getattr(agent, "close", None):
                await close()
        except Exception as error:  # how an agent ends says nothing about what it did before
            _log.warning("Agent %r could not be closed: %s.", self.setting.agent.name, error)
        self.tally.log = getattr(agent, "log", ())  # of an agent that is a program
        self.tally.agent_seconds += time.perf_counter() - started

    async def _ask_user(self, user: SimulatedUser) -> None:
        started = time.perf_counter()
        seconds = max(LEAST_FOR_USER, self.setting.limits.seconds - (started - self.tally.started))
        try:
            async with asyncio.timeout(seconds) as clock:
                reply = await (
                    user.reply(self.episode.unheard, calls_seen(self.domain, self.episode))
                    if self.episode.turns
                    else user.open()
                )
        except TimeoutError:
            if not clock.expired():
                raise
            raise ModelFailed(f"The user did not answer within {seconds:g} seconds.") from None
        except ModelFailed as failure:
            self.tally.note(failure.usage)
            raise
        finally:
            self.tally.user_seconds += time.perf_counter() - started
        self.tally.note(reply.usage)
        self.tally.slips += reply.slips
        self.episode.user(reply)


def _record(task: Task, trial: int, episode: Episode, tally: EpisodeCosts) -> EpisodeRecord:
    usage = total_usage(tally.usages)
    seconds = time.perf_counter() - tally.started
    return EpisodeRecord(
        domain=task.domain,
        task=task.id,
        trial=trial,
        end=episode.ended or "void",
        why=episode.why,
        messages=tuple(episode.messages),
        said=tuple(episode.said),
        turns=episode.turns,
        calls=episode.calls_made,
        rejections=sum(message.is_error for message in episode.messages),
        slips=tally.slips,
        tokens={"prompt": usage.prompt, "completion": usage.completion, "cached": usage.cached},
        estimated=usage.estimated,
        cost=usage.cost,
        seconds=round(seconds, 6),
        own_seconds=round(max(0.0, seconds - tally.agent_seconds - tally.user_seconds), 6),
        log=tally.log,
    )


def _describe(error: BaseException) -> str:
    said: Any = str(error).strip()
    if isinstance(error, EnvironmentFault | ModelFailed) and said:
        return str(said)
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
