"""What a task's number decides before anything is executed: complexity, world, split, how many scenarios.

Every choice is drawn from a generator seeded by names and numbers, so that it is the same in every process.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal

SIZES = {1: 100, 2: 300, 3: 1_000, 4: 3_000, 5: 10_000}
"""Rows of the world by complexity."""

NEAR_DUPLICATES = {1: 1, 2: 3, 3: 6, 4: 12, 5: 25}
"""Near-duplicates of every picked row by complexity."""

SCENARIOS = {1: (1, 1), 2: (1, 2), 3: (1, 3), 4: (2, 4), 5: (2, 4)}
"""The least and the most scenarios by complexity; fewer if no more go together."""

_TASKS_PER_POOL = 500  # worlds are expensive, so that many tasks share a few of each size
_WORLDS_PER_POOL = 5  # of each size; the last one is for held-out tasks
_SCENARIOS_PER_HELD_OUT = 5  # one scenario in so many is for held-out tasks only
_HELD_OUT_FIRST = 0.5  # share of the held-out tasks that begin with such a one
_OUTSIDE = 1 / 3  # of the tasks that could have a wish beyond the tools: about one in ten of all then has


@dataclass(frozen=True)
class TaskPlan:
    """What a task's number comes to."""

    number: int
    complexity: int
    world_seed: int
    split: Literal["train", "held_out"]
    scenarios: int
    asked: bool = False  # whether the complexity was asked for, and not drawn
    outside: bool = True  # whether wishes beyond the tools are told, where its scenarios have some

    @property
    def size(self) -> int:
        """Rows of the world."""
        return SIZES[self.complexity]

    @property
    def near_duplicates(self) -> int:
        """Near-duplicates of every picked row."""
        return NEAR_DUPLICATES[self.complexity]


def plan_task(number: int, complexity: int | None = None) -> TaskPlan:
    """The plan of a task; without a complexity it is drawn, too."""
    rng = random.Random(f"task {number}")
    drawn = rng.choice(sorted(SIZES))
    world = rng.randrange(_WORLDS_PER_POOL)
    asked = complexity is not None
    complexity = complexity or drawn
    return TaskPlan(
        number=number,
        complexity=complexity,
        asked=asked,
        world_seed=number // _TASKS_PER_POOL * _WORLDS_PER_POOL + world,
        split="held_out" if world == _WORLDS_PER_POOL - 1 else "train",
        scenarios=rng.randint(*SCENARIOS[complexity]),
        outside=random.Random(f"outside wishes of task {number}").random() < _OUTSIDE,
    )


def usable_scenarios(names: Sequence[str], plan: TaskPlan) -> list[str]:
    """The scenarios that a task may be made of, in its own order.

    One in five is held out: no task of the training split has it, or its world's seed.
    """
    by_hash = sorted(names, key=lambda name: blake2b(name.encode()).digest())
    held_out = set(by_hash[: len(names) // _SCENARIOS_PER_HELD_OUT])
    usable = [name for name in sorted(names) if plan.split == "held_out" or name not in held_out]
    rng = random.Random(f"scenarios of task {plan.number}")
    rng.shuffle(usable)
    if plan.split == "held_out" and rng.random() < _HELD_OUT_FIRST:
        usable.sort(key=lambda name: name not in held_out)
    return usable


def seed_of(text: str) -> int:
    """A number for what a text names."""
    return int.from_bytes(blake2b(text.encode(), digest_size=6).digest(), "big")
