"""A run as JSON Lines that trainers read: messages in two chat formats, and what a line of each export format holds."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from math import fsum, sqrt
from typing import TYPE_CHECKING, Any

from pydantic_core import to_jsonable_python

from runtime.harness.conversation import Message
from runtime.harness.record import EpisodeRecord
from runtime.verification.verdict import RewardKind


def api_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The messages as the OpenAI API has them."""
    return [_message(each, _text_of) for each in messages]


def template_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The messages as chat templates read them; arguments that are not an object become one, named `value`."""
    return [
        _message(each, lambda given: given if isinstance(given, Mapping) else {"value": given}) for each in messages
    ]


def offered_tools(tools: Iterable[Mapping[str, Any]]) -> str:
    """Tools as MCP lists them in the OpenAI form, as a JSON text.

    A text, since a reader of tables gives every object in a column the fields of all: each tool's schema would be full
    of the nulls of the others' parameters.
    """
    return _text_of(
        [
            {
                "type": "function",
                "function": {
                    "name": tool["name"],
                    "description": tool.get("description") or "",
                    "parameters": tool["inputSchema"],
                },
            }
            for tool in tools
        ]
    )


def _message(message: Message, arguments_of: Callable[[Any], Any]) -> dict[str, Any]:
    written: dict[str, Any] = {"role": message.role, "content": message.text}
    if message.calls:
        written["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": arguments_of(call.arguments)},
            }
            for call in message.calls
        ]
    if message.call_id is not None:
        written["tool_call_id"] = message.call_id
    return written


def line(record: Mapping[str, Any]) -> str:
    """A record as one line of JSON in ASCII, so that no reader takes another character for the end of a line."""
    return json.dumps(record, separators=(",", ":"), allow_nan=False) + "\n"


def _text_of(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


if TYPE_CHECKING:
    from runtime.harness.evaluation.store import Run


@dataclass
class ExportCounts:
    """What was written and what was left out, counted while the lines are made."""

    lines: int = 0
    episodes: int = 0
    left_out: Counter[str] = field(default_factory=Counter)

    def put(self, record: dict[str, Any], episodes: int = 1) -> dict[str, Any]:
        """Count a line and its episodes, and return the line."""
        self.lines += 1
        self.episodes += episodes
        return record


def episode_lines(run: Run, tally: ExportCounts, reward: RewardKind | None = None) -> Iterator[dict[str, Any]]:
    """One line per episode, in the form of the OpenAI API; the reward of a void episode is null."""
    tools = _tools(run)
    for record in _scored(run, reward):
        yield tally.put(
            {
                **_name_task(record.domain, record.task, run),
                "trial": record.trial,
                "messages": api_messages(record.messages),
                "tools": tools[record.domain],
                "by_agent": [each.by_agent for each in record.messages],
                "reward": record.reward,
                "progress": record.progress,
                "components": dict(record.components),
                "violations": to_jsonable_python(record.violations),
                "failed_checks": [each.expected for each in record.differences if each.kind == "failed_check"],
                "end": record.end,
            }
        )


def sft_lines(run: Run, tally: ExportCounts, reward: RewardKind | None = None) -> Iterator[dict[str, Any]]:
    """One line per episode of reward 1: what the agent was given as `prompt`, the rest up to its last words as
    `completion`.

    So the greeting, which the agent did not write, is never trained on; `assistant_only_loss` leaves out what users and
    tools said later.
    """
    tools = _tools(run)
    for record in _scored(run, reward):
        if record.reward != 1:
            tally.left_out["void" if record.reward is None else "reward below 1"] += 1
            continue
        opening = _opening(record.messages)
        if opening == len(record.messages):
            tally.left_out["nothing that the agent wrote"] += 1
            continue
        closing = max(place for place, each in enumerate(record.messages) if each.by_agent) + 1
        yield tally.put(
            {
                **_name_task(record.domain, record.task, run),
                "trial": record.trial,
                "prompt": template_messages(record.messages[:opening]),
                "completion": template_messages(record.messages[opening:closing]),
                "tools": tools[record.domain],
                "by_agent": [each.by_agent for each in record.messages[opening:closing]],
            }
        )


def group_lines(run: Run, tally: ExportCounts, reward: RewardKind | None = None) -> Iterator[dict[str, Any]]:
    """One line per task: the prompt that its trials share, their completions, rewards and advantages.

    A void trial does not belong to its group. Where users opened in different words, the prompt ends before them.
    """
    tools = _tools(run)
    for (domain, task), trials in groupby(_scored(run, reward), key=lambda each: (each.domain, each.task)):
        group = []
        for trial in trials:
            if trial.reward is None:
                tally.left_out["void"] += 1
            else:
                group.append(trial)
        if not group:
            continue
        shared = _shared([each.messages for each in group])
        rewards = [float(each.reward or 0) for each in group]
        yield tally.put(
            {
                **_name_task(domain, task, run),
                "prompt": template_messages(group[0].messages[:shared]),
                "tools": tools[domain],
                "completions": [template_messages(each.messages[shared:]) for each in group],
                "by_agent": [[message.by_agent for message in each.messages[shared:]] for each in group],
                "rewards": rewards,
                "advantages": [round(each, 8) for each in advantages(rewards)],
                "progress": [each.progress for each in group],
                "components": [dict(each.components) for each in group],
                "violations": [len(each.violations) for each in group],
                "trials": [each.trial for each in group],
                "ends": [each.end for each in group],
            },
            len(group),
        )


def advantages(rewards: Sequence[float]) -> list[float]:
    """How far each reward of a group is from its mean, in standard deviations of the group (ScaleEnv, equation 2).

    The deviation is divided by the group's size, not by one less: "the mean and standard deviation of the intra-group
    rewards". Where all rewards are equal there is nothing to learn from, and every advantage is 0.
    """
    if not rewards or min(rewards) == max(rewards):
        return [0.0] * len(rewards)
    mean = fsum(rewards) / len(rewards)
    deviation = sqrt(fsum((reward - mean) ** 2 for reward in rewards) / len(rewards))
    return [(reward - mean) / deviation for reward in rewards]


def _tools(run: Run) -> dict[str, str]:
    return {name: offered_tools(domain.tools) for name, domain in run.domains.items()}


def _scored(run: Run, reward: RewardKind | None) -> Iterator[EpisodeRecord]:
    """Yield the episodes with the reward of a kind, by default the one that the run's configuration names."""
    for record in run.records():
        yield replace(record, reward=record.reward_by(reward or run.config.reward))


def _name_task(domain: str, name: str, run: Run) -> dict[str, Any]:
    """What tells a task from others, with its split and its level: null where the task states none."""
    task = run.tasks[domain, name]
    return {"domain": domain, "task": name, "split": task.split, "level": task.level}


def _opening(messages: Sequence[Message]) -> int:
    """How many messages there were before the agent's first."""
    return next((number for number, each in enumerate(messages) if each.by_agent), len(messages))


def _shared(conversations: Sequence[Sequence[Message]]) -> int:
    """How many messages all conversations begin with alike, none of them the agent's."""
    first = conversations[0]
    count = min(map(_opening, conversations))
    return next((at for at in range(count) if any(each[at] != first[at] for each in conversations)), count)
