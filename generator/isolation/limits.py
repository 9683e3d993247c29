"""What one proof may use, and how a process holds itself to it."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

MIB = 1024**2


@dataclass(frozen=True)
class ProvingLimits:
    """Limits of one child process.

    Processor time is what ends a proof; the wall clock is for a child that waits, and wide, since a verdict must not
    depend on the machine's load. `file_bytes` bounds every file that SQLite may spill to. Where the platform cannot
    limit a process (Windows), the wall clock alone does.
    """

    cpu_seconds: int = 20
    wall_seconds: float = 120.0
    memory_bytes: int = 1024 * MIB
    file_bytes: int = 64 * MIB
    answer_bytes: int = 16 * MIB
    open_files: int = 64


USUAL = ProvingLimits()


def limit_process(limits: ProvingLimits) -> None:
    """Hold this process to its limits, for good."""
    try:
        import resource
    except ImportError:
        return
    wanted = {
        resource.RLIMIT_CPU: (limits.cpu_seconds, limits.cpu_seconds + 1),
        resource.RLIMIT_AS: (limits.memory_bytes, limits.memory_bytes),
        resource.RLIMIT_FSIZE: (limits.file_bytes, limits.file_bytes),
        resource.RLIMIT_NOFILE: (limits.open_files, limits.open_files),
        resource.RLIMIT_NPROC: (0, 0),  # for root it does not count; the fence denies processes to all
        resource.RLIMIT_CORE: (0, 0),
    }
    for kind, bounds in wanted.items():
        with contextlib.suppress(ValueError, OSError):  # macOS has no RLIMIT_AS
            resource.setrlimit(kind, bounds)
