"""Values that remember where they came from: paths into results, origins, and how a person says a value."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from runtime.domain.arguments import weekday
from runtime.domain.schema import RowRef


@dataclass(frozen=True)
class ChoiceRef:
    """A choice of the scenario by its name."""

    name: str


@dataclass(frozen=True)
class ClockRef:
    """What the frozen clock says: the moment, the day, or the day so many days from it."""

    what: Literal["now", "today"]
    days: int | None = None


@dataclass(frozen=True)
class ResultRef:
    """A place in the result of a step; without a path the result as a whole."""

    step: int
    path: JsonPath = ()


@dataclass(frozen=True)
class DutyRef:
    """What the office's policy says to note, such as a rule's code or a fee, by the parameter that takes it."""

    parameter: str


_KINDS_OF_SOURCE: dict[type, str] = {
    RowRef: "row",
    ChoiceRef: "choice",
    ClockRef: "clock",
    ResultRef: "result",
    DutyRef: "duty",
}


@dataclass(frozen=True)
class Origin:
    """Where a value came from: a column of a row of the world, a choice, the clock, or the result of a step.

    `made` is what was then done to get a computed value, in words ("at 14:00").
    """

    source: RowRef | ChoiceRef | ClockRef | ResultRef | DutyRef
    made: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """row, choice, clock, result or duty."""
        return _KINDS_OF_SOURCE[type(self.source)]

    def __str__(self) -> str:
        """Return the origin in words, for a person: loan.due_on of L1."""
        match self.source:
            case RowRef(table, key, column):
                where = f"{table}.{column} of {' / '.join(map(str, key))}"
            case ChoiceRef(name):
                where = name
            case ClockRef(what, days):
                where = what if days is None else f"{what}{days:+d}"
            case ResultRef(_, path):
                where = dotted(path)
            case DutyRef(parameter):
                where = f"{parameter} of the policy"
        return " ".join(filter(None, (where, *self.made)))


TODAY, NOW = Origin(ClockRef("today")), Origin(ClockRef("now"))
AS_A_DAY = "as a day"
"""What is done to a moment that is told by its day alone."""


class _Traced:
    """What a traced value carries; `base` and `amounts` are what it was computed from, `spoken` how it is said."""

    origin: Origin
    base: Any = None
    amounts: tuple[Any, ...] = ()
    spoken: str | None = None
    minor: int | None = None  # of money: how many of its units make a dollar, or one of the office's currency


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
    """Return a value that remembers its origin; None and other kinds stay as they are."""
    kind = _KINDS.get(type(value))
    if kind is None:
        return value
    marked = kind(value)
    marked.origin = origin
    return marked


def computed(value: Any, base: Any, what: str, *amounts: Any) -> Any:
    """Return a value made of another one and of amounts: known to those who are told it, or know what it is made of."""
    origin = origin_of(base) or Origin(ChoiceRef(""))
    marked = traced(value, replace(origin, made=(*origin.made, what) if what else origin.made))
    marked.base, marked.amounts = base, amounts
    return marked


def spoken(value: Any, words: str) -> Any:
    """Return the same value with the words in which a person says it."""
    origin = origin_of(value)
    marked = traced(plain(value), origin or Origin(ChoiceRef(words)))
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
    """Return what a value was computed from; None if it was taken as it is."""
    return getattr(value, "base", None)


_PLAIN = frozenset({str, int, float, bool, type(None)})


def plain(value: Any) -> Any:
    """Return a value without its origin, all through lists and mappings."""
    if type(value) in _PLAIN:
        return value
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


JsonPath = tuple[str | int, ...]  # such as ("loans", 1, "loan_id")
_PLACE = re.compile(r"0|[1-9][0-9]{0,8}")


def read_path(text: str) -> JsonPath:
    """Return a path from its text; a number is a place in a list, or else a name."""
    return tuple(int(part) if _PLACE.fullmatch(part) else part for part in text.split("."))


def dotted(path: JsonPath) -> str:
    """Return a path as text: loans.1.loan_id."""
    return ".".join(map(str, path))


def value_at(value: Any, path: JsonPath) -> Any:
    """Return the value at a path; errors: LookupError."""
    for part in path:
        if isinstance(value, list) and isinstance(part, int):
            value = value[part]
        elif isinstance(value, Mapping):
            value = value[str(part)]
        else:
            raise LookupError(f"There is no {part!r} in {type(value).__name__}.")
    return value


def find_at(value: Any, path: JsonPath) -> Any:
    """Return the value at a path; None if there is none."""
    try:
        return value_at(value, path)
    except LookupError:
        return None


def leaves_of(value: Any, path: JsonPath = ()) -> Iterator[tuple[JsonPath, Any]]:
    """Every single value with its path; a reference to a step's result is one, and so is an empty list or object."""
    if isinstance(value, Mapping) and value and not is_reference(value):
        for name, item in value.items():
            yield from leaves_of(item, (*path, str(name)))
    elif isinstance(value, list | tuple) and value:
        for number, item in enumerate(value):
            yield from leaves_of(item, (*path, number))
    else:
        yield path, value


