"""Methods of texts and collections as a domain's code calls them: each charges the budget for its work."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import ItemsView, Iterable, KeysView, Sized, ValuesView
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import cache
from random import Random
from string import Formatter
from types import FunctionType, MappingProxyType
from typing import Any

from runtime.errors import Rejection
from runtime.sandbox.budget import (
    FREE_ITEMS,
    allocate,
    charge,
    sorting_steps,
    spend,
    steps_left,
    tick,
)
from runtime.sandbox.keys import HASHED, key, keyed, keyed_pairs
from runtime.sandbox.numbers import charge_layout
from runtime.sandbox.operations import (
    COMPARED_PER_STEP,
    ITEMS_PER_STEP,
    charge_comparisons,
    formatted,
    made,
    shown,
    side,
    source,
    take_from,
)
from runtime.sandbox.operators import add_in_place

_QUICKLY_COMPARED = frozenset({str, int, float, bool, date})
_LETTER_BY_LETTER = frozenset({"capitalize", "casefold", "lower", "swapcase", "title", "upper"})
_VIEWS = (KeysView, ItemsView, ValuesView)
_CHARGED = (str, Random, date, time, list, tuple, set, frozenset, dict, deque, range, MappingProxyType, *_VIEWS)
_SEARCHES = frozenset(
    {"count", "find", "index", "partition", "replace", "rfind", "rindex", "rpartition", "rsplit", "split"}
    | {"lstrip", "rstrip", "strip"}
)
_OPEN_TYPES = (date, datetime, time, timedelta, Decimal, Rejection, dict)


def call_method(method: Any, /, *args: Any, **named: Any) -> Any:
    """method(*args, **named), charged if it is a text's or a collection's."""
    owner = getattr(method, "__self__", None)
    kind: type = type(owner)
    if _is_plain(kind):
        if owner is None or isinstance(owner, type):
            _refuse_unbound(method, owner, [*args[1:], *named.values()])
        for value in args:
            side(value)
        for value in named.values():
            side(value)
        return method(*args, **named)
    if isinstance(owner, str):
        if method.__name__ == "format":
            return format_text(owner, *args, **named)
        return method(*_charge_text(owner, method.__name__, args, named), **named)
    if isinstance(owner, Random):
        for value in (*args, *named.values()):
            charge(value if isinstance(value, int) else len(source(value)))
        return method(*args, **named)
    if isinstance(owner, date | time):
        plain = {name: side(value) for name, value in named.items()}
        return formatted(owner, *args, **named) if method.__name__ == "strftime" else method(*map(side, args), **plain)
    name = method.__name__
    if name == "sort":
        return sort(owner, **named)
    if name == "pop" or name == "insert":
        if isinstance(owner, set):
            return take_from(owner)
        if isinstance(owner, list):
            charge(len(owner))
        elif args and isinstance(owner, dict):
            key(args[0], len(owner))
        return method(*args, **named)
    if name in ("index", "count", "remove"):
        if isinstance(owner, HASHED):
            key(args[0], len(owner))
        else:
            charge_comparisons(args[0], source(owner))
        if name == "index":
            return _index(method, owner, args)
        return method(*args, **named)
    source(owner)
    if isinstance(owner, Sized):
        allocate(len(owner))
    if name == "elements" and isinstance(owner, Counter):
        spend(sum(max(int(times), 0) for times in owner.values()))
        return made(list(method()))
    if name == "extend":
        add_in_place(owner, args[0])
        return None
    if isinstance(owner, Counter):
        spend(2 * len(owner))
    filled = pairs if isinstance(owner, dict) and not isinstance(owner, Counter) else hashable
    return method(*map(filled, args), **named)


def _index(method: Any, owner: Any, args: tuple[Any, ...]) -> int:
    """owner.index(...); Python's own error would write the value out, with an address or in the order of a hash."""
    try:
        return int(method(*args))
    except ValueError:
        raise ValueError(f"the {type(owner).__name__} does not hold the value") from None


@cache
def _is_plain(kind: type) -> bool:
    """Whether a type, such as that of a handle, is none of those whose methods are charged one by one."""
    return not issubclass(kind, _CHARGED)


