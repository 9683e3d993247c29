"""How many steps a call of a tool may take, and the operations that could take too many at once.

The checked code of a domain calls `tick` in every loop and function, and the operations below instead of `+`, `*`, `**`
and their like. What one of them does in C is charged in proportion to its size, so a call ends at the same step
every time, whatever the machine.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, ItemsView, KeysView, Mapping, ValuesView
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
MAX_BITS = 4096
MAX_WIDTH = 1000
MAX_DEPTH = 50
FREE_ITEMS = 256
FREE_TEXT = 64
ITEMS_PER_STEP = 16

SCALARS = frozenset({str, int, float, bool, type(None), date, datetime, time, timedelta, Decimal})
_SEQUENCES = (str, list, tuple)
_COLLECTIONS = (list, tuple, set, frozenset, deque, KeysView, ValuesView, ItemsView)
_SETS = (set, frozenset, dict)
_SIZED = (*_SEQUENCES, *_SETS)
_SMALL = 1 << 62
_MACHINE_CODES = frozenset("sZzcxX")


class Budget:
    """The steps that one call may take; `with budget:` makes it the one that `tick` spends in this thread."""

    __slots__ = ("_outer", "left", "limit", "room")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.left = limit
        self.room = max(MAX_NEW_ITEMS, NEW_ITEMS_PER_STEP * limit)  # a world program makes more than a call
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


def tick() -> Literal[True]:
    """Take one step of this thread's budget, if it has one; true, so that it can stand in a condition."""
    budget = _current()
    if budget is not None:
        budget.left -= 1
        if budget.left < 0:
            budget.spend(0)
    return True


def spend(n: int) -> None:
    """Take n steps of this thread's budget, if it has one."""
    budget = _current()
    if budget is not None:
        budget.left -= n
        if budget.left < 0:
            budget.spend(0)


