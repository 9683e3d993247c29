"""What stands in a domain's code for subscripts, comparisons, spreads and texts: each charges the budget."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, ItemsView, Iterable, KeysView, Mapping, ValuesView
from datetime import date, time
from types import GeneratorType
from typing import Any

from runtime.session.budget import FREE_ITEMS, SCALARS, charge, spend, tick, weigh

_SIZED = (str, list, tuple, set, frozenset, dict, range, deque, KeysView, ValuesView, ItemsView, Mapping)
HASHED = (set, frozenset, dict, Mapping)
ITEMS_PER_STEP = 4


def ordered(values: Any) -> Any:
    """What a loop goes over: a set in sorted order, since its own order differs from process to process."""
    if not isinstance(values, set | frozenset):
        return values
    spend(len(values) // ITEMS_PER_STEP)
    try:
        return sorted(values)
    except TypeError:
        return sorted(values, key=lambda value: (type(value).__name__, repr(value)))


def take_from(values: set[Any]) -> Any:
    """values.pop(): the first in sorted order."""
    taken = ordered(values)[0] if values else values.pop()
    values.discard(taken)
    return taken


def source(iterable: Any) -> Any:
    """What a consumer in C may go over: a sized value, paid for at once, or an iterator that ticks."""
    iterable = ordered(iterable)
    if isinstance(iterable, _SIZED):
        if len(iterable) >= FREE_ITEMS:
            spend(len(iterable) // ITEMS_PER_STEP)
        return iterable
    if isinstance(iterable, GeneratorType) or not isinstance(iterable, Iterable):
        return iterable
    return (item for item in iterable if tick())


def key(value: Any) -> Any:
    """A value about to be hashed or compared: one that holds others is weighed first."""
    if type(value) not in SCALARS and not (type(value) is tuple and SCALARS.issuperset(map(type, value))):
        weigh(value)
    return value


def side(value: Any) -> Any:
    """One side of a comparison: the work is bounded by what is in it."""
    if type(value) is str:
        charge(len(value))
    elif type(value) not in SCALARS:
        weigh(value)
    return value


def contains(item: Any, container: Any) -> bool:
    """item in container."""
    if isinstance(container, HASHED):
        return key(item) in container
    if isinstance(container, str):
        charge(len(container))
    elif not (isinstance(container, range) and isinstance(item, int)):
        if not isinstance(container, _SIZED):
            container = list(source(container))
        charge_comparisons(item, source(container))
    return item in container


def shown(value: Any) -> Any:
    """A value about to be written into a text."""
    if type(value) is not int:
        side(value)
    if isinstance(value, set | frozenset):
        return f"{{{', '.join(map(repr, ordered(value)))}}}" if value else "set()"
    return value


def cut(value: Any, start: Any, stop: Any, step: Any) -> Any:
    """value[start:stop:step]."""
    part = value[start:stop:step]
    if isinstance(part, _SIZED):
        charge(len(part))
    return part


def spread(values: Any) -> Any:
    """The values of `*values` or `**values`."""
    if isinstance(values, Mapping):
        charge(len(values))
        return values
    return source(values)


def augment_item(container: Any, index: Any, operation: Callable[[Any, Any], Any], value: Any) -> None:
    """container[index] += value, for the operation that stands for `+=`."""
    key(index)
    container[index] = operation(container[index], value)


def unclocked(owner: Any, name: str) -> Any:
    """owner.now or owner.today, where the owner is a handle and not a date."""
    if isinstance(owner, date | time | type):
        raise TypeError(f"{owner!r} has no {name!r} here: there is no clock but db.now.")
    return getattr(owner, name)


def charge_comparisons(item: Any, container: Any) -> None:
    """Pay for looking for an item from one end of a container to the other."""
    if type(item) is str:
        charge(len(item))
    elif type(item) not in SCALARS:
        weigh(item)
        for _ in container:
            weigh(item)
