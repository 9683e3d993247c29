"""What a scenario comes to on one world: words, facts, calls with the origins of their arguments, answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from runtime.domain.schema import Key
from runtime.task.origin import NOW, TODAY, Origin
from runtime.task.paths import JsonPath
from runtime.task.task import KnownFact, Step, TaskAnswer, TaskText, Wish

Origins = Mapping[JsonPath, tuple[Origin | None, ...]]


@dataclass(frozen=True)
class TracedCall:
    """A step of the chain and where the values in its arguments came from; None marks one that nothing licenses.

    `origins` are by path. Most values have one; a value that was computed and not told itself stands for what it was
    computed from, followed by the amounts. `wish` is the last one said before the call.
    """

    step: Step
    origins: Origins
    wish: int = 0
    changes: bool = True  # of a writing tool: whether anything but generated columns changed


@dataclass(frozen=True)
class Lookup:
    """A choice among the entries of a result by values, and where these came from, as in `TracedCall`."""

    origins: Origins
    wish: int
    before: int  # the number of the next step


@dataclass
class Script:
    """What a scenario came to on one world."""

    wishes: list[Wish] = field(default_factory=list)
    calls: list[TracedCall] = field(default_factory=list)
    answers: list[TaskAnswer] = field(default_factory=list)
    texts: dict[str, TaskText] = field(default_factory=dict)
    told: set[Origin] = field(default_factory=set)
    told_in: dict[Origin, int] = field(default_factory=dict)  # the wish in which it was told first
    lookups: list[Lookup] = field(default_factory=list)
    picks: list[tuple[str, Key]] = field(default_factory=list)  # the rows that were picked, by table and key
    answered: list[Origin | None] = field(default_factory=list)  # where the answers' values came from, in their order

    @property
    def words(self) -> list[str]:
        """What the user says of each wish at first."""
        return [wish.words[0] for wish in self.wishes]

    @property
    def facts(self) -> list[KnownFact]:
        """What the user tells, in the order of the wishes."""
        return [fact for wish in self.wishes for fact in wish.facts]

    @property
    def chain(self) -> list[Step]:
        """The reference chain."""
        return [call.step for call in self.calls]

    def licenses(self, origin: Origin | None, wish: int) -> bool:
        """Whether an agent can know such a value after this wish: told by then, returned by a tool, or the clock."""
        if origin is None:
            return False
        if origin.kind == "result" or origin in (TODAY, NOW):
            return True
        return origin in self.told_in and self.told_in[origin] <= wish
