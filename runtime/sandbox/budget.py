"""How many steps one call may take and how many items it may make, and what going over a value costs.

The code of a domain calls `tick` in every function and loop. What Python does in C for it is charged in proportion to
the size of the values, so that every call ends after a counted number of steps.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import ItemsView, KeysView, Mapping, ValuesView
from contextvars import ContextVar
from dataclasses import is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from types import GeneratorType, TracebackType
from typing import Any, Literal

from runtime.errors import Rejection

MAX_BITS = 256  # of a whole number
_NEW_ITEMS = 20_000_000  # that a call makes in all
ITEMS_PER_STEP = 16
_MAX_DEPTH = 50  # of values within values
_WITHOUT_END = 1 << 62

SCALARS = frozenset({str, int, float, bool, type(None), date, datetime, time, timedelta, Decimal})
_COLLECTIONS = (list, tuple, set, frozenset, deque, KeysView, ValuesView, ItemsView)
SIZED = (*_COLLECTIONS, str, range, dict, Mapping)


class Budget:
    """The steps that one call may take, and the `room` for new items; `with budget:` makes this thread spend it."""

    __slots__ = ("_outer", "left", "limit", "room")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.left = limit
        self.room = max(_NEW_ITEMS, 20 * limit)
        self._outer: Budget | None = None

    def spend(self, steps: int = 1) -> None:
        """Take steps; a Rejection once they are used up, and from then on."""
        self.left -= steps
        if self.left < 0:
            raise Rejection.resource_exhausted(f"This call did more than {self.limit} steps; ask for less at once.")

    def __enter__(self) -> Budget:
        self._outer = _active.get()
        _active.set(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        assert self._outer is not None
        _active.set(self._outer)
        if kind is RecursionError:
            raise Rejection.resource_exhausted("This call goes through too many functions at once.") from error


_active: ContextVar[Budget] = ContextVar("budget", default=Budget(_WITHOUT_END))  # noqa: B039  without end, so shared


def tick() -> Literal[True]:
    """Take a step; true, so that it can stand in a condition."""
    budget = _active.get()
    budget.left -= 1
    if budget.left < 0:
        budget.spend(0)
    return True


def spend(steps: int) -> None:
    """Take steps of this thread's budget."""
    _active.get().spend(steps)


def steps_left() -> int:
    """Return what is left of this thread's budget."""
    return _active.get().left


def allocate(items: int) -> None:
    """Pay for new items or characters before they are made: their time and their place in memory."""
    if items < ITEMS_PER_STEP:
        return
    budget = _active.get()
    budget.room -= items
    if budget.room < 0:
        raise Rejection.resource_exhausted("This call makes too many items or too much text; ask for less at once.")
    budget.spend(items // ITEMS_PER_STEP)


def grown(value: Any) -> Any:
    """Pay for a value that an operation has made of others, which are at most as large together."""
    kind = type(value)
    if kind is int:
        if value.bit_length() > MAX_BITS:
            raise Rejection.resource_exhausted(
                f"This call makes a number of more than {MAX_BITS} bits; ask for less at once."
            )
    elif kind is not float and isinstance(value, SIZED):
        allocate(len(value))
    return value


def taken(values: Any) -> Any:
    """Pay for going over the values of one container; return them in an order that is the same in every process."""
    if isinstance(values, set | frozenset):
        return ordered(values)
    if isinstance(values, SIZED) and len(values) >= ITEMS_PER_STEP:
        spend(len(values) // ITEMS_PER_STEP)
    return values


def ordered(values: Any) -> Any:
    """Return what a loop goes over: a set in sorted order, since its own order differs from process to process."""
    if not isinstance(values, set | frozenset):
        return values
    spend(len(values))
    return sorted(values) if {str}.issuperset(map(type, values)) else sorted(values, key=_place)


def _place(value: Any) -> tuple[str, Any]:
    """Return what a value in a set is sorted by: its kind, then itself."""
    if isinstance(value, int | float | Decimal):
        return "", value
    if value is None:
        return "None", 0
    if is_dataclass(value) and not isinstance(value, type):
        value = (type(value).__name__, *vars(value).values())
    if isinstance(value, tuple):
        spend(1 + len(value))
        return "tuple", tuple(map(_place, value))
    if type(value) not in SCALARS:
        raise TypeError(f"a set of {type(value).__name__} values has no order; keep them in a list.")
    return type(value).__name__, value


def weigh(value: Any, is_written: bool = False) -> Any:
    """Pay for everything within a value, as often as it is reached: what comparing, hashing and printing visit.

    A value that `is_written` may hold data only: anything else is printed with its address, a set in any order.
    """
    kind = type(value)
    if kind in SCALARS:
        return value
    if (
        kind is dict
        and not is_written
        and len(value) < ITEMS_PER_STEP
        and SCALARS.issuperset(map(type, value.values()))
    ):
        return value  # a row
    level = [value]
    for _ in range(_MAX_DEPTH):
        within: list[Any] = []
        for item in level:
            parts = _parts_of(item, is_written)
            spend(1 + len(parts) // ITEMS_PER_STEP)
            within += [part for part in parts if type(part) not in SCALARS]
        if not within:
            return value
        level = within
    raise Rejection.resource_exhausted(f"This call nests values deeper than {_MAX_DEPTH} levels; ask for less at once.")


def _parts_of(value: Any, is_written: bool) -> list[Any]:
    if is_written and isinstance(value, set | frozenset):
        raise TypeError("a set has no order; write sorted(...) of it.")
    if isinstance(value, _COLLECTIONS):
        return list(value)
    if isinstance(value, Mapping) and not (is_written and isinstance(value, defaultdict)):  # whose factory is printed
        return [*value.keys(), *value.values()]
    if isinstance(value, BaseException):
        return list(value.args)
    if is_dataclass(value) and not isinstance(value, type):
        return list(vars(value).values())
    if is_written and (isinstance(value, GeneratorType) or not isinstance(value, str | float | int | range | date)):
        raise TypeError(f"a {type(value).__name__} cannot be written into a text; write one of its values.")
    return []
