"""How many steps a call of a tool may take, and what goes over values costs.

The checked code of a domain calls `tick` in every loop and `enter` in every function, and functions of this package
instead of `+`, `*`, `**`, subscripts and their like. What one of them does in C is charged in proportion to its size,
so a call ends at the same step every time, whatever the machine.
"""

from __future__ import annotations

from collections import deque
from collections.abc import ItemsView, KeysView, Mapping, ValuesView
from contextvars import ContextVar
from dataclasses import is_dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from types import TracebackType
from typing import Any, Literal

from runtime.errors import Rejection

MAX_ITEMS = 1_000_000
MAX_NEW_ITEMS = 20_000_000
NEW_ITEMS_PER_STEP = 20
_LARGE = MAX_NEW_ITEMS // NEW_ITEMS_PER_STEP  # what only a world program may do
MAX_WIDTH = 1000
MAX_DEPTH = 50  # of values within values
MAX_CALLS = 32  # of functions within functions
FREE_ITEMS = 256
ITEMS_PER_STEP = 16
ENTRIES_PER_STEP = 64

SCALARS = frozenset({str, int, float, bool, type(None), date, datetime, time, timedelta, Decimal})
SECRETLY_HASHED = frozenset({str, bool, type(None), date, datetime, time})
_TOTALLY_ORDERED = SCALARS - {float, Decimal}
_COLLECTIONS = (list, tuple, set, frozenset, deque, KeysView, ValuesView, ItemsView)


