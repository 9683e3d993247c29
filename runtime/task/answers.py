"""What kinds of values a user may want to be told, and which kind a value is of."""

from __future__ import annotations

import re
from datetime import date, datetime, time
from typing import Any, Literal

AnswerKind = Literal["date", "moment", "time", "number", "text"]
"""`moment` is a date with a time of day; amounts, counts, shares and ratings are numbers; all else is text."""

_SHAPES: dict[AnswerKind, tuple[re.Pattern[str], Any]] = {
    "date": (re.compile(r"\d{4}-\d\d-\d\d"), date.fromisoformat),
    "moment": (re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?"), datetime.fromisoformat),
    "time": (re.compile(r"\d\d:\d\d(:\d\d)?"), time.fromisoformat),
}


def kind_of(value: str | int | float) -> AnswerKind:
    """The kind that a value is of, by how databases of domains write it."""
    if not isinstance(value, str):
        return "number"
    return next((kind for kind in _SHAPES if not fault_of_value(kind, value)), "text")


def fault_of_value(kind: AnswerKind, value: str | int | float) -> str:
    """Why a value is not of a kind, as the rest of a sentence; empty if it is."""
    if kind == "number":
        return "" if not isinstance(value, str) else "is a text"
    if not isinstance(value, str):
        return "is a number"
    if kind == "text":
        return "" if value.strip() else "is empty"
    shape, read = _SHAPES[kind]
    try:
        valid = shape.fullmatch(value) is not None and read(value) is not None
    except ValueError:
        valid = False
    return "" if valid else f"is not written as a {kind}"
