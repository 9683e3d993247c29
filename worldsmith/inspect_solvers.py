"""Who plays an episode under Inspect: a loop of our own, or the agent `react`, with the simulated user."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import lru_cache
from typing import Any

from inspect_ai.agent import AgentPrompt, AgentState, as_solver, react
from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser, execute_tools, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolDef, ToolParams

from runtime.domain.domain import Domain
from runtime.harness.transports.connection import listed_tools
from worldsmith.catalog import DomainTask, tasks
from worldsmith.rollout import Rollout

KEPT = "worldsmith"  # in the sample's store: what is judged, also when the log is scored again

_TURNS = 300  # of a rollout, to which each of its 200 calls is one; Inspect has limits of its own
_MESSAGES = {"system": ChatMessageSystem, "assistant": ChatMessageAssistant, "user": ChatMessageUser}


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


@solver
def converse_with_react() -> Solver:
    """Inspect's `react` agent, whom the user answers whenever it calls nothing."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        async with _playing(state) as rollout:
            system, *state.messages = state.messages

            async def user(so_far: AgentState) -> AgentState | bool:
                if not so_far.output.message.tool_calls and (said := await rollout.say(_unsaid(so_far.messages))):
                    so_far.messages.append(ChatMessageUser(content=said))
                return False if rollout.done else so_far

            prompt = AgentPrompt(instructions=system.text, assistant_prompt=None, handoff_prompt=None)
            agent = react(prompt=prompt, tools=_tools_of(rollout), submit=False, on_continue=user)
            return await as_solver(agent)(state, generate)

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
        for name, description, parameters in _offered(rollout.task.domain)
    ]


@lru_cache(maxsize=16)
def _offered(domain: Domain) -> list[tuple[str, str, ToolParams]]:
    """Name, description and parameters of each tool, which Inspect copies before it hands them on."""
    return [
        (each["name"], each.get("description") or "", ToolParams(**each["inputSchema"]))
        for each in listed_tools(domain)
    ]


def _unsaid(messages: Sequence[Any]) -> str:
    """What the assistant said since the user spoke last, beside its calls and now."""
    heard = max(place for place, each in enumerate(messages) if each.role == "user")
    return "\n\n".join(each.text for each in messages[heard:] if each.role == "assistant" and each.text.strip())