class Budget:
    """The steps that one call may take; `with budget:` makes it the one that `tick` spends in this thread.

    `room` is how many new items it may make, if not as many as a call.
    """

    __slots__ = ("_outer", "depth", "hashes", "layouts", "left", "limit", "room")

    def __init__(self, limit: int, room: int | None = None) -> None:
        self.limit = limit
        self.left = limit
        self.depth = 0  # of the functions that have begun and not ended
        self.hashes: dict[int, list[Any]] | None = (
            None  # the keys that were hashed, where a program could make them collide
        )
        self.layouts: set[str] = set()  # that dates were read by
        self.room = (MAX_NEW_ITEMS if limit < _LARGE else NEW_ITEMS_PER_STEP * limit) if room is None else room
        self._outer: Budget | None = None

    def spend(self, n: int = 1) -> None:
        """Take n steps; a Rejection once they are used up, and from then on."""
        self.left -= n
        if self.left < 0:
            raise Rejection.resource_exhausted(f"This call did more than {self.limit} steps; ask for less at once.")

    def __enter__(self) -> Budget:
        self._outer = _current()
        _active.set(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _active.set(self._outer)


# Measured: a context variable is read in half the time of a threading.local, and is private to a thread just as well.
_active: ContextVar[Budget | None] = ContextVar("budget", default=None)
_current = _active.get


def active_budget() -> Budget | None:
    """The budget that this thread spends."""
    return _current()


def tick(steps: int = 1) -> Literal[True]:
    """Take what a block costs of this thread's budget, if it has one; true, so that it can stand in a condition."""
    budget = _current()
    if budget is not None:
        budget.left -= steps
        if budget.left < 0:
            budget.spend(0)
    return True


def enter(steps: int) -> int:
    """Begin a function, whose body costs so many steps; how deep it is within others, which `leave` wants."""
    budget = _current()
    if budget is None:
        return 0
    budget.left -= steps
    if budget.left < 0:
        budget.spend(0)
    budget.depth = depth = budget.depth + 1
    if depth > MAX_CALLS:
        raise Rejection.resource_exhausted(
            f"This call goes through more than {MAX_CALLS} functions at once; ask for less at once."
        )
    return depth


def leave(depth: int, value: Any = None) -> Any:
    """End the function that is so deep; the value that it returns."""
    budget = _current()
    if budget is not None:
        budget.depth = depth - 1
    return value


def return_to(depth: int) -> None:
    """Go on in the function that is so deep, after an error has ended others within it."""
    budget = _current()
    if budget is not None:
        budget.depth = depth


def spend(n: int) -> None:
    """Take n steps of this thread's budget, if it has one."""
    budget = _current()
    if budget is not None:
        budget.left -= n
        if budget.left < 0:
            budget.spend(0)


def steps_left() -> int:
    """What is left of this thread's budget."""
    budget = _current()
    return budget.left if budget is not None else 0


def charge(items: int) -> None:
    """Pay for an operation in C over so many items or characters, before it is done; a few cost nothing."""
    if items < ITEMS_PER_STEP:
        return
    if items > MAX_ITEMS:
        raise Rejection.resource_exhausted(
            f"This call needs a value of more than {MAX_ITEMS} items; ask for less at once."
        )
    budget = _current()
    if budget is not None:
        budget.spend(items // ITEMS_PER_STEP)


def allocate(items: int) -> None:
    """Pay for new items or characters, which stay in memory: many small values are as large as one that is not."""
    budget = _current()
    if budget is not None:
        budget.room -= items
        if budget.room < 0:
            raise Rejection.resource_exhausted("This call makes too many items or too much text; ask for less at once.")


def ordered(values: Any) -> Any:
    """What a loop goes over: a set in sorted order, since its own order differs from process to process."""
    if not isinstance(values, set | frozenset):
        return values
    spend(sorting_steps(len(values)))
    try:
        if _TOTALLY_ORDERED.issuperset(map(type, values)) or all(map(_is_in_order, values)):
            return sorted(values)
    except TypeError:
        pass
    return sorted(values, key=_name_and_text)


def sorting_steps(count: int) -> int:
    """What the comparisons cost that put so many values in order."""
    return count * count.bit_length() // 8


def _is_in_order(value: Any) -> bool:
    """Whether a value is made of such as are all smaller or larger than one another: frozen sets and NaN are not."""
    tick(4)
    weigh(value)
    within = [value]
    for each in within:
        if isinstance(each, tuple):
            within += each
        elif is_dataclass(each) and not isinstance(each, type):
            within += vars(each).values()
        elif type(each) not in SCALARS or each != each:
            return False
    return True


def _name_and_text(value: Any) -> tuple[str, str]:
    """What stands for a value in order: a text that is the same in every process."""
    weigh(value)
    return type(value).__name__, _text(value)


def _text(value: Any) -> str:
    tick(8)
    if isinstance(value, list | tuple | set | frozenset | deque):
        parts = ", ".join(map(_text, ordered(value)))
        return f"[{parts}]" if isinstance(value, set | frozenset) else f"({parts})"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_text(key)}: {_text(item)}' for key, item in value.items())}}}"
    if is_dataclass(value) and not isinstance(value, type):
        return f"{type(value).__name__}({_text(vars(value))})"
    if type(value) not in SCALARS and not isinstance(value, range):
        raise TypeError(f"a set of {type(value).__name__} values has no order; keep them in a list.")
    return repr(value)


def weigh(value: Any) -> None:
    """Pay for everything within a value, as often as it is reached: what printing, hashing or comparing visits."""
    if type(value) is dict:
        charge_again(value)
        size = 6 * len(value)
        for item in value.values():
            if type(item) is str:
                size += len(item)
            elif type(item) not in SCALARS:
                break
        else:
            spend(1 + size // ITEMS_PER_STEP)
            return
    spend(8)
    level = [value]
    for _ in range(MAX_DEPTH):
        within: list[Any] = []
        for item in level:
            if type(item) is str:
                if len(item) >= ITEMS_PER_STEP:
                    charge(len(item))
            elif type(item) in SCALARS:
                continue
            elif type(item) is not dict and isinstance(item, _COLLECTIONS):
                spend(1 + len(item))
                if not isinstance(item, list | tuple):
                    charge_again(item)
                within += item
            elif type(item) is dict or isinstance(item, Mapping):
                spend(1 + 2 * len(item))
                charge_again(item)
                within += item.keys()
                within += item.values()
            elif is_dataclass(item) and not isinstance(item, type):
                spend(1)
                within += vars(item).values()
            if len(within) > MAX_ITEMS:
                charge(len(within))
        if not within:
            return
        level = within
    raise Rejection.resource_exhausted(f"This call nests values deeper than {MAX_DEPTH} levels; ask for less at once.")


def charge_again(values: Any) -> None:
    """Pay for looking up what one container holds in another one, whose keys may collide."""
    entries = len(values)
    if entries >= ENTRIES_PER_STEP and not SECRETLY_HASHED.issuperset(map(type, values)):
        spend(entries * (entries // ENTRIES_PER_STEP))


def bounded_range(*bounds: int) -> range:
    """A range no longer than the steps that are left."""
    wanted = range(*bounds)
    budget = _current()
    if budget is not None and (wanted.stop - wanted.start) // wanted.step > budget.left:
        budget.spend(budget.left + 1)
    return wanted
