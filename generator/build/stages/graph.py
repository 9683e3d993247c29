"""Stage `graph`: which tool makes which other one possible, found and backed by execution (paper, section 4.1.3)."""

from __future__ import annotations

import os

from generator.build.draft import Draft
from generator.gates.request import cut_in_shares
from generator.graph.find import join_graphs, prove_graph
from generator.isolation.limits import ProvingLimits
from generator.isolation.prove import prove_all
from runtime.graph import Graph

_LIMITS = ProvingLimits(cpu_seconds=240, wall_seconds=900)


def find_dependencies(draft: Draft) -> Graph:
    """The graph of a draft; every edge carries the calls that show it."""
    with draft.laid_out() as folder:
        shares = cut_in_shares(folder, os.cpu_count() or 1)
        return join_graphs(prove_all(prove_graph, shares, _LIMITS, reads=[folder]))
