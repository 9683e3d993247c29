"""What one call and one session may use; what exceeds a limit is rolled back and rejected as RESOURCE_EXHAUSTED."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Counted limits, so that a verdict never depends on the machine's load.

    `code_steps` counts what the code of one call does: one for a turn of a loop, more for what takes longer (see
    `sandbox.prices`), 30 for each statement and some for the rows it reads; `sql_steps` SQLite's virtual-machine
    operations in one call, of which those on texts count for more (see `guard`); the others are bytes: of a result, of
    one text value, by which the rows may outgrow those of the world, of the call log.
    """

    code_steps: int = 250_000
    sql_steps: int = 5_000_000
    result_bytes: int = 256 * 1024
    text_bytes: int = 256 * 1024
    growth_bytes: int = 64 * 1024**2
    log_bytes: int = 48 * 1024


UNLOGGED = Limits(log_bytes=0)
"""Of a session whose calls nobody will look up."""
