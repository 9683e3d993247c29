"""What stands for `+`, `*`, `-`, `|`, `&` and `^`: numbers stay small, and what is joined is paid for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, ItemsView, KeysView, Mapping
from typing import Any

from runtime.sandbox.budget import ITEMS_PER_STEP, SCALARS, allocate, charge, charge_again, ordered, tick, weigh
from runtime.sandbox.keys import keyed
from runtime.sandbox.numbers import bounded_int, product

FREE_TEXT = 64
_SEQUENCES = (str, list, tuple)
_SETS = (set, frozenset, dict)
_VIEWS = (KeysView, ItemsView)
_SIZED = (*_SEQUENCES, *_SETS)
_SMALL = 1 << 62
_COUNTED = 32  # times that an entry of a Counter takes as long as an item in C


def add(a: Any, b: Any) -> Any:
    """a + b."""
    if type(a) is int and type(b) is int:
        total = a + b
        return total if -_SMALL < total < _SMALL else bounded_int(total)
    if type(a) is str and type(b) is str and len(a) + len(b) < FREE_TEXT:
        return a + b
    _charge_joined(a, b)
    return a + b


def add_in_place(a: Any, b: Any) -> Any:
    """What `a += b` binds to a."""
    if type(a) is int and type(b) is int:
        total = a + b
        return total if -_SMALL < total < _SMALL else bounded_int(total)
    _charge_joined(a, b)
    if isinstance(a, list):
        b = ordered(b) if isinstance(b, _SIZED) else [item for item in b if tick()]
    a += b
    return a


def multiply(a: Any, b: Any) -> Any:
    """a * b, for numbers or a repeated sequence."""
    if isinstance(a, _SEQUENCES) and isinstance(b, int):
        charge(len(a) * max(b, 0))
        allocate(len(a) * max(b, 0))
    elif isinstance(b, _SEQUENCES) and isinstance(a, int):
        charge(len(b) * max(a, 0))
        allocate(len(b) * max(a, 0))
    else:
        return product(a, b)
    return a * b


def set_operation(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """`-`, `|`, `&` or `^`, or the in-place form of one, charged for what it goes over."""

    def bounded(a: Any, b: Any) -> Any:
        if type(a) is int and type(b) is int:
            return bounded_int(operation(a, b))
        if isinstance(a, _VIEWS):
            b = _as_set(b)
        elif isinstance(b, _VIEWS):
            a = _as_set(a)
        _charge_sets(a, b)
        return operation(a, b)

    return bounded


def plus(a: Any) -> Any:
    """+a."""
    _charge_counter(a)
    return +a


def minus(a: Any) -> Any:
    """-a."""
    _charge_counter(a)
    return -a


def _charge_counter(a: Any) -> None:
    if isinstance(a, Counter):
        charge(ITEMS_PER_STEP * 8 + _COUNTED * len(a))
        allocate(len(a))
        charge_again(a)


def _as_set(values: Any) -> Any:
    """What stands beside a view, which takes whatever can be gone through."""
    if isinstance(values, (*_SETS, *_VIEWS, Mapping)):
        return values
    return set(keyed(values if isinstance(values, list | tuple) else [value for value in values if tick()]))


def _charge_joined(a: Any, b: Any) -> None:
    if isinstance(a, _SIZED):
        size = len(a) + (len(b) if isinstance(b, _SIZED) else 0)
        charge(size * _COUNTED if isinstance(a, dict) else size)
        allocate(size)


def _charge_sets(a: Any, b: Any) -> None:
    for side in (a, b):
        if isinstance(side, _SETS):
            charge(ITEMS_PER_STEP + len(side) * (_COUNTED if isinstance(side, dict) else 4))
            allocate(len(side))
            charge_again(side)
        elif type(side) not in SCALARS:
            weigh(side)
            if isinstance(side, _VIEWS):
                allocate(len(side))
