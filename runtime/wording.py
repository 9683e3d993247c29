"""How a count is said with its noun: 1 task, 4,096 episodes."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """A count with its noun, which is given in the singular."""
    ending = "" if count == 1 else "es" if noun.endswith(("s", "sh")) else "s"
    return f"{count:,} {noun}{ending}"
