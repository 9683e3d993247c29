"""Worldsmith for verifiers and prime-rl: the tasks of a domain as a taskset, with their reward and its knobs.

`vf-eval worldsmith` finds it and its harness in the package `worldsmith`. Every reply of the model comes through the
interception of verifiers, which records tokens and branches.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from ssl import SSLContext
from typing import Any

from runtime.environment import require

require("verifiers", "0.4", extra="verifiers")

import httpx2
import verifiers.v1 as vf
from pydantic import model_validator
from pydantic_core import to_json

from runtime.errors import UsageError
from runtime.verification.verdict import RewardKind
from worldsmith.catalog import DomainTask, tasks
from worldsmith.evaluate import evaluate
from worldsmith.rollout import PolicyChoice, Rollout

__all__ = ["WorldsmithEnv", "WorldsmithHarness", "WorldsmithTaskset"]

KEPT = "worldsmith"  # in the trace's `info`: the verdict and how the episode ended

_PASSED_ON = ("role", "content", "tool_calls", "reasoning_content", "reasoning")  # of a reply, to the model itself


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
        """The share of what was expected that was made, how often rules were broken, and each part of the goal."""
        kept = trace.info[KEPT]
        parts = {name: float(made) for name, made in kept["components"].items()}
        return {"progress": float(kept["progress"]), "violations": float(len(kept["violations"])), **parts}

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
    policy: PolicyChoice = True
    greeting: bool = True
    reward: RewardKind = "final_state_and_rules"
    faults: str | None = None

    def chosen(self) -> tuple[DomainTask, ...]:
        """The tasks that the knobs name. Errors: UsageError."""
        return tasks(self.domain, split=self.split, level=self.level, form=self.form)  # type: ignore[arg-type]

    @model_validator(mode="after")
    def _check(self) -> WorldsmithConfig:
        try:
            Rollout(self.chosen()[0], user=self.user, policy=self.policy, faults=self.faults)
        except UsageError as error:  # verifiers prints a ValueError as one line, and anything else as a traceback
            raise ValueError(str(error)) from None
        return self


class WorldsmithTaskset(vf.Taskset[WorldsmithTask, WorldsmithConfig]):
    """The tasks of a domain; a prompt is there to be read, since an episode opens by itself."""

    def load(self) -> Iterator[WorldsmithTask]:
        """Each task under its own name."""
        config = self.config
        played = {"user": config.user, "policy": config.policy, "greeting": config.greeting, "faults": config.faults}
        for each in config.chosen():
            about = {"id": each.id, "name": each.id, "description": each.title, "prompt": each.task.user.words[0]}
            data = WorldsmithData(domain=config.domain, reward=config.reward, played=played, **about)
            yield WorldsmithTask(data, config.task)


class WorldsmithHarness(vf.Harness[vf.HarnessConfig]):
    """Plays an episode with the model behind an endpoint; a fault of ours is raised, and then there is no reward."""

    APPENDS_SYSTEM_PROMPT = True
    EXECUTES_CODE = NEEDS_CONTAINER = False

    async def launch(self, ctx, trace, runtime, endpoint, secret, mcp_urls, data):  # type: ignore[no-untyped-def]
        """One whole episode; a limit of verifiers ends it, and what was done until then is judged."""
        headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
        seed = int(trace.id, 16) % 2**31  # members of a group differ in the user's small words
        rollout = Rollout(data.find(), seed=seed, **data.played)
        async with rollout, httpx2.AsyncClient(timeout=None, headers=headers, verify=_trust()) as client:
            messages = await rollout.open()
            asked = {"model": ctx.model, "messages": messages, "tools": rollout.tools}
            try:
                while not rollout.done:
                    response = await client.post(f"{endpoint}/chat/completions", content=to_json(asked))
                    if trace.stop_condition is not None:
                        break
                    said = response.raise_for_status().json()["choices"][0]["message"]
                    reply = {name: said[name] for name in _PASSED_ON if said.get(name) is not None}
                    messages += [reply, *await rollout.take(reply)]
            finally:
                if rollout.ended != "void":
                    trace.info[KEPT] = kept_of(rollout, data.reward)
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")


class WorldsmithEnvConfig(vf.SingleAgentEnvConfig):
    """One agent that needs no sandbox, since nothing that it writes is executed."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class WorldsmithEnv(vf.SingleAgentEnv, vf.Env[WorldsmithEnvConfig]):
    """One agent and one user."""


def kept_of(rollout: Rollout, kind: RewardKind) -> dict[str, Any]:
    """The verdict on an open rollout, and how it ended."""
    verdict = rollout.verdict()
    return {
        "reward": verdict.reward_by(kind),
        "progress": verdict.progress,
        "components": dict(verdict.components),
        "ended": rollout.ended or "stopped",
        "differences": [each.sentence for each in verdict.differences],
        "violations": [each.sentence for each in verdict.violations],
    }


@cache
def _trust() -> SSLContext:
    """Whose certificates are believed; to read those takes longer than many an episode."""
    return httpx2.create_ssl_context()
