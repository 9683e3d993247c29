"""Score an agent over tasks in this process, one episode after another; `worldsmith eval` keeps a store and resumes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias, get_args

from runtime.errors import EnvironmentFault, UsageError
from runtime.harness.choose import choose_user
from runtime.harness.conversation import UserKind
from runtime.harness.episode import End
from runtime.harness.evaluation.scores import Scores, TaskTrials, score
from runtime.harness.record import read_changes
from runtime.task.judge import AcceptedCall, find_violations, judge
from runtime.verification.verdict import REWARD_KINDS, RewardKind, Verdict
from worldsmith.catalog import DomainTask, world_of
from worldsmith.chat import ChatMessage, ChatTool
from worldsmith.rollout import AgentName, PolicyChoice, Rollout

Agent: TypeAlias = Callable[[list[ChatMessage], list[ChatTool]], ChatMessage]
"""Given all messages so far and the tools, the next assistant message."""


@dataclass(frozen=True)
class PlayedTrial:
    """One episode: its `task`, the number of its `trial`, the `verdict`, how it `ended`, and all its `messages`.

    `verdict` is None exactly if it is void, and `why` then says what failed on our side.
    """

    task: DomainTask
    trial: int
    verdict: Verdict | None
    ended: End | None
    why: str = ""
    messages: tuple[ChatMessage, ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class Evaluation:
    """The result: Avg@k, Pass@k and Pass^k over the tasks, and every episode."""

    scores: Scores
    trials: tuple[PlayedTrial, ...] = field(repr=False)


def evaluate(
    tasks: Iterable[DomainTask],
    agent: Agent | AgentName,
    *,
    trials: int = 1,
    user: str | UserKind = "scripted",
    policy: PolicyChoice = True,
    reward: RewardKind = "final_state_and_rules",
    faults: str | None = None,
) -> Evaluation:
    """Play each task so often and score it; an episode that is void is not played again, and not counted as failed.

    The agent is a function, or the name of one without a model. Whatever it raises ends the evaluation. `reward` says
    whether an episode that broke a rule can be rewarded; `faults` is a plan of failures of the service: mild, harsh,
    or a .toml file. Errors: UsageError.

    >>> from worldsmith import tasks
    >>> evaluate(tasks("library")[:1], "reference", trials=2).scores.avg_at_k[0].value
    1.0
    """
    check_reward(reward)
    if not callable(agent) and agent not in get_args(AgentName):
        raise UsageError(
            f"There is no agent {agent!r}; give a function, or one of: {', '.join(get_args(AgentName))} "
            "(`worldsmith eval` plays others)."
        )
    kind = choose_user(user) if isinstance(user, str) else user
    played: list[PlayedTrial] = []
    tallies: list[TaskTrials] = []
    for task in tasks:
        own = [_play(task, agent, trial, kind, policy, faults) for trial in range(trials)]
        verdicts = [each.verdict for each in own if each.verdict is not None]
        tallies.append(
            TaskTrials(
                trials=len(verdicts),
                rewarded=sum(each.reward_by(reward) for each in verdicts),
                void=trials - len(verdicts),
                idle=_judge_idle(task),
                clean=sum(not each.violations for each in verdicts) if task.domain.rules else None,
            )
        )
        played += own
    if not played:
        raise UsageError("No tasks were passed to evaluate; pass some of worldsmith.tasks(domain).")
    return Evaluation(score(tallies), tuple(played))


def check_reward(kind: str) -> None:
    """Raise UsageError for a kind of reward that does not exist."""
    if kind not in REWARD_KINDS:
        raise UsageError(f"There is no reward {kind!r}; give one of: {', '.join(REWARD_KINDS)}.")


def judge_final(task: DomainTask, final: Mapping[str, Any]) -> Verdict:
    """Judge what a rollout of the task left, by the rules of today. Errors: UsageError, EnvironmentFault."""
    try:
        changes, told = read_changes(tuple(final["changes"])), dict(final["told"])
        calls = [AcceptedCall(int(number), str(tool), dict(sent)) for number, tool, sent in final["calls"]]
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(f"The final state of task {task.id!r} is not what Rollout.final() gave: {error!r}.") from None
    world = world_of(task)
    violations = find_violations(task.domain, world, calls)
    return judge(task.task, task.domain, world, changes, told, violations=violations)


def _play(
    task: DomainTask, agent: Agent | AgentName, trial: int, user: UserKind, policy: PolicyChoice, faults: str | None
) -> PlayedTrial:
    messages: list[ChatMessage] = []
    with Rollout(task, user=user, policy=policy, seed=trial, faults=faults).sync() as rollout:
        try:
            messages += rollout.open()
            say = partial(agent, messages, rollout.tools) if callable(agent) else rollout.seat(agent)
            while not rollout.done:
                reply = say()
                messages += [reply, *rollout.take(reply)]
            return PlayedTrial(task, trial, rollout.verdict(), rollout.ended, "", tuple(messages))
        except EnvironmentFault as fault:
            return PlayedTrial(task, trial, None, "void", str(fault), tuple(messages))


def _judge_idle(task: DomainTask) -> int | None:
    """Return the reward of an agent that does and says nothing; None if the task cannot be judged."""
    with Rollout(task).sync() as rollout:
        try:
            rollout.open()
            return rollout.verdict().reward
        except EnvironmentFault:
            return None
