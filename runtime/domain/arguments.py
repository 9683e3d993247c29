"""Argument and result types of tools: dates, JSON Schemas, and the strict check of what crosses in either direction."""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError, WithJsonSchema
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import SchemaValidator
from typing_extensions import TypedDict, is_typeddict

from runtime.errors import Rejection

MAX_TEXT = 4_000  # characters, unless a parameter has its own limit
MAX_INTEGER = 2**53 - 1  # beyond it, JSON numbers are not exact
_MOST_LEVELS = 8  # of objects within each other, in a type

_CONFIG = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False, str_max_length=MAX_TEXT)
_RESULT_CONFIG = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


@dataclass(frozen=True)
class Signature:
    """What may cross: a JSON Schema to show, and a check that raises ValueError with one sentence.

    Both are made when they are first needed, as a session calls few of a domain's tools.
    """

    name: str
    fields: Any  # type and default of each parameter, or the TypedDict of a result

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.fields if isinstance(self.fields, Mapping) else _bare(self.fields).__annotations__)

    @cached_property
    def schema(self) -> Mapping[str, Any]:
        """The JSON Schema, without the titles that repeat every name."""
        schema = self._adapter.json_schema(schema_generator=_PlainSchema)
        for titled in (schema, *schema.get("$defs", {}).values()):
            titled.pop("title", None)
        schema.setdefault("properties", {})
        schema["additionalProperties"] = False
        return schema

    @cached_property
    def validator(self) -> SchemaValidator:
        return SchemaValidator(_with_exact_integers(self._adapter.core_schema))

    @cached_property
    def _adapter(self) -> TypeAdapter[Any]:
        if not isinstance(self.fields, Mapping):
            _configure(self.fields, _RESULT_CONFIG)
            return TypeAdapter(self.fields)
        make: Any = TypedDict  # its names are known at run time only
        typed_dict = make(self.name, {key: _field(*field) for key, field in self.fields.items()})
        _configure(typed_dict, _CONFIG)
        return TypeAdapter(typed_dict)

    def check(self, value: Any) -> Any:
        """Return the value as declared; errors: ValueError whose text names what is wrong and what would be right.

        A number that JSON cannot hold, infinite, NaN or an integer that is not exact there, is an OverflowError.
        """
        try:
            return self.validator.validate_python(value)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            if first["type"] == "finite_number" or _EXACT.items() & first.get("ctx", {}).items():
                raise OverflowError(_sentence(error, self.names)) from None
            raise ValueError(_sentence(error, self.names)) from None

    def check_untrusted(self, value: Mapping[str, Any]) -> Any:
        """`check` for a value from outside, where 1900.0 is accepted as an integer, as JSON Schema says."""
        try:
            return self.validator.validate_python(value)
        except ValidationError:
            return self.check(_with_integers(value))


_EXACT = {"ge": -MAX_INTEGER, "le": MAX_INTEGER}


def _with_exact_integers(schema: Any) -> Any:
    """Return a core schema whose integers are bounded, which the JSON Schema need not say."""
    if isinstance(schema, list | tuple):
        return type(schema)(map(_with_exact_integers, schema))
    if not isinstance(schema, dict):
        return schema
    bounds = _EXACT if schema.get("type") == "int" else {}
    return {
        **bounds,
        **{name: value if name == "metadata" else _with_exact_integers(value) for name, value in schema.items()},
    }


