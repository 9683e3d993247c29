"""How many steps and items a call may take, and the bounded forms of what could make too many at once."""

from __future__ import annotations

import builtins
import importlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, MappingView, Sequence
from contextvars import ContextVar
from datetime import date, datetime, time, timedelta
from decimal import Context, Decimal, getcontext, setcontext
from random import Random
from string import Formatter
from types import GeneratorType, MappingProxyType, SimpleNamespace, TracebackType
from typing import Any, Literal

from runtime.errors import Rejection
from runtime.sandbox.allowed import AUTHOR_MODULES, BUILTINS, KEYED_METHODS, MACHINE, MODULES, is_offered

MAX_BITS = 256  # of an integer
_ITEMS_PER_STEP = 16
_WITHOUT_END = 1 << 62

SCALARS = frozenset({str, int, float, bool, type(None), date, datetime, time, timedelta, Decimal})
_PARTS = frozenset({list, tuple, set, frozenset})
_SETS = (set, frozenset)
_UNSIZED = SCALARS - {str, int}
_MOST_DEPTH = 50  # of a list within a list within a list
_MOST_EXPONENT = 1_000  # of a Decimal
_DECIMALS = Context(Emax=_MOST_EXPONENT, Emin=-_MOST_EXPONENT)


class Budget:
    """The steps that one call may take; `with budget:` makes this thread spend it, and bounds its decimals."""

    __slots__ = ("_decimals", "_outer", "left", "limit")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.left = limit
        self._outer: Budget | None = None

    def spend(self, steps: int = 1) -> None:
        """Take steps; a Rejection once they are used up, and from then on."""
        self.left -= steps
        if self.left < 0:
            raise Rejection.resource_exhausted(f"This call did more than {self.limit} steps; ask for less at once.")

    def __enter__(self) -> Budget:
        self._outer = _active.get()
        _active.set(self)
        self._decimals = getcontext()
        setcontext(_DECIMALS)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        assert self._outer is not None
        _active.set(self._outer)
        setcontext(self._decimals)
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
    """Pay for items or characters before they are made or gone through."""
    if items >= _ITEMS_PER_STEP:
        _active.get().spend(items // _ITEMS_PER_STEP)


class _Kinds(dict[type, bool]):
    """Whether a type is one of these; to ask an abstract class each time takes longer than most operations."""

    def __init__(self, *kinds: type) -> None:
        super().__init__()
        self._kinds = kinds

    def __missing__(self, kind: type) -> bool:
        self[kind] = issubclass(kind, self._kinds)
        return self[kind]


_is_sized = _Kinds(str, list, tuple, set, frozenset, range, dict, Mapping, MappingView)
_is_mapping = _Kinds(dict, Mapping)
_is_keyed = _Kinds(set, frozenset, dict, Mapping)
_is_view = _Kinds(MappingView)


def grown(value: Any) -> Any:
    """Pay for a value as large as it is: one that others made, or that an operation goes through."""
    kind = type(value)
    if kind is int:
        if value.bit_length() > MAX_BITS:
            _refuse_bits()
    elif _is_sized[kind] and len(value) >= _ITEMS_PER_STEP:
        allocate(len(value))
    return value


def light(value: Any) -> Any:
    """Pay for a value that is compared or hashed: for all that is within it."""
    if type(value) in SCALARS:
        return value
    budget, level = _active.get(), [value]
    for _ in range(_MOST_DEPTH):
        inner: list[Any] = []
        for each in level:
            kind = type(each)
            if kind in _PARTS:
                parts = each
            elif _is_mapping[kind]:
                parts = (*each.keys(), *each.values())
            else:
                parts = each if _is_view[kind] else ()
            budget.left -= 1 + len(parts) // _ITEMS_PER_STEP
            if budget.left < 0:
                budget.spend(0)
            for part in parts:
                if type(part) not in SCALARS:
                    inner.append(part)
        if not inner:
            return value
        level = inner
    raise Rejection.resource_exhausted(f"This call nests a value more than {_MOST_DEPTH} deep; make it flatter.")


def _searched(values: Any) -> Any:
    """Pay for what `in` goes through; a set and a mapping find a key at once."""
    return values if _is_keyed[type(values)] else light(grown(values))


def ordered(values: Any) -> Any:
    """Return what a loop goes over: a set in sorted order, since its own order differs from process to process."""
    if not isinstance(values, _SETS):
        return values
    spend(len(values))
    parts = [part for each in values for part in (each if type(each) is tuple else (each,))]
    if any(part != part or (type(part) not in SCALARS and not isinstance(part, str | float | int)) for part in parts):
        raise TypeError(_NO_ORDER)  # a set of sets has no order even when it is sorted
    return sorted(values)


def _in_order(value: Any, twice: bool = False) -> Any:
    """Return what several variables are unpacked from."""
    if isinstance(value, _SETS):
        raise TypeError(_NO_ORDER)
    return [_in_order(each) for each in value] if twice else value


def _unpacked(values: Any, twice: bool) -> Iterator[Any]:
    """Return what a loop with several variables goes over."""
    return (_in_order(each, twice) for each in ordered(values))


_NO_ORDER = "a set has no order; write sorted(...) of it."
_MAX_WIDTH = 1000
_WRITABLE = (str, float, int, range, list, tuple, dict, Mapping)
_SEQUENCES = (str, list, tuple, range)

# Operators


def _add(a: Any, b: Any) -> Any:
    return grown(a + b)


def _add_in_place(a: Any, b: Any) -> Any:
    if isinstance(a, list):
        a += _taken(b)
        return a
    return grown(a + b)


def _multiply(a: Any, b: Any) -> Any:
    if isinstance(b, _SEQUENCES):
        a, b = b, a
    if isinstance(a, _SEQUENCES) and isinstance(b, int):
        allocate(len(a) * max(b, 0))
    elif isinstance(a, int) and isinstance(b, int) and a.bit_length() + b.bit_length() > MAX_BITS:
        _refuse_bits()
    return a * b


def _power(a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int) and a.bit_length() * b > MAX_BITS:
        _refuse_bits()
    return a**b


def _modulo(a: Any, b: Any) -> Any:
    if isinstance(a, str):
        raise TypeError(f"{a[:40]!r} % ... formats text; write an f-string.")
    return a % b


def _augment(container: Any, index: Any, operation: Callable[[Any, Any], Any], value: Any) -> None:
    container[index] = operation(container[index], value)


def _refuse_bits() -> None:
    raise Rejection.resource_exhausted(f"This call makes a number of more than {MAX_BITS} bits; ask for less at once.")


# Numbers and texts


def _round(value: Any, places: Any = None) -> Any:
    if isinstance(places, int) and abs(places) > _MAX_WIDTH:
        raise Rejection.resource_exhausted(f"{places} places are too many to round to; ask for at most {_MAX_WIDTH}.")
    return grown(round(value, places))


def _decimal(value: Any = "0") -> Decimal:
    number = Decimal(value if isinstance(value, Decimal | int | float) else grown(str(_shown(value))))
    if number.is_finite() and not -_MOST_EXPONENT <= number.adjusted() <= _MOST_EXPONENT:
        raise Rejection.resource_exhausted(f"A Decimal has an exponent beyond {_MOST_EXPONENT}; ask for less at once.")
    return number


def _range(*bounds: int) -> range:
    wanted = range(*bounds)
    if (wanted.stop - wanted.start) // wanted.step > steps_left():
        spend(steps_left() + 1)
    return wanted


def _shown(value: Any) -> Any:
    """Return a value that may be written into a text: data, which reads the same in every process."""
    if type(value) in SCALARS:
        return value
    tick()
    _in_order(value)
    if not isinstance(value, _WRITABLE):
        raise TypeError(f"a {type(value).__name__} cannot be written into a text; write one of its values.")
    parts = [*value.keys(), *value.values()] if isinstance(value, Mapping) else value
    for part in parts if isinstance(parts, list | tuple) else ():
        _shown(part)
    return value


def _str(value: Any = "") -> Any:
    return grown(str(_shown(value)))


def _format(value: Any, spec: str = "") -> Any:
    if "%s" in spec or "%Z" in spec:
        raise TypeError(f"{spec[:40]!r} depends on the time zone of the machine.")
    digits = "".join(letter if letter.isdigit() else " " for letter in spec[:_MAX_WIDTH]).split()
    if len(spec) > _MAX_WIDTH or any(len(width) > 4 or int(width) > _MAX_WIDTH for width in digits):
        raise Rejection.resource_exhausted(f"A format asks for more than {_MAX_WIDTH} places; ask for less at once.")
    return grown(format(_shown(value), spec))


class _PlainFormatter(Formatter):
    """text.format(...) with fields that are numbers or names, and nothing of a value behind them."""

    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        if not (field_name.isidentifier() or field_name.isdecimal()):
            raise TypeError(f"the field {field_name!r} of a format reaches into a value; write an f-string.")
        return _shown(super().get_field(field_name, args, kwargs)[0]), field_name

    def format_field(self, value: Any, format_spec: str) -> Any:
        return _format(value, format_spec)


def _format_text(text: str, /, *args: Any, **named: Any) -> Any:
    return grown(_PlainFormatter().vformat(text, args, named))


# Functions over collections


def _taken(values: Any) -> Any:
    """Pay for what a function goes over, and return it: a generator as a list, a set in sorted order."""
    kind = type(values)
    if kind in _UNSIZED:
        return values
    if kind is GeneratorType:
        return list(values)
    return grown(ordered(values) if isinstance(values, _SETS) else values)


def _over(
    function: Callable[..., Any],
    *,
    is_lazy: bool = False,
    compares: bool = False,
    owner: Any = None,
    searched: Any = None,
) -> Callable[..., Any]:
    """Return a function, or a method of `owner`, that pays for what it goes over, and goes over sets in order.

    A lazy one gives a list where Python gives an iterator; one that compares or hashes pays for all that is within its
    arguments, and within what is `searched`.
    """

    def bounded(*args: Any, **named: Any) -> Any:
        taken = [each if type(each) in _UNSIZED else _taken(each) for each in args]
        if owner is not None:
            grown(owner)
        if searched is not None:
            light(searched)
        if named and callable(named.get("key")):  # a function to compare by, not the value of a column called key
            named["key"] = _light_key(named["key"])
        elif compares:
            if not named and len(taken) < _ITEMS_PER_STEP and SCALARS.issuperset(map(type, taken)):
                tick()  # as `light` of them takes
            else:
                light([*taken, *named.values()])
        result = function(*taken, **named)
        if type(result) in _UNSIZED:
            return result
        return grown(list(result) if is_lazy else result)

    return bounded


def _light_key(key: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: light(key(value))


def _sum(values: Any, /, start: Any = 0) -> Any:
    if isinstance(start, str | list | tuple):
        raise TypeError("sum() adds numbers; join sequences with a comprehension.")
    return grown(sum(_taken(values), start))


# Methods


def _join(text: str, parts: Iterable[Any]) -> str:
    listed = list(_taken(parts))
    allocate(sum(len(part) for part in listed if isinstance(part, str)) + len(text) * len(listed))
    return text.join(listed)


def _replace(text: str, old: str, new: str, *count: int) -> str:
    allocate(len(text) + text.count(old) * len(new))
    return text.replace(old, new, *count)


def _choices(random: Random, *args: Any, k: int = 1, **named: Any) -> list[Any]:
    allocate(k)
    return random.choices(*map(_taken, args), k=k, **named)


_METHODS: dict[tuple[type, str], Callable[..., Any]] = {
    (str, "join"): _join,
    (str, "replace"): _replace,
    (str, "format"): _format_text,
    (Random, "choices"): _choices,
}


def _method(method: Any) -> Any:
    """Return the bounded form of a method, and what is not a method of a value as it is."""
    owner, name = getattr(method, "__self__", None), getattr(method, "__name__", "")
    if owner is None:
        return method
    if name in MACHINE:
        raise TypeError(f"{name}() reads the machine; use db.now, and the random numbers as they are seeded.")
    if name == "pop":
        _in_order(owner)
    bounded = _METHODS.get((str if isinstance(owner, str) else type(owner), name))
    if bounded is not None:
        return lambda *args, **named: bounded(owner, *args, **named)
    if isinstance(owner, str | Random):
        return _over(method, owner=owner)
    if _is_sized[type(owner)]:
        is_keyed = name in KEYED_METHODS or (name == "pop" and isinstance(owner, dict))
        searched = owner if name in ("count", "index", "remove", "sort") else None
        return _over(method, compares=True, owner=None if is_keyed else owner, searched=searched)
    return method if isinstance(owner, type) else _over(method, compares=True)


def _frozen(value: Any) -> Any:
    """Return the read-only form of a constant, which every session sees."""
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
    return SimpleNamespace(**{each: getattr(module, each) for each in wanted or ()})


_INJECTED: dict[str, Any] = {
    **{"tick": tick, "ordered": ordered, "shown": _shown, "grown": grown, "taken": _taken},
    **{"add": _add, "add_in_place": _add_in_place, "multiply": _multiply, "power": _power, "modulo": _modulo},
    **{"augment": _augment, "method": _method, "frozen": _frozen},
    **{"light": light, "searched": _searched, "unpacked": _unpacked, "in_order": _in_order},
    **{
        name: _over(getattr(builtins, name), is_lazy=True) for name in ("enumerate", "filter", "map", "reversed", "zip")
    },
    **{name: _over(getattr(builtins, name)) for name in ("all", "any", "float", "int", "list", "tuple")},
    **{
        name: _over(getattr(builtins, name), compares=True)
        for name in ("dict", "frozenset", "max", "min", "set", "sorted")
    },
    **{"Counter": _over(Counter, compares=True), "defaultdict": _over(defaultdict, compares=True)},
    **{"Decimal": _decimal, "sum": _sum, "round": _round, "range": _range},
    **{"str": _str, "format": _format},
}
"""What the rewritten code calls; a leading dot in front of each name keeps it out of reach of the source."""


def allowed_builtins() -> dict[str, Any]:
    names = [*BUILTINS, "__build_class__"]
    return {
        **{name: getattr(builtins, name) for name in names},
        **{f".{name}": value for name, value in _INJECTED.items()},
        "__import__": import_allowed,
    }
