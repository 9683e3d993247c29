"""No shortcut: over a set of tasks, agents that take a row of a list by its place alone are seldom right."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from generator.tasks.proofs.replayer import TaskReplayer
from runtime.task.mistakes import ROW_SHORTCUTS, row_choices, take_row
from runtime.task.origin import find_at
from runtime.wording import counted

FEWEST_TASKS = 256  # for the bound to be judged
FEWEST_ENTRIES = 4  # of a list that a row is taken from
MOST_ROWS, SIGMAS = 0.05, 3


@dataclass
class ShortcutCounts:
    """What is counted over a set of tasks; of two sets together it is the sum."""

    tasks: int = 0
    lists: int = 0  # of at least FEWEST_ENTRIES, of which one is taken
    chance: float = 0.0  # sum of 1/k over them
    variance: float = 0.0  # sum of 1/k (1 - 1/k)
    rows: dict[str, int] = field(default_factory=lambda: dict.fromkeys(ROW_SHORTCUTS, 0))  # right choices, by shortcut

    def add(self, other: ShortcutCounts) -> None:
        """Count another set, too."""
        self.tasks += other.tasks
        self.lists += other.lists
        self.chance += other.chance
        self.variance += other.variance
        for name, count in other.rows.items():
            self.rows[name] += count

    def are_helped_by(self, other: ShortcutCounts) -> bool:
        """Return True if a shortcut that is right in another set is right too often in both together."""
        both = ShortcutCounts()
        both.add(self)
        both.add(other)
        return any(other.rows[name] and both.rows[name] > both.most_rows * both.lists for name in ROW_SHORTCUTS)

    @property
    def most_rows(self) -> float:
        """The share of lists of which a shortcut may take the right row."""
        if not self.lists:
            return 1.0
        return min(1.0, max(MOST_ROWS, (self.chance + SIGMAS * math.sqrt(self.variance)) / self.lists))

    @property
    def faults(self) -> list[str]:
        """Each shortcut that is right too often, as a sentence; sets of few tasks are not judged."""
        if self.tasks < FEWEST_TASKS:
            return []
        return [
            f"{name} takes the right row in {count / self.lists:.0%} of {self.lists} choices; at most "
            f"{self.most_rows:.0%} is chance."
            for name, count in self.rows.items()
            if self.lists and count / self.lists > self.most_rows
        ]


def count_shortcuts(replayer: TaskReplayer) -> ShortcutCounts:
    """Return the counts of one task whose chain runs."""
    counts = ShortcutCounts(tasks=1)
    for choice in row_choices(replayer.task.chain):
        entries = find_at(replayer.reference[choice.source].result, choice.path) or []
        if len(entries) >= FEWEST_ENTRIES:
            counts.lists += 1
            counts.chance += 1 / len(entries)
            counts.variance += (1 - 1 / len(entries)) / len(entries)
            for name in ROW_SHORTCUTS:
                counts.rows[name] += take_row(name, entries) == choice.index
    return counts


def describe_shortcuts(counts: ShortcutCounts) -> Iterator[str]:
    """Yield how often shortcuts are right, as lines for a person, with the bound."""
    few = "" if counts.tasks >= FEWEST_TASKS else f" (too few to judge: {FEWEST_TASKS} are needed)"
    yield f"shortcuts, in {counted(counts.tasks, 'task')}{few}"
    if counts.lists:
        hits = ", ".join(f"{name} {count / counts.lists:.0%}" for name, count in counts.rows.items())
        lists = counted(counts.lists, "choice")
        bound = "" if few else f" (at most {counts.most_rows:.0%})"
        yield f"  {hits} of {lists} among {FEWEST_ENTRIES} rows or more{bound}"
