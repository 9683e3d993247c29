"""Play one episode: agent, user and session of one task, until the verdict on the session's own database."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from runtime.domain.changes import Changes
from runtime.domain.domain import Domain
from runtime.errors import EnvironmentFault, ModelFailed, UsageError
from runtime.harness.connection import Connect, ConnectionFault, FinalState, open_session
from runtime.harness.conversation import (
    Agent,
    AgentContext,
    AgentKind,
    AssistantTurn,
    SimulatedUser,
    UserKind,
    episode_seed,
    mended,
    system_message,
)
from runtime.harness.episode import Episode, EpisodeLimits
from runtime.harness.outcome import attribute, calls_seen, found_live, told_to_user, violations_in
from runtime.harness.record import EpisodeRecord, Fault, write_changes
from runtime.model.model import Usage, total_usage
from runtime.session.faults import FaultPlan, FaultSource
from runtime.session.world import World
from runtime.task.judge import answer_reader, judge
from runtime.task.mistakes import mistake_of
from runtime.task.task import Task, task_policies
from runtime.verification.verdict import UndecidedVerdict, Violation

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Setting:
    """What is the same for all episodes of an evaluation."""

    agent: AgentKind
    user: UserKind
    limits: EpisodeLimits = EpisodeLimits()
    with_policy: bool = True
    faults: FaultPlan | None = None  # that calls meet, drawn by the episode's seed
    connect: Connect = open_session


async def play(task: Task, domain: Domain, world: World, trial: int, setting: Setting) -> EpisodeRecord:
    """Play an episode of a task on its world and judge it.

    A fault of ours is a void record. Errors: UsageError for a wrong set-up.
    """
    play = _Play(task, domain, world, trial, setting)
    try:
        final = await play.converse()
        found = None if final.unmet is None else found_live(play.episode, final.unmet)
        return judge_episode(play.record(), task, domain, world, final.changes, found)
    except UsageError:
        raise
    except Exception as error:  # whatever breaks one episode must not end the others; it is not scored
        return _void(play.record(), error, play.turn_of, setting.agent.name)


def judge_episode(
    record: EpisodeRecord,
    task: Task,
    domain: Domain,
    world: World,
    final: Changes,
    found: Sequence[Violation] | None = None,
) -> EpisodeRecord:
    """The record of an episode that is over, whatever its end, with the verdict on the changes of its database.

    `found` are the violations that its session found as it went.
    Errors: UndecidedVerdict, UsageError if the task does not fit its world.
    """
    told = told_to_user(task, domain, world, record.messages)
    violations = violations_in(task, domain, world, record.messages, found)
    verdict = judge(task, domain, world, final, told, violations=violations)
    record = replace(
        record,
        reward=verdict.reward,
        progress=verdict.progress,
        differences=verdict.differences,
        components=verdict.components,
        pairs=verdict.pairs,
        nearest=verdict.nearest,
        violations=verdict.violations,
        final=write_changes(final),
    )
    if verdict.reward:
        return record
    mistake = mistake_of(task, final, told, domain.schema, task_policies(task, domain))
    fault, reason = attribute(record, task, domain, mistake)
    return replace(record, fault=fault, reason=reason)


def _void(record: EpisodeRecord, error: Exception, turn_of: Fault, agent: str) -> EpisodeRecord:
    """The record of an episode that is not scored because of an error during somebody's turn."""
    why = str(error).strip()
    if not why or not isinstance(error, EnvironmentFault | ModelFailed):
        why = f"{type(error).__name__}: {why}".removesuffix(": ")
    fault: Fault = "harness"
    reason = "the harness failed"
    if isinstance(error, EnvironmentFault | UndecidedVerdict) or turn_of == "environment":
        fault, reason = "environment", "the environment failed"
        if isinstance(error, ConnectionFault):
            reason = "the world's server died"
        elif isinstance(error, UndecidedVerdict):
            reason = "the verdict is undecided"
    elif isinstance(error, ModelFailed):
        is_program = turn_of == "agent" and agent.startswith("command:")
        fault, reason = turn_of, f"the {turn_of}'s {'program' if is_program else 'model'} failed"
    return replace(record, end="void", why=mended(why), fault=fault, reason=reason)


class _Play:
    """The driver of one episode; `turn_of` says whose turn it is, and so whose fault it is if something breaks."""

    def __init__(self, task: Task, domain: Domain, world: World, trial: int, setting: Setting) -> None:
        self.task, self.domain, self.world, self.trial, self.setting = task, domain, world, trial, setting
        self.episode = Episode(
            system_message(domain, setting.with_policy), setting.limits, converses=setting.user.converses
        )
        self.turn_of: Fault = "harness"
        self._started = time.perf_counter()
        self._agent_seconds = 0.0
        self._usages: list[Usage | None] = []
        self._slips = 0

    async def converse(self) -> FinalState:
        """Let everybody take their turns; the final state of the session."""
        episode, setting = self.episode, self.setting
        seed = episode_seed(self.domain, self.task.id, self.trial)
        self.turn_of = "environment"
        faults = None if setting.faults is None else FaultSource(setting.faults, seed)
        async with setting.connect(self.domain, self.world, faults) as connection:
            self.turn_of = "agent"
            system, tools = episode.messages[0].text, connection.tools
            agent = setting.agent.begin(AgentContext(self.domain, self.task, self.world, system, tools, seed))
            try:
                self.turn_of = "user"
                user = setting.user.meet(self.task, seed, answer_reader(self.task, self.domain, self.world))
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
            async with asyncio.timeout(max(0.0, limit - self._agent_seconds)) as clock:
                turn = await agent.act(self.episode.messages)
        except TimeoutError:
            if not clock.expired():
                raise
        except ModelFailed as failure:
            self._usages.append(failure.usage)
            raise
        self._agent_seconds += time.perf_counter() - started
        if turn is not None:
            self._usages.append(turn.usage)
        if turn is None or self._agent_seconds > limit:
            self.episode.end("out_of_time", f"The agent had {limit:g} seconds.")
        else:
            self.episode.assistant(turn)

    async def _close(self, agent: Agent) -> None:
        try:
            if close := getattr(agent, "close", None):
                await close()
        except Exception as error:  # how an agent ends says nothing about what it did before
            _log.warning("Agent %r could not be closed: %s.", self.setting.agent.name, error)

    async def _ask_user(self, user: SimulatedUser) -> None:
        episode = self.episode
        try:
            if episode.turns:
                reply = await user.reply(episode.unheard, calls_seen(self.domain, episode))
            else:
                reply = await user.open()
        except ModelFailed as failure:
            self._usages.append(failure.usage)
            raise
        self._usages.append(reply.usage)
        self._slips += reply.slips
        episode.user(reply)

    def record(self) -> EpisodeRecord:
        """The episode so far, without a verdict."""
        usage = total_usage([each for each in self._usages if each is not None])
        return replace(
            unjudged(self.task, self.trial, self.episode),
            slips=self._slips,
            tokens={"prompt": usage.prompt, "completion": usage.completion, "cached": usage.cached},
            estimated=usage.estimated,
            cost=usage.cost,
            seconds=round(time.perf_counter() - self._started, 6),
        )


def unjudged(task: Task, trial: int, episode: Episode) -> EpisodeRecord:
    """The record of an episode before anybody judged it."""
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
        rejections=sum(message.is_error and not message.fault for message in episode.messages),
        service_faults=sum(bool(message.fault) for message in episode.messages),
    )
