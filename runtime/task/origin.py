"""Values that remember where they came from, so that a proof can ask whether an agent could have known them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Origin:
    """Where a value came from: a row of the world, a choice of the scenario, the clock, or the result of a step.

    `where` is "table.column of key", the choice's name, the day's offset, or a path into the step's result; of a value
    computed from another, what was done follows ("today+4 at 14:00").
    """

    kind: Literal["row", "choice", "clock", "result"]
    where: str
    step: int | None = None


TODAY, NOW = Origin("clock", "today"), Origin("clock", "now")


class _Traced:
    """What a traced value carries; `base` and `amounts` are what it was computed from, `spoken` how it is said."""

    origin: Origin
    base: Any = None
    amounts: tuple[Any, ...] = ()
    spoken: str | None = None


class TracedText(_Traced, str):
    """Text with its origin."""


class TracedInteger(_Traced, int):
    """A whole number with its origin."""


class TracedReal(_Traced, float):
    """A real number with its origin."""


class TracedTruth(_Traced, int):
    """True or false with its origin, as 1 or 0: nothing can be derived from bool."""


_KINDS: dict[type, type] = {str: TracedText, bool: TracedTruth, int: TracedInteger, float: TracedReal}


def traced(value: Any, origin: Origin) -> Any:
    """A value that remembers its origin; None and other kinds stay as they are."""
    kind = _KINDS.get(type(value))
    if kind is None:
        return value
    marked = kind(value)
    marked.origin = origin
    return marked


def computed(value: Any, base: Any, what: str, *amounts: Any) -> Any:
    """A value made of another one and of amounts: known to whoever is told it, or knows what it is made of."""
    origin = origin_of(base) or Origin("choice", "")
    marked = traced(value, Origin(origin.kind, f"{origin.where} {what}".strip(), origin.step))
    marked.base, marked.amounts = base, amounts
    return marked


def spoken(value: Any, words: str) -> Any:
    """The same value with the words in which a person says it."""
    origin = origin_of(value)
    marked = traced(plain(value), origin or Origin("choice", words))
    if origin is None:
        marked.base = plain(value)  # what nobody chose stays unlicensed until it is told
    elif value.base is not None:
        marked.base, marked.amounts = value.base, value.amounts
    marked.spoken = words
    return marked


def origin_of(value: Any) -> Origin | None:
    """Where a value came from, if it was traced."""
    return getattr(value, "origin", None)


def base_of(value: Any) -> Any:
    """What a value was computed from; None if it was taken as it is."""
    return getattr(value, "base", None)


def plain(value: Any) -> Any:
    """A value without its origin, all through lists and mappings."""
    if isinstance(value, TracedTruth):
        return bool(value)
    for kind in (str, int, float):
        if isinstance(value, kind) and not isinstance(value, bool):
            return kind(value)
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    return value


def leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """The values inside lists and mappings with their paths, as in "application_ids.0"."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from leaves(item, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list | tuple):
        for number, item in enumerate(value):
            yield from leaves(item, f"{path}.{number}" if path else str(number))
    else:
        yield path, value
