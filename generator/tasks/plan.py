"""What a task's number decides before anything is executed: level, world, split, scenarios, and its id."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import groupby
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


_LONGEST_NAME = 40  # of a scenario, in an id
_USUAL_SEED = 1  # whose tasks do not name it
_NUMBERS = 1_000_000  # a task's number within a seed, which is what its id shows
_OF_MADE_TASK = re.compile(r"-(?:s(?P<seed>\d+)-)?(?:l(?P<complexity>[1-5])-)?(?:r(?P<rows>\d+)-)?(?P<within>\d{4,6})$")


def task_id(names: Sequence[str], plan: TaskPlan) -> str:
    """An id that depends on nothing that became of other tasks, and is that of no other seed, level or size."""
    seed, within = divmod(plan.number, _NUMBERS)
    apart = "" if seed == _USUAL_SEED else f"s{seed}-"
    apart += f"l{plan.complexity}-" if plan.asked else ""
    apart += "" if plan.rows is None else f"r{plan.rows}-"
    name = names[0].lower().replace("_", "-")[: _LONGEST_NAME - len(apart)].strip("-")
    more = f"-and-{len(names) - 1}-more" if len(names) > 1 else ""
    return f"{name}{more}-{apart}{within:04d}"


def read_task_id(made: str) -> MadeOf | None:
    """What a task was made of, by its id; None if it is not the id of a made task."""
    found = _OF_MADE_TASK.search(made)
    if found is None:
        return None
    seed = int(found["seed"] or _USUAL_SEED)
    complexity, rows = (int(found[name]) if found[name] else None for name in ("complexity", "rows"))
    return MadeOf(seed * _NUMBERS + int(found["within"]), complexity, rows)


_TRIED_PER_TASK = 10  # before the places of a kind go to the others
_TRIED_IN_VAIN = 40  # if none of a kind was kept
_USUALLY_KEPT = 0.84  # of the candidates
_LEAST_KEPT = 0.05
_TRIED_AT_ONCE = 1_000  # so that memory stays flat

_Kind = tuple[int, bool]  # the level, and whether a rule is to deny what is wished
_ANY: _Kind = (0, False)
_ASKING = frozenset(level for level, slots in SLOTS.items() if any(forms & RULED for forms in slots))
"""The levels whose tasks ask rules."""


class Mix:
    """The places of tasks by level, what was tried for them, and what was kept.

    Each level has a fifth of the places, the hardest ones what is left over; where rules are asked, they are to deny in
    half of a level's. Places for which too few candidates hold go to the others. Fewer than five tasks, or those of a
    level that was asked for, come as they are drawn.
    """

    def __init__(self, count: int, complexity: int | None = None) -> None:
        self._count = count
        self._is_drawn = complexity is not None or count < len(SIZES)
        self._kinds = [_ANY] if self._is_drawn else _kinds_of_levels()
        self._given_up: set[_Kind] = set()
        self._tried: Counter[_Kind] = Counter()
        self._kept: Counter[_Kind] = Counter()

    def has_place(self, plan: TaskPlan) -> bool:
        """Whether one more task like this is wanted."""
        return self._kept.total() < self._count and self._missing().get(self._kind_of(plan), 0) > 0

    def count(self, plan: TaskPlan, is_kept: bool) -> None:
        """Count a candidate that was tried."""
        kind = self._kind_of(plan)
        self._tried[kind] += 1
        self._kept[kind] += is_kept

    def next_round(self, plans: Iterable[TaskPlan], most: int) -> list[TaskPlan]:
        """The candidates to try next, at most so many: of each kind as many as should do by what was kept so far."""
        self._give_up()
        wanted = {kind: self._wanted(kind, missing) for kind, missing in self._missing().items()}
        left = min(sum(wanted.values()), most, _TRIED_AT_ONCE)
        taken: list[TaskPlan] = []
        while len(taken) < left and (plan := next(iter(plans), None)) is not None:
            kind = self._kind_of(plan)
            if wanted.get(kind, 0):
                wanted[kind] -= 1
                taken.append(plan)
        return taken

    def _kind_of(self, plan: TaskPlan) -> _Kind:
        return _ANY if self._is_drawn else (plan.complexity, plan.denied and plan.complexity in _ASKING)

    def _missing(self) -> dict[_Kind, int]:
        return {kind: places - self._kept[kind] for kind, places in self._places().items()}

    def _places(self) -> dict[_Kind, int]:
        """The places of each kind that is not given up."""
        levels = {level: list(kinds) for level, kinds in groupby(self._kinds, key=lambda kind: kind[0])}
        alive = [level for level, kinds in levels.items() if not self._given_up.issuperset(kinds)]
        lost = sum(self._kept[kind] for kind in self._given_up if kind[0] not in alive)
        places: dict[_Kind, int] = {}
        for level, of_level in zip(alive, _parts(self._count - lost, len(alive)), strict=True):
            kinds = [kind for kind in levels[level] if kind not in self._given_up]
            kept = sum(self._kept[kind] for kind in levels[level] if kind in self._given_up)
            places |= zip(kinds, _parts(of_level - kept, len(kinds)), strict=True)
        return places

    def _give_up(self) -> None:
        for kind, places in self._places().items():
            tried, kept = self._tried[kind], self._kept[kind]
            is_hopeless = tried >= _TRIED_PER_TASK * places or (tried >= _TRIED_IN_VAIN and not kept)
            if kept < places and is_hopeless and len(self._given_up) + 1 < len(self._kinds):
                self._given_up.add(kind)

    def _wanted(self, kind: _Kind, missing: int) -> int:
        if missing <= 0:
            return 0
        tried = self._tried[kind]
        share = max(self._kept[kind] / tried, _LEAST_KEPT) if tried else _USUALLY_KEPT
        return math.ceil(missing / share) + (2 if self._is_drawn else 1)


def _kinds_of_levels() -> list[_Kind]:
    """The hardest first, and of a level those in which a rule denies."""
    levels = sorted(SIZES, reverse=True)
    return [(level, denied) for level in levels for denied in ((True, False) if level in _ASKING else (False,))]


def _parts(count: int, parts: int) -> list[int]:
    """A count in so many parts as equal as can be, the larger ones first."""
    each, over = divmod(count, parts)
    return [each + (place < over) for place in range(parts)]