def _refuse_unbound(method: Any, owner: type | None, layouts: list[Any]) -> None:
    """Refuse a method of a type that is called with its owner as an argument, past the charges above."""
    if owner not in _OPEN_TYPES and not isinstance(method, FunctionType):
        raise TypeError("a method of a type is not called by itself; call it on a value.")
    if owner is not None and method.__name__ == "strptime":
        for layout in layouts:
            charge_layout(str(layout))


def format_text(text: str, /, *args: Any, **named: Any) -> str:
    """text.format(...), with plain fields only and every width bounded."""
    parts: list[str] = []
    position = 0
    for literal, field, spec, conversion in Formatter().parse(text):
        tick(8)
        parts.append(literal)
        if field is None:
            continue
        if not (field == "" or field.isidentifier() or field.isdecimal()) or "{" in (spec or ""):
            raise TypeError(f"the field {field!r} of a format reaches into a value; write an f-string.")
        value = named[field] if field.isidentifier() else args[int(field or position)]
        position += field == ""
        if conversion:
            value = repr(shown(value)) if conversion == "r" else str(shown(value))
        parts.append(formatted(value, spec or ""))
        charge(sum(map(len, parts)) if len(parts) < FREE_ITEMS else len(parts))
    return "".join(parts)


def _charge_text(text: str, name: str, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
    charge(2 * len(text) if name in _LETTER_BY_LETTER else len(text))
    allocate(len(text) if name in ("rsplit", "split", "splitlines") else len(text) // ITEMS_PER_STEP)
    if name == "join" and args:
        parts = list(source(args[0]))
        charge(sum(len(part) for part in parts if isinstance(part, str)) + len(text) * len(parts))
        return (parts, *args[1:])
    for arg in (*args, *named.values()):
        if isinstance(arg, tuple):  # of beginnings or endings
            charge(sum([ITEMS_PER_STEP + min(len(part), len(text)) for part in arg if isinstance(part, str)]))
        elif isinstance(arg, str):
            charge(len(arg))
            if name in _SEARCHES:
                spend(len(arg) * len(text) // COMPARED_PER_STEP)
    if name == "replace" and len(args) > 1 and isinstance(args[0], str) and isinstance(args[1], str):
        charge(len(text) + text.count(args[0]) * len(args[1]))
    elif name in ("ljust", "rjust", "center", "zfill") and args and isinstance(args[0], int):
        charge(max(args[0], 0))
    elif name == "expandtabs":
        size = [*args, *named.values(), 8][0]
        charge(text.count("\t") * (size if isinstance(size, int) else 8))
    return args


def sort(values: Any, *, key: Any = None, reverse: bool = False) -> None:
    """values.sort(...), charged for its comparisons: each value is compared as often as the count has bits."""
    keys = values if key is None else [key(value) for value in values if tick()]
    before = steps_left()
    weigh_elements(keys)
    weight = before - steps_left()
    slowness = 1 if _QUICKLY_COMPARED.issuperset(map(type, keys)) else 4
    spend(slowness * sorting_steps(len(keys)) + weight * len(keys).bit_length())
    if key is None:
        values.sort(reverse=reverse)
        return
    places = sorted(range(len(keys)), key=keys.__getitem__, reverse=reverse)
    values[:] = [values[place] for place in places]


def hashable(values: Any) -> Any:
    """What a set or dict may be filled from."""
    if isinstance(values, Iterable) and not isinstance(values, str):
        return keyed(source(values))
    return values


def pairs(values: Any) -> Any:
    """What a dict is filled from."""
    if isinstance(values, Iterable) and not isinstance(values, str):
        return keyed_pairs(source(values))
    return values


def weigh_elements(values: Iterable[Any]) -> None:
    """Pay for comparing the elements of a collection."""
    for value in values:
        if type(value) is not int:
            side(value)


def weighed_by(function: Any) -> Any:
    """A key function whose keys are weighed, since they will be compared."""
    if function is None:
        return None

    def weighed(value: Any) -> Any:
        tick()
        return side(function(value))

    return weighed
