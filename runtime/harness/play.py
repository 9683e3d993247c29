"""Play one episode: agent, user and session of one task, until the verdict on the session's own database."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from runtime.domain.changes import Changes
from runtime.domain.domain import Domain
from runtime.domain.handbook import SearchedDomain, with_handbook
from runtime.errors import EnvironmentFault, ModelFailed, UsageError
from runtime.harness.connection import Connect, ConnectionFault, FinalState, open_session
from runtime.harness.conversation import (
    Agent,
    AgentContext,
    AgentKind,
    AssistantTurn,
    SimulatedUser,
    ToolCall,
    UserKind,
    episode_seed,
    mended,
    system_message,
)
from runtime.harness.episode import FIND, Episode, EpisodeLimits, ToolAnswer
from runtime.harness.outcome import attribute, calls_seen, found_live, told_to_user, violations_in
from runtime.harness.record import EpisodeRecord, Fault, write_changes
from runtime.harness.tool_search import ToolSearch
from runtime.model.model import Usage, total_usage
from runtime.server.listing import list_tools
from runtime.session.faults import FaultPlan, FaultSource
from runtime.session.world import World
from runtime.task.handbook import handbook_for
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
    handbook: bool = False  # the policy is to be searched
    faults: FaultPlan | None = None  # that calls meet, drawn by the episode's seed
    budget: float = 0.0  # of calls, as a multiple of the reference's; 0 if there is none
    finds_tools: bool = False  # tools are not listed, but found by a search
    connect: Connect = open_session
    system: str = ""  # the system message of a set of others, instead of ours
    judge: Callable[[EpisodeRecord, Task, FinalState], EpisodeRecord] | None = None  # theirs, instead of ours


async def play(task: Task, domain: Domain, world: World, trial: int, setting: Setting) -> EpisodeRecord:
    """Play an episode of a task on its world and judge it.

    A fault of ours is a void record. Errors: UsageError for a wrong set-up.
    """
    play = _Play(task, domain, world, trial, setting)
    try:
        final = await play.converse()
        if setting.judge is not None:
            return setting.judge(play.record(), task, final)
        found = None if final.unmet is None else found_live(play.episode, final.unmet)
        return judge_episode(play.record(), task, play.domain, world, final.changes, found)
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
    violations = violations_in(task, domain, world, record.messages, final, found)
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


class Driver:
    """One episode of a task with its user, for whatever drives the agent: `play` here, `Rollout` for training."""

    def __init__(
        self,
        task: Task,
        domain: Domain,
        user: UserKind,
        trial: int,
        limits: EpisodeLimits,
        with_policy: bool = True,
        faults: FaultPlan | None = None,
        handbook: bool = False,
        budget: float = 0.0,
        system: str = "",
        finds_tools: bool = False,
    ) -> None:
        self.task, self.kind, self.plan = task, user, faults
        self.domain: Domain = with_handbook(domain) if handbook else domain
        self.seed = episode_seed(domain, task.id, trial)
        self._plain = domain
        if task.user.opens:  # a day is as long as it is
            long, seconds = 5 * len(task.chain), max(limits.seconds, 60.0 * len(task.user.wishes))
            limits = replace(limits, turns=max(limits.turns, long), calls=max(limits.calls, long), seconds=seconds)
        most = ceil(budget * len(task.chain)) if budget else None
        system = system or system_message(
            self.domain, with_policy, most, timed=bool(task.clock), finds_tools=finds_tools
        )
        self.finds_tools = finds_tools
        self._search: ToolSearch | None = None
        self.episode = Episode(system, limits, converses=user.converses, budget=most)
        self.user: SimulatedUser | None = None
        self.usages: list[Usage | None] = []
        self.slips = 0

    def enter(self, world: World) -> Domain:
        """Return the domain as this episode has it: a handbook has figures that concern its task."""
        if isinstance(self.domain, SearchedDomain):
            self.domain = handbook_for(self._plain, self.task, world)
        self.offered(())
        return self.domain

    def faults(self) -> FaultSource | None:
        """The faults that the calls of a fresh session meet."""
        return None if self.plan is None else FaultSource(self.plan, self.seed)

    def offered(self, tools: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
        """Return the tools that the agent is offered: all, or, in a list that grows, those that it has found."""
        if not self.finds_tools:
            return tools
        if self._search is None:
            throttles = self.plan is not None and self.plan.throttles
            self._search = ToolSearch(list_tools(self.domain, throttles, bool(self.task.clock)))
        return self._search.offered

    def answer(self, call: ToolCall) -> ToolAnswer | None:
        """Return the answer to a search for tools; None for a call that the session is to answer."""
        return self._search.answer(call) if self._search is not None and call.name == FIND else None

    def meet_user(self, world: World) -> None:
        self.user = self.kind.meet(self.task, self.seed, answer_reader(self.task, self.domain, world))

    def seat(self, agent: AgentKind, world: World, tools: Sequence[Mapping[str, Any]]) -> Agent:
        """Begin an agent's part of this episode."""
        system = self.episode.messages[0].text
        return agent.begin(AgentContext(self.domain, self.task, world, system, self.offered(tools), self.seed))

    async def ask_user(self) -> None:
        """Take the user's turn; errors: ModelFailed, UsageError."""
        user, episode = self.user, self.episode
        assert user is not None
        try:
            if episode.turns:
                reply = await user.reply(episode.unheard, calls_seen(self.domain, episode))
            else:
                reply = await user.open()
        except ModelFailed as failure:
            self.usages.append(failure.usage)
            raise
        self.usages.append(reply.usage)
        self.slips += reply.slips
        episode.user(reply)

    def fork(self) -> Driver:
        """The same episode at the same point, to go on by itself."""
        fork = copy(self)
        fork.episode, fork.usages = self.episode.fork(), list(self.usages)
        fork_user = getattr(self.user, "fork", None)
        fork.user = fork_user() if fork_user else self.user
        fork._search = None if self._search is None else self._search.fork()
        return fork


