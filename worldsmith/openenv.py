"""A domain as an OpenEnv environment: an action is an assistant message, an observation what answers it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, EnvironmentMetadata, Observation, State
from pydantic import Field

from runtime.errors import EnvironmentFault, UsageError
from worldsmith.catalog import DomainTask
from worldsmith.env import Env

_KINDS = {"train": "train", "held_out": "test"}  # of splits, in OpenEnv's words


class WorldsmithAction(Action):
    """An assistant message in the form of the OpenAI API."""

    content: str | None = None
    tool_calls: list[dict[str, Any]] = Field(default_factory=list)


class WorldsmithObservation(Observation):
    """The messages since; with the first ones the tools, with the last ones how it ended and what is wrong.

    `reward` is 0 until the end; at the end 0, 1, or None where our side failed and nothing can be scored.
    """

    messages: list[dict[str, Any]] = Field(default_factory=list)
    tools: list[dict[str, Any]] = Field(default_factory=list)
    ended: str = ""
    progress: float | None = None
    components: dict[str, int] = Field(default_factory=dict)
    differences: list[str] = Field(default_factory=list)


class DomainEnvironment(Environment):
    """The tasks of one domain, one episode after another."""

    SUPPORTS_CONCURRENT_SESSIONS = True
    state = State()  # the task that is played, and how many steps of it

    def __init__(self, domain_tasks: Sequence[DomainTask], **options: Any) -> None:
        """`options` are those of a `Rollout`."""
        super().__init__()
        self.env = Env(domain_tasks[0], **options)  # each reset names its task
        self._tasks = list(domain_tasks)

    def reset(self, seed: int | None = None, episode_id: str | None = None, **which: Any) -> WorldsmithObservation:
        """Start the `task` of this id, else that of a `split` at an `index`, else one that the seed draws."""
        chosen = self._choose(seed, **which)
        self.state = State(episode_id=episode_id, task=chosen.id)
        try:
            messages, about = self.env.reset(seed=seed or 0, task=chosen)
        except EnvironmentFault as fault:
            return _void(fault)
        return WorldsmithObservation(messages=messages, tools=about["tools"], reward=0.0)

    def step(self, action: WorldsmithAction, timeout_s: float | None = None, **_: Any) -> WorldsmithObservation:
        """Make the message's calls, or tell the user what it says."""
        try:
            messages, reward, over, cut, about = self.env.step({"role": "assistant", **action.model_dump()})
        except EnvironmentFault as fault:
            return _void(fault)
        self.state.step_count += 1
        if not over and not cut:
            return WorldsmithObservation(messages=messages, reward=0.0)
        verdict = about["verdict"]
        ending = {"ended": about["ended"], "progress": verdict.progress, "components": dict(verdict.components)}
        ending["differences"] = [each.sentence for each in (*verdict.differences, *verdict.violations)]
        return WorldsmithObservation(messages=messages, reward=reward, done=True, **ending)

    def close(self) -> None:
        """Close the current episode."""
        self.env.close()

    def get_metadata(self) -> EnvironmentMetadata:
        """The domain's name, summary and version."""
        card = self._tasks[0].domain.card
        return EnvironmentMetadata(name=card.name, description=card.summary, version=card.version)

    def list_splits(self) -> list[dict[str, str]]:
        """The splits that there are."""
        return [{"name": name, "type": kind} for name, kind in _KINDS.items() if self._of(name)]

    def num_tasks(self, split: str) -> int:
        """How many tasks a split has."""
        return len(self._of(split))

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        """The tasks of a split, as `reset` takes them."""
        tasks = enumerate(self._of(split))
        return [{"id": task.id, "index": index, "title": task.title, "level": task.level} for index, task in tasks]

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        """One task of a split."""
        return self.list_tasks(split)[index]

    def get_task_range(self, split: str, start: int | None = None, stop: int | None = None) -> list[dict[str, Any]]:
        """Some tasks of a split, as a slice takes them."""
        return self.list_tasks(split)[start:stop]

    def _of(self, split: str | None) -> list[DomainTask]:
        return [task for task in self._tasks if split in (None, task.split)]

    def _choose(
        self, seed: int | None, task: str | None = None, split: str | None = None, index: int | None = None, **_: Any
    ) -> DomainTask:
        found = [each for each in self._of(split) if task in (None, each.id)]
        if not found:
            asked = " and ".join(f"{name} {value!r}" for name, value in (("id", task), ("split", split)) if value)
            raise UsageError(f"No task has {asked}; call list_splits and list_tasks for those that exist.")
        if index is not None and not 0 <= index < len(found):
            raise UsageError(f"The index is {index!r}; give one from 0 to {len(found) - 1}.")
        return found[index] if index is not None else random.Random(seed).choice(found)


def _void(fault: EnvironmentFault) -> WorldsmithObservation:
    return WorldsmithObservation(done=True, reward=None, ended="void", differences=[str(fault)])
