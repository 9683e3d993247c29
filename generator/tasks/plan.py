"""What a task's number decides before anything is executed: complexity, world, split, how many scenarios.

Every choice is drawn from a generator seeded by names and numbers, so that it is the same in every process.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal

from runtime.task.task import LARGEST_WORLD
from runtime.task.user import Form

SIZES = {1: 300, 2: 300, 3: 300, 4: 1_000, 5: 3_000}
"""Rows of the world by complexity; what makes a task hard are its mechanisms and near-duplicates, and not the size."""

LEAST_ROWS, MOST_ROWS = 100, LARGEST_WORLD
"""Of a world, where another size is asked for."""

NEAR_DUPLICATES = {1: 1, 2: 3, 3: 6, 4: 12, 5: 25}
"""Near-duplicates of every picked row by complexity."""

SCENARIOS = {1: (1, 1), 2: (1, 2), 3: (1, 3), 4: (2, 4), 5: (2, 4)}
"""The least and the most scenarios by complexity; fewer if no more go together."""

LOOK_UPS: frozenset[Form] = frozenset({"direct", "looked_up"})
MECHANISMS: frozenset[Form] = frozenset(
    (
        *("withheld", "ambiguous", "looked_up", "mistaken", "conditional"),
        *("best_of", "all_but", "computed", "changed_mind", "outside"),
    )
)
RULED: frozenset[Form] = frozenset({"denied", "fallback"})
COUPLED: frozenset[Form] = frozenset({"coupled"})
SLOTS: Mapping[int, tuple[frozenset[Form], ...]] = {
    1: (frozenset({"direct"}),),
    2: (LOOK_UPS, LOOK_UPS),
    3: (MECHANISMS, LOOK_UPS),
    4: (RULED, MECHANISMS, LOOK_UPS),
    5: (COUPLED, RULED | MECHANISMS, RULED | MECHANISMS),
}
"""The forms of a task's scenarios, in turn, by complexity."""

_FIT_ANYBODY: frozenset[Form] = frozenset({"changed_mind", "looked_up", "outside", "withheld"})
"""Forms that go with most of what else is wished, and so would come instead of others: the last ones to be tried."""

NEEDED = {1: 1, 2: 1, 3: 1, 4: 2, 5: 2}
"""How many of these there must be."""

_MECHANISMS_FROM = 3  # the level from which on tasks have one
_TASKS_PER_POOL = 500  # worlds are expensive, so that many tasks share a few of each size
_WORLDS_PER_POOL = 5  # of each size; the last one is for held-out tasks
_SCENARIOS_PER_HELD_OUT = 5  # one scenario in so many is for held-out tasks only
_HELD_OUT_FIRST = 0.5  # share of the held-out tasks that begin with such a one
_OUTSIDE = 1 / 3  # of the tasks that could have a wish beyond the tools: about one in five of all then has
_DENIED = 0.5  # of the tasks in which a rule is asked about


@dataclass(frozen=True)
class MadeOf:
    """What a task is made of, as its id says: a number, and the level and rows that were asked for."""

    number: int
    complexity: int | None = None
    rows: int | None = None  # of its world


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
    has_forms: bool = False  # whether the domain's scenarios say what makes them hard
    denied: bool = False  # whether a rule is to deny what is wished, where one is asked about
    rows: int | None = None  # of the world, where so many are asked for

    @property
    def size(self) -> int:
        """Rows of the world."""
        return SIZES[self.complexity] if self.rows is None else self.rows

    @property
    def near_duplicates(self) -> int:
        """Near-duplicates of every picked row."""
        return NEAR_DUPLICATES[self.complexity]


def plan_task(number: int, complexity: int | None = None, has_forms: bool = False, rows: int | None = None) -> TaskPlan:
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
        outside=has_forms or random.Random(f"outside wishes of task {number}").random() < _OUTSIDE,
        has_forms=has_forms,
        denied=random.Random(f"rules of task {number}").random() < _DENIED,
        rows=rows,
    )


def plan_of(made: MadeOf, has_forms: bool = False) -> TaskPlan:
    """The plan of a task by all that it is made of."""
    return plan_task(made.number, made.complexity, has_forms, made.rows)


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


def slots_of(plan: TaskPlan, forms: Mapping[str, Form]) -> list[list[str]]:
    """The scenarios that may be the first, the second, ... of a task, each in the order in which they are tried."""
    usable = usable_scenarios(list(forms), plan)
    if not plan.has_forms:
        return [usable] * plan.scenarios
    by_form = _turn_by_turn(usable, forms, plan)
    return [[name for name in by_form if forms[name] in wanted] for wanted in SLOTS[plan.complexity]]


def _turn_by_turn(names: Sequence[str], forms: Mapping[str, Form], plan: TaskPlan) -> list[str]:
    """Scenarios in an order in which every form is the first one equally often, however many scenarios it has.

    Those of which a rule decides count as one form, so that each rule is asked about as often as it has scenarios.
    """
    kinds = {name: "ruled" if forms[name] in RULED else str(forms[name]) for name in names}
    order = sorted(set(kinds.values()))
    random.Random(f"forms of task {plan.number}").shuffle(order)
    met: Counter[str] = Counter()
    places = {}
    for name in names:
        is_last = plan.complexity >= _MECHANISMS_FROM and forms[name] in _FIT_ANYBODY
        places[name] = (is_last, met[kinds[name]], order.index(kinds[name]))
        met[kinds[name]] += 1
    return sorted(names, key=places.__getitem__)
