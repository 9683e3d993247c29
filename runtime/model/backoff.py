"""How long to wait before a failed call is made again."""

from __future__ import annotations

import email.utils
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Backoff:
    """`tries` calls in all; `first` seconds before the second, twice as long each time, never more than `most`.

    A server that names a wait is obeyed, up to `longest` seconds.
    """

    tries: int = 8
    first: float = 1.0
    most: float = 60.0
    longest: float = 600.0

    def seconds(self, failures: int, headers: Mapping[str, str]) -> float | None:
        """The wait after so many failures; None when it is time to give up."""
        if failures >= self.tries:
            return None
        named = _named_wait(headers)
        if named is not None:
            return named if named <= self.longest else None
        # Spread out what failed together, or it fails together again.
        return float(min(self.first * 2 ** (failures - 1), self.most) * random.uniform(0.75, 1.0))


def _named_wait(headers: Mapping[str, str]) -> float | None:
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            return max(0.0, float(headers[name]) * unit)
        except (KeyError, ValueError):
            continue
    date = email.utils.parsedate_tz(headers.get("retry-after", ""))
    return None if date is None else max(0.0, email.utils.mktime_tz(date) - time.time())
