"""Which tasks a set still lacks, and the candidates that may be these; and what it lacks in the end."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

from generator.tasks.plan import (
    CYCLE,
    EXPERT,
    NUMBERS_PER_SEED,
    RULED,
    SIZES,
    SPEECHES,
    MadeOf,
    held_out_scenarios,
    leads_of,
    plan_task,
    seed_of,
    speech_of,
)
from runtime.task.user import Form, Speech
from runtime.wording import counted

_SHARES = {1: 0.15, 2: 0.15, 3: 0.2, 4: 0.25, 5: 0.25}
"""Of the tasks, by level."""

_CANDIDATES = 2  # of a place, until one holds
_AIMS_IN_VAIN = 6  # candidates of a scenario of which none was kept, before it is given up at a level
_TRIED_IN_VAIN = 40  # candidates of a level of which none was kept, before it is given up
_TRIED_PER_TASK = 10  # candidates, before the places of a level go to the others
_TRIED_AT_ONCE = 1_000  # so that memory stays flat
_EXPERTS_TRIED_AT_ONCE = 24  # fewer, so that what a set has enough of is known sooner
_MOST_WITH_ONE = 0.15  # of the tasks have one scenario, where enough others exist
_FAIR_SHARES = 3  # of the tasks, for one scenario where few exist
_FAIR_SHARES_OF_EXPERT = 12  # of which each has six or so
_TRIED_FOR_OTHERS = 3  # candidates per task, before a set is no longer balanced
_TRIED_FOR_OTHER_EXPERTS = 6  # of the hardest, which fail more often
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
    """A set of tasks as it grows: the next places are for what it still lacks.

    Of a level, each scenario begins equally many tasks; those that a rule judges are denied and allowed in turn; users
    speak in each register equally often. What does not hold is given up, and its places go to the other levels.
    """

    def __init__(
        self,
        count: int,
        forms: Mapping[str, Form],
        complexity: int | None = None,
        seed: int = 1,
        rows: int | None = None,
        linked: Collection[str] = (),
        weights: Mapping[tuple[str, bool | None], float] | None = None,
    ) -> None:
        """`linked` are the scenarios that an expert task can begin with.

        `weights` are by scenario and by what a rule says of it: with them, places are shared in their proportion, also
        between levels, and not alike.
        """
        self._count, self._rows = count, rows
        self._forms = forms
        self._has_forms = set(forms.values()) != {"direct"}
        self._held_out = held_out_scenarios(list(forms))
        levels = _SHARES if complexity is None else (complexity,)
        self._leads = {level: leads_of(level, forms) for level in levels}
        if EXPERT in self._leads:
            self._leads[EXPERT] = [name for name in self._leads[EXPERT] if name in linked]
        self._weights = weights or {}
        self._shares = {level: _SHARES.get(level, 1.0) * self._mean_weight(level) for level in self._leads}
        self._numbers = {level: _Numbers(seed) for level in self._leads}
        self.aims: dict[Aim, _Counts] = {}
        self._tried, self._kept = Counter[int](), Counter[int]()  # by level
        self._used = Counter[str]()  # scenarios of the tasks that were kept
        self._said = Counter[bool | None]()  # what rules say in these
        self._spoken = Counter[Speech]()
        fair = _FAIR_SHARES if EXPERT not in self._leads else _FAIR_SHARES_OF_EXPERT
        self._most_with_one = math.ceil(count * max(_MOST_WITH_ONE, fair / len(forms)))

    def aim_of(self, made: MadeOf) -> Aim:
        """Return what a candidate adds."""
        denied = plan_task(made).denied if self._forms[made.lead] in RULED else None
        return Aim(made.complexity, made.lead, denied)

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

    def can_choose(self, made: MadeOf) -> bool:
        """Return True until several candidates were tried in vain for the aim of this one, or many in all."""
        own = self._counts(self.aim_of(made))
        is_in_vain = not own.kept and own.tried >= _AIMS_IN_VAIN / 2
        return not is_in_vain and self._is_balanced

    @property
    def _is_balanced(self) -> bool:
        most = _TRIED_FOR_OTHERS if EXPERT not in self._leads else _TRIED_FOR_OTHER_EXPERTS
        return sum(self._tried.values()) < most * self._count

    @property
    def crowded(self) -> list[str]:
        """The scenarios that enough expert tasks have, while the set is balanced."""
        enough = sorted(name for name, tasks in self._used.items() if tasks >= self._most_with_one)
        return enough if EXPERT in self._leads and self._is_balanced else []

    def is_crowded(self, scenarios: Sequence[str]) -> bool:
        """Return True if enough tasks have a scenario that a candidate has besides its first."""
        return any(self._used[name] >= self._most_with_one for name in scenarios[1:])

    def next_round(self, most: int) -> list[list[MadeOf]]:
        """Return the places to fill next, each with candidates of one world of which the first that holds fills it.

        `most` is how many candidates may be tried.
        """
        planned = _Planned(Counter(), Counter(self._said), Counter(self._spoken))
        places: list[list[MadeOf]] = []
        left = min(most, _TRIED_AT_ONCE if EXPERT not in self._leads else _EXPERTS_TRIED_AT_ONCE)
        for level, missing in self._missing().items():
            for _ in range(missing):
                aim = self._next_aim(level, planned)
                if aim is not None and left > 0:
                    places.append(self._candidates(aim, planned, min(_CANDIDATES, left)))
                    left -= len(places[-1])
        return places

    def unmet(self) -> Iterator[str]:
        """Say what the tasks still lack, and why, a sentence each."""
        for level, places in _parts(self._count, list(self._leads), self._shares).items():
            if self._kept[level] < places:
                reasons = self._why(aim for aim in self.aims if aim.level == level)
                yield f"level {level}: {self._kept[level]} of {places} tasks{reasons}"
        wanted = dict.fromkeys(
            (lead, denied)
            for leads in self._leads.values()
            for lead in leads
            for denied in ((True, False) if self._forms[lead] in RULED else (None,))
        )
        untried = {name: "" for name in self._forms if not {name} & {*self._used, *(lead for lead, _ in wanted)}}
        for lead, denied in wanted:
            if not self._tasks_with(Aim(0, lead, denied)):
                way = "" if denied is None else f" in which a rule {'denies' if denied else 'allows'} it"
                aims = [aim for aim in self.aims if (aim.lead, aim.denied) == (lead, denied)]
                if any(self.aims[aim].tried for aim in aims):
                    yield f"scenario {lead}: no task{way}{self._why(aims)}"
                else:
                    untried[lead] = way
        kept = sum(self._kept.values())
        for name, tasks in self._used.most_common():
            if tasks > self._most_with_one:
                yield f"scenario {name}: in {tasks} of {kept} tasks; at most {self._most_with_one} are wanted"
        if untried:
            names = ", ".join(f"{name}{way}" for name, way in sorted(untried.items()))
            yield f"no turn came for {counted(len(untried), 'scenario')}: {names}"

    def _why(self, aims: Iterable[Aim]) -> str:
        own = [self.aims[aim] for aim in aims]
        reasons = sum((each.reasons for each in own), Counter[str]())
        tried = sum(each.tried for each in own)
        said = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common(_REASONS_TOLD))
        return f"; of {tried} candidates {said}" if said else f"; {tried} candidates"

    def _missing(self) -> dict[int, int]:
        """Return the places that are left at each level that is not given up, the hardest first."""
        alive = [level for level in sorted(self._leads, reverse=True) if self._alive(level)]
        left = self._count - sum(kept for level, kept in self._kept.items() if level not in alive)
        return {
            level: max(0, places - self._kept[level]) for level, places in _parts(left, alive, self._shares).items()
        }

    def _alive(self, level: int) -> list[Aim]:
        """Return what may still be aimed at; nothing once a level is given up."""
        if self._tried[level] >= _TRIED_PER_TASK * max(
            self._kept[level], math.ceil(_SHARES.get(level, 1.0) * self._count), 4
        ):
            return []
        aims = self._aims(level)
        hopeful = [aim for aim in aims if self._counts(aim).kept or self._counts(aim).tried < _AIMS_IN_VAIN]
        return hopeful or (aims if self._tried[level] < _TRIED_IN_VAIN else [])

    def _aims(self, level: int) -> list[Aim]:
        return [
            Aim(level, lead, denied)
            for lead in self._leads[level]
            for denied in ((True, False) if self._forms[lead] in RULED else (None,))
        ]

    def _mean_weight(self, level: int) -> float:
        return fmean([self._weights.get((aim.lead, aim.denied), 1.0) for aim in self._aims(level)] or [1.0])

    def _counts(self, aim: Aim) -> _Counts:
        return self.aims.get(aim, _Counts())

    def _next_aim(self, level: int, planned: _Planned) -> Aim | None:
        """What no task has yet comes first, then what rules say less often, then scenarios and forms with few tasks."""
        aims = self._alive(level)
        waiting = {aim: sum(planned.aims[replace(aim, level=each)] for each in SIZES) for aim in aims}
        if self._weights:  # the next place is that of the greatest weight per place (D'Hondt)
            owed = {
                aim: (1 + self._weight(aim) + waiting[aim]) / self._weights.get((aim.lead, aim.denied), 1.0)
                for aim in aims
            }
            return min(owed, key=lambda aim: (owed[aim], seed_of(aim.lead), not aim.denied), default=None)
        aims = [aim for aim in aims if not self._tasks_with(aim) and not waiting[aim]] or aims
        ways = {aim.denied for aim in aims if aim.denied is not None}
        said = min(ways, key=lambda denied: (planned.said[denied], not denied), default=None)
        forms = Counter(self._forms[name] for name in self._used.elements())
        forms += Counter(self._forms[aim.lead] for aim in planned.aims.elements())
        weights = {aim: self._weight(aim) + waiting[aim] for aim in aims if aim.denied == said}
        return min(
            weights, key=lambda aim: (weights[aim], forms[self._forms[aim.lead]], seed_of(aim.lead)), default=None
        )

    def _weight(self, aim: Aim) -> float:
        own = self._counts(aim)
        return self._tasks_with(aim) + _WEIGHT_OF_FAILURE * (own.tried - own.kept)

    def _tasks_with(self, aim: Aim) -> int:
        """Return how many tasks have its scenario, or begin with it where a rule says the same of it."""
        if aim.denied is None:
            return self._used[aim.lead]
        return sum(self._counts(replace(aim, level=level)).kept for level in SIZES)

    def _candidates(self, aim: Aim, planned: _Planned, count: int) -> list[MadeOf]:
        speech = min(SPEECHES, key=lambda name: planned.spoken[name])
        numbers = self._numbers[aim.level].take(aim.denied, speech, aim.lead in self._held_out, count)
        planned.aims[aim] += 1
        planned.said[aim.denied] += 1
        planned.spoken[speech] += 1
        return [MadeOf(number, aim.level, aim.lead, self._rows) for number in numbers]


@dataclass
class _Planned:
    """What is kept and what is planned for this round, together."""

    aims: Counter[Aim]
    said: Counter[bool | None]
    spoken: Counter[Speech]


class _Numbers:
    """The numbers of a seed for one level, each given away once, the lowest that fits first."""

    def __init__(self, seed: int) -> None:
        self._first, self._end = seed * NUMBERS_PER_SEED, (seed + 1) * NUMBERS_PER_SEED
        self._used: set[int] = set()

    def take(self, denied: bool | None, speech: Speech, is_held_out: bool, count: int) -> list[int]:
        """Return the lowest number whose plan says so, and the next ones with the same plan on the same world."""
        while self._first in self._used:
            self._used.remove(self._first)
            self._first += 1
        for number in range(self._first, self._end):
            if number in self._used or speech_of(number) != speech:
                continue
            plan = plan_task(MadeOf(number, 1))
            if denied in (None, plan.denied) and (plan.split == "held_out" or not is_held_out):
                alike = range(number, self._end, CYCLE)
                found = [each for each in alike[: 2 * count] if each not in self._used][:count]
                self._used.update(found)
                return [each for each in found if plan_task(MadeOf(each, 1)).world_seed == plan.world_seed]
        raise AssertionError("a seed has more numbers than candidates are tried")


def _parts(count: int, levels: Sequence[int], shares: Mapping[int, float]) -> dict[int, int]:
    """So many tasks by level, in their shares; what is left over goes to those that are owed most."""
    whole = sum(shares[level] for level in levels)
    exact = {level: count * shares[level] / whole for level in levels}
    parts = {level: math.floor(places) for level, places in exact.items()}
    owed = sorted(levels, key=lambda level: (parts[level] - exact[level], -level))
    for level in owed[: count - sum(parts.values())]:
        parts[level] += 1
    return parts
