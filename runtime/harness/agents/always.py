"""Agents that always decide the same way, and know all else: what they reach can be reached without thought."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from runtime.domain.domain import Domain
from runtime.errors import EnvironmentFault
from runtime.harness.agent import Agent, AgentContext, AssistantTurn
from runtime.harness.agents.reference import Replaying
from runtime.harness.messages import Message
from runtime.task.mistakes import (
    COMPLIES,
    REFUSES,
    ROW_SHORTCUTS,
    TRUSTS,
    in_told_order,
    mistaken,
    row_choices,
    take_row,
)
from runtime.task.paths import is_reference, leaves_of, path_of, put_at, reference_to, value_at
from runtime.task.task import Step, Task, bind

_MADE: Mapping[str, tuple[str, ...]] = {
    "comply_all": (COMPLIES,),
    "refuse_all": (REFUSES,),
    "trust_all": (TRUSTS, COMPLIES),
}
"""The mistakes that each agent makes, wherever they can be made."""

_RULED = ("denied", "fallback", "coupled")

ALWAYS = (*_MADE, *ROW_SHORTCUTS)
"""The names of these agents."""


class AlwaysAgent:
    """The kind of agent that always complies, refuses, trusts the user, or takes a row by its place."""

    def __init__(self, name: str) -> None:
        self.name = name

    def begin(self, context: AgentContext) -> Agent:
        """A fresh agent for the task of its episode."""
        if self.name in ROW_SHORTCUTS:
            return _TakingRows(self.name, context.task, context.domain)
        return Replaying(as_always(self.name, context.task, context.domain), context.domain)


def as_always(name: str, task: Task, domain: Domain) -> Task:
    """The task as an agent takes it that decides so: who complies or trusts does coupled wishes as they are told."""
    made = [
        mistake
        for mistake in task.mistakes
        if mistake.name in _MADE[name] and (name != "refuse_all" or _form_of(task, mistake.turn) in _RULED)
    ]
    task = mistaken(task, made)
    return task if name == "refuse_all" else in_told_order(task, domain)


class _TakingRows(Replaying):
    """Replays the chain, but takes of each list the entry that a shortcut takes."""

    def __init__(self, shortcut: str, task: Task, domain: Domain) -> None:
        super().__init__(task, domain)
        self._shortcut = shortcut
        self._lists = {(choice.source, choice.path) for choice in row_choices(task.chain)}

    async def act(self, messages: Sequence[Message]) -> AssistantTurn:
        try:
            return await super().act(messages)
        except (EnvironmentFault, LookupError, ValueError) as error:  # the row that it took lacks what a step needs
            return AssistantTurn(note=f"The rows that {self._shortcut} takes lead nowhere: {error}")

    def arguments_of(self, step: Step, results: Mapping[int, Mapping[str, Any]]) -> dict[str, Any]:
        written: dict[str, Any] = dict(step.arguments)
        for leaf, value in list(leaves_of(step.arguments)):
            path = path_of(value) if is_reference(value) else ()
            place = next((at for at, part in enumerate(path) if isinstance(part, int)), None)
            if place is not None and (value["$step"], path[:place]) in self._lists:
                entries = value_at(results[value["$step"]], path[:place])
                taken = (*path[:place], take_row(self._shortcut, entries), *path[place + 1 :])
                written = put_at(written, leaf, reference_to(value["$step"], taken))
        return bind(written, results)


def _form_of(task: Task, turn: list[Step]) -> str:
    return task.user.wishes[turn[0].wish].form if turn else ""
