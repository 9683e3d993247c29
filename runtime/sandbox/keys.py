"""What it costs to hash a value: a program must not gain by keys that collide.

Python hashes texts and dates with a secret of the process, so nobody can make those collide. Numbers, and all that is
made of numbers, hash to what a program can compute. Two things can be made of them: keys of one hash, each of which
costs a step per other such key of the call; and keys whose search leads past all entries of the container, so each
costs a step per ENTRIES_PER_STEP of those. (A probe takes 2 to 4 ns.)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

from runtime.errors import Rejection
from runtime.sandbox.budget import (
    ENTRIES_PER_STEP,
    FREE_ITEMS,
    SECRETLY_HASHED,
    active_budget,
    allocate,
    charge,
    charge_again,
    ordered,
    spend,
    weigh,
)

HASHED = (set, frozenset, dict, Mapping)
_NUMBERS = frozenset({int, float})
MOST_HASHED = 2**61 - 2
"""A larger number hashes to the same as a smaller one."""


def key(value: Any, entries: int = 0) -> Any:
    """A value about to be hashed into a container of so many entries."""
    kind = type(value)
    if kind is str:
        if len(value) >= FREE_ITEMS:
            charge(len(value))
    elif kind in _NUMBERS:
        if kind is int and not -MOST_HASHED <= value <= MOST_HASHED:
            raise Rejection.resource_exhausted(
                f"A number beyond {MOST_HASHED} is used as a key; use its text instead, as in str(x)."
            )
        if entries >= ENTRIES_PER_STEP:
            spend(entries // ENTRIES_PER_STEP)
    elif not (kind in SECRETLY_HASHED or (kind is tuple and SECRETLY_HASHED.issuperset(map(type, value)))):
        spend(entries // ENTRIES_PER_STEP)
        weigh(value)
        _charge_same_hash(value)
    elif kind is tuple:
        for part in value:
            if type(part) is str and len(part) >= FREE_ITEMS:
                charge(len(part))
    return value


def _charge_same_hash(value: Any) -> None:
    budget = active_budget()
    if budget is None:
        return
    if budget.hashes is None:
        budget.hashes = {}
    same = budget.hashes.setdefault(hash(value), [])
    budget.spend(len(same))
    if value not in same:
        allocate(len(same) + 4)
        same.append(value)


def item(container: Any, index: Any) -> Any:
    """container[index]."""
    if type(index) is int and type(container) is list:
        return container[index]
    return container[_key_of(container, index)]


def put(value: Any, container: Any, index: Any) -> None:
    """container[index] = value."""
    container[_key_of(container, index)] = value


def into(container: Any) -> Any:
    """A container whose item is bound together with other names."""
    if isinstance(container, HASHED):
        spend(len(container) // ENTRIES_PER_STEP)
    return container


def _key_of(container: Any, index: Any) -> Any:
    return key(index, len(container)) if isinstance(container, HASHED) else index


def call_keyed(method: Any, /, *args: Any, **named: Any) -> Any:
    """method(key, ...), for a method that hashes its first argument and does little else."""
    owner = getattr(method, "__self__", None)
    if args:
        key(args[0], len(owner) if isinstance(owner, HASHED) else 0)
    return method(*args, **named)


def keyed(values: Iterable[Any]) -> Iterable[Any]:
    """What a set is filled from: each value is charged for as it is hashed."""
    if isinstance(values, HASHED):
        charge_again(values)
        return values
    filled = [*values]
    spend(len(filled) // 2)
    return [key(value, entries) for entries, value in enumerate(filled)]


def keyed_pairs(values: Iterable[Any]) -> Iterable[Any]:
    """What a dict is filled from."""
    if isinstance(values, Mapping):
        charge_again(values)
        return values
    pairs = [ordered(pair) for pair in values]
    spend(len(pairs))
    for entries, pair in enumerate(pairs):
        if isinstance(pair, list | tuple | deque) and pair:
            key(pair[0], entries)
    return pairs


def set_of(values: Iterable[Any]) -> set[Any]:
    """{value for ...}."""
    made: set[Any] = set()
    for value in values:
        made.add(key(value, len(made)))
    return made


def dict_of(pairs: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    """{key: value for ...}."""
    made: dict[Any, Any] = {}
    for index, value in pairs:
        made[key(index, len(made))] = value
    return made
