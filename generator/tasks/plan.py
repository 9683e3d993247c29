"""What is decided before anything is executed: a task's level, world, split, scenarios and id, and the mix of a set."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Literal, get_args

from runtime.task.task import LARGEST_WORLD
from runtime.task.user import Form, Speech

SIZES = {1: 300, 2: 300, 3: 300, 4: 1_000, 5: 3_000}
"""Rows of the world by level; what makes a task hard are its mechanisms and near-duplicates, and not the size."""

LEAST_ROWS, MOST_ROWS = 100, LARGEST_WORLD
"""Of a world, where another size is asked for."""

NEAR_DUPLICATES = {1: 1, 2: 3, 3: 5, 4: 8, 5: 12}
"""Near-duplicates of every picked row by level."""

SCENARIOS = {1: (1, 1), 2: (1, 2), 3: (1, 3), 4: (2, 4), 5: (2, 4)}
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
LEADS: Mapping[int, frozenset[Form]] = {
    1: frozenset({"direct"}),
    2: LOOK_UPS,
    3: MECHANISMS,
    4: RULED,
    5: RULED | COUPLED,
}
"""The forms of the scenario that a task begins with, by level."""

COMPANIONS: Mapping[int, tuple[frozenset[Form], ...]] = {
    1: (),
    2: (LOOK_UPS,),
    3: (LOOK_UPS,),
    4: (MECHANISMS, LOOK_UPS),
    5: (COUPLED, MECHANISMS),
}
"""The forms of the second, the third, ... scenario of a task, by level."""

NEEDED = {1: 1, 2: 1, 3: 1, 4: 2, 5: 2}
"""How many scenarios a task must have."""

_FIT_ANYBODY: frozenset[Form] = frozenset({"changed_mind", "looked_up", "outside", "withheld"})
"""Forms that go with most other requests, and so would come instead of others: they are tried last."""

_MECHANISMS_FROM = 3  # the level from which on tasks have one
_TASKS_PER_POOL = 500  # worlds are expensive, so many tasks share a few of each size
_WORLDS_PER_POOL = 5  # of each size; the last one is for held-out tasks
_SCENARIOS_PER_HELD_OUT = 8  # one scenario in so many is for held-out tasks only
_OUTSIDE = 1 / 3  # of the tasks that could have a request beyond the tools, where scenarios have no forms
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
    """What a task's number and level come to."""

    number: int
    complexity: int
    world_seed: int
    split: Literal["train", "held_out"]
    scenarios: int
    outside: bool = True  # whether requests beyond the tools are told, where its scenarios have some
    has_forms: bool = False  # whether the domain's scenarios say what makes them hard
    denied: bool = False  # whether a rule is to deny the request of the first scenario, where one judges it
    rows: int | None = None  # of the world, where so many are asked for

    @property
    def size(self) -> int:
        """Rows of the world."""
        return SIZES[self.complexity] if self.rows is None else self.rows

    @property
    def near_duplicates(self) -> int:
        """Near-duplicates of every picked row."""
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


