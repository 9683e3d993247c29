"""What is decided before anything is executed: a task's level, world, split, scenarios and id."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal, get_args

from runtime.task.task import LARGEST_WORLD
from runtime.task.user import TIMED_FORMS, Form, Speech

EXPERT = 6  # the level of tasks whose decisions depend on each other
TIMED = 7  # the level of tasks with a clock that moves

SIZES = {1: 300, 2: 300, 3: 300, 4: 1_000, 5: 3_000, EXPERT: 1_000, TIMED: 300}
"""Rows of the world by level; what makes a task hard are its mechanisms and near-duplicates, and not the size."""

LEAST_ROWS, MOST_ROWS = 100, LARGEST_WORLD
"""Of a world, where another size is asked for."""

NEAR_DUPLICATES = {1: 0, 2: 1, 3: 2, 4: 3, 5: 4, EXPERT: 2, TIMED: 2}
"""How many near-duplicates the look-ups of the first scenario should show, by level."""

SCENARIOS = {1: (1, 1), 2: (1, 2), 3: (1, 3), 4: (2, 4), 5: (2, 4), EXPERT: (2, 6), TIMED: (1, 1)}
"""The fewest and the most scenarios by level, where scenarios have no forms; fewer if no more go together."""

LOOK_UPS: frozenset[Form] = frozenset({"direct", "looked_up"})
MECHANISMS: frozenset[Form] = frozenset(
    (
        *("withheld", "ambiguous", "looked_up", "mistaken", "conditional"),
        *("best_of", "all_but", "computed", "changed_mind", "outside"),
    )
)
RULED: frozenset[Form] = frozenset({"denied", "fallback"})
COUPLED: frozenset[Form] = frozenset({"coupled"})
AMENDED: frozenset[Form] = frozenset({"changed_mind"})
EACH: frozenset[Form] = frozenset({"each"})
INTERLOCKED: frozenset[Form] = (LOOK_UPS | MECHANISMS | RULED | EACH) - AMENDED - {"outside"}
LEADS: Mapping[int, frozenset[Form]] = {
    1: frozenset({"direct"}),
    2: LOOK_UPS,
    3: MECHANISMS,
    4: RULED,
    5: RULED | COUPLED,
    EXPERT: INTERLOCKED,
    TIMED: TIMED_FORMS,
}
"""The forms of the scenario that a task begins with, by level."""

COMPANIONS: Mapping[int, tuple[frozenset[Form], ...]] = {
    1: (),
    2: (LOOK_UPS,),
    3: (LOOK_UPS,),
    4: (MECHANISMS, LOOK_UPS),
    5: (COUPLED, MECHANISMS),
    EXPERT: (INTERLOCKED | COUPLED | AMENDED,),
    TIMED: (),
}
"""The forms of the second, the third, ... scenario of a task, by level."""

NEEDED = {1: 1, 2: 1, 3: 1, 4: 2, 5: 2, EXPERT: 2, TIMED: 1}
"""How many scenarios a task must have."""

_FIT_ANYBODY: frozenset[Form] = frozenset({"changed_mind", "looked_up", "outside", "withheld"})
"""Forms that go with most other requests, and so would come instead of others: they are tried last."""

_HARDEST_MIXED = 5  # of the levels that a mix has
_MECHANISMS_FROM = 3  # the level from which on tasks have one
_TASKS_PER_POOL = 500  # worlds are expensive, so many tasks share a few of each size
_WORLDS_PER_POOL = 5  # of each size; the last one is for held-out tasks
_SCENARIOS_PER_HELD_OUT = 8  # one scenario in 8 is for held-out tasks only
_OUTSIDE = 1 / 3  # of the tasks that could have a request beyond the tools, where scenarios have no forms
_WITHOUT_LOOK_UPS = 0.5  # of the tasks that could have them third: few scenarios are so, and they fit most callers
_WAYS = 2  # a rule denies or allows


@dataclass(frozen=True)
class MadeOf:
    """What a task is made of, as its id says: nothing else decides what it is."""

    number: int
    complexity: int
    lead: str = ""  # the scenario that it begins with; the number decides where none is given
    rows: int | None = None  # of its world; those of its level where none are given


@dataclass(frozen=True)
class TaskPlan:
    """What follows from a task's number and level."""

    number: int
    complexity: int
    world_seed: int
    split: Literal["train", "held_out"]
    scenarios: int
    outside: bool = True  # whether requests beyond the tools are told, where its scenarios have some
    has_forms: bool = False  # whether the domain's scenarios say what makes them hard
    denied: bool = False  # whether a rule is to deny the request of the first scenario, where one judges it
    rows: int | None = None  # of the world, where a number is asked for

    @property
    def size(self) -> int:
        """Rows of the world."""
        return SIZES[self.complexity] if self.rows is None else self.rows

    @property
    def near_duplicates(self) -> int:
        """How many near-duplicates the look-ups of the first scenario should show."""
        return NEAR_DUPLICATES[self.complexity]


