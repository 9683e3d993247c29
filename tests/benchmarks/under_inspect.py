"""Episodes under Inspect, in this process as `inspect eval` runs them, with answers that were recorded."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count as counting
from typing import Any

from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    Model,
    ModelOutput,
    ModelUsage,
    execute_tools,
    get_model,
)
from inspect_ai.scorer import Score, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolCall, ToolDef, ToolParams

from tests.benchmarks.adapters import Play, Policy, Recorded, floor_of
from worldsmith import DomainTask, Rollout
from worldsmith.inspecting import play as ours

OURS = "Inspect, our adapter"
_MESSAGES = {"system": ChatMessageSystem, "assistant": ChatMessageAssistant, "user": ChatMessageUser}


@contextmanager
def players(chosen: Sequence[DomainTask], records: Mapping[Policy, Sequence[Recorded]]) -> Iterator[dict[str, Play]]:
    """The floor says in each episode what was said there before."""
    with tempfile.TemporaryDirectory() as folder:
        models = {policy: model(records[policy]) for policy in records}
        tasks = {
            floor_of(OURS): lambda policy: _floor(chosen, records[policy], float(policy == "reference")),
            OURS: lambda policy: ours(str(chosen[0].domain.path), split="held_out"),
        }
        yield {name: player(task, models, folder) for name, task in tasks.items()}


def player(task: Any, models: Mapping[Policy, Model], folder: str) -> Play:
    """Plays what `task` makes for a policy; its score, or the part `reward` of that, is the reward."""

    def play(count: int, policy: Policy) -> list[float | None]:
        (log,) = evaluate(task(policy), models[policy], limit=count, display="none", log_dir=folder)
        assert log.status == "success", log.error
        assert log.results is not None
        (mean_reward,) = [each.metrics for each in log.results.scores if each.name in ("reward", "constant")]
        return [next(iter(mean_reward.values())).value] * log.results.completed_samples  # each, as all are alike

    return play


def model(records: Sequence[Recorded]) -> Model:
    """Says what was said in the task whose opening it hears, with new ids of its calls."""
    known = {next(m["content"] for m in each.messages if m["role"] == "user"): each for each in records}
    ids = counting()

    def answer(messages: list[Any], *_: Any) -> ModelOutput:
        first = next(place for place, each in enumerate(messages) if each.role == "user")
        recorded = known[messages[first].text]
        said = recorded.messages[recorded.replies[sum(each.role == "assistant" for each in messages[first:])]]
        calls = [
            ToolCall(f"c{next(ids)}", each["function"]["name"], json.loads(each["function"]["arguments"]))
            for each in said.get("tool_calls") or ()
        ]
        message = ChatMessageAssistant(content=said["content"] or "", tool_calls=calls or None)
        return ModelOutput(model="recorded", usage=ModelUsage(), choices=[ChatCompletionChoice(message=message)])

    return get_model("mockllm/model", custom_outputs=answer, memoize=False)


@scorer(metrics=[mean()])
def constant(value: float) -> Any:
    """The same of every sample."""

    async def score(state: TaskState, target: Any) -> Score:
        return Score(value=value)

    return score


def _floor(chosen: Sequence[DomainTask], records: Sequence[Recorded], reward: float) -> Task:
    results: ContextVar[Iterator[str]] = ContextVar("results")  # of the calls of a sample

    def made(function: Mapping[str, Any]) -> ToolDef:
        async def call(**_: Any) -> str:
            return next(results.get())

        parameters = ToolParams(**function["parameters"])
        return ToolDef(call, function["name"], function["description"], parameters, parallel=False, max_output=0)

    tools = [made(each["function"]) for each in Rollout(chosen[0]).tools]

    @solver
    def say_again() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            messages, replies = records[int(state.sample_id)].messages, records[int(state.sample_id)].replies
            state.messages = [_MESSAGES[each["role"]](content=each["content"]) for each in messages[: replies[0]]]
            results.set(iter([each["content"] for each in messages if each["role"] == "tool"]))
            for place in replies:
                state.output = await get_model().generate(state.messages, tools=tools)
                state.messages.append(state.output.message)
                if state.output.message.tool_calls:
                    state.messages += (await execute_tools(state.messages, tools)).messages
                elif place + 1 < len(messages):
                    state.messages.append(ChatMessageUser(content=messages[place + 1]["content"]))
            return state

        return solve

    samples = [Sample(id=number, input=each.task.user.words[0]) for number, each in enumerate(chosen)]
    return Task(MemoryDataset(samples, name="recorded"), solver=say_again(), scorer=constant(reward))
