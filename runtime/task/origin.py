"""Values that remember where they came from, so that a proof can ask whether an agent could have known them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from runtime.domain.schema import RowRef
from runtime.task.paths import JsonPath, dotted


@dataclass(frozen=True)
class ChoiceRef:
    """A choice of the scenario by its name."""

    name: str


@dataclass(frozen=True)
class ClockRef:
    """What the frozen clock says: the moment, the day, or the day so many days from it."""

    what: Literal["now", "today"]
    days: int | None = None


@dataclass(frozen=True)
class ResultRef:
    """A place in the result of a step; without a path the result as a whole."""

    step: int
    path: JsonPath = ()


@dataclass(frozen=True)
class DutyRef:
    """What the office's policy says to note, such as a rule's code or a fee, by the parameter that takes it."""

    parameter: str


_KINDS_OF_SOURCE: dict[type, str] = {
    RowRef: "row",
    ChoiceRef: "choice",
    ClockRef: "clock",
    ResultRef: "result",
    DutyRef: "duty",
}


@dataclass(frozen=True)
class Origin:
    """Where a value came from: a column of a row of the world, a choice, the clock, or the result of a step.

    `made` is what was then done to get a computed value, in words ("at 14:00").
    """

    source: RowRef | ChoiceRef | ClockRef | ResultRef | DutyRef
    made: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """row, choice, clock, result or duty."""
        return _KINDS_OF_SOURCE[type(self.source)]

    def __str__(self) -> str:
        """The origin in words, for a person: loan.due_on of L1."""
        match self.source:
            case RowRef(table, key, column):
                where = f"{table}.{column} of {' / '.join(map(str, key))}"
            case ChoiceRef(name):
                where = name
            case ClockRef(what, days):
                where = what if days is None else f"{what}{days:+d}"
            case ResultRef(_, path):
                where = dotted(path)
            case DutyRef(parameter):
                where = f"{parameter} of the policy"
        return " ".join(filter(None, (where, *self.made)))


TODAY, NOW = Origin(ClockRef("today")), Origin(ClockRef("now"))
AS_A_DAY = "as a day"
"""What is done to a moment that is told by its day alone."""


class _Traced:
    """What a traced value carries; `base` and `amounts` are what it was computed from, `spoken` how it is said."""

    origin: Origin
    base: Any = None
    amounts: tuple[Any, ...] = ()
    spoken: str | None = None
    minor: int | None = None  # of money: how many of its units make a dollar


class TracedText(_Traced, str):
    """Text with its origin."""


class TracedInteger(_Traced, int):
    """A whole number with its origin."""


class TracedReal(_Traced, float):
    """A real number with its origin."""


class TracedTruth(_Traced, int):
    """True or false with its origin, as 1 or 0: nothing can be derived from bool."""


_KINDS: dict[type, type] = {str: TracedText, bool: TracedTruth, int: TracedInteger, float: TracedReal}


def traced(value: Any, origin: Origin) -> Any:
    """A value that remembers its origin; None and other kinds stay as they are."""
    kind = _KINDS.get(type(value))
    if kind is None:
        return value
    marked = kind(value)
    marked.origin = origin
    return marked


def computed(value: Any, base: Any, what: str, *amounts: Any) -> Any:
    """A value made of another one and of amounts: known to whoever is told it, or knows what it is made of."""
    origin = origin_of(base) or Origin(ChoiceRef(""))
    marked = traced(value, replace(origin, made=(*origin.made, what) if what else origin.made))
    marked.base, marked.amounts = base, amounts
    return marked


def spoken(value: Any, words: str) -> Any:
    """The same value with the words in which a person says it."""
    origin = origin_of(value)
    marked = traced(plain(value), origin or Origin(ChoiceRef(words)))
    if origin is None:
        marked.base = plain(value)  # what nobody chose stays unlicensed until it is told
    elif value.base is not None:
        marked.base, marked.amounts = value.base, value.amounts
    marked.spoken = words
    return marked


def origin_of(value: Any) -> Origin | None:
    """Where a value came from, if it was traced."""
    return getattr(value, "origin", None)


def base_of(value: Any) -> Any:
    """What a value was computed from; None if it was taken as it is."""
    return getattr(value, "base", None)


def plain(value: Any) -> Any:
    """A value without its origin, all through lists and mappings."""
    if isinstance(value, TracedTruth):
        return bool(value)
    for kind in (str, int, float):
        if isinstance(value, kind) and not isinstance(value, bool):
            return kind(value)
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    return value
