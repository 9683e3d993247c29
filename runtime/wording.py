"""How a count is said with its noun, which names are given for one that is unknown, and what a terminal is shown."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_NEAREST = 3
_MOST_NAMES = 10


def counted(count: int, noun: str) -> str:
    """A count with its noun, which is given in the singular."""
    ending = "" if count == 1 else "es" if noun.endswith(("s", "sh")) else "s"
    return f"{count:,} {noun}{ending}"


def have(unknown: str, names: Iterable[str]) -> str:
    """What an error says after an unknown name: the nearest names that there are, or else the first ones of all.

    Of names such as `anthropic:MODEL`, what stands before the colon is compared.
    """
    there = list(names)
    plain = {name.casefold().partition(":")[0]: name for name in reversed(there)}
    close = difflib.get_close_matches(unknown.casefold().partition(":")[0][:80], plain, n=_NEAREST)
    if close:
        return f"have: {', '.join(plain[name] for name in close)}"
    return f"have: {', '.join(there[:_MOST_NAMES]) or 'none'}" + (", ..." if len(there) > _MOST_NAMES else "")


def printable(text: str) -> str:
    """A text of somebody else's for a terminal: what would move its cursor or turn its words round is written out."""
    return _CONTROL.sub(lambda found: ascii(found[0])[1:-1], text)
