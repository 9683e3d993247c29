"""What one call and one session may use; what exceeds a limit is rolled back and rejected as RESOURCE_EXHAUSTED."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Counted limits, so that a verdict never depends on the machine's load.

    `code_steps` counts loop turns and function calls of the code of one call, 30 for each statement and 3 for each row
    after the first 50; `sql_steps` counts SQLite's virtual-machine operations of one call. The others are bytes: of a
    result, of one text value, and by how much the rows may outgrow those of the world.
    """

    code_steps: int = 250_000
    sql_steps: int = 5_000_000
    result_bytes: int = 256 * 1024
    text_bytes: int = 256 * 1024
    growth_bytes: int = 64 * 1024**2
