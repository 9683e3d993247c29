"""Builtins and imports in the form that a domain's code gets: each charges the budget for its work."""

from __future__ import annotations

import builtins
import importlib
import itertools
import math
import operator
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from functools import reduce
from types import MappingProxyType, ModuleType, SimpleNamespace
from typing import Any

from runtime.sandbox.allowed import AUTHOR_MODULES, BUILTINS, MODULES
from runtime.sandbox.budget import (
    bounded_range,
    enter,
    leave,
    ordered,
    return_to,
    spend,
    tick,
)
from runtime.sandbox.keys import call_keyed, dict_of, into, item, key, put, set_of
from runtime.sandbox.methods import call_method, hashable, pairs, sort, weigh_elements, weighed_by
from runtime.sandbox.numbers import (
    MAX_DIGITS,
    bounded_int,
    decimal,
    floor_divide,
    modulo,
    power,
    quotient_and_rest,
    refuse_far_decimal,
    rounded,
    shift_left,
    whole,
)
from runtime.sandbox.operations import (
    augment_item,
    contains,
    cut,
    formatted,
    frozen,
    made,
    rows,
    shown,
    side,
    source,
    spread,
    unclocked,
    unpacked,
)
from runtime.sandbox.operators import add, add_in_place, minus, multiply, plus, set_operation

_NARROW = 4  # arguments of a lazy function
_STEPS_PER_ARGUMENT = 8


def _list(iterable: Any = ()) -> list[Any]:
    return made(list(source(iterable)))


def _tuple(iterable: Any = ()) -> tuple[Any, ...]:
    return made(tuple(source(iterable)))


def _set(iterable: Any = ()) -> set[Any]:
    return made(set(hashable(iterable)))


def _frozenset(iterable: Any = ()) -> frozenset[Any]:
    return made(frozenset(hashable(iterable)))


def _dict(values: Any = (), /, **named: Any) -> dict[Any, Any]:
    return made(dict(pairs(values), **named))


def _counter(values: Any = (), /, **named: Any) -> Counter[Any]:
    return Counter(hashable(source(values)), **named)


def _defaultdict(factory: Any = None, values: Any = (), /) -> defaultdict[Any, Any]:
    return _Defaultdict(_REAL.get(factory, factory), pairs(values))


class _Defaultdict(defaultdict[Any, Any]):
    """A defaultdict that Python takes apart: the one in C outgrows its stack when it is nested deep, and crashes."""

    __slots__ = ()


_Defaultdict.__name__ = "defaultdict"


def _str(value: Any = "") -> str:
    return str(shown(value))


def _repr(value: Any) -> str:
    return repr(shown(value))


def _float(value: Any = 0.0) -> float:
    return float(side(value))