def speech_of(number: int) -> Speech:
    """How the user of a task speaks, where its requests are worded for it."""
    return SPEECHES[number // _WAYS % len(SPEECHES)]


def seed_of(text: str) -> int:
    """A number for what a text names."""
    return int.from_bytes(blake2b(text.encode(), digest_size=6).digest(), "big")


def held_out_scenarios(names: Sequence[str]) -> frozenset[str]:
    """The scenarios that no task of the training split has."""
    by_hash = sorted(names, key=lambda name: blake2b(name.encode()).digest())
    return frozenset(by_hash[: len(names) // _SCENARIOS_PER_HELD_OUT])


def leads_of(complexity: int, forms: Mapping[str, Form]) -> list[str]:
    """The scenarios that a task of a level may begin with; all of them, where they have no forms."""
    if set(forms.values()) == {"direct"}:
        return sorted(forms)
    return sorted(name for name, form in forms.items() if form in LEADS[complexity])


def leads_to_try(plan: TaskPlan, forms: Mapping[str, Form]) -> list[str]:
    """The scenarios that a task of a number may begin with, in the order in which they are tried."""
    usable = _usable(plan, forms)
    leads = set(leads_of(plan.complexity, forms))
    return [name for name in usable if name in leads]


def companions_of(plan: TaskPlan, lead: str, forms: Mapping[str, Form], *, is_last: bool) -> list[list[str]]:
    """The scenarios that may be the second, the third, ... of a task, each in the order in which they are tried.

    At the hardest level coupled requests go with one that a rule judges; in the last attempt, two of these will do.
    """
    usable = [name for name in _usable(plan, forms) if name != lead]
    if not plan.has_forms:
        return [usable] * (plan.scenarios - 1)
    slots = [[name for name in usable if forms[name] in wanted] for wanted in COMPANIONS[plan.complexity]]
    ruled = [name for name in usable if forms[name] in RULED]
    if forms[lead] in COUPLED:
        slots[0] = [*ruled, *(name for name in usable if forms[name] in MECHANISMS)]
    elif plan.complexity == max(SIZES) and (is_last or not slots[0]):
        slots[0] += ruled
    return slots


def _usable(plan: TaskPlan, forms: Mapping[str, Form]) -> list[str]:
    """The scenarios that a task may be made of, in its own order: every form is the first one equally often.

    Those that a rule judges count as one form, so that each is tried as often as any other.
    """
    held_out = held_out_scenarios(list(forms))
    names = [name for name in sorted(forms) if plan.split == "held_out" or name not in held_out]
    rng = random.Random(f"scenarios of task {plan.number}")
    rng.shuffle(names)
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


_LONGEST_NAME = 40  # of a scenario, in an id
_USUAL_SEED = 1  # whose tasks do not name it
NUMBERS_PER_SEED = 1_000_000  # a task's number within a seed is what its id shows
_OF_MADE_TASK = re.compile(
    r"(?P<lead>.+?)(?:-and-\d+-more)?-(?:s(?P<seed>\d+)-)?l(?P<level>[1-5])-(?:r(?P<rows>\d+)-)?(?P<within>\d{4,6})$"
)


def task_id(names: Sequence[str], plan: TaskPlan) -> str:
    """An id that depends on nothing that became of other tasks, and is that of no other seed, level or size."""
    seed, within = divmod(plan.number, NUMBERS_PER_SEED)
    apart = "" if seed == _USUAL_SEED else f"s{seed}-"
    apart += f"l{plan.complexity}-" + ("" if plan.rows is None else f"r{plan.rows}-")
    more = f"-and-{len(names) - 1}-more" if len(names) > 1 else ""
    return f"{_in_id(names[0])}{more}-{apart}{within:04d}"


def _in_id(scenario: str) -> str:
    return scenario.lower().replace("_", "-")[:_LONGEST_NAME].strip("-")


def read_task_id(made: str, scenarios: Sequence[str]) -> MadeOf | None:
    """What a task was made of, by its id; None if it is not the id of a task that these scenarios make."""
    found = _OF_MADE_TASK.fullmatch(made)
    lead = next((name for name in sorted(scenarios) if found is not None and _in_id(name) == found["lead"]), None)
    if found is None or lead is None:
        return None
    number = int(found["seed"] or _USUAL_SEED) * NUMBERS_PER_SEED + int(found["within"])
    return MadeOf(number, int(found["level"]), lead, int(found["rows"]) if found["rows"] else None)


_SHARES = {1: 0.15, 2: 0.15, 3: 0.2, 4: 0.25, 5: 0.25}
"""Of the tasks, by level."""

_AIMS_IN_VAIN = 6  # candidates of a scenario of which none was kept, before it is given up at a level
_TRIED_IN_VAIN = 40  # candidates of a level of which none was kept, before it is given up
_TRIED_PER_TASK = 10  # candidates, before the places of a level go to the others
_USUALLY_KEPT = 0.75  # of the candidates
_LEAST_KEPT = 0.1
_MOST_OF_A_WAY = 0.55  # of the requests that a rule judges may be denied, or allowed
_TRIED_AT_ONCE = 1_000  # so that memory stays flat
_REASONS_TOLD = 2
_WEIGHT_OF_FAILURE = 0.34  # beside a kept task, where it is decided which scenario comes next


@dataclass(frozen=True)
class Aim:
    """What a candidate is to add: a level, the scenario that it begins with, and what a rule says of its request."""

    level: int
    lead: str
    denied: bool | None = None  # None where no rule judges it


@dataclass
class _Counts:
    tried: int = 0
    kept: int = 0
    reasons: Counter[str] = field(default_factory=Counter)  # why the others were not kept


class Mix:
    """A set of tasks as it grows: the next candidates are those that add most of what it still lacks.

    Hard levels come first. Of a level, each scenario begins equally many tasks; those that a rule judges are denied and
    allowed in turn; users speak in each register equally often. What does not hold is given up, and its places go to
    the other levels.
    """

    def __init__(
        self,
        count: int,
        forms: Mapping[str, Form],
        complexity: int | None = None,
        seed: int = 1,
        rows: int | None = None,
    ) -> None:
        self._count, self._rows = count, rows
        self._forms = forms
        self._has_forms = set(forms.values()) != {"direct"}
        self._held_out = held_out_scenarios(list(forms))
        self._leads = {level: leads_of(level, forms) for level in SIZES if complexity in (None, level)}
        self._numbers = _Numbers(seed)
        self.aims: dict[Aim, _Counts] = {}
        self._tried, self._kept = Counter[int](), Counter[int]()  # by level
        self._used = Counter[str]()  # scenarios of the tasks that were kept
        self._said = Counter[bool | None]()  # what rules say in these
        self._spoken = Counter[Speech]()

    def aim_of(self, made: MadeOf) -> Aim:
        """What a candidate adds."""
        denied = plan_task(made).denied if self._forms[made.lead] in RULED else None
        return Aim(made.complexity, made.lead, denied)

    def has_place(self, made: MadeOf) -> bool:
        """Whether one more task like this is wanted: the last places of a level are for what no task has yet."""
        places = self._missing().get(made.complexity, 0)
        if self._kept.total() >= self._count or places <= 0:
            return False
        aim, alive = self.aim_of(made), self._alive(made.complexity)
        lacking = [each for each in alive if not self._tasks_with(each)]
        if aim in lacking:
            return True
        is_told_otherwise_too = any(each.denied is not None and each.denied != aim.denied for each in alive)
        hard = sum(_parts(self._count, list(self._leads)).get(level, 0) for level in (4, 5))
        often = aim.denied is not None and self._said[aim.denied] >= math.ceil(_MOST_OF_A_WAY * hard)
        return places > len(lacking) and not (often and is_told_otherwise_too)

    def count(self, made: MadeOf, scenarios: Sequence[str], refused: str = "") -> None:
        """Count a candidate that was tried, with the scenarios that it has, and why it was refused if it was."""
        aim = self.aim_of(made)
        own = self.aims.setdefault(aim, _Counts())
        own.tried += 1
        self._tried[aim.level] += 1
        if refused:
            own.reasons[refused] += 1
        else:
            own.kept += 1
            self._kept[aim.level] += 1
            self._used.update(scenarios)
            self._said[aim.denied] += 1
            self._spoken[speech_of(made.number)] += 1

    def next_round(self, most: int) -> list[MadeOf]:
        """The candidates to try next, at most so many: as many as should do by what was kept so far."""
        missing = {level: places for level, places in self._missing().items() if places > 0}
        hard = {level: places for level, places in missing.items() if level > _MECHANISMS_FROM}
        planned = _Planned(Counter(), Counter(self._said), Counter(self._spoken))
        taken: list[MadeOf] = []
        for level, places in (hard or missing).items():
            share = max(self._kept[level] / self._tried[level], _LEAST_KEPT) if self._tried[level] else _USUALLY_KEPT
            for _ in range(math.ceil(places / share) + 1):
                aim = self._next_aim(level, planned)
                if aim is not None and len(taken) < min(most, _TRIED_AT_ONCE):
                    taken.append(self._candidate(aim, planned))
        return taken

    def unmet(self) -> Iterator[str]:
        """What the tasks lack all the same, and why, a sentence each."""
        for level, places in _parts(self._count, list(self._leads)).items():
            if self._kept[level] < places:
                reasons = self._why(aim for aim in self.aims if aim.level == level)
                yield f"level {level}: {self._kept[level]} of {places} tasks{reasons}"
        wanted = dict.fromkeys(
            (lead, denied)
            for leads in self._leads.values()
            for lead in leads
            for denied in ((True, False) if self._forms[lead] in RULED else (None,))
        )
        for lead, denied in wanted:
            if not self._tasks_with(Aim(0, lead, denied)):
                what = (
                    "in no task" if denied is None else f"no task in which a rule {'denies' if denied else 'allows'} it"
                )
                reasons = self._why(aim for aim in self.aims if (aim.lead, aim.denied) == (lead, denied))
                yield f"scenario {lead}: {what}{reasons}"
        leads = {lead for lead, _ in wanted}
        yield from (
            f"scenario {name}: in no task" for name in sorted(self._forms) if not {name} & (leads | set(self._used))
        )

    def _why(self, aims: Iterable[Aim]) -> str:
        own = [self.aims[aim] for aim in aims]
        reasons = sum((each.reasons for each in own), Counter[str]())
        tried = sum(each.tried for each in own)
        said = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common(_REASONS_TOLD))
        return f"; of {tried} candidates {said}" if said else f"; {tried} candidates"

    def _missing(self) -> dict[int, int]:
        """The places that are left at each level that is not given up, the hardest first."""
        alive = [level for level in sorted(self._leads, reverse=True) if self._alive(level)]
        left = self._count - sum(kept for level, kept in self._kept.items() if level not in alive)
        return {level: places - self._kept[level] for level, places in _parts(left, alive).items()}

    def _alive(self, level: int) -> list[Aim]:
        """What may still be aimed at; nothing where so many candidates did not fill the places of the level."""
        if self._tried[level] >= _TRIED_PER_TASK * max(self._kept[level], math.ceil(_SHARES[level] * self._count), 4):
            return []
        aims = [
            Aim(level, lead, denied)
            for lead in self._leads[level]
            for denied in ((True, False) if self._forms[lead] in RULED else (None,))
        ]
        hopeful = [aim for aim in aims if self._counts(aim).kept or self._counts(aim).tried < _AIMS_IN_VAIN]
        return hopeful or (aims if self._tried[level] < _TRIED_IN_VAIN else [])

    def _counts(self, aim: Aim) -> _Counts:
        return self.aims.get(aim, _Counts())

    def _next_aim(self, level: int, planned: _Planned) -> Aim | None:
        """What no task has yet comes first, then what rules say less often, then the scenario with the fewest tasks."""
        aims = self._alive(level)
        waiting = {aim: sum(planned.aims[replace(aim, level=each)] for each in SIZES) for aim in aims}
        aims = [aim for aim in aims if not self._tasks_with(aim) and not waiting[aim]] or aims
        ways = {aim.denied for aim in aims if aim.denied is not None}
        said = min(ways, key=lambda denied: (planned.said[denied], not denied), default=None)
        weights = {aim: self._weight(aim) + waiting[aim] for aim in aims if aim.denied == said}
        return min(weights, key=lambda aim: (weights[aim], seed_of(aim.lead)), default=None)

    def _weight(self, aim: Aim) -> float:
        own = self._counts(aim)
        return self._tasks_with(aim) + _WEIGHT_OF_FAILURE * (own.tried - own.kept)

    def _tasks_with(self, aim: Aim) -> int:
        """How many tasks have its scenario, or begin with it where a rule says the same of it."""
        if aim.denied is None:
            return self._used[aim.lead]
        return sum(self._counts(replace(aim, level=level)).kept for level in SIZES)

    def _candidate(self, aim: Aim, planned: _Planned) -> MadeOf:
        speech = min(SPEECHES, key=lambda name: planned.spoken[name])
        number = self._numbers.take(aim.denied, speech, aim.lead in self._held_out)
        planned.aims[aim] += 1
        planned.said[aim.denied] += 1
        planned.spoken[speech] += 1
        return MadeOf(number, aim.level, aim.lead, self._rows)


@dataclass
class _Planned:
    """What is kept and what is planned for this round, together."""

    aims: Counter[Aim]
    said: Counter[bool | None]
    spoken: Counter[Speech]


class _Numbers:
    """The numbers of a seed, each given away once, the lowest that fits first."""

    def __init__(self, seed: int) -> None:
        self._next, self._end = seed * NUMBERS_PER_SEED, (seed + 1) * NUMBERS_PER_SEED
        self._left: dict[int, TaskPlan] = {}

    def take(self, denied: bool | None, speech: Speech, is_held_out: bool) -> int:
        """The lowest number whose plan says so."""
        for number, plan in self._plans():
            fits = denied in (None, plan.denied) and speech_of(number) == speech
            if fits and (plan.split == "held_out" or not is_held_out):
                del self._left[number]
                return number
        raise AssertionError("a seed has more numbers than candidates are tried")

    def _plans(self) -> Iterator[tuple[int, TaskPlan]]:
        yield from list(self._left.items())
        while self._next < self._end:
            number = self._next
            self._next += 1
            self._left[number] = plan_task(MadeOf(number, 1))
            yield number, self._left[number]


def _parts(count: int, levels: Sequence[int]) -> dict[int, int]:
    """So many tasks by level, in their shares; what is left over goes to those that are owed most."""
    whole = sum(_SHARES[level] for level in levels)
    exact = {level: count * _SHARES[level] / whole for level in levels}
    parts = {level: math.floor(places) for level, places in exact.items()}
    owed = sorted(levels, key=lambda level: (parts[level] - exact[level], -level))
    for level in owed[: count - sum(parts.values())]:
        parts[level] += 1
    return parts