def _with_integers(value: Any) -> Any:
    """A value with its whole floats as integers, which a parameter of real numbers takes too."""
    if isinstance(value, dict):
        return {name: _with_integers(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_with_integers(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) <= MAX_INTEGER else value


def faults_of_annotation(annotation: Any, *, top_level: bool = False, around: tuple[Any, ...] = ()) -> Iterator[str]:
    """Say what in a type cannot cross as JSON; a result must be an object with named fields.

    `around` are the TypedDicts that the type is part of.
    """
    bare, origin = _bare(annotation), get_origin(_bare(annotation))
    if top_level and not is_typeddict(bare):
        yield f"{_type_name(annotation)}; a result is a TypedDict."
    elif is_typeddict(bare):
        if bare in around or len(around) == _MOST_LEVELS:
            yield f"{bare.__name__}, which is a part of itself or nested more than {_MOST_LEVELS} levels deep."
        else:
            for field, hint in get_type_hints(bare, include_extras=True).items():
                found = faults_of_annotation(hint, around=(*around, bare))
                yield from (f"{bare.__name__}.{field}: {fault}" for fault in found)
    elif origin in (Union, types.UnionType, list):
        for part in get_args(bare):
            yield from faults_of_annotation(part, around=around)
    elif origin is dict and get_args(bare)[0] is str:
        yield from faults_of_annotation(get_args(bare)[1], around=around)
    elif origin is not Literal and bare not in (str, int, float, bool, type(None)):
        have = "have str, int, float, bool, Literal, Date, Timestamp, list, dict with str keys, TypedDict, None."
        yield f"{_type_name(bare)}; {have}"


class _PlainSchema(GenerateJsonSchema):
    """JSON Schema without the titles that repeat every name."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def _field(annotation: Any, default: Any) -> Any:
    described = _described(annotation)
    if default is inspect.Parameter.empty:
        return described
    return NotRequired[Annotated[described, Field(json_schema_extra={"default": default})]]


def _described(annotation: Any) -> Any:
    """Turn the plain strings in an annotation into descriptions that pydantic reads."""
    if get_origin(annotation) is NotRequired:
        return NotRequired[_described(get_args(annotation)[0])]
    words = [extra for extra in getattr(annotation, "__metadata__", ()) if isinstance(extra, str)]
    return Annotated[annotation, Field(description=" ".join(words))] if words else annotation


def _configure(typed_dict: Any, config: ConfigDict) -> None:
    """Make a TypedDict and those inside it strict; their fields' plain strings become descriptions."""
    bare = _bare(typed_dict)
    if is_typeddict(bare):
        if "__pydantic_config__" not in bare.__dict__:
            bare.__pydantic_config__ = config
            hints = get_type_hints(bare, include_extras=True)
            bare.__annotations__ = {field: _described(hint) for field, hint in hints.items()}
            for hint in hints.values():
                _configure(hint, config)
    else:
        for part in get_args(bare):
            if not isinstance(part, str):
                _configure(part, config)


def _sentence(error: ValidationError, names: tuple[str, ...]) -> str:
    """The first complaint as one sentence that names the argument, its value and what would be right."""
    first = error.errors(include_url=False)[0]
    path = ".".join(str(part) for part in first["loc"] if not isinstance(part, str) or "[" not in part)
    message, kind = first["msg"], first["type"]
    if kind == "missing":
        return f"Argument {path!r} is missing; it is required."
    if kind == "extra_forbidden":
        known = f"have: {', '.join(names) or 'none'}" if len(first["loc"]) == 1 else "leave it out"
        return f"Unknown argument {_shown(path if len(first['loc']) > 1 else first['loc'][0])}; {known}."
    if not path:
        return f"The arguments must be an object; got {_shown(first['input'])}."
    message = re.sub(r"^\w+ (?=should)", "", message.removeprefix("Value error, ")).rstrip(".")
    return f"Argument {path!r} is {_shown(first['input'])}: it {message}."


def _shown(value: Any) -> str:
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # an integer of more digits than Python prints
        text = "a value too large to show"
    return text if len(text) <= 80 else text[:77] + "..."


def _bare(annotation: Any) -> Any:
    """The type inside Annotated, Required and NotRequired."""
    while hasattr(annotation, "__metadata__"):
        annotation = annotation.__origin__
    if get_origin(annotation) is NotRequired:
        return _bare(get_args(annotation)[0])
    return annotation


def _type_name(annotation: Any) -> str:
    return getattr(annotation, "__name__", None) or str(annotation).replace("typing.", "")


_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIMESTAMP = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}")


def parse_date(text: str) -> str:
    """Accept `YYYY-MM-DD` and nothing else; errors: ValueError."""
    return _parsed(text, _DATE, "a date as YYYY-MM-DD")


def parse_timestamp(text: str) -> str:
    """Accept `YYYY-MM-DD HH:MM:SS`, with a T between them too, and return it with a space; errors: ValueError."""
    spaced = text[:10] + " " + text[11:] if text[10:11] == "T" else text
    return _parsed(spaced, _TIMESTAMP, "a date and time as YYYY-MM-DD HH:MM:SS")


def _parsed(text: str, form: re.Pattern[str], wanted: str) -> str:
    try:
        if not form.fullmatch(text):
            raise ValueError
        datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"should be {wanted}") from None
    return text


Date = Annotated[str, AfterValidator(parse_date), WithJsonSchema({"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"})]
Timestamp = Annotated[
    str,
    AfterValidator(parse_timestamp),
    WithJsonSchema({"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}$"}),
]


def add_days(day: str, days: int) -> str:
    """Add days to a date, or a date and time; negative is earlier."""
    return _moved(day, timedelta(days=max(-(10**7), min(10**7, days))))


def add_minutes(moment: str, minutes: int) -> str:
    """Add minutes to a date and time; negative is earlier."""
    return _moved(moment, timedelta(minutes=max(-(10**10), min(10**10, minutes))))


def days_between(earlier: str, later: str) -> int:
    """Whole days from one date to another, times of day left out; negative if `later` comes first."""
    return (date.fromisoformat(later[:10]) - date.fromisoformat(earlier[:10])).days


def minutes_between(earlier: str, later: str) -> int:
    """Whole minutes from one date and time to another; negative if `later` comes first."""
    return int((datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds() // 60)


def weekday(day: str) -> str:
    """The English name of the day of the week."""
    names = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
    return names[date.fromisoformat(day[:10]).weekday()]


def _moved(text: str, distance: timedelta) -> str:
    try:
        return str(datetime.fromisoformat(text) + distance)[: len(text)]
    except OverflowError:
        raise Rejection.invalid_argument(f"A date that far from {text} is outside the calendar.") from None


def closed_set(schema: Any) -> Iterator[Any]:
    """Yield the values that the schema of a parameter lists, wherever in it."""
    if isinstance(schema, Mapping):
        yield from schema.get("enum", ())
        yield from (schema["const"],) if "const" in schema else ()
        yield from (value for name, part in schema.items() if name != "enum" for value in closed_set(part))
    elif isinstance(schema, list):
        yield from (value for part in schema for value in closed_set(part))