def _sum(values: Any, /, start: Any = 0) -> Any:
    if isinstance(start, list | tuple | dict | Counter):
        raise TypeError("sum() adds numbers; join sequences with a comprehension.")
    values = source(values)
    if isinstance(values, Sized):
        spend(len(values) // 2)
    return bounded_int(sum(values, start))


def _all(values: Any) -> bool:
    return all(source(values))


def _any(values: Any) -> bool:
    return any(source(values))


def _sorted(values: Any, /, *, key: Any = None, reverse: bool = False) -> list[Any]:
    items = list(source(values))
    sort(items, key=key, reverse=reverse)
    return made(items)


def _filter(function: Any, values: Any) -> Iterator[Any]:
    return filter(function, (item for item in ordered(values) if tick()))


def _zip(*iterables: Any, strict: bool = False) -> Iterator[tuple[Any, ...]]:
    _charge_wide(iterables)
    rows = zip(*map(ordered, iterables), strict=strict)
    return rows if len(iterables) < _NARROW else _paid_by_width(rows)


def _zip_longest(*iterables: Any, fillvalue: Any = None) -> Iterator[tuple[Any, ...]]:
    _charge_wide(iterables)
    return _paid_by_width(itertools.zip_longest(*map(_ticked, iterables), fillvalue=fillvalue))


def _charge_wide(iterables: tuple[Any, ...]) -> None:
    """Pay for what is made of each argument of a lazy function."""
    if len(iterables) >= _NARROW:
        spend(_STEPS_PER_ARGUMENT * len(iterables))


def _paid_by_width(rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    for row in rows:
        spend(len(row) // _NARROW)
        yield row


def _map(function: Any, *iterables: Any) -> Iterator[Any]:
    if len(iterables) < _NARROW:
        return map(function, *map(ordered, iterables))
    return itertools.starmap(function, _zip(*iterables))


def _extreme(choose: Callable[..., Any]) -> Callable[..., Any]:
    def bounded(*values: Any, key: Any = None, **default: Any) -> Any:
        if len(values) == 1:
            values = (list(source(values[0])),)
        compared = source(values[0] if len(values) == 1 else values)
        spend(len(compared) // 2)
        if key is None:
            weigh_elements(compared)
        return choose(*values, key=weighed_by(key), **default)

    return bounded


def _accumulate(values: Any, function: Any = add, *, initial: Any = None) -> Iterator[Any]:
    return itertools.accumulate((item for item in ordered(values) if tick()), function, initial=initial)


def _ticking(function: Callable[..., Any]) -> Callable[..., Any]:
    """A lazy function of itertools, which may skip any number of items at once."""

    def bounded(*args: Any, **named: Any) -> Any:
        _charge_wide(args)
        return function(*[_ticked(arg) for arg in args], **named)

    return bounded


def _ticked(value: Any) -> Any:
    return (item for item in ordered(value) if tick()) if isinstance(value, Iterable) else value


def _consuming(function: Callable[..., Any], steps_per_item: int) -> Callable[..., Any]:
    """A function of numbers that goes over all its items, at so many steps each."""

    def bounded(values: Any, *args: Any, **named: Any) -> Any:
        items = list(source(values))
        spend((len(items) + 4) * steps_per_item)
        for number in items:
            refuse_far_decimal(number, MAX_DIGITS)
            side(bounded_int(number))
        return function(items, *args, **named)

    return bounded


def _guarded(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function from a number to an integer."""

    def bounded(value: Any) -> Any:
        refuse_far_decimal(value)
        return bounded_int(function(value))

    return bounded


def _enumerate(values: Any, start: int = 0) -> Iterator[tuple[int, Any]]:
    return enumerate(ordered(values), start)


def _groupby(values: Any, key: Any = None) -> Iterator[tuple[Any, list[Any]]]:
    """Groups as lists, each of which may be kept."""
    for value, group in itertools.groupby(_ticked(values), weighed_by(key or side)):
        yield value, made(list(group))


def _reduce(function: Any, values: Any, *initial: Any) -> Any:
    return reduce(function, (item for item in ordered(values) if tick()), *initial)


def import_allowed(
    name: str, scope: object = None, inner: object = None, wanted: Sequence[str] | None = (), level: int = 0
) -> Any:
    """The `__import__` of a domain's code: a namespace with the names asked for, and nothing else of the module."""
    if level or not wanted or name not in MODULES.keys() | AUTHOR_MODULES:
        raise ImportError(f"{name!r} is not open to a domain's code; have: {', '.join(sorted(MODULES))}, runtime")
    module = importlib.import_module(name)
    return SimpleNamespace(**{each: _offered(module, name, each) for each in wanted})


def _offered(module: ModuleType, name: str, wanted: str) -> Any:
    offered = getattr(module, "__all__", ()) if name in AUTHOR_MODULES else MODULES[name]
    if wanted not in offered:
        raise ImportError(f"{name!r} offers no {wanted!r}; have: {', '.join(sorted(offered))}")
    return _BOUNDED_IMPORTS.get((name, wanted)) or getattr(module, wanted)


def _bounded_imports() -> dict[tuple[str, str], Any]:
    lazy = ("chain", "dropwhile", "islice", "pairwise", "takewhile")
    return {
        **{("itertools", name): _ticking(getattr(itertools, name)) for name in lazy},
        ("itertools", "accumulate"): _accumulate,
        ("itertools", "groupby"): _groupby,
        ("itertools", "zip_longest"): _zip_longest,
        ("functools", "reduce"): _reduce,
        **{("math", name): _guarded(getattr(math, name)) for name in ("ceil", "floor", "isqrt", "trunc")},
        ("math", "fsum"): _consuming(math.fsum, 1),
        **{("statistics", name): _consuming(getattr(statistics, name), 16) for name in MODULES["statistics"]},
    }


_BOUNDED_IMPORTS = _bounded_imports()
_REAL: dict[Any, Any] = {_list: list, _dict: dict, _set: set, whole: int, _float: float, _str: str, _tuple: tuple}

INJECTED: dict[str, Any] = {
    "tick": tick,
    "enter": enter,
    "leave": leave,
    "return_to": return_to,
    "add": add,
    "add_in_place": add_in_place,
    "subtract": set_operation(operator.sub),
    "subtract_in_place": set_operation(operator.isub),
    "minus": minus,
    "multiply": multiply,
    "plus": plus,
    "power": power,
    "modulo": modulo,
    "floor_divide": floor_divide,
    "shift_left": shift_left,
    "unite": set_operation(operator.or_),
    "unite_in_place": set_operation(operator.ior),
    "intersect": set_operation(operator.and_),
    "intersect_in_place": set_operation(operator.iand),
    "differ": set_operation(operator.xor),
    "differ_in_place": set_operation(operator.ixor),
    "divide": operator.truediv,
    "shift_right": operator.rshift,
    "augment_item": augment_item,
    "call_keyed": call_keyed,
    "call_method": call_method,
    "contains": contains,
    "cut": cut,
    "dict_of": dict_of,
    "frozen": frozen,
    "into": into,
    "item": item,
    "key": key,
    "made": made,
    "ordered": ordered,
    "put": put,
    "rows": rows,
    "set_of": set_of,
    "shown": shown,
    "side": side,
    "spread": spread,
    "unclocked": unclocked,
    "unpacked": unpacked,
    "table": MappingProxyType,
    "tuple_of": tuple,
    "frozenset_of": frozenset,
    "all": _all,
    "any": _any,
    "dict": _dict,
    "divmod": quotient_and_rest,
    "enumerate": _enumerate,
    "filter": _filter,
    "float": _float,
    "format": formatted,
    "frozenset": _frozenset,
    "int": whole,
    "list": _list,
    "map": _map,
    "max": _extreme(max),
    "min": _extreme(min),
    "pow": power,
    "range": bounded_range,
    "repr": _repr,
    "round": rounded,
    "set": _set,
    "sorted": _sorted,
    "str": _str,
    "sum": _sum,
    "tuple": _tuple,
    "zip": _zip,
    "Counter": _counter,
    "Decimal": decimal,
    "defaultdict": _defaultdict,
}
"""What the transformed code calls; a leading dot in front of each name keeps it out of the source's reach."""


def allowed_builtins() -> dict[str, Any]:
    """The `__builtins__` of a domain's module."""
    names = [*BUILTINS, "__build_class__", "NotImplemented", "hash"]  # what classes and data classes are made with
    return {
        **{name: getattr(builtins, name) for name in names},
        **{f".{name}": value for name, value in INJECTED.items()},
        "__import__": import_allowed,
    }
