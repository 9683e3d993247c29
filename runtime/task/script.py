"""The result of running a scenario on one world: words, facts, calls with the origins of arguments, answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from runtime.domain.people import Role
from runtime.domain.schema import Key
from runtime.session.clock import Event
from runtime.task.origin import NOW, TODAY, JsonPath, Origin
from runtime.task.task import EndCheck, Step, TaskAnswer, TaskText
from runtime.task.user import Form, KnownFact, Wish

Origins = Mapping[JsonPath, tuple[Origin | None, ...]]


@dataclass(frozen=True)
class TracedCall:
    """A step of the chain and where the values in its arguments came from; None marks one that nothing licenses.

    `origins` are by path. Most values have one; a value that was computed and not told itself represents what it was
    computed from, followed by the amounts. `wish` is the last one said before the call.
    """

    step: Step
    origins: Origins
    wish: int = 0
    changes: bool = True  # of a writing tool: whether anything but generated columns changed
    result: Any = None


@dataclass(frozen=True)
class Best:
    """The extreme value of a column and the runner-up."""

    column: str
    value: Any
    next: Any


@dataclass(frozen=True)
class Lookup:
    """A choice among the entries of a result by values, and where these came from, as in `TracedCall`."""

    origins: Origins
    wish: int
    before: int  # the number of the next step
    best: Best | None = None  # where the best of several was taken


@dataclass(frozen=True)
class Identified:
    """The caller as a scenario found them: the key, where it was returned, and the steps that it took."""

    key: Any
    origin: Origin
    steps: range


@dataclass(frozen=True)
class Permission:
    """A call that the rules were asked about, after `after` calls of the scenario; `rules` are those that deny it.

    `row` is the argument that the rule is about, with its origin.
    """

    call: TracedCall
    after: int
    rules: tuple[str, ...] = ()
    row: Any = None


@dataclass(frozen=True)
class WrongChain:
    """What a mistaken agent does after `after` calls of the scenario, and what it tells instead, by answer."""

    name: str
    after: int
    turn: tuple[Step, ...]
    told: Mapping[str, TaskAnswer] = field(default_factory=dict)


@dataclass(frozen=True)
class OtherWay:
    """Another way that is as right: `turn` in place of the calls from `after` to before `until`."""

    after: int
    until: int
    turn: tuple[Step, ...]


@dataclass
class Script:
    """The result of a scenario on one world."""

    wishes: list[Wish] = field(default_factory=list)
    calls: list[TracedCall] = field(default_factory=list)
    answers: list[TaskAnswer] = field(default_factory=list)
    texts: dict[str, TaskText] = field(default_factory=dict)
    prose: set[str] = field(default_factory=set)  # texts that were written to semantic columns, where it is looked
    told: set[Origin] = field(default_factory=set)
    told_in: dict[Origin, int] = field(default_factory=dict)  # the wish in which it was told first
    lookups: list[Lookup] = field(default_factory=list)
    chosen: set[Origin] = field(default_factory=set)  # values of entries that are meant since all but a told one are
    picks: list[tuple[str, Key]] = field(default_factory=list)  # the rows that were picked, by table and key
    answered: list[Origin | None] = field(default_factory=list)  # where the answers' values came from, in their order
    answer_steps: list[frozenset[int]] = field(default_factory=list)  # whose results the answers were taken from
    options: dict[Origin, list[Any]] = field(default_factory=dict)  # what a choice could have come to instead
    kept_back: list[Any] = field(default_factory=list)  # with their origins
    form: Form = "direct"
    role: Role = "customer"
    caller: Key | None = None  # of the table of people
    identified: Identified | None = None
    first_step: int = 0
    first_wish: int = 0
    permissions: list[Permission] = field(default_factory=list)
    declined: set[int] = field(default_factory=set)  # wishes
    wrong: list[WrongChain] = field(default_factory=list)
    other_ways: list[OtherWay] = field(default_factory=list)
    checks: list[EndCheck] = field(default_factory=list)
    may_change: list[str] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    until: str = ""  # the end of its clock; empty where time stands still
    has_maybe: bool = False  # whether an event happens in half of its tasks only

    @property
    def words(self) -> list[str]:
        return [wish.words[0] for wish in self.wishes]

    @property
    def facts(self) -> list[KnownFact]:
        return [fact for wish in self.wishes for fact in wish.facts]

    @property
    def misremembered(self) -> str:
        """What the user says wrong at first and corrects when asked; empty if there is nothing."""
        return next((fact.corrects for fact in self.facts if fact.corrects), "")

    @property
    def chain(self) -> list[Step]:
        return [call.step for call in self.calls]

    def licenses(self, origin: Origin | None, wish: int) -> bool:
        """True if an agent can know such a value after this wish: told by then, returned by a tool, or the clock."""
        if origin is None:
            return False
        if origin.kind in ("result", "duty") or origin in (TODAY, NOW):
            return True
        return origin in self.told_in and self.told_in[origin] <= wish
