"""Episodes as TRL plays them by `environment_factory`: a method for each call and for each word to the user.

TRL itself need not be installed: of it nothing but its trainer would be added, which is the same for every environment.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from tests.benchmarks.adapters import Play, Policy, Recorded
from worldsmith import DomainTask, Rollout, SyncRollout
from worldsmith.trl import make_environment

OURS = "TRL, our environment"


@contextmanager
def players(chosen: Sequence[DomainTask], records: Mapping[Policy, Sequence[Recorded]]) -> Iterator[dict[str, Play]]:
    """What was said is said again to one environment, which a trainer keeps, too."""
    tasks = {task.id: task for task in chosen}

    def opened(name: str, seed: int) -> SyncRollout:
        rollout = Rollout(tasks[name], seed=seed, greeting=False).sync()
        rollout.open()
        return rollout

    environment = make_environment(Rollout(chosen[0]).tools, opened)

    def play(count: int, policy: Policy) -> list[float | None]:
        rewards: list[float | None] = []
        for task, recorded in zip(chosen[:count], records[policy], strict=False):
            environment.reset(task.id)
            for place in recorded.replies:
                said = recorded.messages[place]
                for each in said.get("tool_calls") or ():
                    getattr(environment, each["function"]["name"])(**json.loads(each["function"]["arguments"]))
                if not said.get("tool_calls"):
                    environment.talk_to_user(said["content"])
            assert environment._rollout is not None
            rewards.append(float(environment._rollout.verdict().reward))
        return rewards

    yield {OURS: play}
