"""Worldsmith for Inspect: `inspect eval worldsmith/play -T domain=NAME`, with its models, tools, limits and log."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import lru_cache
from typing import Any

from runtime.environment import require

require("inspect-ai", "0.3.285", extra="inspect")

from inspect_ai import Task, task
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser, execute_tools, get_model
from inspect_ai.scorer import Score, Target, accuracy, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolDef, ToolParams

from runtime.domain.domain import Domain
from runtime.errors import UsageError
from runtime.server.listing import list_tools
from runtime.verification.verdict import RewardKind, reward_by
from worldsmith.catalog import DomainTask, tasks
from worldsmith.evaluate import check_reward, judge_final
from worldsmith.rollout import PolicyChoice, Rollout

__all__ = ["converse", "play", "verdict"]

KEPT = "worldsmith"  # in the sample's store: what is judged, also when the log is scored again

_TURNS = 300  # of a rollout, to which each of its 200 calls is one; Inspect has limits of its own
_MESSAGES = {"system": ChatMessageSystem, "assistant": ChatMessageAssistant, "user": ChatMessageUser}


@task
def play(
    domain: str,
    split: str | None = None,
    level: int | str | Sequence[int | str] | None = None,
    form: str | None = None,
    user: str = "scripted",
    policy: PolicyChoice = True,
    greeting: bool = True,
    reward: RewardKind = "final_state_and_rules",
    faults: str | None = None,
) -> Task:
    """The tasks of a domain, by its name or path; all, or those of a split, a level or some, a form.

    `faults` is a plan of failures of the service: mild, harsh, or a .toml file.
    """
    levels = [level] if isinstance(level, int | str) else level
    numbers = None if levels is None else [int(each) if str(each).isdigit() else each for each in levels]
    played = {"user": user, "policy": policy, "greeting": greeting, "faults": faults}
    try:
        chosen = tasks(domain, split=split, level=numbers, form=form)  # type: ignore[arg-type]
        Rollout(chosen[0], **played)  # type: ignore[arg-type]
    except UsageError as error:
        raise PrerequisiteError(str(error)) from None  # which Inspect prints without a traceback
    samples = [
        Sample(
            id=each.id,
            input=each.task.user.words[0],
            metadata={"title": each.title, "level": each.level, "domain": domain, "played": played},
        )
        for each in chosen
    ]
    # An episode that is void is an error of its sample: it has no score, and the others go on.
    return Task(MemoryDataset(samples, name=domain), solver=converse(), scorer=verdict(reward), fail_on_error=False)


@scorer(metrics={"reward": [accuracy(), stderr()], "progress": [mean()], "violations": [mean()]})
def verdict(reward: RewardKind = "final_state_and_rules") -> Any:
    """Judges the database that was left: now, or, with `inspect score`, as the log has it.

    `reward` says whether an episode that broke a rule can be rewarded.
    """
    try:
        check_reward(reward)
    except UsageError as error:
        raise PrerequisiteError(str(error)) from None

    async def score(state: TaskState, target: Target) -> Score:
        kept = state.store.get(KEPT)
        if kept is None:
            return Score.unscored(reason="not played", explanation="The log has no final state of this sample.")
        judged = judge_final(task_of(state), kept["final"])
        differences = [each.sentence for each in judged.differences]
        return Score(
            value={
                "reward": reward_by(reward, judged.differences, kept["violations"]),
                "progress": judged.progress,
                "violations": len(kept["violations"]),
            },
            answer=kept["ended"],
            explanation="\n".join([*differences, *kept["violations"]]) or "As it should be.",
            metadata={
                "differences": differences,
                "violations": kept["violations"],
                "components": judged.components | ({"rules": 0} if kept["violations"] else {}),
            },
        )

    return score


@solver
def converse() -> Solver:
    """The model calls tools and talks with the user until the user is done."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        async with _playing(state) as rollout:
            tools = _tools_of(rollout)
            while not rollout.done and not state.completed:
                state.output = await get_model().generate(state.messages, tools=tools)
                state.messages.append(state.output.message)
                if state.output.message.tool_calls:
                    state.messages += (await execute_tools(state.messages, tools)).messages
                elif said := await rollout.say(_unsaid(state.messages)):
                    state.messages.append(ChatMessageUser(content=said))
        return state

    return solve


def task_of(state: TaskState) -> DomainTask:
    """The task that a sample is. Errors: UsageError."""
    return tasks(state.metadata["domain"], ids=(str(state.sample_id),))[0]


@asynccontextmanager
async def _playing(state: TaskState) -> AsyncIterator[Rollout]:
    """The open rollout of a sample; what it left is kept however that ends, unless it is void."""
    async with Rollout(task_of(state), seed=state.epoch, turns=_TURNS, **state.metadata["played"]) as rollout:
        state.messages = [_MESSAGES[each["role"]](content=each["content"]) for each in await rollout.open()]
        try:
            yield rollout
        finally:
            if rollout.ended != "void":
                broken = [each.sentence for each in rollout.verdict().violations]
                kept = {"ended": rollout.ended or "stopped", "violations": broken, "final": rollout.final()}
                state.store.set(KEPT, kept)


def _tools_of(rollout: Rollout) -> list[ToolDef]:
    def make(name: str) -> Any:
        async def call(**arguments: Any) -> str:
            return "The conversation is over." if rollout.done else await rollout.call(name, arguments)

        return call

    return [
        ToolDef(make(name), name, description, parameters, parallel=False, max_output=0)
        for name, description, parameters in _offered(rollout.domain, rollout.throttles)
    ]


@lru_cache(maxsize=16)
def _offered(domain: Domain, throttles: bool) -> list[tuple[str, str, ToolParams]]:
    """Name, description and parameters of each tool, which Inspect copies before it hands them on."""
    return [
        (each["name"], each.get("description") or "", ToolParams(**each["inputSchema"]))
        for each in list_tools(domain, throttles)
    ]


def _unsaid(messages: Sequence[Any]) -> str:
    """What the assistant said since the user spoke last, beside its calls and now."""
    heard = max(place for place, each in enumerate(messages) if each.role == "user")
    return "\n\n".join(each.text for each in messages[heard:] if each.role == "assistant" and each.text.strip())
