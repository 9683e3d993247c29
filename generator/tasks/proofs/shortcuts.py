"""Proof 15, no shortcut: over a set of tasks, whoever always decides the same way is seldom right.

Counted for agents that know all but the decision: rows taken by their place, complying, refusing or trusting always.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields

from generator.tasks.proofs.replayer import TaskReplayer
from runtime.task.mistakes import COMPLIES, REFUSES, ROW_SHORTCUTS, TRUSTS, row_choices, take_row
from runtime.task.paths import find_at
from runtime.task.task import Mistake
from runtime.wording import counted

FEWEST_TASKS = 256  # for the bounds to be judged
FEWEST_ENTRIES = 4  # of a list that a row is taken from
MOST_ROWS, SIGMAS = 0.05, 3
MOST_ON_FORMS, MOST_AT_LEVEL = 0.6, 0.05
HARDEST = 5  # level

_RULED = ("denied", "fallback")


@dataclass
class ShortcutCounts:
    """What is counted over a set of tasks; of two sets together it is the sum."""

    tasks: int = 0
    lists: int = 0  # of at least so many entries, of which one is taken
    chance: float = 0.0  # sum of 1/k over them
    variance: float = 0.0  # sum of 1/k (1 - 1/k)
    rows: dict[str, int] = field(default_factory=dict)  # taken rightly, by shortcut
    mistaken: int = 0  # wishes of a user who is wrong
    trusted: int = 0  # of them, where trusting is no known mistake
    hardest: int = 0  # tasks of the hardest level
    always: dict[str, int] = field(default_factory=dict)  # of them, solved by who always decides so

    def add(self, other: ShortcutCounts) -> None:
        """Count another set, too."""
        for each in fields(self):
            own, more = getattr(self, each.name), getattr(other, each.name)
            if isinstance(own, dict):
                own.update({name: own.get(name, 0) + count for name, count in more.items()})
            else:
                setattr(self, each.name, own + more)

    @property
    def is_judged(self) -> bool:
        """Whether there are enough tasks."""
        return self.tasks >= FEWEST_TASKS

    @property
    def most_rows(self) -> float:
        """The share of lists of which a shortcut may take the right row."""
        if not self.lists:
            return 1.0
        return max(MOST_ROWS, (self.chance + SIGMAS * math.sqrt(self.variance)) / self.lists)

    @property
    def faults(self) -> list[str]:
        """The bounds that a set of enough tasks does not keep, a sentence each."""
        if not self.is_judged:
            return []
        faults = [
            f"{name} takes the right row in {_share(count, self.lists)} of {self.lists} choices; at most "
            f"{self.most_rows:.0%} is chance."
            for name, count in self.rows.items()
            if self.lists and count / self.lists > self.most_rows
        ]
        if self.mistaken and self.trusted / self.mistaken > MOST_ON_FORMS:
            faults.append(f"trust_all is right in {_share(self.trusted, self.mistaken)} of the mistaken users' wishes.")
        for name, count in self.always.items():
            if count / self.hardest > MOST_AT_LEVEL:
                faults.append(f"{name} solves {_share(count, self.hardest)} of level {HARDEST}.")
        return faults


def count_shortcuts(replayer: TaskReplayer, mistakes: tuple[Mistake, ...]) -> ShortcutCounts:
    """The counts of one task whose chain runs; its mistakes are proven not to be rewarded."""
    task, counts = replayer.task, ShortcutCounts(tasks=1)
    counts.rows = dict.fromkeys(ROW_SHORTCUTS, 0)
    for choice in row_choices(task.chain):
        entries = find_at(replayer.reference[choice.source].result, choice.path) or []
        if len(entries) >= FEWEST_ENTRIES:
            counts.lists += 1
            counts.chance += 1 / len(entries)
            counts.variance += (1 - 1 / len(entries)) / len(entries)
            for name in ROW_SHORTCUTS:
                counts.rows[name] += take_row(name, entries) == choice.index
    forms = [wish.form for wish in task.user.wishes]
    own = {name: sum(each.name == name for each in mistakes) for name in (COMPLIES, TRUSTS)}
    own[REFUSES] = sum(each.name == REFUSES and forms[each.turn[0].wish] in _RULED for each in mistakes)
    counts.mistaken = forms.count("mistaken")
    counts.trusted = max(0, counts.mistaken - own[TRUSTS])
    if task.level == HARDEST:
        counts.hardest = 1
        coupled = "coupled" in forms  # done as they are told, or refused, they fail: the proof of order says so
        fails: Mapping[str, int] = {
            "comply_all": own[COMPLIES],
            "refuse_all": own[REFUSES],
            "trust_all": own[COMPLIES] + own[TRUSTS],
        }
        counts.always = {name: int(not coupled and not count) for name, count in fails.items()}
    return counts


def describe_shortcuts(counts: ShortcutCounts) -> Iterator[str]:
    """What shortcuts hit, as lines that a person reads, each with what it may be."""
    few = "" if counts.is_judged else f" (too few to judge: {FEWEST_TASKS} are needed)"
    yield f"shortcuts, in {counted(counts.tasks, 'task')}{few}"
    if counts.lists:
        hits = ", ".join(f"{name} {_share(count, counts.lists)}" for name, count in counts.rows.items())
        yield (
            f"  {hits} of {counted(counts.lists, 'choice')} among {FEWEST_ENTRIES} rows or more "
            f"(at most {counts.most_rows:.0%})"
        )
    if counts.mistaken:
        wishes = counted(counts.mistaken, "wish")
        yield f"  trust_all is right in {_share(counts.trusted, counts.mistaken)} of {wishes} of mistaken users"
    if counts.hardest:
        solved = ", ".join(f"{name} {_share(count, counts.hardest)}" for name, count in counts.always.items())
        yield (
            f"  {solved} of {counted(counts.hardest, 'task')} of level {HARDEST}, by state and rules "
            f"(at most {MOST_AT_LEVEL:.0%})"
        )


def _share(count: int, of: int) -> str:
    return f"{count / of:.0%}"
