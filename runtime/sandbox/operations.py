"""What stands in a domain's code for subscripts, comparisons, spreads and texts: each charges the budget."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, ItemsView, Iterable, Iterator, KeysView, Mapping, Sized, ValuesView
from dataclasses import is_dataclass
from datetime import date, time, tzinfo
from decimal import Decimal
from random import Random
from types import FunctionType, GeneratorType, MappingProxyType
from typing import Any, TypeVar

from runtime.sandbox.budget import FREE_ITEMS, SCALARS, allocate, charge, ordered, spend, tick, weigh
from runtime.sandbox.keys import HASHED, key
from runtime.sandbox.numbers import bounded_format, bounded_int

_SIZED = (str, list, tuple, set, frozenset, dict, range, deque, KeysView, ValuesView, ItemsView, Mapping)
_New = TypeVar("_New", bound=Sized)
ITEMS_PER_STEP = 4
COMPARED_PER_STEP = 256  # letters
DECIMAL_STEPS = 16  # what is compared with it may be a float, whose digits are written out for that


def take_from(values: set[Any]) -> Any:
    """values.pop(): the first in sorted order."""
    taken = ordered(values)[0] if values else values.pop()
    values.discard(taken)
    return taken


def source(iterable: Any) -> Any:
    """What a consumer in C may go over: a sized value, paid for at once, or an iterator that ticks."""
    iterable = ordered(iterable)
    if isinstance(iterable, _SIZED):
        if len(iterable) >= ITEMS_PER_STEP:
            spend(len(iterable) // ITEMS_PER_STEP)
        return iterable
    if isinstance(iterable, GeneratorType) or not isinstance(iterable, Iterable):
        return iterable
    return (item for item in iterable if tick())


def side(value: Any) -> Any:
    """One side of a comparison: the work is bounded by what is in it."""
    if type(value) is str:
        if len(value) >= FREE_ITEMS:
            charge(len(value))
    elif type(value) is Decimal:
        spend(DECIMAL_STEPS)
    elif type(value) not in SCALARS:
        weigh(value)
    return value


def contains(item: Any, container: Any) -> bool:
    """item in container."""
    if isinstance(container, HASHED):
        return key(item, len(container)) in container
    if isinstance(container, str):
        charge(len(container))
        charge_search(item, container)
    elif not (isinstance(container, range) and isinstance(item, int)):
        if not isinstance(container, _SIZED):
            container = list(source(container))
        charge_comparisons(item, source(container))
    return item in container


class _Written(str):
    """The text of a value, as it also stands within `!r`."""

    def __repr__(self) -> str:
        return str(self)


def shown(value: Any) -> Any:
    """A value about to be written into a text: data only, since all else is written with its address."""
    if type(value) is int:
        return bounded_int(value)
    side(value)
    if type(value) is str:
        if len(value) < FREE_ITEMS:
            charge(len(value))
        allocate(len(value))
    elif type(value) is float:
        spend(4)
    elif isinstance(value, set | frozenset):
        for item in value:
            _refuse_unwritable(item)
        return _Written(f"{{{', '.join(map(repr, ordered(value)))}}}" if value else "set()")
    elif type(value) not in SCALARS:
        _refuse_unwritable(value)
    return value


def formatted(value: Any, spec: str = "") -> str:
    """format(value, spec)."""
    return bounded_format(shown(value), spec)


def _refuse_unwritable(value: Any) -> None:
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if type(each) in SCALARS:
            continue
        tick()
        if isinstance(each, set | frozenset):
            raise TypeError("a set within another value has no order; write sorted(...) of it.")
        if isinstance(each, Mapping) and not isinstance(getattr(each, "default_factory", None), FunctionType):
            waiting += each.keys()
            waiting += each.values()
        elif isinstance(each, list | tuple | deque | KeysView | ValuesView | ItemsView):
            waiting += each
        elif isinstance(each, BaseException):
            waiting += each.args
        elif is_dataclass(each) and not isinstance(each, type):
            waiting += vars(each).values()
        elif not isinstance(each, str | float | int | complex | range | tzinfo | date):
            raise TypeError(f"a {type(each).__name__} cannot be written into a text; write one of its values.")


def unpacked(value: Any, depth: int) -> Any:
    """What a target such as `a, b` is bound to, where targets are nested this deep."""
    value = ordered(value)
    if depth == 1 or isinstance(value, str) or not isinstance(value, Iterable):
        return value
    return [unpacked(each, depth - 1) for each in source(value)]


def rows(values: Any, depth: int) -> Iterator[Any]:
    """What a loop with a target such as `a, b` goes over."""
    values = ordered(values)
    return map(ordered, values) if depth == 1 else (unpacked(each, depth) for each in values)


def cut(value: Any, start: Any, stop: Any, step: Any) -> Any:
    """value[start:stop:step]."""
    part = value[start:stop:step]
    if isinstance(part, _SIZED):
        charge(len(part))
        allocate(len(part))
    return part


def spread(values: Any) -> Any:
    """The values of `*values` or `**values`."""
    if isinstance(values, Mapping):
        spend(len(values))
        allocate(len(values))
        return values
    if isinstance(values, _SIZED):
        allocate(len(values))
    return source(values)


def made(value: _New) -> _New:
    """A new collection, paid for by its length."""
    allocate(len(value))
    return value


def frozen(value: Any) -> Any:
    """A computed constant, which every session sees."""
    if isinstance(value, dict):
        return MappingProxyType(value)
    if isinstance(value, set):
        return frozenset(value)
    return tuple(value) if isinstance(value, list) else value


def augment_item(container: Any, index: Any, operation: Callable[[Any, Any], Any], value: Any) -> None:
    """container[index] += value, for the operation that stands for `+=`."""
    key(index, len(container) if isinstance(container, HASHED) else 0)
    container[index] = operation(container[index], value)


def unclocked(owner: Any, name: str) -> Any:
    """owner.now, owner.today or owner.seed, where the owner is a handle and neither a date nor random numbers."""
    if isinstance(owner, Random):
        raise TypeError("the random numbers of a world are seeded already; use them as they come.")
    if isinstance(owner, date | time | type):
        raise TypeError(f"{owner!r} has no {name!r} here: there is no clock but db.now.")
    return getattr(owner, name)


def charge_search(part: Any, text: str) -> None:
    """Pay for looking for a text in another one, which may compare all of it at every place."""
    if isinstance(part, str):
        spend(len(part) * max(len(text) - len(part), 0) // COMPARED_PER_STEP)


def charge_comparisons(item: Any, container: Any) -> None:
    """Pay for looking for an item from one end of a container to the other."""
    if type(item) is str:
        charge(len(item))
        spend(len(item) * len(container) // FREE_ITEMS)
    elif type(item) in (Decimal, float):
        if type(item) is Decimal or Decimal in map(type, container):
            spend(DECIMAL_STEPS * len(container))
    elif type(item) not in SCALARS:
        weigh(item)
        for _ in container:
            weigh(item)
