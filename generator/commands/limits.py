"""How much a child process may take that makes, eases or raises so many tasks."""

from __future__ import annotations

from generator.isolation.limits import ProvingLimits

_ROWS_LIKE_A_TASK = 1_000  # rows of a world that cost about as much as a task itself


def limits_of(tasks: int, rows: int) -> ProvingLimits:
    """The limits of a share of so many tasks, of worlds of so many rows."""
    seconds = 120 + tasks * (5 + rows // _ROWS_LIKE_A_TASK)
    return ProvingLimits(cpu_seconds=seconds, wall_seconds=20.0 * seconds, answer_bytes=256 * 1024**2)