def scalars_of(value: Any) -> Iterator[tuple[JsonPath, str | int | float | None]]:
    """Yield every single value with its path: no reference, and no empty list or object."""
    return ((path, leaf) for path, leaf in leaves_of(value) if not isinstance(leaf, Mapping | list | tuple))


def put_at(value: Any, path: JsonPath, wanted: Any) -> Any:
    """Return a copy of a value with another one at a path; lists and objects that are missing on the way are made."""
    if not path:
        return wanted
    first, rest = path[0], path[1:]
    if isinstance(first, int):
        items = list(value or ())
        items[first : first + 1] = [put_at(items[first] if first < len(items) else None, rest, wanted)]
        return items
    named = dict(value or {})
    return {**named, first: put_at(named.get(first), rest, wanted)}


def is_reference(value: Any) -> bool:
    """True if a value refers to a place in an earlier step's result."""
    return isinstance(value, Mapping) and "$step" in value


def reference_to(step: int, path: JsonPath) -> dict[str, Any]:
    """Return the reference to a place in a step's result, as a task's line has it."""
    return {"$step": step, "path": dotted(path)}


def path_of(reference: Mapping[str, Any]) -> JsonPath:
    """Return the path that a reference names."""
    return read_path(str(reference["path"]))


def steps_named(value: Any) -> Iterator[Any]:
    """Yield the steps that the references within a value name."""
    return (leaf["$step"] for _, leaf in leaves_of(value) if is_reference(leaf))


_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}:\d{2})?")
_TIME = re.compile(r"(?:[01]\d|2[0-3]):[0-5]\d")
_STATE = re.compile(r"[a-z]+(?:_[a-z]+)+")  # a state or kind as the database writes it: under_review


def said(value: Any, today: str = "", *, day_first: bool = False) -> str:
    """Return a value as a person says it; the year of a date only if it is another one than that of `today`.

    With `day_first` a date is Monday 18 March, and Monday, March 18 otherwise.
    """
    words = getattr(value, "spoken", None)
    if words is not None:
        return str(words)
    if isinstance(value, bool | TracedTruth):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return _listed([said(item, today, day_first=day_first) for item in value])
    text = str(plain(value))
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if _TIME.fullmatch(text):
        return _time(datetime.strptime(text, "%H:%M"))
    if _STATE.fullmatch(text):
        return text.replace("_", " ")
    try:
        moment = datetime.fromisoformat(text if _DATE.fullmatch(text) else "")
    except ValueError:
        return text
    comma = "" if day_first else ","
    year = f"{comma} {moment.year}" if today and today[:4] != text[:4] else ""
    is_long_ago = bool(today) and abs(moment.year - int(today[:4])) > 1  # nobody says a birthday with its weekday
    day = f"{moment.day} {moment:%B}" if day_first else f"{moment:%B} {moment.day}"
    day = f"{'' if is_long_ago else f'{weekday(text)}{comma} '}{day}{year}"
    return day if len(text) == 10 else f"{day} at {_time(moment)}"


def _time(moment: datetime) -> str:
    if (moment.hour, moment.minute, moment.second) == (12, 0, 0):
        return "noon"
    minutes = f":{moment:%M}" if moment.minute or moment.second else ""
    seconds = f":{moment:%S}" if moment.second else ""
    return f"{moment.hour % 12 or 12}{minutes}{seconds} {'AM' if moment.hour < 12 else 'PM'}"


def _listed(parts: list[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else "".join(parts)
