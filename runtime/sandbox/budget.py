"""How many steps one call may take and how many items it may make.

The code of a domain calls `tick` in every function and loop. Operations that can make a large value in one step pay for
its size before they make it. What Python does in C over values that exist is not counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from types import TracebackType
from typing import Any, Literal

from runtime.errors import Rejection

MAX_BITS = 256  # of an integer
_NEW_ITEMS = 20_000_000  # that a call makes in all
_ITEMS_PER_STEP = 16
_WITHOUT_END = 1 << 62

SCALARS = frozenset({str, int, float, bool, type(None), date, datetime, time, timedelta, Decimal})
_SIZED = (str, list, tuple, set, frozenset, range, Mapping)


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
    """Take a step; true, so that it can be part of a condition."""
    budget = _active.get()
    budget.left -= 1
    if budget.left < 0:
        budget.spend(0)
    return True


def spend(steps: int) -> None:
    """Take steps of this thread's budget."""
    _active.get().spend(steps)


def steps_left() -> int:
    return _active.get().left


def allocate(items: int) -> None:
    """Pay for new items or characters before they are made."""
    if items < _ITEMS_PER_STEP:
        return
    budget = _active.get()
    budget.room -= items
    if budget.room < 0:
        raise Rejection.resource_exhausted("This call makes too many items or too much text; ask for less at once.")
    budget.spend(items // _ITEMS_PER_STEP)


def grown(value: Any) -> Any:
    """Pay for a value that an operation has made of others, and is at most as large as they are together."""
    if type(value) is int:
        if value.bit_length() > MAX_BITS:
            raise Rejection.resource_exhausted(
                f"This call makes a number of more than {MAX_BITS} bits; ask for less at once."
            )
    elif isinstance(value, _SIZED):
        allocate(len(value))
    return value


def ordered(values: Any) -> Any:
    """Return what a loop goes over: a set in sorted order, since its own order differs from process to process."""
    if not isinstance(values, set | frozenset):
        return values
    spend(len(values))
    return sorted(values)
