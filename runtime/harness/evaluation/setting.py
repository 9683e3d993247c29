"""Who plays, of a configuration: the agent and the user that it names, seated in episodes."""

from __future__ import annotations

from dataclasses import replace

from runtime.domain.domain import Domain
from runtime.harness.agent import Agent, AgentContext, AgentKind
from runtime.harness.agents.choose import choose_agent
from runtime.harness.evaluation.config import RunConfig
from runtime.harness.evaluation.matching import choose_matcher
from runtime.harness.evaluation.player import Play
from runtime.harness.play import Setting, play
from runtime.harness.record import EpisodeRecord
from runtime.harness.users.choose import choose_user
from runtime.model.prices import Price
from runtime.session.world import World
from runtime.task.task import Task


def bind_play(config: RunConfig) -> Play:
    """What plays an episode of this configuration; errors: UsageError for an unknown agent or user."""
    prices = {name: Price.plain(prompt, completion) for name, prompt, completion in config.prices}
    setting = Setting(
        agent=choose_agent(config.agent, prices, config.pass_env),
        user=choose_user(config.user, prices),
        transport=config.transport,
        limits=config.limits,
        with_policy=config.with_policy,
        matcher=choose_matcher(config.matcher),
    )

    async def play_one(task: Task, domain: Domain, world: World, trial: int) -> EpisodeRecord:
        seat = _OneAgent(setting.agent)
        record = await play(task, domain, world, trial, replace(setting, agent=seat))
        trace = getattr(seat.agent, "trace", None)
        return record if trace is None else replace(record, reached=trace.reached, log=trace.log)

    return play_one


class _OneAgent:
    """An agent's kind that remembers whom it seated in the one episode that it is for."""

    def __init__(self, kind: AgentKind) -> None:
        self.name = kind.name
        self.agent: Agent | None = None
        self._kind = kind

    def begin(self, context: AgentContext) -> Agent:
        """A fresh agent."""
        self.agent = self._kind.begin(context)
        return self.agent
