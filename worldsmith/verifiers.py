"""Worldsmith for verifiers and prime-rl: the tasks of a domain as a taskset, with their reward and its knobs.

`vf-eval worldsmith` finds it and its harness in the package `worldsmith`. Every reply of the model comes through the
interception of verifiers, which records tokens and branches.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from runtime.installed import require

require("verifiers", "0.4", extra="verifiers")

import verifiers.v1 as vf
from pydantic import model_validator

from runtime.errors import UsageError
from runtime.verification.verdict import RewardKind
from worldsmith.catalog import DomainTask, tasks
from worldsmith.evaluate import evaluate
from worldsmith.rollout import Rollout
from worldsmith.verifiers_harness import KEPT, WorldsmithEnv, WorldsmithHarness, kept_of

__all__ = ["WorldsmithEnv", "WorldsmithHarness", "WorldsmithTaskset"]


class WorldsmithData(vf.TaskData):
    """Which task it is, and how it is played."""

    domain: str
    reward: RewardKind
    played: dict[str, Any]

    def find(self) -> DomainTask:
        """The task, in this process. Errors: UsageError."""
        return tasks(self.domain, ids=(self.id,))[0]


class WorldsmithTask(vf.Task[WorldsmithData]):
    """A task whose reward is the verdict on the database that was left, and on the rules if that is asked for."""

    @property
    def key(self) -> str:
        """The same for the same task in every selection."""
        return f"{self.data.domain}/{self.data.id}"

    @vf.reward
    async def verdict(self, trace: vf.Trace) -> float:
        """1 or 0."""
        return float(trace.info[KEPT]["reward"])

    @vf.metric
    async def curves(self, trace: vf.Trace) -> dict[str, float]:
        """The share of what was expected that was made, and how often rules of the domain were broken."""
        kept = trace.info[KEPT]
        return {"progress": float(kept["progress"]), "violations": float(len(kept["violations"]))}

    async def finalize(self, trace: vf.Trace, runtime: vf.Runtime) -> None:
        """Judge the start where nobody played, as when `vf-validate` scores a task untouched."""
        if KEPT not in trace.info:
            async with Rollout(self.data.find()) as rollout:
                await rollout.open()
                trace.info[KEPT] = kept_of(rollout, self.data.reward)

    async def validate(self, runtime: vf.Runtime) -> bool:
        """Whether the agent that knows the way is rewarded, in a whole episode with a user."""
        (played,) = evaluate([self.data.find()], "reference").trials
        return played.verdict is not None and played.verdict.reward == 1


class WorldsmithConfig(vf.TasksetConfig):
    """The knobs `--env.taskset.*`; without a split, level or form it is all tasks of the domain."""

    domain: str = "job_seeking"
    split: str | None = None
    level: int | list[int] | None = None
    form: str | None = None
    user: str = "scripted"
    policy: bool = True
    greeting: bool = True
    reward: RewardKind = "final_state_and_rules"

    def chosen(self) -> tuple[DomainTask, ...]:
        """The tasks that the knobs name. Errors: UsageError."""
        return tasks(self.domain, split=self.split, level=self.level, form=self.form)  # type: ignore[arg-type]

    @model_validator(mode="after")
    def _check(self) -> WorldsmithConfig:
        try:
            Rollout(self.chosen()[0], user=self.user)
        except UsageError as error:  # verifiers prints a ValueError as one line, and anything else as a traceback
            raise ValueError(str(error)) from None
        return self


class WorldsmithTaskset(vf.Taskset[WorldsmithTask, WorldsmithConfig]):
    """The tasks of a domain; a prompt is there to be read, since an episode opens by itself."""

    def load(self) -> Iterator[WorldsmithTask]:
        """Each task under its own name."""
        config = self.config
        played = {"user": config.user, "policy": config.policy, "greeting": config.greeting}
        for each in config.chosen():
            about = {"id": each.id, "name": each.id, "description": each.title, "prompt": each.task.user.words[0]}
            data = WorldsmithData(domain=config.domain, reward=config.reward, played=played, **about)
            yield WorldsmithTask(data, config.task)
