"""What JSON every reader takes: valid text only, no number without a value, none that 64 bits cannot hold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any

_MOST = 2**63  # beyond it readers disagree: some refuse the number, some round it


def line(record: Mapping[str, Any]) -> str:
    """A record as one line of JSON in ASCII, so that no reader takes another character for the end of a line."""
    return json.dumps(legible(record), separators=(",", ":"), allow_nan=False) + "\n"


def text_of(value: Any) -> str:
    """A value as JSON within a text."""
    return json.dumps(legible(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def legible(value: Any) -> Any:
    """The value with half surrogates replaced by U+FFFD, and with texts for the numbers that JSON readers refuse."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, float):
        return value if isfinite(value) else str(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value if -_MOST <= value < _MOST else str(value)
    if isinstance(value, Mapping):
        return {legible(str(name)): legible(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [legible(item) for item in value]
    return value
