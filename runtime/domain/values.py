"""The argument types that domain authors may use beside plain ones: dates and times as text."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, WithJsonSchema

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