class _Play(Driver):
    """One episode of an evaluation; `turn_of` says whose turn it is, and so whose fault it is if something breaks."""

    def __init__(self, task: Task, domain: Domain, world: World, trial: int, setting: Setting) -> None:
        super().__init__(
            *(task, domain, setting.user, trial, setting.limits, setting.with_policy, setting.faults),
            *(setting.handbook, setting.budget),
            system=setting.system,
            finds_tools=setting.finds_tools,
        )
        self.world, self.trial, self.setting = world, trial, setting
        self.turn_of: Fault = "environment"
        self._started = time.perf_counter()
        self._agent_seconds = 0.0

    async def converse(self) -> FinalState:
        """Let everybody take their turns; the final state of the session."""
        episode, setting, world = self.episode, self.setting, self.world
        self.turn_of = "environment"
        async with setting.connect(self.enter(world), world, self.faults()) as connection:
            self.turn_of = "agent"
            agent = self.seat(setting.agent, world, connection.tools)
            try:
                self.turn_of = "user"
                self.meet_user(world)
                while episode.needs != "nothing":
                    if episode.needs == "assistant":
                        self.turn_of = "agent"
                        await self._ask_agent(agent)
                    elif episode.needs == "tools":
                        self.turn_of = "environment"
                        episode.tools([self.answer(call) or await connection.call(call) for call in episode.pending])
                    else:
                        self.turn_of = "user"
                        await self.ask_user()
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
            self.usages.append(failure.usage)
            raise
        self._agent_seconds += time.perf_counter() - started
        if turn is not None:
            self.usages.append(turn.usage)
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

    def record(self) -> EpisodeRecord:
        """The episode so far, without a verdict."""
        usage = total_usage([each for each in self.usages if each is not None])
        return replace(
            unjudged(self.task, self.trial, self.episode),
            slips=self.slips,
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
        poisoned_answers=sum(
            task.poison is not None and message.role == "tool" and task.poison.is_in(message.text)
            for message in episode.messages
        ),
    )
