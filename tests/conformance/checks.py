"""A line of a report, and how a report is printed."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from tests.conformance.programs import NotCovered


def report(checks: Iterator[Check]) -> int:
    """Print one line for each check and a closing count; 1 if any check failed."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what was started is stopped
    passed = failed = 0
    try:
        for check in checks:
            if check.complaint:
                failed += 1
                print(f"FAILED {check.name}: {check.complaint}", flush=True)
            else:
                passed += 1
                print(f"ok {check.name}", flush=True)
    except NotCovered as reason:
        print(f"skipped: {reason}")
        return 0
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


@dataclass(frozen=True)
class Check:
    """One line of the report; it passed when there is no complaint."""

    name: str
    complaint: str = ""
