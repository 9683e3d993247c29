"""By how much the best of several is better: what a person would call alike, nobody is to tell apart."""

from __future__ import annotations

import re

from runtime.domain.dates import minutes_between
from runtime.domain.schema import Value

LEAST_SHARE, LEAST_MINUTES = 0.02, 15  # of the greater number, between two moments

_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d)?")


def is_near_tie(best: Value, other: Value) -> bool:
    """Whether two values are the same for a person: 1,999 and 2,000 cents, 10:00 and 10:05; two days are not."""
    if isinstance(best, int | float) and isinstance(other, int | float):
        return abs(best - other) < LEAST_SHARE * max(abs(best), abs(other)) or best == other
    if isinstance(best, str) and isinstance(other, str):
        if _MOMENT.fullmatch(best) and _MOMENT.fullmatch(other):
            return abs(minutes_between(best, other)) < LEAST_MINUTES
        return best.casefold() == other.casefold()
    return False
