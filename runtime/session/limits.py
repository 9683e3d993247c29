"""What one call and one session may use; what exceeds a limit is rolled back and rejected as RESOURCE_EXHAUSTED."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Counted limits, so that a verdict never depends on the machine's load.

    `code_steps` counts loop passes, function entries, rows read, and ten for each statement, in one call; `sql_steps`
    SQLite virtual-machine operations in one call, to the next thousand; the others are bytes: of a result, of one text
    value, by which the rows may outgrow those of the world, of the call log.
    """

    code_steps: int = 1_000_000
    sql_steps: int = 20_000_000
    result_bytes: int = 256 * 1024
    text_bytes: int = 256 * 1024
    growth_bytes: int = 64 * 1024**2
    log_bytes: int = 48 * 1024
