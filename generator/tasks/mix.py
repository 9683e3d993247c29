"""How many tasks of each level are made: as many of each, as far as the domain has what they need."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from itertools import groupby

from generator.tasks.plan import RULED, SIZES, SLOTS, TaskPlan

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