def plan_task(made: MadeOf, has_forms: bool = False) -> TaskPlan:
    """The plan of a task: consecutive numbers differ in what a rule says, in how the user speaks, and in the world."""
    number, complexity = made.number, made.complexity
    world = number // (_WAYS * len(SPEECHES)) % _WORLDS_PER_POOL
    return TaskPlan(
        number=number,
        complexity=complexity,
        world_seed=number // _TASKS_PER_POOL * _WORLDS_PER_POOL + world,
        split="held_out" if world == _WORLDS_PER_POOL - 1 else "train",
        scenarios=random.Random(f"task {number}").randint(*SCENARIOS[complexity]),
        outside=has_forms or random.Random(f"outside requests of task {number}").random() < _OUTSIDE,
        has_forms=has_forms,
        denied=number % _WAYS == 0,
        rows=made.rows,
    )


SPEECHES: tuple[Speech, ...] = get_args(Speech)


CYCLE = _WAYS * len(SPEECHES) * _WORLDS_PER_POOL
"""After so many numbers a plan repeats: the same world of a pool, speech, and answer of a rule."""


def speech_of(number: int) -> Speech:
    """Return how the user of a task speaks, where its requests are worded for it."""
    return SPEECHES[number // _WAYS % len(SPEECHES)]


def seed_of(text: str) -> int:
    """Return a number for what a text names."""
    return int.from_bytes(blake2b(text.encode(), digest_size=6).digest(), "big")


def held_out_scenarios(names: Sequence[str]) -> frozenset[str]:
    """Return the scenarios that no task of the training split has."""
    by_hash = sorted(names, key=lambda name: blake2b(name.encode()).digest())
    return frozenset(by_hash[: len(names) // _SCENARIOS_PER_HELD_OUT])


def leads_of(complexity: int, forms: Mapping[str, Form]) -> list[str]:
    """Return the scenarios that a task of a level may begin with: a level is what its tasks have, and nothing less."""
    return sorted(name for name, form in forms.items() if form in LEADS[complexity])


def leads_to_try(plan: TaskPlan, forms: Mapping[str, Form]) -> list[str]:
    """Return the scenarios that a task of a number may begin with, in the order in which they are tried."""
    usable = _usable(plan, forms)
    leads = set(leads_of(plan.complexity, forms))
    return [name for name in usable if name in leads]


def companions_of(plan: TaskPlan, lead: str, forms: Mapping[str, Form], *, is_last: bool) -> list[list[str]]:
    """Return the scenarios that may be the second, the third, ... of a task, each in the order in which they are tried.

    At the hardest level coupled requests go with one that a rule judges; in the last attempt, two of these will do.
    """
    usable = [name for name in _usable(plan, forms) if name != lead]
    if not plan.has_forms:
        return [usable] * (plan.scenarios - 1)
    wanted = COMPANIONS[plan.complexity]
    if wanted[1:] == (LOOK_UPS,) and random.Random(f"look-ups of task {plan.number}").random() < _WITHOUT_LOOK_UPS:
        wanted = wanted[:1]
    slots = [[name for name in usable if forms[name] in each] for each in wanted]
    ruled = [name for name in usable if forms[name] in RULED]
    if forms[lead] in COUPLED:
        slots[0] = [*ruled, *(name for name in usable if forms[name] in MECHANISMS)]
    elif plan.complexity == _HARDEST_MIXED and (is_last or not slots[0]):
        slots[0] += ruled
    return slots


def _usable(plan: TaskPlan, forms: Mapping[str, Form]) -> list[str]:
    """Return the scenarios that a task may be made of, in its own order: every form is the first one equally often.

    Those that a rule judges count as one form, so that each is tried as often as any other.
    """
    names = [name for name in sorted(forms) if forms[name] not in EACH or plan.complexity == EXPERT]
    held_out = held_out_scenarios(names)
    names = [name for name in names if plan.split == "held_out" or name not in held_out]
    rng = random.Random(f"scenarios of task {plan.number}")
    rng.shuffle(names)
    if plan.complexity == EXPERT:
        return names
    kinds = {name: "ruled" if forms[name] in RULED else str(forms[name]) for name in names}
    order = sorted(set(kinds.values()))
    rng.shuffle(order)
    met: Counter[str] = Counter()
    places = {}
    for name in names:
        is_last = plan.has_forms and plan.complexity >= _MECHANISMS_FROM and forms[name] in _FIT_ANYBODY
        places[name] = (is_last, met[kinds[name]], order.index(kinds[name]))
        met[kinds[name]] += 1
    return sorted(names, key=places.__getitem__)


_LONGEST_ID, _LONGEST_NAME = 64, 40  # of a task, and of a scenario in it
_USUAL_SEED = 1  # whose tasks do not name it
NUMBERS_PER_SEED = 1_000_000  # a task's number within a seed is what its id shows
_OF_MADE_TASK = re.compile(
    r"(?P<lead>.+?)(?:-and-\d+-more)?-(?:s(?P<seed>\d+)-)?l(?P<level>[1-7])-(?:r(?P<rows>\d+)-)?(?P<within>\d{4,6})$"
)


def task_id(names: Sequence[str], plan: TaskPlan) -> str:
    """Derive a stable id from scenarios, seed, level, size and number alone."""
    seed, within = divmod(plan.number, NUMBERS_PER_SEED)
    apart = "" if seed == _USUAL_SEED else f"s{seed}-"
    apart += f"l{plan.complexity}-" + ("" if plan.rows is None else f"r{plan.rows}-")
    more = f"-and-{len(names) - 1}-more" if len(names) > 1 else ""
    rest = f"{more}-{apart}{within:04d}"
    return _in_id(names[0])[: _LONGEST_ID - len(rest)].strip("-") + rest


def _is_lead(scenario: str, written: str, made: str) -> bool:
    """Return True if an id begins with a scenario, whose name a long one cuts."""
    name = _in_id(scenario)
    return name == written or (len(made) >= _LONGEST_ID - 1 and name.startswith(written))


def _in_id(scenario: str) -> str:
    return scenario.lower().replace("_", "-")[:_LONGEST_NAME].strip("-")


def is_made(name: str) -> bool:
    """Return True for the id of a task that was made of a scenario, and not by hand or of a play."""
    return _OF_MADE_TASK.fullmatch(name) is not None


def read_task_id(made: str, scenarios: Sequence[str]) -> MadeOf | None:
    """Return what a task was made of, by its id; None if it is not the id of a task that these scenarios make."""
    found = _OF_MADE_TASK.fullmatch(made)
    lead = next((name for name in sorted(scenarios) if found is not None and _is_lead(name, found["lead"], made)), None)
    if found is None or lead is None:
        return None
    number = int(found["seed"] or _USUAL_SEED) * NUMBERS_PER_SEED + int(found["within"])
    return MadeOf(number, int(found["level"]), lead, int(found["rows"]) if found["rows"] else None)