def charge(items: int) -> None:
    """Pay for an operation in C over so many items or characters, before it is done; a few cost nothing."""
    if items < FREE_ITEMS:
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
    spend(len(values) // 4)
    try:
        if not any(isinstance(value, frozenset) for value in values):
            return sorted(values)
    except TypeError:
        pass
    return sorted(values, key=_name_and_text)


def _name_and_text(value: Any) -> tuple[str, str]:
    return type(value).__name__, repr(ordered(value))


def weigh(value: Any) -> None:
    """Pay for everything within a value, as often as it is reached: what printing, hashing or comparing visits."""
    if type(value) is dict:
        size = 2 * len(value)
        for item in value.values():
            if type(item) is str:
                size += len(item)
            elif type(item) not in SCALARS:
                break
        else:
            spend(1 + size // ITEMS_PER_STEP)
            return
    level = [value]
    for _ in range(MAX_DEPTH):
        within: list[Any] = []
        for item in level:
            if type(item) is str:
                charge(len(item))
            elif type(item) in SCALARS:
                continue
            elif isinstance(item, _COLLECTIONS):
                spend(1 + len(item))
                within += item
            elif isinstance(item, Mapping):
                spend(1 + 2 * len(item))
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


def add(a: Any, b: Any) -> Any:
    """a + b."""
    if type(a) is int and type(b) is int:
        total = a + b
        return total if -_SMALL < total < _SMALL else _bounded_int(total)
    if type(a) is str and type(b) is str and len(a) + len(b) < FREE_TEXT:
        return a + b
    _charge_joined(a, b)
    return a + b


def add_in_place(a: Any, b: Any) -> Any:
    """What `a += b` binds to a."""
    if type(a) is int and type(b) is int:
        total = a + b
        return total if -_SMALL < total < _SMALL else _bounded_int(total)
    _charge_joined(a, b)
    if isinstance(a, list):
        b = ordered(b) if isinstance(b, _SIZED) else [item for item in b if tick()]
    a += b
    return a


def multiply(a: Any, b: Any) -> Any:
    """a * b, for numbers or a repeated sequence."""
    if isinstance(a, int) and isinstance(b, int):
        if a.bit_length() + b.bit_length() > MAX_BITS:
            _refuse_bits()
    elif isinstance(a, _SEQUENCES) and isinstance(b, int):
        charge(len(a) * max(b, 0))
        allocate(len(a) * max(b, 0))
    elif isinstance(b, _SEQUENCES) and isinstance(a, int):
        charge(len(b) * max(a, 0))
        allocate(len(b) * max(a, 0))
    return a * b


def power(a: Any, b: Any, modulus: Any = None) -> Any:
    """a ** b, or pow(a, b, modulus)."""
    if modulus is not None:
        spend(MAX_BITS // ITEMS_PER_STEP)
        return pow(a, b, modulus)
    if isinstance(a, int) and isinstance(b, int) and a.bit_length() * abs(b) > MAX_BITS:
        _refuse_bits()
    return a**b


def shift_left(a: Any, b: Any) -> Any:
    """a << b."""
    if isinstance(a, int) and isinstance(b, int) and a.bit_length() + b > MAX_BITS:
        _refuse_bits()
    return a << b


def modulo(a: Any, b: Any) -> Any:
    """a % b of numbers; text is formatted by f-strings only, whose widths are bounded."""
    if isinstance(a, str):
        raise TypeError(f"{a[:40]!r} % ... formats text; write an f-string.")
    return a % b


def set_operation(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """`-`, `|`, `&` or `^`, or the in-place form of one, charged for what it goes over."""

    def bounded(a: Any, b: Any) -> Any:
        if type(a) is int and type(b) is int:
            return _bounded_int(operation(a, b))
        _charge_sets(a, b)
        return operation(a, b)

    return bounded


def bounded_range(*bounds: int) -> range:
    """A range no longer than the steps that are left."""
    wanted = range(*bounds)
    budget = _current()
    if budget is not None and (wanted.stop - wanted.start) // wanted.step > budget.left:
        budget.spend(budget.left + 1)
    return wanted


def bounded_format(value: Any, spec: str = "") -> str:
    """format(value, spec), the width and precision bounded."""
    if spec and (len(spec) > MAX_WIDTH or any(int(width) > MAX_WIDTH for width in re.findall(r"\d+", spec))):
        raise Rejection.resource_exhausted(f"A format asks for more than {MAX_WIDTH} places; ask for less at once.")
    refuse_far_decimal(value)
    if isinstance(value, date | time):
        refuse_machine_codes(spec)
    if type(value) is str or type(value) not in SCALARS:
        weigh(value)
    return format(value, spec)


def refuse_machine_codes(layout: str) -> None:
    """A layout of dates such as %Z or %c, which is written differently from machine to machine."""
    found = _MACHINE_CODES & set(re.findall(r"%[-_0^#:]*\d*[EO]?(.)", layout))
    if found:
        raise TypeError(f"%{min(found)} of a date depends on the machine; write out the parts, as in %Y-%m-%d.")


def refuse_far_decimal(value: Any) -> None:
    """A Decimal such as 1e999999 is short until its digits are written out."""
    if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) > MAX_WIDTH:
        raise Rejection.resource_exhausted(f"{value:.2e} has more than {MAX_WIDTH} digits; ask for less at once.")


def _bounded_int(value: int) -> int:
    if value.bit_length() > MAX_BITS:
        _refuse_bits()
    return value


def _refuse_bits() -> None:
    raise Rejection.resource_exhausted(f"This call makes a number of more than {MAX_BITS} bits; ask for less at once.")


def _charge_joined(a: Any, b: Any) -> None:
    if isinstance(a, _SIZED):
        size = len(a) + (len(b) if isinstance(b, _SIZED) else 0)
        charge(size)
        allocate(size)


def _charge_sets(a: Any, b: Any) -> None:
    for side in (a, b):
        if isinstance(side, _SETS):
            charge(len(side) * 4)
            allocate(len(side))
        elif type(side) not in SCALARS:
            weigh(side)
