"""Stage `graph`: which tool makes which other one possible, found and backed by execution (paper, section 4.1.3)."""

from __future__ import annotations

import os
from typing import Any

from generator.build.draft import Draft
from generator.graph.write import join_graphs
from generator.isolation.limits import ProvingLimits
from generator.isolation.prove import prove_each
from runtime.errors import WorldsmithError

_LIMITS = ProvingLimits(cpu_seconds=240, wall_seconds=900)


def find_dependencies(draft: Draft) -> dict[str, Any]:
    """The content of `graph.json`; every edge carries the calls that show it."""
    shares = os.cpu_count() or 1
    with draft.laid_out() as folder:
        arguments = [{"folder": str(folder), "share": share, "shares": shares} for share in range(shares)]
        parts = prove_each("generator.graph.finding:prove_graph", arguments, _LIMITS, reads=[folder])
    for part in parts:
        if isinstance(part, WorldsmithError):
            raise part
    return join_graphs(parts)
