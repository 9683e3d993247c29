"""The bounded forms of operators, builtins and methods that stand in the code of a domain: each pays for its work."""

from __future__ import annotations

import builtins
import importlib
import itertools
import math
import operator
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from functools import partial, reduce
from random import Random
from string import Formatter
from types import GeneratorType, MappingProxyType, SimpleNamespace
from typing import Any

from runtime.errors import Rejection
from runtime.sandbox.allowed import AUTHOR_MODULES, BUILTINS, MODULES, is_offered
from runtime.sandbox.budget import (
    ITEMS_PER_STEP,
    MAX_BITS,
    SCALARS,
    SIZED,
    allocate,
    grown,
    ordered,
    spend,
    steps_left,
    taken,
    tick,
    weigh,
)

_MAX_WIDTH = 1000
_SEQUENCES = (str, list, tuple, range)

# Operators


def _bounded(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return an operation whose result is at most as large as its operands together."""

    def bounded(a: Any, b: Any) -> Any:
        for each in (a, b):
            if type(each) not in SCALARS:
                taken(each) if isinstance(each, _SEQUENCES) else weigh(each)
        return grown(operation(a, b))

    return bounded


_add = _bounded(operator.add)


def _add_in_place(a: Any, b: Any) -> Any:
    if isinstance(a, list):
        b = taken(list(b) if isinstance(b, GeneratorType) else b)
        allocate(len(b))
        a += b
        return a
    return _add(a, b)


def _multiply(a: Any, b: Any) -> Any:
    if isinstance(b, _SEQUENCES):
        a, b = b, a
    if isinstance(a, _SEQUENCES) and isinstance(b, int):
        allocate(len(a) * max(b, 0))
    elif isinstance(a, int) and isinstance(b, int) and a.bit_length() + b.bit_length() > MAX_BITS:
        _refuse_bits()
    return grown(a * b) if type(a) is int else a * b


def _power(a: Any, b: Any, modulus: Any = None) -> Any:
    if modulus is None and isinstance(a, int) and isinstance(b, int) and a.bit_length() * b > MAX_BITS:
        _refuse_bits()
    return pow(a, b, modulus)


def _shift_left(a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int) and a.bit_length() + b > MAX_BITS:
        _refuse_bits()
    return a << b


def _modulo(a: Any, b: Any) -> Any:
    if isinstance(a, str):
        raise TypeError(f"{a[:40]!r} % ... formats text; write an f-string.")
    return a % b


def _augment(container: Any, index: Any, operation: Callable[[Any, Any], Any], value: Any) -> None:
    container[index] = operation(container[index], value)


def _contains(item: Any, container: Any) -> bool:
    weigh(item)
    if not isinstance(container, str | set | frozenset | dict | range):
        weigh(container)
    return item in container


def _refuse_bits() -> None:
    raise Rejection.resource_exhausted(f"This call makes a number of more than {MAX_BITS} bits; ask for less at once.")


# Numbers and texts


def _near(value: Any) -> Any:
    """A Decimal such as 1e999999 is short until its digits are written out."""
    if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) > _MAX_WIDTH:
        raise Rejection.resource_exhausted(f"{value:.2e} has more than {_MAX_WIDTH} digits; ask for less at once.")
    return value


def _decimal(value: Any = "0") -> Decimal:
    if isinstance(value, SIZED) and len(value) > _MAX_WIDTH:
        raise Rejection.resource_exhausted(f"A Decimal is made of more than {_MAX_WIDTH} digits; ask for less at once.")
    number: Decimal = _near(Decimal(value))
    return number


def _int(value: Any = 0, *base: Any) -> int:
    return int(grown(int(_near(taken(value)), *base)))


def _round(value: Any, places: Any = None) -> Any:
    if isinstance(places, int) and abs(places) > _MAX_WIDTH:
        raise Rejection.resource_exhausted(f"{places} places are too many to round to; ask for at most {_MAX_WIDTH}.")
    return grown(round(_near(value), places))


def _range(*bounds: int) -> range:
    wanted = range(*bounds)
    if (wanted.stop - wanted.start) // wanted.step > steps_left():
        spend(steps_left() + 1)
    return wanted


def _shown(value: Any) -> Any:
    """Pay for a value that is about to be written into a text."""
    return value if type(value) in SCALARS else weigh(value, is_written=True)


def _str(value: Any = "") -> str:
    text = str(_shown(value))
    grown(text)
    return text


def _repr(value: Any) -> str:
    text = repr(_shown(value))
    grown(text)
    return text


def _format(value: Any, spec: str = "") -> str:
    digits = "".join(letter if letter.isdigit() else " " for letter in spec[:_MAX_WIDTH]).split()
    if len(spec) > _MAX_WIDTH or any(len(width) > 4 or int(width) > _MAX_WIDTH for width in digits):
        raise Rejection.resource_exhausted(f"A format asks for more than {_MAX_WIDTH} places; ask for less at once.")
    text = format(_near(_shown(value)), spec)
    grown(text)
    return text


def _format_text(text: str, /, *args: Any, **named: Any) -> str:
    """text.format(...), with plain fields only."""
    parts: list[str] = []
    position = 0
    for literal, field, spec, conversion in Formatter().parse(text):
        tick()
        parts.append(literal)
        if field is None:
            continue
        if not (field == "" or field.isidentifier() or field.isdecimal()) or "{" in (spec or ""):
            raise TypeError(f"the field {field!r} of a format reaches into a value; write an f-string.")
        value = named[field] if field.isidentifier() else args[int(field or position)]
        position += field == ""
        value = _repr(value) if conversion == "r" else _str(value) if conversion else value
        parts.append(_format(value, spec or ""))
    return _join("", parts)


def _join(text: str, parts: Iterable[Any]) -> str:
    listed = list(taken(parts))
    allocate(sum(len(part) for part in listed if isinstance(part, str)) + len(text) * len(listed))
    return text.join(listed)


# Functions over collections


def _eager(function: Callable[..., Any], is_wide: bool = False) -> Callable[..., Any]:
    """Return a function that gives a list where Python gives an iterator: one that is kept could nest without end."""

    def bounded(*args: Any, **named: Any) -> list[Any]:
        values = [taken(list(arg) if isinstance(arg, GeneratorType) else arg) for arg in args]
        sizes = [len(value) for value in values if isinstance(value, SIZED)]
        spend(len(values))
        allocate(len(sizes) * max(sizes, default=0) if is_wide else sum(sizes))
        return list(function(*values, **named))

    return bounded


def _groupby(values: Any, key: Any = None) -> list[tuple[Any, list[Any]]]:
    groups = itertools.groupby(taken(values), lambda value: weigh(key(value) if key else value))
    return [(mark, grown(list(group))) for mark, group in groups]


def _making(kind: Callable[..., Any]) -> Callable[..., Any]:
    """Return a bounded list(...), set(...), dict(...) or their like."""

    def bounded(*values: Any, **named: Any) -> Any:
        filled = [taken(list(each) if isinstance(each, GeneratorType) else each) for each in values]
        return grown(kind(*(filled if kind in (list, tuple) else map(weigh, filled)), **named))

    return bounded


def _counting(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of numbers, which takes a step for each."""

    def bounded(values: Any, *args: Any, **named: Any) -> Any:
        numbers = [_near(number) for number in taken(values) if tick()]
        return grown(function(numbers, *args, **named))

    return bounded


def _reduce(function: Any, values: Any, *initial: Any) -> Any:
    return reduce(function, taken(values), *initial)


def _accumulate(values: Any, function: Any = None, **initial: Any) -> list[Any]:
    return list(itertools.accumulate(taken(values), function or _add, **initial))


def _sum(values: Any, /, start: Any = 0) -> Any:
    if isinstance(start, SIZED):
        raise TypeError("sum() adds numbers; join sequences with a comprehension.")
    return grown(sum(taken(values), start))


def _extreme(choose: Callable[..., Any]) -> Callable[..., Any]:
    def bounded(*values: Any, key: Any = None, **default: Any) -> Any:
        items = list(taken(values[0])) if len(values) == 1 else list(values)
        weigh([key(item) for item in items] if key else items)
        return choose(items, key=key, **default)

    return bounded


def _sort(values: list[Any], *, key: Any = None, reverse: bool = False) -> None:
    keys = weigh([key(value) for value in values] if key else list(values))
    places = sorted(range(len(values)), key=keys.__getitem__, reverse=reverse)
    values[:] = [values[place] for place in places]


def _sorted(values: Any, /, *, key: Any = None, reverse: bool = False) -> list[Any]:
    items = list(taken(values))
    _sort(items, key=key, reverse=reverse)
    return list(grown(items))


class _Defaultdict(defaultdict[Any, Any]):
    """A defaultdict that Python takes apart: the one in C outgrows its stack when it is nested deep, and crashes."""


def _bounded_method(method: Any) -> Callable[..., Any]:
    """Return a method that, if it is one of a text, a collection or random numbers, pays for what it makes."""
    owner, name = getattr(method, "__self__", None), getattr(method, "__name__", "")
    match owner, name:
        case str(), "join":
            return partial(_join, owner)
        case str(), "format":
            return partial(_format_text, owner)
        case list(), "sort":
            return partial(_sort, owner)
        case set(), "pop" if owner:
            return partial(_pop_first, owner)
        case (list() | dict(), "pop"):
            return method  # type: ignore[no-any-return]
    return partial(_call_method, owner, name, method)


def _pop_first(values: set[Any]) -> Any:
    first = ordered(values)[0]
    values.discard(first)
    return first


def _call_method(owner: Any, name: str, method: Any, /, *args: Any, **named: Any) -> Any:
    values: list[Any] = [list(arg) if isinstance(arg, GeneratorType) else ordered(arg) for arg in args]
    sizes = [len(value) for value in values if isinstance(value, SIZED)]
    if isinstance(owner, Random):
        allocate(sum(sizes) + sum(value for value in (*args, *named.values()) if isinstance(value, int)))
    elif isinstance(owner, str):
        spend(len(owner) // ITEMS_PER_STEP)
        if name == "replace":
            allocate(len(owner) + owner.count(values[0]) * len(values[1]))
        elif name in ("strip", "lstrip", "rstrip"):
            spend(len(owner) * sum(sizes) // ITEMS_PER_STEP)
        elif values and isinstance(values[0], int):  # a width
            allocate(values[0])
    elif name in ("count", "index", "remove"):
        weigh(owner)
    elif isinstance(owner, SIZED):
        allocate(sum(sizes))
        if name not in ("extend", "update"):
            taken(owner)
    else:
        return method(*args, **named)
    return grown(method(*values, **named))


def _plain(value: Any) -> Any:
    """What a handle calls now, today or seed, which on a date or on random numbers are methods."""
    if callable(value):
        raise TypeError("there is no clock or randomness but the session's; use db.now.")
    return value


def _frozen(value: Any) -> Any:
    """Return the read-only kind of a constant, which every session sees."""
    if isinstance(value, dict):
        return MappingProxyType({key: _frozen(each) for key, each in value.items()})
    if type(value) in (list, tuple):
        return tuple(map(_frozen, value))
    return frozenset(value) if isinstance(value, set) else value


# What code is given


def import_allowed(
    name: str, scope: object = None, inner: object = None, wanted: Sequence[str] | None = (), level: int = 0
) -> Any:
    """The `__import__` of a domain's code: a namespace with the names asked for, and nothing else of the module."""
    if level or name not in MODULES.keys() | AUTHOR_MODULES:
        raise ImportError(f"{name!r} is not open to a domain's code; have: {', '.join(sorted(MODULES))}, runtime")
    module = importlib.import_module(name)
    for each in wanted or ():
        if not is_offered(name, each):
            raise ImportError(f"{name!r} offers no {each!r} to a domain's code")
    return SimpleNamespace(**{each: _IMPORTS.get((name, each)) or getattr(module, each) for each in wanted or ()})


def _near_number(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda value: grown(function(_near(value)))


_IMPORTS: dict[tuple[str, str], Any] = {
    **{("itertools", name): _eager(getattr(itertools, name)) for name in ("chain", "dropwhile", "islice", "takewhile")},
    **{("itertools", name): _eager(getattr(itertools, name), is_wide=True) for name in ("pairwise", "zip_longest")},
    ("itertools", "accumulate"): _accumulate,
    ("itertools", "groupby"): _groupby,
    ("functools", "reduce"): _reduce,
    **{("math", name): _near_number(getattr(math, name)) for name in ("ceil", "floor", "isqrt", "trunc")},
    ("math", "fsum"): _counting(math.fsum),
    **{("statistics", name): _counting(getattr(statistics, name)) for name in MODULES["statistics"]},
}

_INJECTED: dict[str, Any] = {
    **{"tick": tick, "ordered": ordered, "weigh": weigh, "shown": _shown, "grown": grown, "taken": taken},
    **{"add": _add, "add_in_place": _add_in_place, "multiply": _multiply, "power": _power, "modulo": _modulo},
    **{
        name: _bounded(getattr(operator, name)) for name in ("sub", "or_", "and_", "xor", "isub", "ior", "iand", "ixor")
    },
    **{"shift_left": _shift_left, "divide": operator.truediv, "floor_divide": operator.floordiv},
    **{"shift_right": operator.rshift, "augment": _augment, "contains": _contains, "method": _bounded_method},
    **{"plain": _plain, "frozen": _frozen, "type": type},
    "DATA": frozenset({str, list, tuple, dict, set, frozenset, range, Counter, _Defaultdict, MappingProxyType, Random}),
    **{name: _eager(getattr(builtins, name)) for name in ("enumerate", "filter", "reversed")},
    **{name: _eager(getattr(builtins, name), is_wide=True) for name in ("map", "zip")},
    **{name: _making(getattr(builtins, name)) for name in ("dict", "frozenset", "list", "set", "tuple")},
    **{"Counter": _making(Counter), "defaultdict": _making(_Defaultdict), "Decimal": _decimal},
    **{"all": lambda values: all(taken(values)), "any": lambda values: any(taken(values)), "sum": _sum},
    **{"max": _extreme(max), "min": _extreme(min), "sorted": _sorted},
    **{"int": _int, "round": _round, "pow": _power, "range": _range, "float": float},
    **{"str": _str, "repr": _repr, "format": _format},
}
"""What the rewritten code calls; a leading dot in front of each name keeps it out of reach of the source."""


def allowed_builtins() -> dict[str, Any]:
    """Return the `__builtins__` of a domain's module."""
    names = [*BUILTINS, "__build_class__", "NotImplemented", "hash"]  # what classes and data classes are made with
    return {
        **{name: getattr(builtins, name) for name in names},
        **{f".{name}": value for name, value in _INJECTED.items()},
        "__import__": import_allowed,
    }
