"""What kinds of values a user may want to be told, which kind a value is of, and how an answer may be named."""

from __future__ import annotations

import re
from datetime import date, datetime, time
from typing import Any, Literal

AnswerKind = Literal["date", "moment", "time", "number", "money", "text"]
"""`moment` is a date with a time of day; counts, shares and ratings are numbers; money is told in dollars."""

_SHAPES: dict[AnswerKind, tuple[re.Pattern[str], Any]] = {
    "date": (re.compile(r"\d{4}-\d\d-\d\d"), date.fromisoformat),
    "moment": (re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?"), datetime.fromisoformat),
    "time": (re.compile(r"\d\d:\d\d(:\d\d)?"), time.fromisoformat),
}

_NAME = re.compile(r"[^\W_]+(?:[ '-][^\W_]+)*")
MOST_WORDS = 8  # of a name
_QUESTIONS = frozenset(["what", "which", "who", "whom", "whose", "when", "where", "why", "how", "whether", "if"])
_BEFORE = frozenset(["a", "an", "the", "my", "your", "his", "her", "its", "our", "their", "this", "that"])
_LINKS = frozenset(["of", "for", "to", "in", "on", "at", "by", "from", "with", "and", "or", "than", "as"])
_OPEN_ENDS = frozenset(["of", "and", "or", "than", "as", "a", "an", "the"])
_DENIALS = frozenset(["no", "not", "never", "without", "nor", "neither"])


def fault_of_name(name: str) -> str:
    """Why a user cannot ask for "the NAME?", as the rest of a sentence; empty if nothing speaks against it."""
    words = name.casefold().split()
    if not _NAME.fullmatch(name):
        return "holds more than words, spaces and hyphens"
    if len(words) > MOST_WORDS:
        return f"has {len(words)} words; at most {MOST_WORDS} can be said in passing"
    if words[0] in _QUESTIONS | _BEFORE | _LINKS:
        return f"begins with {words[0]!r}; it must be a noun phrase without an article"
    if words[-1] in _OPEN_ENDS:
        return f"ends with {words[-1]!r}; it must be a noun phrase"
    if denials := sorted(_DENIALS & set(words)):
        return f"denies with {denials[0]!r}; say what it is"
    return ""


def kind_of(value: str | int | float) -> AnswerKind:
    """The kind that a value is of, by how databases of domains write it."""
    if not isinstance(value, str):
        return "number"
    return next((kind for kind in _SHAPES if not fault_of_value(kind, value)), "text")


def fault_of_value(kind: AnswerKind, value: str | int | float) -> str:
    """Why a value is not of a kind, as the rest of a sentence; empty if it is."""
    if kind in ("number", "money"):
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
